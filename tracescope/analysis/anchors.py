"""An alignment from events that a person marked in both traces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.model.alignment import Alignment, Anchor
from tracescope.model.errors import Problem, UsageError
from tracescope.model.pair import TracePair
from tracescope.model.trace import Samples

_LINEAR_ROWS = 1.0
_BACKWARDS = "the anchors would make the target's time stand still or run backwards"


def alignment_from_anchors(
    pair: TracePair, anchors: Sequence[Anchor]
) -> tuple[Alignment, Samples, bool]:
    """Fit the target's clock through anchors: one gives the offset, two or more offset and drift.

    Args:
        pair: Gives the pivot and the row interval.
        anchors: At least one; those of equal target time count as one instant.

    Returns:
        The alignment; what is left at each anchor (target on the sim's clock less sim, seconds, in the
        order given, shape ``(anchors,)``); and whether a line describes them: none is left by more than one row.

    Raises:
        UsageError: without an anchor, with one that is not finite, or where the anchors would make the
            target's time stand still or run backwards.
    """
    sim_s, target_s = _times(anchors)
    pivot_s = pair.target.t_first_s
    since_s, late_s = target_s - pivot_s, target_s - sim_s
    centred = since_s - since_s.mean()
    spread = float(centred @ centred)
    drift = float(centred @ late_s / spread) if spread > 0 else 0.0
    if not drift < 1:
        raise UsageError(Problem(_BACKWARDS, "anchors", todo="remove the one on another event"))
    offset_s = float(late_s.mean() - drift * since_s.mean())
    alignment = Alignment(
        how="anchors",
        offset_s=offset_s,
        drift=drift,
        pivot_s=pivot_s,
        anchors=tuple(anchors),
        note=f"through {len(anchors)} anchor{'s' if len(anchors) > 1 else ''} set by hand",
    )
    residual_s = alignment.to_sim(target_s) - sim_s
    row_s = np.nanmax([pair.sim.interval_s, pair.target.interval_s, 0.0])
    linear = bool(np.abs(residual_s).max() <= _LINEAR_ROWS * row_s + 1e-9)
    return alignment, residual_s, linear


def _times(anchors: Sequence[Anchor]) -> tuple[Samples, Samples]:
    """Return the anchors' times on the sim's and on the target's clock, refusing what is no anchor."""
    if not anchors:
        raise UsageError(Problem("no anchor is set", "anchors", todo="mark one event in both"))
    sim_s = np.array([anchor.sim_s for anchor in anchors], dtype=np.float64)
    target_s = np.array([anchor.target_s for anchor in anchors], dtype=np.float64)
    if not (np.isfinite(sim_s).all() and np.isfinite(target_s).all()):
        raise UsageError(Problem("an anchor has no finite time", "anchors"))
    return sim_s, target_s
