"""By how much one trace's whole impulse response lies behind the other's, whatever its shape.

A response that is spread over several rows (an actuator's own lag, say) is poorly described by one delayed
step: which two neighbouring lags explain most may then differ between two traces by more than their delays do.
Here the shape itself is taken from one trace, moved, and held against the other, both ways round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tracescope.analysis.impulse import Impulse, Projected, best_pair_leaves
from tracescope.analysis.intervals import Matrix, t_quantile
from tracescope.analysis.pooling import normal_quantile
from tracescope.model.trace import Samples

WINDOWS = 8
"""Stretches of rows that are left out in turn."""

_CONFIDENCE = 0.99
_COARSE, _FINE = 0.05, 0.005
_CONDITION = 1e-9
_FLOOR = 1e-12
_EDGE_ROWS = 2
_BETWEEN_ROWS = 0.05
"""A straight line between two rows misplaces a curved response by about this much."""

Sides = tuple[Impulse, Impulse]
"""The sim's and the target's responses, fitted to the same actions and outputs."""


@dataclass(frozen=True, slots=True)
class ShapeLag:
    """How far the target's response to one action lies behind the sim's, by its whole shape.

    Attributes:
        rows: The lag.
        se: Standard error from stretches of rows left out in turn; infinite where not asked for.
        agrees: Whether the lag that single steps gave is as good.
        fits_better: Whether the moved shape describes both traces better than single steps do.
    """

    rows: float
    se: float
    agrees: bool
    fits_better: bool


def shape_lag(sides: Sides, action: int, output: int, single: float) -> ShapeLag:
    """Find the lag between two impulse responses, and hold the single steps' lag against it.

    Args:
        sides: Both traces' responses.
        action, output: Which response.
        single: Lag by single delayed steps, rows.

    Source:
        Likelihood ratio of the concentrated Gaussian likelihood, χ² with one degree; standard error by the
        delete-a-block jackknife (Künsch 1989), by Student's t with one degree a window less one.
    """
    parts = (sides[0].part(action), sides[1].part(action))
    cost = _cost(parts, output)
    rows = _lowest(cost, parts[0].own.size)
    limit, least = normal_quantile(_CONFIDENCE) ** 2, float(cost(np.array([rows]))[0])
    agrees = float(cost(np.array([single]))[0]) - least <= limit
    steps = sum(p.rows * np.log(best_pair_leaves(p, output)) for p in parts)
    better = bool(steps - least > limit)
    se = _windowed(sides, action, output) if better and not agrees else float("inf")
    return ShapeLag(rows, se, bool(agrees), better)


def shape_difference(sides: Sides, action: int, output: int) -> tuple[float, float]:
    """Return by how many rows the target's whole response lies behind the sim's, and its standard error.

    Where a smooth action leaves open which single step describes each response, their shapes may still tell how
    far one lies behind the other: what is wrong with both alike does not count.
    """
    parts = (sides[0].part(action), sides[1].part(action))
    rows = _lowest(_cost(parts, output), parts[0].own.size)
    return rows, _windowed(sides, action, output)


def _cost(parts: tuple[Projected, Projected], output: int) -> Callable[[Samples], Samples]:
    """Minus twice the log likelihood as a function of the lag, up to a constant."""
    shapes = [_response(part, output) for part in parts]

    def cost(lag: Samples) -> Samples:
        forth = _leaves(parts[1], output, _moved(shapes[0], lag))
        back = _leaves(parts[0], output, _moved(shapes[1], -lag))
        return np.asarray(parts[1].rows * np.log(forth) + parts[0].rows * np.log(back))

    return cost


def _response(part: Projected, output: int) -> Samples:
    values, vectors = np.linalg.eigh(part.lags)
    kept = values > _CONDITION * max(float(values[-1]), 1e-300)
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return np.asarray(inverse @ part.cross[:, output])


def _moved(shape: Samples, lag: Samples) -> Matrix:
    """The response moved by each lag, between rows along straight lines, 0 beyond its ends, ``(lags, m)``."""
    m = shape.size
    padded = np.concatenate(([0.0], shape, [0.0]))
    return np.asarray(np.interp(np.arange(m) - lag[:, None], np.arange(-1, m + 1), padded))


def _leaves(part: Projected, output: int, weights: Matrix) -> Samples:
    """What weights, after their best common gain, leave of an output's power, shape ``(lags,)``."""
    power = float(part.power[output])
    size = np.einsum("dm,mk,dk->d", weights, part.lags, weights)
    explained = (weights @ part.cross[:, output]) ** 2 / np.where(size > 0, size, np.inf)
    return np.asarray(np.maximum(power - explained, _FLOOR * power + 1e-300))


def _lowest(cost: Callable[[Samples], Samples], lags: int) -> float:
    reach = max(1, lags - 1 - _EDGE_ROWS)
    count = round(2 * reach / _COARSE) + 1
    coarse: Samples = np.asarray(np.linspace(-reach, reach, count), dtype=np.float64)
    near = float(coarse[np.argmin(cost(coarse))])
    steps = round(_COARSE / _FINE)
    fine: Samples = np.asarray(near + _FINE * np.arange(-steps, steps + 1), dtype=np.float64)
    return float(fine[np.argmin(cost(fine))])


def _windowed(sides: Sides, action: int, output: int) -> float:
    """Standard error of the lag by leaving out one stretch of rows in turn, widened for their number."""
    found = []
    for window in range(WINDOWS):
        parts = [side.without(window, WINDOWS, action) for side in sides]
        found.append(_lowest(_cost((parts[0], parts[1]), output), parts[0].own.size))
    spread = float(np.sqrt((WINDOWS - 1) * np.var(found)))
    wider = float(t_quantile(_CONFIDENCE, WINDOWS - 1)) / normal_quantile(_CONFIDENCE)
    return float(np.hypot(spread * wider, _BETWEEN_ROWS))
