"""Finite impulse responses of one trace, all actions and outputs from one Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import Matrix, mean_interval
from tracescope.analysis.lag import normal_quantile
from tracescope.analysis.response_rows import ResponseRows

GAIN_ERRORS = 6.0
"""A response counts where its gain is at least this many standard errors."""

_CONFIDENCE = 0.99
_CONDITION = 1e-10
_NOT_APART = 1e-3
_FLOOR = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Impulse:
    """Responses of outputs to actions.

    Attributes:
        coarse: Centroid of each response, rows, shape ``(inputs, outputs)``.
        coarse_se: Its standard error as if errors were independent.
        gain, gain_se: Sum of the response and its standard error, likewise.
        resolved: Where the gain is six standard errors from 0.
    """

    coarse: Matrix
    coarse_se: Matrix
    gain: Matrix
    gain_se: Matrix
    resolved: NDArray[np.bool_]
    _solvers: tuple[_Solver | None, ...]
    _design: Matrix
    _output: Matrix
    _cross: Matrix
    _place: NDArray[np.int64]
    _rows: int

    def centroid(self, action: int, output: int) -> tuple[float, float, float] | None:
        """Return a response's centroid, its standard error under autocorrelation, and effective samples.

        ``None`` where the gain is not resolved once autocorrelation is counted.
        """
        solver = self._solvers[action]
        if solver is None:
            return None
        design = self._design if solver.whole else self._design[solver.columns]
        weights = solver.inverse @ self._cross[solver.columns, output]
        pulse, lags = weights[solver.own], np.arange(solver.own.size)
        gain, centre = float(pulse.sum()), float(self.coarse[action, output])
        ways = np.vstack((np.ones(lags.size), (lags - centre) / gain)) @ solver.inverse[solver.own]
        fitted, of_gain, of_centre = np.vstack((weights, ways)) @ design
        freed = self._rows / max(1, self._rows - solver.columns.size)
        errors = (self._output[output] - fitted) * self._rows * np.sqrt(freed)
        if not abs(gain) > GAIN_ERRORS * self._spread(of_gain * errors)[0]:
            return None
        se, n_eff = self._spread(of_centre * errors)
        return centre, se, n_eff

    def _spread(self, influence: NDArray[np.float64]) -> tuple[float, float]:
        """Standard error and effective samples of the mean of an influence, on the trace's own rows."""
        series = np.zeros(int(self._place[-1] - self._place[0]) + 1)
        series[self._place - self._place[0]] = influence
        found = mean_interval(series, _CONFIDENCE)
        share = series.size / influence.size
        return found.half / normal_quantile(_CONFIDENCE) * share, found.n_eff / share


@dataclass(frozen=True, slots=True, eq=False)
class _Solver:
    """Columns of the design one action uses, the inverse of their Gram, and which are its own lags."""

    columns: NDArray[np.int64]
    inverse: Matrix
    own: NDArray[np.int64]
    whole: bool


def impulses(side: ResponseRows, memory: int, *, alone: bool) -> Impulse:
    """Regress every output on the states and on the actions of the last rows.

    Args:
        side: One trace.
        memory: Rows of past actions beside the present one.
        alone: Each action's lags without those of the other actions, where rows are few.
    """
    place = np.flatnonzero(side.mask(memory))
    lagged = np.concatenate([side.input[:, place - back] for back in range(memory + 1)])
    shared = np.tile(_scales(lagged[: len(side.inputs)]), (memory + 1, 1))
    design = np.vstack((side.state[:, place], lagged))
    design -= design.mean(axis=1, keepdims=True)
    # All lags of an action share one scale, so that their weights can be summed.
    design /= np.vstack((_scales(side.state[:, place]), shared))
    output = side.output[:, place]
    output = output - output.mean(axis=1, keepdims=True)
    gram, cross = design @ design.T, design @ output.T
    power = (output**2).sum(axis=1)
    inputs, states = len(side.inputs), len(side.states)
    shape = (inputs, len(side.outputs))
    found = [np.full(shape, np.nan) for _ in range(4)]
    solvers = []
    together = None if alone else _inverted(gram)
    for i in range(inputs):
        own = states + i + inputs * np.arange(memory + 1)
        columns = np.concatenate((np.arange(states), own)) if alone else np.arange(gram.shape[0])
        inverted = together or _inverted(gram[np.ix_(columns, columns)])
        solver = _solver(inverted, columns, own, whole=not alone)
        solvers.append(solver)
        if solver is not None:
            rows = _responses(solver, cross, power, place.size)
            for array, row in zip(found, rows, strict=True):
                array[i] = row
    coarse, coarse_se, gain, gain_se = found
    resolved = np.nan_to_num(np.abs(gain)) > GAIN_ERRORS * np.nan_to_num(gain_se, nan=np.inf)
    return Impulse(
        coarse,
        coarse_se,
        gain,
        gain_se,
        resolved,
        tuple(solvers),
        design,
        output,
        cross,
        place,
        place.size,
    )


def _scales(design: Matrix) -> Matrix:
    spread = design.std(axis=1, keepdims=True)
    return np.where(spread > 0, spread, 1.0)


def _inverted(gram: Matrix) -> tuple[Matrix, Matrix]:
    """Invert a Gram matrix in the directions that were excited, and return those that were not."""
    size = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    values, vectors = np.linalg.eigh(gram / np.outer(size, size))
    weak = values < _CONDITION
    kept = vectors[:, ~weak]
    return (kept / values[~weak]) @ kept.T / np.outer(size, size), vectors[:, weak]


def _solver(
    inverted: tuple[Matrix, Matrix],
    columns: NDArray[np.int64],
    own: NDArray[np.int64],
    *,
    whole: bool,
) -> _Solver | None:
    """Take one action's part; ``None`` where its own lags are not told apart."""
    inverse, weak = inverted
    where = np.searchsorted(columns, own)
    # Directions nobody excited may lie among the states, but not among the action's lags.
    if weak.size and np.abs(weak[where]).max() > _NOT_APART:
        return None
    return _Solver(columns, inverse, where, whole)


def _responses(
    solver: _Solver, cross: Matrix, power: NDArray[np.float64], rows: int
) -> tuple[NDArray[np.float64], ...]:
    """Centroid, its error, gain and its error of all outputs, shape ``(outputs,)`` each."""
    weights = solver.inverse @ cross[solver.columns]
    left = np.maximum(power - (weights * cross[solver.columns]).sum(axis=0), _FLOOR**2 * power)
    variance = left / max(1, rows - solver.columns.size - 1)
    pulse, lags = weights[solver.own], np.arange(solver.own.size, dtype=np.float64)
    own = solver.inverse[np.ix_(solver.own, solver.own)]
    gain = pulse.sum(axis=0)
    gain_se = np.sqrt(variance * max(float(own.sum()), 0.0))
    safe = np.where(gain == 0, np.nan, gain)
    centre = lags @ pulse / safe
    away = lags[:, None] - centre[None, :]
    centre_se = np.sqrt(np.maximum(variance * np.einsum("lo,lm,mo->o", away, own, away), 0)) / safe
    return centre, np.abs(centre_se), gain, gain_se
