"""What the contents say about the lag left under the alignment in force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tracescope.analysis.command_law import around, command_lag
from tracescope.analysis.content_found import ContentLag
from tracescope.analysis.estimate import assumed_alignment, lag_by_step, lag_by_time
from tracescope.analysis.excerpt import head_of
from tracescope.analysis.intervals import covered
from tracescope.analysis.slip_content import slip_contents
from tracescope.analysis.start import StartVerdict, nearest_unshifted, start_verdict
from tracescope.analysis.start_rows import chance_of_coincidence, limits_apart, points_elsewhere
from tracescope.analysis.timebase import Lattice, step_lattice
from tracescope.analysis.whole_shift import whole_shifts
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment_tolerances import DRIFT_LEFT, HIDDEN_ROWS, LAG_LEFT
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Measurement, State
from tracescope.model.words import counted

_NEAR = 3
_HEAD_ROWS = 50_000
_SLACK = 0.1
_NEAR_CHANCE = 0.1
_MORE_THAN_RESPONSE = 2.0
_STILL_ROWS = 8
"""No machine is taken to stand still for longer before it answers."""
_DOUBTFUL = "the lag seems to change along the trace, but not beyond doubt"
_EQUAL = {
    "response": "the first rows agree without shift",
    "commands": "commands follow from the states by one law only without shift",
    "limit": "both are truncated at the same count, and a time limit counts from the start",
}
"""Why the counters started together."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The lag measurements and what the words need.

    Attributes:
        measurements: Judged and reported ones.
        found: What the contents say.
        left_rows: Lag left, rows; NaN where none was measured.
        start: Under counter pairing, where a lag is left: what the first rows say.
        mode: How rows are paired.
    """

    measurements: tuple[Measurement, ...]
    found: ContentLag
    left_rows: float
    start: StartVerdict | None
    mode: Literal["step", "time"]


def judge_lag(bench: Workbench) -> Judged:
    """Measure the lag left under the alignment in force."""
    return _by_step(bench) if bench.rows.sim_row is not None else _by_time(bench)


def _by_step(bench: Workbench) -> Judged:
    case = bench.case
    found = lag_by_step(case, case.alignment.step_shift)
    if found.verdict == "not possible":
        left = _unmeasured(case, found)
    else:
        left = _lag_left(case, found, found.lag, found.interval)
    measured = [left]
    start = None
    if left.state is not State.PASS and found.lattice.names:
        counted = _whole(case, left, found)
        if counted is not None and counted.state is State.PASS:
            measured = [counted, _reported(left, "response lag", "less than would shift a row")]
        else:
            start = _start(case, left, found, counted)
            measured = _start_offset(case, left, found, counted, start)
    elif found.rivals:
        measured = [replace(left, note="the counter decides between lags that fit equally well")]
    measured += _slips(bench)
    if found.affine is not None and not found.identical:
        measured.append(_drift(case, found, 0.0, judged=False))
    return Judged(tuple(measured), found, found.lag, start, "step")


def _whole(case: Case, left: Measurement, found: ContentLag) -> Measurement | None:
    """Counters start a whole number of rows apart: which numbers cannot be excluded?"""
    if found.identical:
        return None
    around = {round(found.lag)} if np.isfinite(found.lag) else set()
    centres = {0, *around, *(round(lag) for lag, _ in found.rivals)}
    tried = {centre + k for centre in centres for k in range(-_NEAR, _NEAR + 1)}
    lattice = _every_row(case, found)
    kept = whole_shifts(lattice, tried, case.confidence)
    if not kept:
        return None
    interval = (float(kept[0]), float(kept[-1]))
    return replace(
        left,
        quantity="start offset",
        estimate=0.0 if 0 in kept else float(kept[0]),
        interval=interval,
        n=float(lattice.target.shape[1]),
        covered=True,
        note=f"of the whole shifts from {min(tried)} to {max(tried)} rows, "
        f"{', '.join(map(str, kept))} not worse than the best",
    )


def _start(
    case: Case, left: Measurement, found: ContentLag, counted: Measurement | None
) -> StartVerdict:
    """What the first rows say; a start offset must also be one whole lag that all channels share.

    That it is one whole lag shows in the channels' own lags, in the whole shifts that cannot be excluded, or in
    two time limits as many counts apart.
    """
    if found.identical:
        return "start"
    lattice = _every_row(case, found)
    same_law = _same_law(found, case.confidence)
    verdict = start_verdict(lattice, found.lag)
    elsewhere, limits = points_elsewhere(lattice), limits_apart(case)
    if elsewhere and limits and abs(elsewhere - limits) <= 1 and not _excludes(counted, limits):
        return "limits apart"
    if verdict == "start" and not _one_whole(found, left, counted):
        verdict = "undecided"
    far = limits is not None and abs(limits) > _STILL_ROWS
    excluded = limits is not None and _excludes(counted, limits) and _excludes(left, limits)
    if same_law is not None and abs(same_law) < 0.5:
        return "commands"
    if verdict != "start" and (same_law is not None or (limits and not (far or excluded))):
        return "undecided"  # what stands still at first looks alike from any start
    if verdict != "undecided":
        return verdict
    coincidence = chance_of_coincidence(lattice)
    if nearest_unshifted(lattice, found.interval) or coincidence <= 1 - case.confidence:
        return "response"
    # A recorder may set the flag on its own last row, wherever the episode started: nothing may deny it.
    denied = elsewhere or (
        _excludes(counted, 0) and _excludes(left, 0) and coincidence > _NEAR_CHANCE
    )
    return "limit" if limits == 0 and not denied else verdict


def _same_law(found: ContentLag, confidence: float) -> float | None:
    """Return the one lag at which one law gives both traces' commands, ``None`` where there is not one only.

    Where the contents agree is tried as well, however far: a goal that comes back gives the same commands a
    period apart.
    """
    lattice, shift = found.lattice, found.lattice.start_rows
    lags = set(around(lattice, -shift))
    for lag in (found.lag, *(lag for lag, _ in found.rivals)):
        lags.update(around(lattice, lag - shift, reach=_NEAR))
    law = command_lag(lattice, lags, confidence)
    return None if law is None or law.only is None else law.only + shift


def _excludes(measured: Measurement | None, lag: float) -> bool:
    if measured is None or measured.interval is None:
        return False
    low, high = measured.interval
    return not low <= lag <= high


def _one_whole(found: ContentLag, left: Measurement, counted: Measurement | None) -> bool:
    if left.interval is not None and _is_whole(found, left.interval):
        return True
    if counted is None or counted.state is not State.FAIL or counted.interval is None:
        return False
    # One row is as soon a slower response as a counter that started elsewhere.
    return min(map(abs, counted.interval)) >= _MORE_THAN_RESPONSE


def _every_row(case: Case, found: ContentLag) -> Lattice:
    """Return the lattice with its first rows in it: a long one was looked at in stretches.

    Of a very long pair only the first rows: starts show there, and a whole shift is the same everywhere.
    """
    if found.lattice.blocks is None:
        return found.lattice
    lattice = step_lattice(head_of(case, _HEAD_ROWS), case.alignment.step_shift)
    return lattice.only(lattice.is_content)


def _is_whole(found: ContentLag, interval: Interval) -> bool:
    whole = round(found.lag)
    narrow = interval[1] - interval[0] < 1 and interval[0] - _SLACK <= whole <= interval[1] + _SLACK
    if found.fit is None:
        return narrow
    lags = found.fit.channel_lag[np.isfinite(found.fit.channel_se)] + found.lattice.start_rows
    return bool(narrow and (np.abs(lags - whole) < 0.5).all())


def _reported(left: Measurement, quantity: str, note: str) -> Measurement:
    return replace(
        left, quantity=quantity, tolerance=None, tolerance_key="", required=False, note=note
    )


def _start_offset(
    case: Case,
    left: Measurement,
    found: ContentLag,
    counted: Measurement | None,
    start: StartVerdict,
) -> list[Measurement]:
    """Turn a lag left under counter pairing into a start offset, a response lag, or a doubt."""
    if start in _EQUAL:
        why = _EQUAL[start]
        first_rows = replace(
            left,
            quantity="start offset",
            estimate=0.0,
            interval=(0.0, 0.0),
            covered=True,
            note=f"{why}: what lags later is the response",
        )
        if left.interval is None:
            return [first_rows]
        note = f"belongs to timing: {why}"
        return [first_rows, _reported(left, "response lag", note)]
    if start == "limits apart":
        return [_by_limits(case, left)]
    if start == "start" and left.state is not State.FAIL and counted is not None:
        left = counted
    if start == "start":
        return [replace(left, quantity="start offset", note=_why_start(found))]
    if left.interval is None:
        return [left]
    doubt = "the first rows do not tell a counter that started elsewhere from a slower response"
    known = [m.interval for m in (left, counted) if m is not None and m.interval is not None]
    return [replace(left, interval=_hull(known), blocked=doubt, note=doubt)]


def _hull(intervals: Sequence[Interval]) -> Interval:
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _by_limits(case: Case, left: Measurement) -> Measurement:
    apart = float(limits_apart(case) or 0)
    return replace(
        left,
        quantity="start offset",
        estimate=apart,
        interval=(apart, apart),
        covered=True,
        note="both are truncated, as many counts apart, and the first rows agree only with that shift",
    )


def _why_start(found: ContentLag) -> str:
    if found.identical:
        return (
            f"{', '.join(found.identical[:3])} the same in both, shifted: no response can lag there"
        )
    return "the first rows agree only with the shift"


def _by_time(bench: Workbench) -> Judged:
    case = bench.case
    found = lag_by_time(case)
    if found.verdict == "not possible":
        return Judged((_unmeasured(case, found),), found, float("nan"), None, "time")
    moved = _moved_rows(case, found)
    lag = found.affine.middle if found.drifts and found.affine else found.lag
    low, high = found.middle
    left = _lag_left(case, found, lag - moved, (low - moved, high - moved))
    measured = [left]
    if found.affine is not None:
        span_s = (found.lattice.target_rows - 1) * found.lattice.row_s
        in_force = case.alignment.drift * span_s / found.lattice.row_s
        measured.append(_drift(case, found, in_force, judged=True))
    if found.rivals:
        doubt = _ambiguous(case, found)
        measured = [replace(m, blocked=doubt, note=doubt) for m in measured]
        rivals = [(lag - moved, lag - moved) for lag, _ in found.rivals]
        if left.interval is not None:
            measured[0] = replace(measured[0], interval=_hull([left.interval, *rivals]))
    return Judged(tuple(measured), found, lag - moved, None, "time")


def _moved_rows(case: Case, found: ContentLag) -> float:
    """Rows by which the alignment in force already moves the middle of the target, over the assumed one."""
    target, alignment = case.pair.target, case.alignment
    middle_s = 0.5 * (float(target.time_s[0]) + float(target.time_s[-1]))
    in_force_s = middle_s - alignment.to_sim_one(middle_s)
    return (in_force_s - assumed_alignment(case.pair).offset_s) / found.lattice.row_s


def _lag_left(case: Case, found: ContentLag, lag: float, interval: Interval) -> Measurement:
    band = case.tolerances[LAG_LEFT]
    return Measurement(
        "remaining lag",
        "",
        lag,
        interval,
        "rows",
        n=found.n_eff,
        tolerance=band,
        tolerance_key=LAG_LEFT.key,
        confidence=case.confidence,
        covered=covered(interval, found.n_eff, band),
        note=found.because,
    )


def _drift(case: Case, found: ContentLag, in_force_rows: float, *, judged: bool) -> Measurement:
    affine = found.affine
    if affine is None:
        raise ValueError("no drift was fitted")
    low, high = affine.over_trace_interval
    interval = (low - in_force_rows, high - in_force_rows)
    band = case.tolerances[DRIFT_LEFT]
    left = replace(affine, over_trace_interval=interval)
    measured = Measurement(
        "remaining drift over the trace",
        "",
        affine.over_trace - in_force_rows,
        interval,
        "rows",
        n=affine.n_eff,
        tolerance=band if judged else None,
        tolerance_key=DRIFT_LEFT.key if judged else "",
        confidence=case.confidence,
        required=judged,
        covered=covered(interval, affine.n_eff, band),
        note="" if judged else "counters pair the rows: a growing lag is the response's",
    )
    # What no alignment is moved by, since it is not beyond doubt, is no finding either.
    if measured.state is State.FAIL and not left.drifts:
        return replace(measured, blocked=_DOUBTFUL, note=_DOUBTFUL)
    return measured


def _unmeasured(case: Case, found: ContentLag) -> Measurement:
    return Measurement(
        "remaining lag",
        "",
        float("nan"),
        None,
        "rows",
        tolerance=case.tolerances[LAG_LEFT],
        tolerance_key=LAG_LEFT.key,
        confidence=case.confidence,
        covered=False,
        note=found.because,
    )


def _ambiguous(case: Case, found: ContentLag) -> str:
    base_s, row_s = assumed_alignment(case.pair).offset_s, found.lattice.row_s
    offsets = [base_s + lag * row_s for lag in (found.lag, *(lag for lag, _ in found.rivals[:4]))]
    listed = " / ".join(f"{o:+.3g}" for o in offsets)
    return f"it is ambiguous: offsets of {listed} s fit equally well"


def _slips(bench: Workbench) -> list[Measurement]:
    """One measurement a slip: how many rows the counter hid there."""
    case = bench.case
    out = []
    for slip in slip_contents(case):
        known = slip.interval is not None and np.isfinite(slip.hidden_rows)
        out.append(
            Measurement(
                f"rows hidden by the counter at {slip.at_s:.4g} s",
                "",
                slip.hidden_rows,
                slip.interval,
                "rows",
                n=slip.n_eff,
                tolerance=case.tolerances[HIDDEN_ROWS],
                tolerance_key=HIDDEN_ROWS.key,
                confidence=case.confidence,
                covered=known,
                note=f"the clock jumps by {counted(slip.periods, 'period')} more than the counter"
                + (
                    ""
                    if known
                    else "; the content around it does not tell whether rows are missing"
                ),
            )
        )
    return out
