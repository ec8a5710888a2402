"""Paired probing: a command, a response and a span that a person marks, measured on both sides.

Not a check of the usual run: it asks one question about one place, against a budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from tracescope.analysis.rows import PairedRows, paired_rows
from tracescope.checks.probing_budgets import BUDGETS, PROBE_ID, SETTLING, Budgets
from tracescope.checks.probing_events import contact_measurements, has_steps, step_measurements
from tracescope.checks.probing_sides import Probed, Side, side_of
from tracescope.checks.probing_signals import (
    LENGTH_MM,
    centroid_measurements,
    distribution_measurements,
    dropout_measurements,
    latency_measurements,
    phase_measurements,
    timing_measurements,
)
from tracescope.checks.probing_words import reason_of, settled_by
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Coverage, Evidence, Measurement, State, Untold
from tracescope.model.errors import Problem, UsageError
from tracescope.model.trace import Channel, Samples

KINDS = ("step", "contact", "phase", "latency", "distribution", "centroid", "dropout", "timing")
"""What can be measured. Without any named, what fits the channels is."""

NEEDS_COMMAND = ("step", "phase", "latency")
FORCE_UNITS = ("n", "newton", "newtons")
MIN_ROWS = 8
DEFAULTS = Budgets()
_NOTHING: Mapping[str, CheckResult] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Probe:
    """What a person marked.

    Attributes:
        command: Sim name of the channel that asks, ``""`` where nothing does.
        response: Sim name of the channel that answers; for a centroid several, joined by ``+``.
        span_s: On the simulator's clock.
        kinds: Of :data:`KINDS`; none means what fits.
        frequency_hz: Where the phase is read.
        rate_hz: Of the control loop, for its deadline.

    Raises:
        UsageError: for a span that is none, a kind that is unknown or a rate that is not positive.
    """

    command: str
    response: str
    span_s: Interval
    kinds: tuple[str, ...] = ()
    frequency_hz: float = 10.0
    rate_hz: float = 50.0

    def __post_init__(self) -> None:
        problems = []
        first, last = self.span_s
        if not (np.isfinite([first, last]).all() and first < last):
            problems.append(Problem("a span begins before it ends", str(self), f"{first}, {last}"))
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            todo = f"kinds are: {', '.join(KINDS)}"
            problems.append(Problem("there is no such probe", str(self), ", ".join(unknown), todo))
        if not (0 < self.frequency_hz < np.inf and 0 < self.rate_hz < np.inf):
            problems.append(Problem("frequencies are positive", str(self)))
        if problems:
            raise UsageError(problems)

    def __str__(self) -> str:
        asks = f"{self.command} → " if self.command else ""
        return f"{asks}{self.response}, {self.span_s[0]:.6g} s to {self.span_s[1]:.6g} s"


def probe(
    case: Case,
    probe: Probe,
    budgets: Budgets = DEFAULTS,
    upstream: Mapping[str, CheckResult] = _NOTHING,
    rows: PairedRows | None = None,
) -> CheckResult:
    """Measure what a person marked, on both sides, against the budgets.

    Args:
        case: The pair under its alignment and corrections.
        probe: Command, response, span and kinds.
        budgets: Defaults and what a budget file set.
        upstream: Results of the checks: what the clock decides waits for a passing alignment.
        rows: The case's paired rows, where they are known already.

    Raises:
        UsageError: where a channel does not exist on both sides.
    """
    names = probed_names(case, probe)
    sides = _sides(case, probe, names)
    short = [
        s for s, side in zip(("sim", "target"), sides, strict=True) if side.time_s.size < MIN_ROWS
    ]
    if short:
        reason = f"probed {probe}: the span holds fewer than {MIN_ROWS} samples of the {' and the '.join(short)}"
        coverage = (Coverage(names[0], None, str(probe)),)
        return CheckResult.inconclusive(
            PROBE_ID, reason, settle="mark a longer span", coverage=coverage
        )
    alignment = upstream.get("alignment")
    blocked = ""
    if alignment is not None and alignment.state is not State.PASS:
        blocked = "the alignment is not established"
    unit = case.pair.sim[names[0]].unit
    probed = Probed(case, budgets, names[0], unit, *sides, blocked=blocked)
    rows = paired_rows(case) if rows is None else rows
    measurements, untold = _measured(probed, probe, names, rows)
    return CheckResult.from_measurements(
        PROBE_ID,
        f"probed {probe}: {reason_of(measurements)}",
        measurements,
        coverage=(_coverage(probe, names[0], sides),),
        applied=_applied(case, names),
        evidence=(Evidence(names[0], probe.span_s, f"probed {probe}"),),
        untested=untold,
        settle=settled_by(measurements),
    )


def probed_names(case: Case, probe: Probe) -> tuple[str, ...]:
    """Return the sim names of the response's channels; the command's is checked as well.

    Raises:
        UsageError: with every channel that one side does not have.
    """
    asked = (
        (probe.response,) if probe.response in case.pair.sim else tuple(probe.response.split("+"))
    )
    problems: list[Problem] = []
    found = tuple(_known(case, name.strip(), problems) for name in asked)
    if probe.command:
        _known(case, probe.command, problems)
    elif any(kind in NEEDS_COMMAND for kind in probe.kinds):
        problems.append(Problem("this kind of probe needs a command", str(probe)))
    if problems:
        raise UsageError(problems)
    return found


def _known(case: Case, name: str, problems: list[Problem]) -> str:
    import difflib

    pair = case.pair
    if name not in pair.sim:
        name = pair.sim_of(name) or name
    if name in pair.sim and pair.target_of(name) is not None:
        return name
    both = [match.sim for match in pair.matches]
    ending = [other for other in both if other.endswith((f"/{name}", f".{name}"))]
    if len(ending) == 1:
        return ending[0]
    close = difflib.get_close_matches(name, both, n=3, cutoff=0.3)
    todo = f"closest names: {', '.join(close)}" if close else f"both have: {', '.join(both[:12])}"
    problems.append(Problem(f"both sides need a channel {name!r} to probe", "--probe", todo=todo))
    return name


def _sides(case: Case, probe: Probe, names: tuple[str, ...]) -> tuple[Side, Side]:
    pair, alignment = case.pair, case.alignment
    command = _known(case, probe.command, []) if probe.command else ""
    first, last = (alignment.to_target_one(at) for at in probe.span_s)

    def ours(name: str) -> tuple[Channel, Samples]:
        return pair.sim[name], pair.sim[name].as_float()

    def theirs(name: str) -> tuple[Channel, Samples]:
        target = pair.target_of(name) or name
        return pair.target[target], case.target_values(target)

    return (
        side_of(pair.sim, ours(names[0]), ours(command) if command else None, probe.span_s),
        side_of(pair.target, theirs(names[0]), theirs(command) if command else None, (first, last)),
    )


def _measured(
    probed: Probed, probe: Probe, names: tuple[str, ...], rows: PairedRows
) -> tuple[list[Measurement], tuple[Untold, ...]]:
    first, last = probe.span_s
    inside = np.asarray((rows.time_s >= first) & (rows.time_s <= last), dtype=np.float64)
    units = tuple(probed.case.pair.sim[name].unit for name in names)
    kinds = probe.kinds or _fitting(probed, probe)
    if not probe.kinds:
        probed = replace(probed, asked=False)
    found: list[Measurement] = []
    for kind in kinds:
        found += _of_kind(kind, probed, probe, names, units, rows, inside)
    if probe.kinds:
        return found, ()
    told = [m for m in found if not (m.interval is None and not m.required)]
    untold = tuple(
        Untold(f"{m.quantity} of {m.channel}: {m.blocked}", "a span that holds it")
        for m in found
        if m.interval is None and not m.required
    )
    if not any(m.judged and m.tolerance_key not in _ALWAYS for m in told):
        whys = (m.blocked for m in found if m.blocked and m.tolerance_key not in _ALWAYS)
        because = "; ".join(dict.fromkeys(whys))
        event = "the span holds no event with a budget: no step of the command, contact or coherent phase"
        why = f"{event} ({because})" if because else event
        told.append(replace(probed, asked=True).unmeasured("event", SETTLING, why))
    return told, untold


_ALWAYS = tuple(
    f"{PROBE_ID}.{name}"
    for name in (
        "distribution",
        "centroid",
        "dropout-runs",
        "jitter",
        "observation-age",
        "overruns",
    )
)
"""What any span holds, whatever happens in it."""


def _fitting(probed: Probed, probe: Probe) -> tuple[str, ...]:
    """Return the kinds that fit the channels, where a person named none."""
    kinds = []
    if probe.command and has_steps(probed):
        kinds.append("step")
    if probed.unit.strip().lower() in FORCE_UNITS:
        kinds.append("contact")
    if probe.command:
        kinds += ["phase", "latency"]
    kinds.append("distribution")
    if probed.unit.strip().lower() in LENGTH_MM:
        kinds.append("centroid")
    return (*kinds, "dropout", "timing")


def _of_kind(
    kind: str,
    probed: Probed,
    probe: Probe,
    names: tuple[str, ...],
    units: tuple[str, ...],
    rows: PairedRows,
    inside: Samples,
) -> tuple[Measurement, ...]:
    measure = {
        "step": lambda: step_measurements(probed),
        "contact": lambda: contact_measurements(probed),
        "phase": lambda: phase_measurements(probed, probe.frequency_hz),
        "latency": lambda: latency_measurements(probed),
        "distribution": lambda: distribution_measurements(probed, rows, inside),
        "centroid": lambda: centroid_measurements(probed, names, units, rows, inside),
        "dropout": lambda: dropout_measurements(probed, rows, inside),
        "timing": lambda: timing_measurements(replace(probed, channel=""), probe.rate_hz),
    }
    return measure[kind]()


def _coverage(probe: Probe, name: str, sides: tuple[Side, Side]) -> Coverage:
    values = np.concatenate([side.response for side in sides])
    return Coverage(name, (float(values.min()), float(values.max())), str(probe))


def _applied(case: Case, names: tuple[str, ...]) -> tuple[str, ...]:
    targets = {case.pair.target_of(name) for name in names}
    return ("clock", *(str(c) for c in case.corrections if c.channel in targets))


__all__ = ["BUDGETS", "DEFAULTS", "KINDS", "Budgets", "Probe", "probe", "probed_names"]
