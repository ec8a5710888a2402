"""Start offset or response lag: what the first rows say about a lag under counter pairing.

A counter that started at another moment shifts every row, the first included. A slower response leaves the
first row alone, because nothing has acted yet.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from tracescope.analysis.intervals import Matrix
from tracescope.analysis.timebase import Lattice
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

StartVerdict = Literal["response", "commands", "limit", "start", "limits apart", "undecided"]
"""Started together by the first rows, the law of the commands or a common time limit; elsewhere by the first rows
or by the limits."""

_MIN_COMMON = 12
_FALSE_ALARM = 1e-3
_TOLD_APART = 4.0
_SHIFTS = 5
_MIN_CHANNELS = 2
_ROUNDING = 1e-6
_RESET_SPREAD = 0.15
_MUCH_NEARER = 0.05
_FAR_SHIFTS = 12
_UNDONE = 0.5
"""Part of what the first rows differ by that a start one row off leaves, at most."""
_NEARER_BY = ((1.25, 2.0), (2.5, 3.0))


def start_verdict(lattice: Lattice, lag_rows: float) -> StartVerdict:
    """Say whether a lag left under counter pairing was there from the first row.

    The target's first common row is compared with the sim's row of the same count: as it stands, against the
    noise of either; and, where a lag is known, through the gain, offset and scatter that each channel has over
    the whole overlap at that lag, beside the row that the lag says it shows. Where standing still makes all
    rows equal, nothing can be said.

    Args:
        lattice: Rows placed by counter.
        lag_rows: The lag left, rows; NaN where none could be measured.

    Returns:
        ``response``: the first row agrees without shift; ``start``: only with it.
    """
    same_count = round(-lattice.start_rows)
    sim_row, target_row = max(0, -same_count), max(0, same_count)
    if _plainly_equal(lattice, sim_row, target_row):
        return "response"
    if not np.isfinite(lag_rows):
        return "undecided"
    whole = round(lag_rows)
    fit = _affine_at(lattice, whole + same_count)
    if fit is None or whole == 0:
        return "undecided"
    gain, _, scatter = fit
    sim, target = lattice.sim, lattice.target
    if whole < 0:
        # The target's first row would show what the sim shows |lag| rows later.
        shifted = _distance(sim, sim_row - whole, target, target_row, fit)
        moved = _moved(sim, sim_row, sim_row - whole) * np.abs(gain) / scatter
    else:
        shifted = _distance(sim, sim_row, target, target_row + whole, fit)
        moved = _moved(target, target_row, target_row + whole) / scatter
    plain = _distance(sim, sim_row, target, target_row, fit)
    limit = _limit(int(np.isfinite(plain).sum()))
    if not np.isfinite(limit) or not np.isfinite(moved).any():
        return "undecided"
    told_apart = float(np.nanmean(moved**2)) > _TOLD_APART * limit
    agrees = _mean_square(plain) <= limit
    agrees_shifted = _mean_square(shifted) <= max(limit, _MUCH_NEARER * _mean_square(plain))
    if agrees and told_apart:
        return "response"
    differs = not agrees and not _close(lattice, sim_row, target_row)
    if differs and agrees_shifted and _nearer(lattice, sim_row, target_row, whole):
        return "start"
    return "undecided"


def nearest_unshifted(lattice: Lattice, interval: Interval) -> bool:
    """Say whether the first rows lie much nearer to each other as they stand than under any shift.

    Two resets of one episode differ by more than noise, so that equality is too much to ask. That they are near
    (0.15 standard deviations), and that every shift up to a dozen rows lies at least twice as far, is evidence
    of equal starts; it counts only together with a content lag of little more than a row, and with one of a
    few rows where the shifts lie three times as far. Motion that own exploration drives is left to that lag.

    Args:
        lattice: Rows placed by counter.
        interval: Of the lag left in the contents, rows.
    """
    low, high = interval
    factor = next((f for limit, f in _NEARER_BY if max(-low, high) < limit), np.inf)
    if not np.isfinite(factor) or (not low <= 0 <= high and np.floor(high) >= low):
        return False  # the contents know nothing, or of a whole shift
    state = ~lattice.is_command if not lattice.is_command.all() else lattice.is_command
    sim, target = lattice.sim[state], lattice.target[state]
    noise = np.hypot(_noise(sim), _noise(target))
    scale = np.maximum(np.nanstd(sim, axis=1), np.nanstd(target, axis=1)) + 1e-300
    same_count = round(-lattice.start_rows)
    sim_row, target_row = max(0, -same_count), max(0, same_count)

    def apart(i: int, j: int) -> float:
        return float(np.sqrt(_mean_square((_at(target, j) - _at(sim, i)) / scale)))

    here = apart(sim_row, target_row)
    shifts = range(1, _FAR_SHIFTS + 1)
    shifted = [apart(sim_row + k, target_row) for k in shifts]
    shifted += [apart(sim_row, target_row + k) for k in shifts]
    # A row that does not exist is infinitely far, one that was lost tells nothing.
    least = max(here, float(np.sqrt(_mean_square(noise / scale))))
    return here < _RESET_SPREAD and min(shifted) > factor * least


def _plainly_equal(lattice: Lattice, sim_row: int, target_row: int) -> bool:
    """Say whether the first rows equal each other as they stand, where a shift by any few rows would show.

    This holds however far the traces part later, when no gain or scatter can be fitted to them. The noise is
    bounded by the second differences, in which motion almost cancels.
    """
    noise = np.hypot(_noise(lattice.sim), _noise(lattice.target))
    apart = (_at(lattice.target, target_row) - _at(lattice.sim, sim_row)) / noise
    shifts = range(1, _SHIFTS + 1)
    motions = [_moved(lattice.sim, sim_row, sim_row + k) / noise for k in shifts]
    motions += [_moved(lattice.target, target_row, target_row + k) / noise for k in shifts]
    known = np.isfinite(apart) & np.isfinite(motions).all(axis=0)
    limit = _limit(int(known.sum()))
    if not np.isfinite(limit) or _mean_square(apart[known]) > limit:
        return False
    single = _limit(1)
    moving = (np.array(motions)[:, known] ** 2 > single).any(axis=0).sum()
    plainly = np.array([_mean_square(motion[known]) for motion in motions])
    return bool(moving >= _MIN_CHANNELS and (plainly > _TOLD_APART * limit).all())


def _close(lattice: Lattice, sim_row: int, target_row: int) -> bool:
    """Say whether the first rows differ by no more than resets of one episode do."""
    spread = np.nanstd(lattice.sim, axis=1) + 1e-300
    apart = (_at(lattice.target, target_row) - _at(lattice.sim, sim_row)) / spread
    return _mean_square(apart) < _RESET_SPREAD**2


def _nearer(lattice: Lattice, sim_row: int, target_row: int, whole: int) -> bool:
    """Say whether a shift of one row also brings the first rows nearer as they are logged.

    One row is as soon a slower response, and its gains and levels take up what two resets differ by: the
    shift itself must undo half of that. More rows move too far for that.
    """
    if abs(whole) > 1:
        return True
    scale = np.maximum(np.nanstd(lattice.sim, axis=1), np.nanstd(lattice.target, axis=1)) + 1e-300
    plain = _at(lattice.target, target_row) - _at(lattice.sim, sim_row)
    sim_row, target_row = sim_row + max(0, -whole), target_row + max(0, whole)
    shifted = _at(lattice.target, target_row) - _at(lattice.sim, sim_row)
    return _mean_square(shifted / scale) <= _UNDONE**2 * _mean_square(plain / scale)


def _noise(value: Matrix) -> Samples:
    """Standard deviation of each channel's noise, at most, from its second differences."""
    second = value[:, 2:] - 2 * value[:, 1:-1] + value[:, :-2]
    spread = np.nanmax(value, axis=1) - np.nanmin(value, axis=1)
    known = np.isfinite(second)
    count = np.maximum(known.sum(axis=1), 1)
    power = np.where(known, second, 0.0) ** 2
    return np.asarray(np.sqrt(power.sum(axis=1) / count / 6) + _ROUNDING * spread + 1e-300)


