"""Channels that are the same in both traces, but for a whole lag: they decide the alignment alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.content_found import MAX_RIVALS, ContentLag, said, with_curve
from tracescope.analysis.correlation import MIN_ROWS, Curve, peaks
from tracescope.analysis.drift import AffineLag
from tracescope.analysis.timebase import Lattice

_SAME = 1e-9
_EXACT_ROWS = 1e-5
_PERFECT = 1 - 1e-6


def identical_lag(lattice: Lattice, curve: Curve | None) -> ContentLag | None:
    """Find channels that are the same in both at one whole lag: they decide alone.

    A reference, a command or a replayed signal cannot lag behind itself. "Aligned" is tried first, then the
    peaks of the correlation, of all channels together and of each that fits perfectly; a lag at which a command
    is the same comes before one at which none is.
    """
    candidates = [round(-lattice.start_rows)]
    if curve is not None and np.isfinite(curve.score).any():
        peak, others = peaks(curve)
        candidates += [int(curve.lag[place]) for place in (peak, *others[:MAX_RIVALS])]
        candidates += _own_peaks(curve)
    tried = [(lag, _equal_at(lattice, lag)) for lag in dict.fromkeys(candidates)]
    tried = [(lag, same) for lag, same in tried if same.any()]
    if not tried:
        return None
    lag, same = next((t for t in tried if (t[1] & lattice.is_command).any()), tried[0])
    total = lag + lattice.start_rows
    rivals = tuple(
        (other + lattice.start_rows, 1.0)
        for other, as_well in tried
        if other != lag and as_well[same].all()
    )
    near = (total - _EXACT_ROWS, total + _EXACT_ROWS)
    still = (-_EXACT_ROWS, _EXACT_ROWS)
    names = tuple(n for n, is_same in zip(lattice.names, same, strict=True) if is_same)
    return replace(
        with_curve(lattice, curve),
        verdict="ambiguous" if rivals else "clear",
        because=said(lattice, names, 1.0, rivals),
        lag=total,
        interval=near,
        quality=1.0,
        n_eff=float(min(lattice.sim.shape[1], lattice.target.shape[1])),
        rivals=rivals,
        identical=names,
        affine=AffineLag(total, near, total, near, 0.0, still, float(lattice.target.shape[1])),
    )


def _own_peaks(curve: Curve) -> list[int]:
    """Return the lags at which a single channel correlates perfectly, whatever the others do."""
    channel = np.where(np.isfinite(curve.channel), curve.channel, -1.0)
    best = channel.argmax(axis=1)
    perfect = channel[np.arange(best.size), best] > _PERFECT
    return [int(curve.lag[place]) for place in dict.fromkeys(best[perfect].tolist())][:MAX_RIVALS]


def _equal_at(lattice: Lattice, lag: int) -> NDArray[np.bool_]:
    n_sim, n_target = lattice.sim.shape[1], lattice.target.shape[1]
    first, last = max(0, lag), min(n_target, n_sim + lag)
    if last - first < MIN_ROWS:
        return np.zeros(len(lattice.names), np.bool_)
    x, y = lattice.sim[:, first - lag : last - lag], lattice.target[:, first:last]
    known = np.isfinite(x) & np.isfinite(y)
    scale = np.where(known, np.abs(x), 0.0).max(axis=1, keepdims=True)
    close = np.abs(np.where(known, x - y, 0.0)) <= _SAME * scale
    moving = np.where(known, x, np.nan)
    spread = np.nanmax(moving, axis=1, initial=-np.inf) - np.nanmin(moving, axis=1, initial=np.inf)
    lively = spread > 1e-6 * scale[:, 0]
    return np.asarray(close.all(axis=1) & (known.sum(axis=1) >= MIN_ROWS) & lively)
