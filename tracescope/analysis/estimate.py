"""How the target's clock lies on the simulator's: assumed, counted, estimated from content.

Sign convention of the whole product: ``t_sim = t_target − (offset + drift · (t_target − pivot))``. A positive
offset says that the target's stamps are late.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.anchors import alignment_from_anchors
from tracescope.analysis.command_law import settled_by_commands
from tracescope.analysis.content import content_lag
from tracescope.analysis.content_found import ContentLag, Verdict
from tracescope.analysis.counters import CounterLine, counter_line
from tracescope.analysis.timebase import counters_agree, step_lattice, time_lattice
from tracescope.model.alignment import Alignment, Interval, Rival
from tracescope.model.case import Case
from tracescope.model.correction import Correction
from tracescope.model.pair import TracePair

__all__ = [
    "AlignmentEstimate",
    "alignment_from_anchors",
    "assumed_alignment",
    "best_alignment",
    "counter_alignment",
    "estimate_alignment",
    "initial_alignment",
    "lag_by_step",
    "lag_by_time",
]


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentEstimate:
    """What the contents say about the offset, for a person to take or leave.

    Attributes:
        verdict: ``clear``, ``ambiguous`` or ``not possible``.
        alignment: The pick; ``None`` where not possible.
        because: One sentence.
        lag_s: Offsets tried, seconds, shape ``(m,)``; empty where nothing could be compared.
        score: Mean correlation at each, shape ``(m,)``; NaN where too little overlaps.
        rivals: Other offsets that cannot be excluded, best first.
    """

    verdict: Verdict
    alignment: Alignment | None
    because: str
    lag_s: NDArray[np.float64]
    score: NDArray[np.float64]
    rivals: tuple[Rival, ...] = ()


def assumed_alignment(pair: TracePair) -> Alignment:
    """Return the alignment on load: by absolute clock where both have one, else by first samples."""
    pivot_s = pair.target.t_first_s
    if pair.same_epoch:
        return Alignment(pivot_s=pivot_s, note="assumed: both clocks count the same epoch")
    offset_s = pair.target.t_first_s - pair.sim.t_first_s
    return Alignment(offset_s=offset_s, pivot_s=pivot_s, note="assumed: first samples together")


def counter_alignment(
    pair: TracePair, confidence: float = 0.99, step_shift: int = 0
) -> Alignment | None:
    """Pair rows by step counter and read the clock offset off the stamps of equal steps.

    Args:
        pair: Both traces.
        confidence: Two-sided, for offset and drift each.
        step_shift: Target step ``k + step_shift`` belongs to sim step ``k``.

    Returns:
        ``None`` where a trace has no usable counter, their rates differ by more than 20 %, or they have
        no step in common.
    """
    if not counters_agree(pair):
        return None
    line = counter_line(pair, step_shift, confidence)
    return None if line is None else replace(_from_line(pair, line), step_shift=step_shift)


def _from_line(pair: TracePair, line: CounterLine) -> Alignment:
    return Alignment(
        mode="step",
        how="estimated",
        offset_s=line.offset_s,
        drift=line.drift,
        pivot_s=pair.target.t_first_s,
        offset_interval_s=line.offset_interval_s,
        drift_interval=line.drift_interval,
        note=f"rows paired by step counter; clock read off the stamps of {line.steps} equal steps",
    )


def estimate_alignment(pair: TracePair, confidence: float = 0.99) -> AlignmentEstimate:
    """Estimate offset and drift of the target's clock from what both traces show.

    A constant latency of every channel cannot be told from a clock offset.

    Source:
        See :mod:`tracescope.analysis.lag` and :mod:`tracescope.analysis.drift`.
    """
    found = lag_by_time(Case(pair, assumed_alignment(pair), confidence=confidence))
    base, row_s = assumed_alignment(pair), found.lattice.row_s
    lag_s, score = np.zeros(0), np.zeros(0)
    if found.curve_lag is not None and found.curve_score is not None:
        lag_s, score = base.offset_s + found.curve_lag * row_s, found.curve_score
    if found.verdict == "not possible":
        return AlignmentEstimate(found.verdict, None, found.because, lag_s, score)
    rivals = tuple(Rival(base.offset_s + lag * row_s, score) for lag, score in found.rivals)
    alignment = replace(_placed(base, found), rivals=rivals)
    return AlignmentEstimate(found.verdict, alignment, alignment.note, lag_s, score, rivals)


def _placed(base: Alignment, found: ContentLag) -> Alignment:
    """Lay a content lag in rows over the alignment that its lattice was made with."""
    row_s = found.lattice.row_s
    lag, interval, drift, drift_interval = found.lag, found.interval, 0.0, None
    if found.affine is not None:
        span_rows = max(found.lattice.target_rows - 1, 1)
        low, high = found.affine.over_trace_interval
        drift_interval = (low / span_rows, high / span_rows)
        if found.drifts:
            lag, interval = found.affine.first, found.affine.first_interval
            drift = found.affine.over_trace / span_rows
        elif found.affine.may_drift:
            interval = _reaching(interval, found.affine.first_interval)
            drift_interval = _reaching(drift_interval, (0.0, 0.0))
    return Alignment(
        how="estimated",
        offset_s=base.offset_s + lag * row_s,
        drift=drift,
        pivot_s=base.pivot_s,
        offset_interval_s=(
            base.offset_s + interval[0] * row_s,
            base.offset_s + interval[1] * row_s,
        ),
        drift_interval=drift_interval,
        note=f"estimated from content: {found.because}",
    )


def _reaching(one: Interval, other: Interval) -> Interval:
    """The interval over both: which of two readings holds is not decided."""
    return (min(one[0], other[0]), max(one[1], other[1]))


def initial_alignment(pair: TracePair) -> tuple[Alignment, AlignmentEstimate | None]:
    """Return the alignment in force on load, and an estimate to propose.

    Step counters come first; else the alignment is assumed. No estimate is made where counters pair the
    rows.
    """
    counted = counter_alignment(pair)
    if counted is not None:
        return counted, None
    return assumed_alignment(pair), estimate_alignment(pair)


def best_alignment(pair: TracePair, confidence: float = 0.99) -> Alignment:
    """Return what the traces themselves say: by counter, else estimated, else assumed."""
    counted = counter_alignment(pair, confidence)
    if counted is not None:
        return counted
    return estimate_alignment(pair, confidence).alignment or assumed_alignment(pair)


def lag_by_time(case: Case) -> ContentLag:
    """Return the lag of the contents over the assumed alignment, whatever alignment is in force.

    What is left under an alignment in force is the difference: a drag needs no new estimate.
    """
    return _lag_by_time(case.pair, case.corrections, case.confidence)


def lag_by_step(case: Case, step_shift: int) -> ContentLag:
    """Return the lag of the contents that is left when rows are paired by step counter."""
    return _lag_by_step(case.pair, case.corrections, case.confidence, step_shift)


# Pairs never change and compare by identity; a few are kept, so that dragging costs no new estimate.
@lru_cache(maxsize=4)
def _lag_by_time(
    pair: TracePair, corrections: tuple[Correction, ...], confidence: float
) -> ContentLag:
    base = assumed_alignment(pair)
    found = content_lag(time_lattice(Case(pair, base, corrections), base), confidence)
    return settled_by_commands(found, confidence)


@lru_cache(maxsize=4)
def _lag_by_step(
    pair: TracePair, corrections: tuple[Correction, ...], confidence: float, step_shift: int
) -> ContentLag:
    case = Case(pair, Alignment(), corrections)
    return content_lag(step_lattice(case, step_shift), confidence)
