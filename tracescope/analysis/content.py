"""Where the contents of two traces lie over each other: pick, rivals, drift, and why not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.content_found import MAX_RIVALS, ContentLag, said, with_curve
from tracescope.analysis.correlation import (
    MIN_QUALITY,
    MIN_ROWS,
    Curve,
    correlation_curve,
    peaks,
)
from tracescope.analysis.drift import AffineLag, affine_lag
from tracescope.analysis.identical import identical_lag
from tracescope.analysis.lag import is_worse, refine
from tracescope.analysis.pooling import PooledLag
from tracescope.analysis.spline import Smooth, smoothed
from tracescope.analysis.timebase import Lattice
from tracescope.model.trace import Samples

_NOTHING_MOVES = "no channel moves in both traces, other than along a straight line"
_SNAP_ROWS = 1e-6
_RIVAL_SHARE = 0.5
_AS_GOOD = 0.02
_MAX_LOSS, _SMALL_LOSS = 20.0, 0.02
"""A rival that leaves twenty times as much unexplained is none, however few rows there are to tell."""

Peak = tuple[float, float]
"""A lag in rows and the mean correlation there."""


def content_lag(lattice: Lattice, confidence: float = 0.99) -> ContentLag:
    """Find the lag between two traces from what they show.

    Args:
        lattice: The channels that move in both.
        confidence: Of the interval and of excluding rivals.
    """
    lattice = lattice.shortened()
    content = lattice.only(lattice.is_content)
    reason = _unusable(lattice)
    sim = target = curve = None
    if not reason and content.names:
        sim, target = smoothed(content.sim), smoothed(content.target)
        curve = _curve(content, sim, target)
    found = identical_lag(lattice, curve) if not reason else None
    if found is not None:
        return found
    if curve is None or sim is None or target is None:
        return ContentLag("not possible", reason or _NOTHING_MOVES, lattice)
    if not np.isfinite(curve.score).any():
        return ContentLag("not possible", f"under {MIN_ROWS} rows overlap at every lag", content)
    return _resolved(with_curve(content, curve), sim, target, curve, confidence)


def _resolved(
    found: ContentLag, sim: Smooth, target: Smooth, curve: Curve, confidence: float
) -> ContentLag:
    """Take the peak, refine it, and look for rivals and drift."""
    peak, others = peaks(curve)
    quality = float(curve.score[peak])
    found = replace(found, quality=quality)
    if not quality > MIN_QUALITY:
        return replace(
            found,
            because=f"the best correlation over all lags is {quality:.2f}, not above {MIN_QUALITY}: "
            "the traces do not show the same motion",
        )
    fit = refine(sim, target, float(curve.lag[peak]), confidence)
    if not np.isfinite(fit.lag):
        because = (
            "no channel resolves a lag: what moves is a straight line, too short, or each run's own"
        )
        return replace(found, because=because)
    affine = affine_lag(sim, target, fit.lag, confidence, _line(found.lattice))
    if affine is not None and affine.drifts:
        # Against a drifting clock each rival is the whole line, moved.
        along = affine.middle + affine.over_trace * found.lattice.along - fit.lag
        rivals = _rivals(sim, target, curve, others, (fit.lag, quality), confidence, along)
        return _answered(found, fit, rivals, affine)
    rivals = _rivals(sim, target, curve, others, (fit.lag, quality), confidence)
    nearest = _nearest(rivals, (fit.lag, quality), found.lattice.start_rows)
    nearer = None if nearest is None else refine(sim, target, round(nearest[0]), confidence)
    if nearest is not None and nearer is not None and np.isfinite(nearer.lag):
        rivals = [(fit.lag, quality), *(rival for rival in rivals if rival != nearest)]
        fit = nearer
        affine = affine_lag(sim, target, fit.lag, confidence, _line(found.lattice))
        found = replace(found, quality=nearest[1])
    return _answered(found, fit, rivals, affine)


def _answered(
    found: ContentLag,
    fit: PooledLag,
    fitting: list[Peak],
    affine: AffineLag | None,
) -> ContentLag:
    """Turn lags between first rows into lags under the lattice's alignment."""
    shift = found.lattice.start_rows
    rivals = tuple((lag + shift, score) for lag, score in fitting)
    return replace(
        found,
        verdict="ambiguous" if rivals else "clear",
        because=said(found.lattice, found.identical, found.quality, rivals),
        lag=_snapped(fit.lag) + shift,
        interval=(fit.interval[0] + shift, fit.interval[1] + shift),
        n_eff=fit.n_eff,
        spread=fit.spread,
        rivals=rivals,
        affine=_shifted(affine, shift),
        fit=fit,
    )


def _unusable(lattice: Lattice) -> str:
    if not lattice.names:
        return _NOTHING_MOVES
    shorter = min(lattice.sim.shape[1], lattice.target.shape[1])
    if shorter < MIN_ROWS:
        return f"only {shorter} rows could be common, and {MIN_ROWS} are needed"
    return ""


def _line(lattice: Lattice) -> Samples | None:
    """Places of the columns along the trace, where they are not simply all rows."""
    return None if lattice.blocks is None else lattice.along


def _curve(lattice: Lattice, sim: Smooth, target: Smooth) -> Curve:
    return correlation_curve(sim, target, *lattice.reach)


def _rivals(
    sim: Smooth,
    target: Smooth,
    curve: Curve,
    others: NDArray[np.int64],
    pick: Peak,
    confidence: float,
    along: Samples | float = 0.0,
) -> list[Peak]:
    """Return (lag, score) of the other peaks that are not worse than the pick (lag, score).

    ``along`` is what drift adds to either, along the target's rows.
    """
    found = []
    for place in others[:MAX_RIVALS]:
        score = float(curve.score[place])
        if score > _RIVAL_SHARE * pick[1] and 1 - score < _MAX_LOSS * (1 - pick[1]) + _SMALL_LOSS:
            near = _near(sim, target, curve, place)
            if not is_worse(sim, target, pick[0] + along, near + along, confidence):
                found.append((near, score))
    return found


def _nearest(rivals: list[Peak], pick: Peak, shift: float) -> Peak | None:
    """Return the rival nearer to "aligned" than the pick, where it fits as well: no reason to go far."""
    nearer = [
        r for r in rivals if r[1] > pick[1] - _AS_GOOD and abs(r[0] + shift) < abs(pick[0] + shift)
    ]
    return min(nearer, key=lambda r: abs(r[0] + shift), default=None)


def _near(sim: Smooth, target: Smooth, curve: Curve, place: int) -> float:
    whole = float(curve.lag[place])
    lag = refine(sim, target, whole, 0.9).lag
    return lag if np.isfinite(lag) else whole


def _snapped(lag: float) -> float:
    """Round away what arithmetic left of a whole lag, so that a trace against itself gives exactly 0."""
    whole = round(lag)
    return float(whole) if abs(lag - whole) < _SNAP_ROWS else lag


def _shifted(affine: AffineLag | None, shift: float) -> AffineLag | None:
    if affine is None or shift == 0:
        return affine
    return AffineLag(
        affine.first + shift,
        (affine.first_interval[0] + shift, affine.first_interval[1] + shift),
        affine.middle + shift,
        (affine.middle_interval[0] + shift, affine.middle_interval[1] + shift),
        affine.over_trace,
        affine.over_trace_interval,
        affine.n_eff,
    )
