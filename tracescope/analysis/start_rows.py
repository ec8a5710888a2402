"""How surely two episodes start on the same count: what their first rows, and a common time limit, say.

A counter that started elsewhere shows another moment of the episode in its first row. Were that so, the first
rows could lie on each other only where the difference between the two runs happened to undo the motion in between.
How likely that is can be worked out without knowing how far resets scatter, if each order of magnitude is as
likely.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.ends import episode_end
from tracescope.analysis.intervals import Matrix
from tracescope.analysis.timebase import Lattice
from tracescope.model.case import Case
from tracescope.model.trace import Samples

SHIFTS = 25
"""Rows either way that a counter may have started elsewhere."""

SPREADS = (0.01, 1.0)
"""How far two runs of one episode may start apart, in spreads of a channel over the trace."""

_NEAR_SHIFTS = 12
_ELSEWHERE = 3.0
_RESET_SPREAD = 0.15
_SAME = 1e-9
_STILL = 1e-6
_SPREADS_TRIED = 60
_OTHER_UNIT = 5.0
_ROUGH, _OF_WHITE = 0.2, 6.0


def chance_of_coincidence(lattice: Lattice) -> float:
    """Return how likely the first rows lie as near as they do although a counter started elsewhere.

    Under a start k rows off, the first rows of p channels differ by the motion m over those rows plus what the
    two runs differ by: p numbers around 0 of one unknown spread, each channel counted in its own spread over the
    trace. With that spread anywhere between a hundredth and the whole of a channel's, each order of magnitude as
    likely, the chance of a difference no larger than δ follows. Of all shifts up to two dozen rows either way the
    likeliest counts; channels that stand still over a shift do not count for it, and where all do,
    the answer is 1. Commands that own exploration drives say nothing about the state and are left out.

    Args:
        lattice: Rows placed by counter.

    Returns:
        At most 1, which says nothing.

    Source:
        See :func:`within`.
    """
    sim_row, target_row = _first_rows(lattice)
    sim = lattice.sim[:, sim_row : sim_row + SHIFTS + 1]
    target = lattice.target[:, target_row : target_row + SHIFTS + 1]
    kept = _telling(sim, target) & ~_driven(lattice)
    if not kept.any():
        return 1.0
    of_sim, of_target = _scales(lattice, kept)
    sim, target = sim[kept] / of_sim, target[kept] / of_target
    near = np.maximum(np.abs(target[:, 0] - sim[:, 0]), _half_step(sim, target))
    moved = np.concatenate([side[:, 1:] - side[:, :1] for side in (sim, target)], axis=1)
    known = np.isfinite(moved).all(axis=0)
    return max((_chance(near, np.abs(m)) for m in moved[:, known].T), default=1.0)


def _chance(near: Samples, moved: Samples) -> float:
    moves = moved > _STILL
    apart, far = np.sqrt(np.sum(near[moves] ** 2)), np.sqrt(np.sum(moved[moves] ** 2))
    return within(float(apart), float(far), int(moves.sum())) if apart < far else 1.0


def within(radius: float, away: float, dimensions: int) -> float:
    """Return how likely numbers around a place ``away`` from 0 lie within ``radius`` of 0, their spread unknown.

    Args:
        radius, away: Not negative, in spreads of a channel over the trace.
        dimensions: How many numbers, at least 1.

    Returns:
        A mean over spreads, no upper end: where it says 1 %, the one spread that suits a coincidence best (about
        as far as the motion itself went) gives up to 5 %, and up to 11 % for a single number farther off than a
        whole spread. Nearer resets, as episodes usually have, give less than it says.

    Source:
        Noncentral χ² distribution, averaged over :data:`SPREADS` on a logarithmic scale: the scale-invariant
        prior of Jeffreys, An invariant form for the prior probability in estimation problems (1946).
    """
    from scipy.special import chndtr

    spread = np.geomspace(*SPREADS, _SPREADS_TRIED)
    return float(np.mean(chndtr((radius / spread) ** 2, dimensions, (away / spread) ** 2)))


def points_elsewhere(lattice: Lattice) -> int:
    """Return the lag at which the first rows lie plainly nearer than as they stand; 0 where none does.

    Plainly: three times as near, where as they stand they differ by more than resets do. Up to a dozen rows.
    """
    sim, target, sim_row, target_row = _states(lattice)
    scale = np.maximum(np.nanstd(sim, axis=1), np.nanstd(target, axis=1)) + 1e-300

    def apart(i: int, j: int) -> float:
        gap = (_at(target, j) - _at(sim, i)) / scale
        known = np.isfinite(gap)
        return float(np.sqrt(np.mean(gap[known] ** 2))) if known.any() else np.inf

    here = apart(sim_row, target_row)
    shifts = range(1, _NEAR_SHIFTS + 1)
    found = {-k: apart(sim_row + k, target_row) for k in shifts}
    found |= {k: apart(sim_row, target_row + k) for k in shifts}
    lag = min(found, key=lambda k: found[k])
    return lag if here > max(_ELSEWHERE * found[lag], _RESET_SPREAD) else 0


def limits_apart(case: Case) -> int | None:
    """Return by how many counts the target is truncated later than the sim; ``None`` where not both are.

    A time limit counts from the start. Rows that one counter did not count at the start make that episode end as
    many counts earlier, and equal counts at the end say that both counters started together. One flag for all
    causes is taken for a limit only where both set it at the same round count.
    """
    ends = episode_end(case.pair.sim), episode_end(case.pair.target)
    counts = []
    for trace, end in zip((case.pair.sim, case.pair.target), ends, strict=True):
        if trace.step is None or end.row is None or not end.may_be_time_limit:
            return None
        counts.append(int(trace.step[end.row]))
    apart = counts[1] - case.alignment.step_shift - counts[0]
    return apart if apart == 0 or all(end.kind == "truncated" for end in ends) else None


def _states(lattice: Lattice) -> tuple[Matrix, Matrix, int, int]:
    """Return both sides' states (actions where nothing else moves) and the rows of the first common count."""
    state = ~lattice.is_command if not lattice.is_command.all() else lattice.is_command
    return lattice.sim[state], lattice.target[state], *_first_rows(lattice)


