"""The loop: a prediction frozen in a note, held against what the next pair shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from tracescope.findings.result_schema import (
    Band,
    MeasurementEntry,
    Number,
    PredictedEntry,
    ResultFile,
)
from tracescope.model.case import Case
from tracescope.model.check import State, state_of
from tracescope.model.trace import Role, Trace

HELD, REFUTED, UNDECIDED = "held", "refuted", "not decided"
OUTCOMES = {State.PASS: HELD, State.FAIL: REFUTED, State.INCONCLUSIVE: UNDECIDED}
RATE_CHANGED = 0.02
REACH_CHANGED = 0.1


class Factors(msgspec.Struct, frozen=True):
    """What an experimenter may have changed between two pairs."""

    corrections: list[str]
    sim_interval_s: Number
    target_interval_s: Number
    sim_channels: list[str]
    target_channels: list[str]
    sim_reach: dict[str, Band]
    target_reach: dict[str, Band]


class Link(msgspec.Struct, frozen=True):
    """One earlier note of the chain."""

    title: str
    date: str
    sha256: str
    outcome: str = ""


class Frozen(msgspec.Struct, frozen=True):
    """A prediction as it was written before the test.

    ``sha256`` is the hash of the note that holds it, so that a later change of that note shows.
    """

    title: str
    date: str
    sha256: str
    family: str
    do: str
    predicted: list[PredictedEntry]
    hypotheses: list[str]
    factors: Factors
    chain: list[Link]


class Outcome(msgspec.Struct, frozen=True):
    """One predicted interval against what was measured."""

    quantity: str
    channel: str
    unit: str
    predicted: Band
    estimate: Number
    measured: Band | None
    outcome: str


class FollowUp(msgspec.Struct, frozen=True):
    """What became of a prediction."""

    prediction: Frozen
    outcome: str
    outcomes: list[Outcome]
    surviving: list[str]
    changed: list[str]


def factors_of(case: Case) -> Factors:
    """Return what may be changed between pairs, as it is in this case."""
    sim, target = case.pair.sim, case.pair.target
    return Factors(
        [str(c) for c in case.corrections],
        _finite(sim.interval_s),
        _finite(target.interval_s),
        [c.name for c in sim],
        [c.name for c in target],
        _reach(sim),
        _reach(target),
    )


def _finite(value: float) -> Number:
    return value if math.isfinite(value) else None


def _reach(trace: Trace) -> dict[str, Band]:
    import numpy as np

    found: dict[str, Band] = {}
    for channel in trace.of_role(Role.ACTION, Role.ACTION_APPLIED):
        values = channel.as_float()
        values = values[np.isfinite(values)]
        if values.size:
            found[channel.name] = (float(values.min()), float(values.max()))
    return found


def follow_up(prediction: Frozen, result: ResultFile, case: Case) -> FollowUp:
    """Hold a frozen prediction against a result.

    A predicted interval is *held* where the measured interval lies wholly inside it, *refuted* where it lies
    wholly outside, else *not decided*: the one rule of the product, with the prediction as the tolerance.
    """
    outcomes = [_outcome(predicted, result) for predicted in prediction.predicted]
    overall = _combined([o.outcome for o in outcomes])
    return FollowUp(
        prediction,
        overall,
        outcomes,
        _surviving(prediction, overall),
        changed_factors(prediction.factors, factors_of(case)),
    )


def _outcome(predicted: PredictedEntry, result: ResultFile) -> Outcome:
    found = _measured(predicted, result)
    interval = None if found is None else _closed(found.interval)
    low, high = predicted.interval
    band = (-math.inf if low is None else low, math.inf if high is None else high)
    covered = found is not None and found.unit == predicted.unit
    return Outcome(
        predicted.quantity,
        predicted.channel,
        predicted.unit,
        predicted.interval,
        None if found is None else found.estimate,
        None if found is None else found.interval,
        OUTCOMES[state_of(interval, band, covered=covered)],
    )


def _measured(predicted: PredictedEntry, result: ResultFile) -> MeasurementEntry | None:
    return next(
        (
            m
            for check in result.checks
            for m in check.measurements
            if (m.quantity, m.channel) == (predicted.quantity, predicted.channel)
        ),
        None,
    )


def _closed(interval: Band | None) -> tuple[float, float] | None:
    if interval is None or interval[0] is None or interval[1] is None:
        return None
    return interval[0], interval[1]


def _combined(outcomes: Sequence[str]) -> str:
    """One refuted interval refutes; all must hold to hold."""
    if REFUTED in outcomes:
        return REFUTED
    return HELD if outcomes and all(o == HELD for o in outcomes) else UNDECIDED


def _surviving(prediction: Frozen, outcome: str) -> list[str]:
    """Return the hypotheses that the outcome leaves standing: a refuted leader falls, a held one leads."""
    families = prediction.hypotheses or [prediction.family]
    return [f for f in families if not (outcome == REFUTED and f == prediction.family)]


def changed_factors(before: Factors, after: Factors) -> list[str]:
    """Name what differs between two pairs beyond what any repetition would change."""
    changed = []
    if before.corrections != after.corrections:
        was, now = (", ".join(c) or "none" for c in (before.corrections, after.corrections))
        changed.append(f"corrections: {was} before, {now} now")
    for side, was_s, now_s in (
        ("simulator", before.sim_interval_s, after.sim_interval_s),
        ("target", before.target_interval_s, after.target_interval_s),
    ):
        if was_s and now_s and abs(now_s / was_s - 1) > RATE_CHANGED:
            changed.append(f"{side} rate: {1 / was_s:.4g} Hz before, {1 / now_s:.4g} Hz now")
    for side, was_names, now_names in (
        ("simulator", before.sim_channels, after.sim_channels),
        ("target", before.target_channels, after.target_channels),
    ):
        gone, new = set(was_names) - set(now_names), set(now_names) - set(was_names)
        if gone or new:
            told = [*(f"{n} gone" for n in sorted(gone)), *(f"{n} new" for n in sorted(new))]
            changed.append(f"{side} channels: {', '.join(told)}")
    changed += _reaches("simulator", before.sim_reach, after.sim_reach)
    changed += _reaches("target", before.target_reach, after.target_reach)
    return changed


def _reaches(side: str, before: dict[str, Band], after: dict[str, Band]) -> list[str]:
    found = []
    for name in sorted(before.keys() & after.keys()):
        was, now = max(map(_size, before[name])), max(map(_size, after[name]))
        if max(was, now) > 0 and abs(now - was) > REACH_CHANGED * max(was, now):
            found.append(f"{side} reach of {name}: {was:.4g} before, {now:.4g} now")
    return found


def _size(end: Number) -> float:
    return abs(end) if end is not None else 0.0