def _affine_at(lattice: Lattice, lag: int) -> tuple[Samples, Samples, Samples] | None:
    """Gain, level and scatter of each channel over the overlap at a lag between first rows."""
    n_sim, n_target = lattice.sim.shape[1], lattice.target.shape[1]
    first, last = max(0, lag), min(n_target, n_sim + lag)
    if last - first < _MIN_COMMON:
        return None
    x, y = lattice.sim[:, first - lag : last - lag], lattice.target[:, first:last]
    known = np.isfinite(x) & np.isfinite(y)
    count = np.maximum(known.sum(axis=1), 1)
    x, y = np.where(known, x, 0.0), np.where(known, y, 0.0)
    mean_x, mean_y = x.sum(axis=1) / count, y.sum(axis=1) / count
    dx, dy = (x - mean_x[:, None]) * known, (y - mean_y[:, None]) * known
    power_x, power_y = (dx**2).sum(axis=1), (dy**2).sum(axis=1)
    gain = (dx * dy).sum(axis=1) / np.where(power_x > 0, power_x, np.inf)
    residual = dy - gain[:, None] * dx
    scatter = np.sqrt((residual**2).sum(axis=1) / count)
    # A perfect copy would make any rounding a disagreement.
    scatter = np.maximum(scatter, 1e-6 * np.sqrt(power_y / count) + 1e-300)
    return gain, mean_y - gain * mean_x, scatter


def _at(value: Matrix, row: int) -> Samples:
    return value[:, row] if 0 <= row < value.shape[1] else np.full(value.shape[0], np.nan)


def _moved(value: Matrix, first: int, last: int) -> Samples:
    return _at(value, last) - _at(value, first)


def _distance(
    sim: Matrix,
    sim_row: int,
    target: Matrix,
    target_row: int,
    fit: tuple[Samples, Samples, Samples],
) -> Samples:
    gain, level, scatter = fit
    return np.asarray((_at(target, target_row) - level - gain * _at(sim, sim_row)) / scatter)


def _mean_square(z: Samples) -> float:
    finite = z[np.isfinite(z)]
    return float(np.mean(finite**2)) if finite.size else np.inf


def _limit(channels: int) -> float:
    """Largest mean square of that many standard normal numbers that is not surprising."""
    if channels == 0:
        return np.inf
    from scipy.special import chdtri

    return float(chdtri(channels, _FALSE_ALARM)) / channels
