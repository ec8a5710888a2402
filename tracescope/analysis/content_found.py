"""What the contents of two traces say about the lag between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.correlation import Curve
from tracescope.analysis.drift import AffineLag
from tracescope.analysis.pooling import PooledLag
from tracescope.analysis.timebase import Lattice

Verdict = Literal["clear", "ambiguous", "not possible"]

MAX_RIVALS = 8
"""Most rivals compared."""


@dataclass(frozen=True, slots=True, eq=False)
class ContentLag:
    """What the contents of two traces say about the lag between them, in lattice rows.

    All lags are totals: the lag left under the alignment that the lattice was laid with.

    Attributes:
        verdict: ``clear``, ``ambiguous`` or ``not possible``.
        because: One clause.
        lattice: What was compared.
        lag, interval: Pooled sub-sample lag.
        quality: Mean correlation at the peak.
        n_eff: Effective samples of the most precise channel.
        spread: Between-channel standard deviation of the lag, rows.
        rivals: (lag, score) of other peaks that are not worse at the confidence asked for.
        identical: Names of channels that are the same in both and decided alone.
        affine: The lag along the trace, where it can be fitted.
        curve_lag, curve_score: Correlation over lag.
        fit: Per-channel lags.
    """

    verdict: Verdict
    because: str
    lattice: Lattice
    lag: float = float("nan")
    interval: tuple[float, float] = (float("-inf"), float("inf"))
    quality: float = float("nan")
    n_eff: float = 0.0
    spread: float = 0.0
    rivals: tuple[tuple[float, float], ...] = ()
    identical: tuple[str, ...] = ()
    affine: AffineLag | None = None
    curve_lag: NDArray[np.float64] | None = None
    curve_score: NDArray[np.float64] | None = None
    fit: PooledLag | None = None

    @property
    def middle(self) -> tuple[float, float]:
        """Interval of the lag at the middle of the target's rows, drift taken into account."""
        return self.affine.middle_interval if self.drifts and self.affine else self.interval

    @property
    def drifts(self) -> bool:
        """Whether the lag changes along the trace beyond doubt."""
        return self.affine is not None and self.affine.drifts


def with_curve(lattice: Lattice, curve: Curve | None) -> ContentLag:
    """Begin an answer that already shows the curve."""
    if curve is None:
        return ContentLag("not possible", "", lattice)
    lag = np.asarray(curve.lag + lattice.start_rows, dtype=np.float64)
    return ContentLag("not possible", "", lattice, curve_lag=lag, curve_score=curve.score)


def said(
    lattice: Lattice,
    identical: tuple[str, ...],
    quality: float,
    rivals: tuple[tuple[float, float], ...],
) -> str:
    """Say in one clause what the lag rests on, and what rivals it."""
    if identical:
        used = f"{', '.join(identical[:3])} identical in both"
    else:
        used = f"mean correlation {quality:.3f} over {len(lattice.names)} channels"
    if not rivals:
        return used
    others = ", ".join(f"{lag:+.4g}" for lag, _ in rivals[:4])
    return f"{used}; lags of {others} rows fit as well"
