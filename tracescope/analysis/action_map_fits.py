"""One fit for each map that an action path commonly holds, simplest first.

Every fit takes the emitted action ``x`` and the applied one ``y``, finite, shape ``(n,)``, in the action's own
unit, and returns the maps of its kind that may stand between them: none where the rows show none. None raises
on finite input of at least two rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tracescope.analysis.action_map_kinds import FittedMap, rate_limited
from tracescope.analysis.saturation import plateau
from tracescope.model.trace import Samples

MIN_TIES = 3
"""Rows that a bound, a dead band or a rate limit must hold to be one."""

MIN_EXACT_TIES = 2
"""Rows that share an extreme to the last digit."""

MAX_DELAY = 10

SCANNED_ROWS = 500
"""Rows over which a noisy rate limit is searched."""

TIE = 0.02
"""Nearness to a bound, relative, that counts as at the bound where the log is noisy."""


Fit = Callable[[Samples, Samples], Sequence[FittedMap]]


def _line(x: Samples, y: Samples) -> tuple[float, float] | None:
    """Least squares gain and offset; an offset that is no more than rounding is 0."""
    if x.size < MIN_TIES:
        return None
    spread = float(x.std())
    if spread <= 1e-12 * max(float(np.abs(x).max()), 1e-300):
        return None
    gain = float(np.mean((x - x.mean()) * (y - y.mean()))) / spread**2
    offset = float(y.mean()) - gain * float(x.mean())
    noise = float(np.std(y - gain * x - offset)) / np.sqrt(x.size)
    small = 1e-3 * float(y.std()) + 3 * noise * (1 + abs(float(x.mean())) / spread)
    if abs(offset) <= small:
        gain, offset = float(np.sum(x * y)) / float(np.sum(x * x)), 0.0
    return gain, offset


def fit_identity(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """Nothing in between."""
    del x, y
    return (FittedMap("identity"),)


def fit_gain(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """A gain, an offset, or both."""
    offset = float(np.mean(y - x))
    found = [FittedMap("offset", offset=offset)]
    line = _line(x, y)
    if line is not None:
        found.append(FittedMap("gain", gain=line[0], offset=line[1]))
    return found


def _bounds(y: Samples) -> tuple[float, float]:
    """Return the applied extremes that look like bounds, infinite where none does."""
    return _bound(y, -1), _bound(y, 1)


def _bound(y: Samples, side: int) -> float:
    """Return an extreme that two rows hold exactly or three rows nearly, else ±∞."""
    extreme = plateau(y, side)
    near = side * (extreme.bound - y) <= TIE * float(y.max() - y.min())
    if extreme.count < MIN_EXACT_TIES and near.sum() < MIN_TIES:
        return side * np.inf
    return float(np.median(y[near]))


def fit_clip(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """Bounds on either side or both."""
    low, high = _bounds(y)
    margin = TIE * float(y.max() - y.min())
    low = low if (x < low - margin).any() else -np.inf
    high = high if (x > high + margin).any() else np.inf
    if not (np.isfinite(low) or np.isfinite(high)):
        return ()
    return (FittedMap("clip", low=low, high=high),)


def fit_gain_and_clip(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """A gain whose output is bounded: the line through the rows off the bounds."""
    low, high = _bounds(y)
    spread = float(y.max() - y.min())
    inside = (y > low + TIE * spread) & (y < high - TIE * spread)
    line = _line(x[inside], y[inside])
    if line is None or inside.all():
        return ()
    return (FittedMap("gain and clip", gain=line[0], offset=line[1], low=low, high=high),)


def _dead(x: Samples, y: Samples) -> float:
    """Half-width of the dead band that the zeros of the applied action show, or 0."""
    quiet = np.abs(y) <= 1e-6 * float(np.abs(y).max(initial=0.0))
    if (quiet & (np.abs(x) > 0)).sum() < MIN_TIES or quiet.all():
        return 0.0
    inner, outer = float(np.abs(x[quiet]).max()), float(np.abs(x[~quiet]).min())
    return 0.5 * (inner + outer) if outer >= inner else 0.0


def _dead_scan(x: Samples, y: Samples, *, shrunk: bool) -> float:
    """Half-width of the dead band that leaves least, from running sums over rising |x|."""
    order = np.argsort(np.abs(x))
    size, sign = np.abs(x)[order], np.sign(x)[order]
    inside = np.cumsum(y[order] ** 2)
    left = (y - x)[order]
    tail = np.cumsum(left[::-1] ** 2)[::-1]
    outside = np.concatenate((tail[1:], [0.0]))
    if shrunk:
        lean = np.concatenate((np.cumsum((sign * left)[::-1])[::-1][1:], [0.0]))
        count = np.arange(size.size - 1, -1, -1)
        outside = outside + 2 * size * lean + count * size**2
    best = int(np.argmin(inside + outside))
    if not MIN_TIES <= best + 1 <= size.size - MIN_TIES:
        return 0.0
    return 0.5 * float(size[best] + size[best + 1])


def fit_dead_band(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """Nothing near zero; outside either the full action or what exceeds the band."""
    exact = _dead(x, y)
    full = exact or _dead_scan(x, y, shrunk=False)
    rest = exact or _dead_scan(x, y, shrunk=True)
    found = [FittedMap("dead band", band=full)] if full > 0 else []
    active = np.abs(x) > rest
    if rest > 0 and active.any():  # else nothing says by how much it exceeds the band
        step = float(np.mean((y[active] - x[active]) * np.sign(x[active])))
        found.append(FittedMap("dead band", band=rest, step=step))
    return found


def fit_gain_and_dead_band(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """A dead band with another gain outside it."""
    band = _dead(x, y)
    active = np.abs(x) > band
    if band <= 0 or active.sum() < 2 * MIN_TIES:
        return ()
    design = np.stack((x[active], np.sign(x[active])), axis=1)
    gain, step = np.linalg.lstsq(design, y[active], rcond=None)[0]
    return (FittedMap("gain and dead band", gain=float(gain), band=band, step=float(step)),)


def _rate(y: Samples) -> float:
    """The largest change a row, where at least three rows tie at it, or ∞."""
    change = np.abs(np.diff(y))
    largest = float(change.max(initial=0.0))
    at_limit = change >= (1 - TIE) * largest
    if largest == 0 or at_limit.sum() < MIN_TIES:
        return float("inf")
    return float(np.median(change[at_limit]))


def fit_rate_limit(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """Follows the action by at most so much a row."""
    rate = _rate(y)
    if np.isfinite(rate) and _runs_well(x, y, rate):
        return (FittedMap("rate limit", rate=rate),)
    change = np.abs(np.diff(y[:SCANNED_ROWS]))
    rates = [float(r) for r in np.unique(np.quantile(change, np.linspace(0.2, 0.95, 16))) if r > 0]
    if not rates:
        return ()
    left = [_rate_misfit(x, y, r) for r in rates]
    return (FittedMap("rate limit", rate=rates[int(np.argmin(left))]),)


def _rate_misfit(x: Samples, y: Samples, rate: float) -> float:
    wanted = rate_limited(x[:SCANNED_ROWS], rate, float(y[0]))
    return float(np.mean((wanted - y[:SCANNED_ROWS]) ** 2))


def _runs_well(x: Samples, y: Samples, rate: float) -> bool:
    return _rate_misfit(x, y, rate) <= (0.02 * float(y.std())) ** 2


def fit_gain_and_rate_limit(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """The same behind a gain, read off the rows that were not limited."""
    rate = _rate(y)
    if not np.isfinite(rate):
        return ()
    free = np.concatenate(([False], np.abs(np.diff(y)) < (1 - TIE) * rate))
    line = _line(x[free], y[free])
    if line is None:
        return ()
    return (FittedMap("gain and rate limit", gain=line[0], offset=line[1], rate=rate),)


def fit_smoothing(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """First-order smoothing (exponential moving average)."""
    pull, change = x[1:] - y[:-1], np.diff(y)
    energy = float(np.sum(pull * pull))
    share = float(np.sum(pull * change)) / energy if energy > 0 else 1.0
    return (FittedMap("smoothing", share=share),) if 0.01 <= share < 0.995 else ()


def fit_delay(x: Samples, y: Samples) -> Sequence[FittedMap]:
    """The action of some rows ago."""
    misfit = [
        float(np.mean((y[rows:] - x[:-rows]) ** 2))
        for rows in range(1, min(MAX_DELAY, x.size // 4) + 1)
    ]
    return (FittedMap("delay", delay=int(np.argmin(misfit)) + 1),) if misfit else ()


FITS: tuple[Fit, ...] = (
    fit_identity,
    fit_gain,
    fit_clip,
    fit_dead_band,
    fit_rate_limit,
    fit_smoothing,
    fit_delay,
    fit_gain_and_clip,
    fit_gain_and_dead_band,
    fit_gain_and_rate_limit,
)
"""Simplest first."""
