"""What the timing check says about its numbers."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.response import Path, ResponseLatency
from tracescope.analysis.rows import live
from tracescope.analysis.timebase_rows import is_computed, stale_rows
from tracescope.analysis.workbench import Workbench
from tracescope.checks.timing_clock import no_clock
from tracescope.checks.timing_phase import phase_unproven, phases_apart
from tracescope.checks.timing_response import AGE_QUANTITY, paths_in_words
from tracescope.checks.timing_tolerances import (
    INTERVAL,
    LATENCY,
    MISSING,
    NOMINAL,
    RESPONSE,
    STALE,
)
from tracescope.model.case import Case
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold
from tracescope.model.shares import amount
from tracescope.model.trace import Role

RESPONSE_QUANTITY = "response latency, target less sim"
SETTLE_RESPONSE = (
    "an episode with small random steps added to the actions (a new one every few rows) on both sides, a few "
    "hundred rows long"
)
_TOLD_FIRST = tuple(t.key for t in (RESPONSE, STALE, NOMINAL, MISSING, INTERVAL, LATENCY))
BEFORE_ROWS, AFTER_ROWS = 5, 15
"""Shown of a late response beside the row in which the action changes most."""
SETTLE_STAMPS = "stamps taken by each recorder's own clock as it records a row, in both traces"
SETTLE_AGE = (
    "the age of each observation logged (a latency column, or the sensor's own stamps) on both sides, or small "
    "random steps added to the actions, so that an observation answers them"
)
SETTLE_CLOCK = "a longer recording, or stamps taken by the recorder's own clock"


def reason(measurements: tuple[Measurement, ...], found: ResponseLatency) -> str:
    """One sentence for the card."""
    judged = [m for m in measurements if m.judged]
    failing = sorted((m for m in judged if m.state is State.FAIL), key=_rank)
    if failing:
        return "; ".join(_number(m) for m in failing[:3])
    response = next((m for m in judged if m.quantity == RESPONSE_QUANTITY), None)
    open_ones = [m for m in judged if m.required and m.state is not State.PASS]
    clocks = next((m.note for m in open_ones if m.tolerance_key == INTERVAL.key and m.note), "")
    untold = f"intervals are {clocks}" if clocks.startswith("not measured") else ""
    if response in open_ones and response is not None:
        rest = "intervals are as they should be, but " if len(open_ones) == 1 else ""
        rest = f"{untold}; " if untold else rest
        why = response.blocked or (found.why_not if found.difference is None else "")
        if not why:
            why = f"{_number(response)}, too wide to decide"
        return f"{rest}the response latency is untested: {why}"
    age = next((m for m in open_ones if m.quantity == AGE_QUANTITY), None)
    wide = [m for m in open_ones if m is not age]
    if wide and not untold:
        untold = f"{_number(wide[0])}: too wide to decide"
    if age is not None:
        begun = f"{untold}; the" if untold else "both loops run at one rate, and the"
        seen = f"{begun} target responds no later than the sim ({paths_in_words(found)} only)"
        return f"{seen}, but {_open_age(age)}"
    if untold:
        return untold
    said = "both loops run at one rate, and the target responds no later than the sim"
    measured = next((m for m in judged if m.quantity == AGE_QUANTITY), None)
    if measured is not None:
        return f"{said}; its observations are no older ({measured.note})"
    return f"{said} ({paths_in_words(found)} only)" if found.paths else said


def _open_age(age: Measurement) -> str:
    if age.interval is None:
        return f"the age of observations is untested, because {age.note}"
    if age.blocked:
        return f"{age.quantity} {age.estimate:.3g} rows is not told apart: {age.blocked}"
    return f"the age of observations is undecided: {_number(age)}, too wide to decide"


def _rank(m: Measurement) -> int:
    """Tell what says most about a loop first."""
    return (
        _TOLD_FIRST.index(m.tolerance_key) if m.tolerance_key in _TOLD_FIRST else len(_TOLD_FIRST)
    )


def _number(m: Measurement) -> str:
    said = f"{m.quantity} {amount(m.quantity, m.estimate, m.unit)}"
    return f"{said} ({m.note})" if m.note else said


def coverage(case: Case) -> tuple[Coverage, ...]:
    """The rows the clock's measurements speak for."""
    target = case.pair.target
    if len(target) < 2:
        return ()
    steps_ms = np.diff(target.time_s) * 1e3
    low, high = f"{steps_ms.min():.4g}", f"{steps_ms.max():.4g}"
    span = f"{low} ms each" if low == high else f"{low} to {high} ms"
    said = f"{steps_ms.size} intervals of the target, {span}"
    return (Coverage("", None, said),)


def evidence(
    case: Case, measurements: tuple[Measurement, ...], response: ResponseLatency
) -> tuple[Evidence, ...]:
    """The longest interval, the first stale row and the latency's channels, where they fail."""
    failing = {m.quantity for m in measurements if m.judged and m.state is State.FAIL}
    target = case.pair.target
    channel = _telling(case)
    found = []
    steps = np.diff(target.time_s)
    if failing & {"longest interval", "missing rows"} and steps.size:
        row = int(steps.argmax())
        found.append(Evidence(channel, _span(case, row, row + 1), "the longest interval"))
    stale = np.flatnonzero(stale_rows(target)) if "stale rows" in failing else np.zeros(0, int)
    if stale.size:
        row = int(stale[0])
        found.append(Evidence(channel, _span(case, max(0, row - 1), row), "the first stale row"))
    if RESPONSE_QUANTITY in failing and response.paths:
        found += _late(case, response.paths[0])
    return tuple(found)


