"""Relations that hold whatever the plant is: one signal's change is another's integral.

``Δo_i = k ∫ o_j dt`` ties a position to its velocity, ``Δo_i = k ∫ o_j·o_k dt`` a position to speed and
heading. No plant parameter and no controller enters, so the ratio of k between two traces compares the
scales of sensors even inside a closed loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import influence_interval
from tracescope.analysis.regression import Matrix, structured_spread
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

MIN_R2 = 0.98
MAX_STRUCTURE = 0.05
"""Part of the motion that may be left of a relation beyond noise."""

WINDOWS = (4, 8, 16)
"""Rows a window: the shortest one over which noise no longer hides the relation is used."""

MAX_FOR_PRODUCTS = 10
ROWS_FOR_PRODUCTS = 100

WINDOWS_NEEDED = 6
"""A trace holds at least so many windows end to end."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Signal ``whole`` changes as the integral of its ``rates``' product (rows of the matrix given)."""

    whole: int
    rates: tuple[int, ...]
    r2: float
    window: int = WINDOWS[0]

    def signals(self, value: Matrix) -> Matrix:
        """Return the whole and the product of its rates, shape ``(2, n)``."""
        return np.stack((value[self.whole], np.prod(value[list(self.rates)], axis=0)))


@dataclass(frozen=True, slots=True)
class Constant:
    """The k of a relation in one trace, as its logarithm: estimate, half-width, effective n, sign."""

    log: float
    half: float
    n_eff: float
    sign: float


@dataclass(frozen=True, slots=True, eq=False)
class _Windows:
    """Per window: changes and integrals, shape ``(k, m)`` each, and first rows, shape ``(m,)``."""

    change: Matrix
    integral: Matrix
    row: NDArray[np.int64]


def _windows(value: Matrix, time_s: Samples, rows: int) -> _Windows:
    """Cut overlapping windows that start at every row, leaving out those that span a gap."""
    dt = np.diff(time_s)
    area = np.cumsum(0.5 * (value[:, 1:] + value[:, :-1]) * dt, axis=1)
    area = np.concatenate((np.zeros((value.shape[0], 1)), area), axis=1)
    span = time_s[rows:] - time_s[:-rows]
    usual = float(np.median(dt[dt > 0])) if (dt > 0).any() else 0.0
    row = np.flatnonzero(span <= 1.5 * rows * usual)
    return _Windows(
        value[:, row + rows] - value[:, row],
        area[:, row + rows] - area[:, row],
        row.astype(np.int64),
    )


def find_relations(value: Matrix, time_s: Samples) -> tuple[Relation, ...]:
    """Find the kinematic relations of one trace, at most one a signal.

    Products of two rates are tried for signals without a plain rate, where there are at most ten signals
    and 100 rows: more candidates on fewer rows would fit by chance.

    Args:
        value: Finite, moving signals, shape ``(k, n)``.
        time_s: Row times, shape ``(n,)``.

    Returns:
        Relations with R² > 0.98 over windows of 4, 8 or 16 rows; empty for fewer than 24 rows.
    """
    found: dict[int, Relation] = {}
    for rows in WINDOWS:
        if value.shape[0] >= 2 and value.shape[1] >= WINDOWS_NEEDED * rows:
            for relation in _relations(value, time_s, rows):
                found.setdefault(relation.whole, relation)
    if 3 <= value.shape[0] <= MAX_FOR_PRODUCTS and value.shape[1] >= ROWS_FOR_PRODUCTS:
        for relation in _products(value, time_s):
            found.setdefault(relation.whole, relation)
    return tuple(found[whole] for whole in sorted(found))


def _r2(change: Matrix, integral: Matrix) -> Matrix:
    """Squared correlation of every change with every integral, 0 where a side is still."""
    change = change - change.mean(axis=1, keepdims=True)
    integral = integral - integral.mean(axis=1, keepdims=True)
    energy_change, energy_integral = np.sum(change**2, axis=1), np.sum(integral**2, axis=1)
    bottom = np.sqrt(energy_change[:, None] * energy_integral[None, :])
    r = np.where(bottom > 0, change @ integral.T / np.where(bottom > 0, bottom, 1.0), 0.0)
    return np.asarray(r**2)


