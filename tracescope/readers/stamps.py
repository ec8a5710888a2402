"""Stamps that are no stamps: zeros and placeholders among real ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import Samples

_DAY_S = 86_400.0


def sentinel_rows(time_s: Samples, origin_ns: int) -> NDArray[np.bool_]:
    """Find stamps so far from all others that they can only be placeholders (0, −1, largest integer).

    Args:
        time_s: Seconds relative to ``origin_ns``, shape ``(n,)``; NaN allowed.
        origin_ns: What was subtracted.

    Returns:
        Shape ``(n,)``: stamps farther from the median than 1,000 times the spread of the middle 80 %
        and a day, and fewer than a tenth of all (leading ones: fewer than half).
    """
    far = np.zeros(time_s.shape, dtype=np.bool_)
    finite = time_s[np.isfinite(time_s)]
    if finite.size < 3:
        return far
    if np.ptp(finite) <= _DAY_S and (origin_ns or finite.min() > -1.0):
        return far  # the common case: none can be that far from the median
    low, middle, high = np.quantile(finite, (0.1, 0.5, 0.9))
    reach = max(1000 * float(high - low), _DAY_S)
    with np.errstate(invalid="ignore"):
        far = np.abs(time_s - middle) > reach
    if not far.any() and origin_ns == 0:
        far = _leading_negative(time_s)
    leading = int(np.argmin(far)) if not far.all() else 0
    inner = int(far[leading:].sum())
    if leading > time_s.size / 2 or inner > time_s.size / 10:
        return np.zeros(time_s.shape, dtype=np.bool_)
    return far


def _leading_negative(time_s: Samples) -> NDArray[np.bool_]:
    """Find a leading run of exactly −1 before a clock that never is negative again, without even steps."""
    out = np.zeros(time_s.shape, dtype=np.bool_)
    run = int(np.argmin(time_s == -1.0)) if (time_s == -1.0).any() else 0
    rest = time_s[run:]
    if run and rest.size > 2 and bool((rest[np.isfinite(rest)] >= 0).all()):
        steps = np.diff(rest[np.isfinite(rest)])
        if run > 1 or rest[0] + 1.0 > 3 * float(np.median(steps)):
            out[:run] = True
    return out