def _late(case: Case, path: Path) -> list[Evidence]:
    """Show the response beside the action where the action changes most, the answer well within view."""
    sim = case.pair.sim
    action = sim[path.action]
    moved = np.abs(np.diff(action.as_float()))
    if not np.isfinite(moved).any():
        return []
    # An action may be logged on a clock of its own, faster or slower than the rows.
    changed_s = action.time_s[int(np.nanargmax(moved))]
    row = max(0, int(np.searchsorted(sim.time_s, changed_s, side="right")) - 1)
    rows = max(1, round(abs(path.target - path.sim)))
    first, last = max(0, row - BEFORE_ROWS), min(row + AFTER_ROWS + 3 * rows, len(sim) - 1)
    span_s = float(sim.time_s[first]), float(sim.time_s[last])
    caption = f"the largest change of {path.action}, and what answers it"
    return [Evidence(path.output, span_s, caption, (path.action,))]


def _telling(case: Case) -> str:
    """Return the channel on which a gap or a stale row is seen: one that moves, an observation first."""
    channels = case.pair.sim.channels
    of_role = [c for role in (Role.OBSERVATION, Role.ACTION) for c in channels if c.role is role]
    moving = (c for c in of_role if live(c.as_float()))
    return next((c.name for c in (*moving, *of_role, *channels)), "")


def _span(case: Case, first: int, last: int) -> tuple[float, float]:
    time_s = case.pair.target.time_s
    return (
        case.alignment.to_sim_one(float(time_s[first])),
        case.alignment.to_sim_one(float(time_s[min(last, time_s.size - 1)])),
    )


def leads(
    bench: Workbench, measurements: tuple[Measurement, ...], found: ResponseLatency
) -> tuple[Lead, ...]:
    """Explanations of failing measurements."""
    out = []
    interval_s = bench.case.pair.target.interval_s
    for m in measurements:
        if not (m.judged and m.state is State.FAIL):
            continue
        if m.quantity == RESPONSE_QUANTITY:
            out.append(_lead_response(bench.case, m, found))
        elif m.quantity == AGE_QUANTITY:
            out.append(_lead_age(m, found, interval_s))
        elif m.quantity == "mean interval ratio":
            out.append(_lead_interval(m))
        elif m.quantity in ("stale rows", "missing rows", "longest interval"):
            out.append(
                Lead(
                    f"consistent with a loop or recorder that does not keep its rate: {_unkept(m)}",
                    "timing",
                    (),
                    "the target's own loop log shows no overrun and no lost message",
                    kind=m.quantity.replace(" ", "-"),
                    value=m.estimate,
                )
            )
    return tuple(out)


def _unkept(m: Measurement) -> str:
    """Say what shows that a rate is not kept; a note that counts rows of rows says it by itself."""
    if m.quantity == "longest interval":
        return f"one interval of {m.estimate:.3g} periods {m.note}"
    return f"missing rows: {m.note}" if m.quantity == "missing rows" else m.note


def _lead_response(case: Case, m: Measurement, found: ResponseLatency) -> Lead:
    late_s = m.estimate * case.pair.target.interval_s
    later = "later" if late_s > 0 else "earlier"
    phase = phases_apart(case.pair) or phase_unproven(case.pair, m.interval)
    return Lead(
        f"consistent with a target that responds {abs(late_s) * 1e3:.3g} ms "
        f"({abs(m.estimate):.2g} steps) {later}: transport, queue or actuator delay"
        + (f"; {phase}" if phase else ""),
        "timing",
        tuple(dict.fromkeys(p.output for p in found.paths)),
        "injecting this delay into the simulator does not bring the traces together",
        not_told_apart=("action", "dynamics"),
        kind="delay",
        value=late_s,
    )


def _lead_age(m: Measurement, found: ResponseLatency, interval_s: float) -> Lead:
    older = "older" if m.estimate > 0 else "younger"
    return Lead(
        f"consistent with observations {abs(m.estimate):.2g} steps {older} than the sim's: {paths_in_words(found)}"
        " answers as in the sim, the observations do not",
        "timing",
        (),
        "the age of the observations, logged, is the same on both sides",
        not_told_apart=("dynamics",),
        kind="observation-age",
        value=m.estimate * interval_s,
    )


def _lead_interval(m: Measurement) -> Lead:
    return Lead(
        f"consistent with a target loop at {1 / m.estimate:.4g} times the sim's rate",
        "timing",
        (),
        "another clock of the target shows the sim's rate",
        not_told_apart=("alignment",),
        kind="rate",
        value=m.estimate,
    )


def untested(
    case: Case, measurements: tuple[Measurement, ...], found: ResponseLatency
) -> tuple[Untold, ...]:
    """What the traces did not cover."""
    out = []
    lacking = no_clock(case)
    if lacking:
        out.append(Untold(f"intervals, jitter and missing rows: {lacking}", SETTLE_STAMPS))
    elif is_computed(case.pair.target):
        out.append(
            Untold(
                "the target's jitter: its stamps are evenly spaced as if computed from a row number",
                "stamps taken by a clock when each row is recorded",
            )
        )
    phase = phases_apart(case.pair)
    if phase:
        out.append(Untold(phase, "both sides recorded in one phase"))
    if found.difference is None:
        out.append(Untold(f"action → response latency: {found.why_not}", SETTLE_RESPONSE))
    if not any(m.quantity.startswith("logged latency") for m in measurements):
        out.append(
            Untold(
                "the age of observations: no latency is logged", "a latency column in the target"
            )
        )
    return tuple(out)