def _products(value: Matrix, time_s: Samples) -> list[Relation]:
    rows = WINDOWS[0]
    pairs = [(j, k) for j in range(value.shape[0]) for k in range(j + 1, value.shape[0])]
    product = np.stack([value[j] * value[k] for j, k in pairs])
    change = _windows(value, time_s, rows).change
    integral = _windows(product, time_s, rows).integral
    r2 = _r2(change, integral)
    for place, pair in enumerate(pairs):
        r2[list(pair), place] = 0.0
    best = r2.argmax(axis=1)
    return [
        Relation(i, pairs[best[i]], float(r2[i, best[i]]), rows)
        for i in range(value.shape[0])
        if r2[i, best[i]] > MIN_R2
    ]


def _relations(value: Matrix, time_s: Samples, rows: int) -> list[Relation]:
    windows = _windows(value, time_s, rows)
    if windows.row.size < 2 * rows:
        return []
    r2 = _r2(windows.change, windows.integral)
    np.fill_diagonal(r2, 0.0)  # exponential growth is its own integral
    best, back = r2.argmax(axis=1), r2.argmax(axis=0)
    return [
        Relation(i, (int(best[i]),), float(r2[i, best[i]]), rows)
        for i in range(value.shape[0])
        if r2[i, best[i]] > MIN_R2 and back[best[i]] == i
    ]


def relation_constant(
    relation: Relation, value: Matrix, time_s: Samples, confidence: float
) -> Constant | None:
    """Return k of a relation in one trace by instrumental variables, or ``None`` where it has none.

    Sensor noise in the rate would shrink an ordinary slope; the integral over the window before and the
    one after carries the same motion with other noise, so their sum serves as the instrument.

    Args:
        relation: Which signals.
        value: As for :func:`find_relations`.
        time_s: Row times, shape ``(n,)``.
        confidence: Two-sided.

    Source:
        Errors-in-variables with lagged instruments (Reiersøl 1941).
    """
    rows = relation.window
    if value.shape[1] < WINDOWS_NEEDED * rows:
        return None
    windows = _windows(relation.signals(value), time_s, rows)
    place = np.full(value.shape[1], -1)
    place[windows.row] = np.arange(windows.row.size)
    row = windows.row[(windows.row >= rows) & (windows.row + rows < value.shape[1])]
    before, here, after = place[row - rows], place[row], place[row + rows]
    whole = (before >= 0) & (after >= 0)
    before, here, after = before[whole], here[whole], after[whole]
    if here.size < 2 * rows:
        return None
    instrument = windows.integral[1, before] + windows.integral[1, after]
    instrument = instrument - instrument.mean()
    change = windows.change[0, here] - windows.change[0, here].mean()
    integral = windows.integral[1, here] - windows.integral[1, here].mean()
    strength = float(np.mean(instrument * integral))
    spread = float(np.sqrt(np.mean(instrument**2) * np.mean(integral**2)))
    if abs(strength) <= 0.2 * spread or spread == 0:
        return None
    k = float(np.mean(instrument * change)) / strength
    if k == 0 or _has_structure(relation, value, time_s, k):
        return None
    influence = instrument * (change - k * integral) / strength / k
    of_log = influence_interval(0.0, influence, confidence)
    return Constant(float(np.log(abs(k))), of_log.half, of_log.n_eff, float(np.sign(k)))


def _has_structure(relation: Relation, value: Matrix, time_s: Samples, k: float) -> bool:
    """Whether something other than noise is left of a relation from row to row.

    Two signals that follow one reference at a small lag look related as well; what they leave moves.
    """
    single = _windows(relation.signals(value), time_s, 1)
    predicted = k * single.integral[1:]
    left = single.change[:1] - predicted
    motion, noise = float(np.std(predicted)), float(np.std(left))
    structure = float(structured_spread(left)[0])
    # White noise shows this much autocovariance by chance (four standard errors of a band of two lags).
    chance = noise * np.sqrt(min(4.0 / np.sqrt(2.0 * left.size), 1.0))
    return bool(structure > max(MAX_STRUCTURE * motion, chance))


def scale_ratio(sim: Constant, target: Constant) -> tuple[float, Interval, float]:
    """Return ``k_target / k_sim`` with its interval and effective n.

    It is the scale of the whole's sensor over that of its rates' (multiplied), target against sim.
    """
    half = float(np.hypot(sim.half, target.half))
    sign = sim.sign * target.sign
    middle = target.log - sim.log
    with np.errstate(over="ignore"):  # a ratio that nothing tells reaches to infinity
        ends = sorted((sign * float(np.exp(middle - half)), sign * float(np.exp(middle + half))))
    return sign * float(np.exp(middle)), (ends[0], ends[1]), min(sim.n_eff, target.n_eff)