def _first_rows(lattice: Lattice) -> tuple[int, int]:
    """Return the sim's and the target's row of the first common count."""
    same_count = round(-lattice.start_rows)
    return max(0, -same_count), max(0, same_count)


def _telling(sim: Matrix, target: Matrix) -> NDArray[np.bool_]:
    """Say which channels tell anything: known in both first rows, moving, and not set from outside alike."""
    known = np.isfinite(sim[:, 0]) & np.isfinite(target[:, 0])
    n = min(sim.shape[1], target.shape[1])
    both = np.isfinite(sim[:, :n]) & np.isfinite(target[:, :n])
    size = np.nanmax(np.abs(sim), axis=1, initial=0.0)[:, None]
    same = (np.abs(np.where(both, target[:, :n] - sim[:, :n], 0.0)) <= _SAME * size).all(axis=1)
    moves = (np.nanmax(sim, axis=1, initial=-np.inf) - np.nanmin(sim, axis=1, initial=np.inf)) > (
        _SAME * size[:, 0]
    )
    return np.asarray(known & moves & ~same)


def _driven(lattice: Lattice) -> NDArray[np.bool_]:
    """Say which channels are commands that jump from row to row: exploration, not an answer to the state."""
    rough = []
    for side in (lattice.sim, lattice.target):
        second = side[:, 2:] - 2 * side[:, 1:-1] + side[:, :-2]
        power = np.nanmean(np.where(np.isfinite(second), second, 0.0) ** 2, axis=1)
        rough.append(np.sqrt(power / _OF_WHITE) > _ROUGH * (np.nanstd(side, axis=1) + 1e-300))
    return np.asarray(lattice.is_command & (rough[0] | rough[1]))


def _scales(lattice: Lattice, kept: NDArray[np.bool_]) -> tuple[Matrix, Matrix]:
    """Spread of each channel, sim's and target's: the larger for both, each its own where units must differ."""
    sim = np.nanstd(lattice.sim[kept], axis=1)[:, None] + 1e-300
    target = np.nanstd(lattice.target[kept], axis=1)[:, None] + 1e-300
    larger = np.maximum(sim, target)
    units = larger > _OTHER_UNIT * np.minimum(sim, target)
    return np.where(units, sim, larger), np.where(units, target, larger)


def _half_step(sim: Matrix, target: Matrix) -> Samples:
    """Half the smallest change of each channel from row to row: nearer than printing two rows cannot be."""
    changes = np.abs(np.concatenate((np.diff(sim, axis=1), np.diff(target, axis=1)), axis=1))
    smallest = np.where(changes > 0, changes, np.inf).min(axis=1)
    return np.asarray(np.where(np.isfinite(smallest), smallest / 2, 0.0))


def _at(value: Matrix, row: int) -> Samples:
    return value[:, row] if 0 <= row < value.shape[1] else np.full(value.shape[0], np.nan)
