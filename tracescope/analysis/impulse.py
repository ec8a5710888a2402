"""Delayed responses of one trace: how many rows after an action an output answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import Matrix, mean_interval
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.response_rows import ResponseRows
from tracescope.model.trace import Samples

GAIN_ERRORS = 6.0
"""A response counts where its gain is at least this many standard errors."""

_CONFIDENCE = 0.99
_CONDITION = 1e-10
_NOT_APART = 1e-7
_FLOOR = 1e-18
_RANK, _NOISE_SHARE = 1e-9, 0.5

_Products = tuple[Matrix, Matrix, Samples, int]
"""Of a design and its outputs: Gram matrix, cross products, output powers, rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Projected:
    """One action's lags with everything else regressed out.

    Attributes:
        columns: What else: columns of the design.
        own: The action's lags, columns of the design.
        inverse: Of the Gram matrix of ``columns``.
        lags: Gram matrix of what is left of the lags, shape ``(m, m)``.
        cross: Of what is left of them with what is left of the outputs, shape ``(m, outputs)``.
        power: Of what is left of the outputs, shape ``(outputs,)``.
        rows: How many went in, less one a column of ``columns``.
    """

    columns: NDArray[np.int64]
    own: NDArray[np.int64]
    inverse: Matrix
    lags: Matrix
    cross: Matrix
    power: Samples
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class Impulse:
    """Delays of outputs behind actions.

    Attributes:
        delay: Rows, shape ``(inputs, outputs)``; NaN where the action's lags are not told apart.
        delay_se: Its standard error as if errors were independent.
        resolved: Where the gain is six standard errors from 0.
    """

    delay: Matrix
    delay_se: Matrix
    resolved: NDArray[np.bool_]
    _first: NDArray[np.int64]
    _parts: tuple[Projected, ...]
    _design: Matrix
    _output: Matrix
    _place: NDArray[np.int64]

    def precise(self, action: int, output: int) -> tuple[float, float, float] | None:
        """Return a delay, its standard error under autocorrelation, and effective samples.

        ``None`` where the gain is not resolved once autocorrelation is counted.
        """
        part, k = self._parts[action], int(self._first[action, output])
        pair = np.array([k, k + 1])
        weights = np.linalg.solve(part.lags[np.ix_(pair, pair)], part.cross[pair, output])
        gain = float(weights.sum())
        others = self._design[part.columns]
        taps = self._design[part.own[pair]]
        into = part.inverse @ (others @ taps.T)
        left = taps - into.T @ others
        base = part.inverse @ (others @ self._output[output])
        errors = self._output[output] - base @ others - weights @ left
        rows = self._place.size
        freed = rows / max(1, rows - part.columns.size - 2)
        scale = rows * np.sqrt(freed) * errors
        influence = np.linalg.solve(part.lags[np.ix_(pair, pair)], left) * scale
        if not abs(gain) > GAIN_ERRORS * self._spread(influence.sum(axis=0))[0]:
            return None
        place = float(weights[1] / gain)
        se, n_eff = self._spread((influence[1] - place * influence.sum(axis=0)) / gain)
        away = _others_as_good(part, output, k + place, n_eff)
        return k + place, float(np.hypot(se, away / normal_quantile(_CONFIDENCE))), n_eff

    @property
    def rows(self) -> int:
        """How many rows were fitted."""
        return int(self._place.size)

    def leaves_noise(self, output: int) -> bool:
        """Say whether all states and lags together leave of an output nothing that hangs together over rows.

        A misfit that does, drag taken for a straight line say, is fitted by lags as if it were a response; it is
        alike in two traces and would make them look equally late.
        """
        solution = np.linalg.lstsq(self._design.T, self._output[output], rcond=_RANK)[0]
        left = self._output[output] - solution @ self._design
        return self._spread(left)[1] > _NOISE_SHARE * self.rows

    def part(self, action: int) -> Projected:
        """Return one action's lags with everything else regressed out."""
        return self._parts[action]

    def without(self, window: int, windows: int, action: int) -> Projected:
        """Return :meth:`part` as it is without one of several equal stretches of rows."""
        edges = np.linspace(0, self._place.size, windows + 1).astype(np.int64)
        kept = np.ones(self._place.size, dtype=np.bool_)
        kept[edges[window] : edges[window + 1]] = False
        design, output = self._design[:, kept], self._output[:, kept]
        design = design - design.mean(axis=1, keepdims=True)
        output = output - output.mean(axis=1, keepdims=True)
        part = self._parts[action]
        return _projected(_products(design, output), part.columns, part.own)

    def _spread(self, influence: Samples) -> tuple[float, float]:
        """Standard error and effective samples of the mean of an influence, on the trace's own rows."""
        series = np.zeros(int(self._place[-1] - self._place[0]) + 1)
        series[self._place - self._place[0]] = influence
        found = mean_interval(series, _CONFIDENCE)
        share = series.size / influence.size
        return found.half / normal_quantile(_CONFIDENCE) * share, found.n_eff / share


def impulses(side: ResponseRows, memory: int, *, alone: bool) -> Impulse:
    """Fit each output's answer to each action as one delayed, possibly fractional, step of the action.

    The answer is a weight on two neighbouring lags of the action, those that explain most; the delay is
    their centroid. States, and the lags of the other actions, are regressed out first.

    Args:
        side: One trace.
        memory: Rows of past actions beside the present one.
        alone: Leave out the other actions' lags, where rows are few.
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
    products = _products(design, output)
    inputs, states = len(side.inputs), len(side.states)
    parts, found = [], []
    for i in range(inputs):
        own = states + i + inputs * np.arange(memory + 1)
        others = np.setdiff1d(np.arange(design.shape[0]), own)
        part = _projected(products, others[: states if alone else others.size], own)
        parts.append(part)
        found.append(_best_pair(part, place.size))
    delay, delay_se, ratio, first = (np.array(rows) for rows in zip(*found, strict=True))
    return Impulse(
        delay,
        delay_se,
        np.asarray(ratio > GAIN_ERRORS),
        first.astype(np.int64),
        tuple(parts),
        design,
        output,
        place,
    )


def _scales(design: Matrix) -> Matrix:
    spread = design.std(axis=1, keepdims=True)
    return np.where(spread > 0, spread, 1.0)


def _products(design: Matrix, output: Matrix) -> _Products:
    return design @ design.T, design @ output.T, (output**2).sum(axis=1), design.shape[1]


def _projected(
    products: _Products, columns: NDArray[np.int64], own: NDArray[np.int64]
) -> Projected:
    gram, cross, power, rows = products
    part = gram[np.ix_(columns, columns)]
    values, vectors = np.linalg.eigh(part) if columns.size else (np.zeros(0), part)
    kept = values > _CONDITION * max(float(values.max(initial=0.0)), 1e-300)
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    into = inverse @ gram[np.ix_(columns, own)]
    return Projected(
        columns,
        own,
        inverse,
        gram[np.ix_(own, own)] - gram[np.ix_(own, columns)] @ into,
        cross[own] - into.T @ cross[columns],
        power - np.einsum("co,cd,do->o", cross[columns], inverse, cross[columns]),
        max(1, rows - columns.size),
    )


def _pairs(part: Projected, rows: int) -> tuple[Matrix, Matrix, Matrix, Samples]:
    """Weights of near and far lag, and what each pair explains, ``(m − 1, outputs)``; and determinants."""
    first = np.arange(part.own.size - 1)
    a, b = np.diag(part.lags)[:-1], np.diag(part.lags)[1:]
    c = part.lags[first, first + 1]
    det = a * b - c**2
    # Lags that a smooth action leaves all but equal cannot place a response.
    usable = det > _NOT_APART * np.maximum(a * b, 1e-300)
    usable &= np.minimum(a, b) > _NOT_APART * rows
    det = np.where(usable, det, np.nan)
    near, far = part.cross[:-1], part.cross[1:]
    w_near = (b[:, None] * near - c[:, None] * far) / det[:, None]
    w_far = (a[:, None] * far - c[:, None] * near) / det[:, None]
    return w_near, w_far, w_near * near + w_far * far, det


def best_pair_leaves(part: Projected, output: int) -> float:
    """Return what the best pair of neighbouring lags leaves of an output's power."""
    explained = _pairs(part, 1)[2][:, output]
    power = float(part.power[output])
    most = float(np.nanmax(explained, initial=0.0))
    return max(power - most, 1e-12 * power + 1e-300)


def _others_as_good(part: Projected, output: int, delay: float, n_eff: float) -> float:
    """Return how far the delays of other pairs of lags lie that the data cannot tell from the best.

    Source:
        Likelihood-ratio set of the pair, χ² with one degree, at the effective number of samples.
    """
    w_near, w_far, explained, _ = _pairs(part, 1)
    explained, gain = explained[:, output], (w_near + w_far)[:, output]
    left = np.maximum(part.power[output] - explained, _FLOOR * part.power[output] + 1e-300)
    freedom = max(1.0, n_eff - part.columns.size - 2)
    limit = float(np.nanmin(left)) * (1 + normal_quantile(_CONFIDENCE) ** 2 / freedom)
    share = np.clip(w_far[:, output] / np.where(gain == 0, np.nan, gain), -0.5, 1.5)
    kept = np.isfinite(share) & (left <= limit)
    delays = np.arange(share.size)[kept] + share[kept]
    return float(np.abs(delays - delay).max(initial=0.0))


def _best_pair(part: Projected, rows: int) -> tuple[Samples, Samples, Samples, Samples]:
    """Delay, its error, gain over its error and first lag of the best pair of lags, ``(outputs,)`` each."""
    w_near, w_far, explained, det = _pairs(part, rows)
    first = np.arange(part.own.size - 1)
    a, b = np.diag(part.lags)[:-1], np.diag(part.lags)[1:]
    c = part.lags[first, first + 1]
    outputs = part.power.size
    if not np.isfinite(det).any():
        nothing = np.full(outputs, np.nan)
        return nothing, nothing, nothing, np.zeros(outputs)
    best = np.nanargmax(np.where(np.isnan(explained), -np.inf, explained), axis=0)
    at = (best, np.arange(outputs))
    gain = (w_near + w_far)[at]
    left = np.maximum(part.power - explained[at], _FLOOR * part.power + 1e-300)
    variance = left / max(1, rows - part.columns.size - 3)
    det_at = det[best]
    safe = np.where(gain == 0, np.nan, gain)
    share = w_far[at] / safe
    gain_var = variance * (a[best] + b[best] - 2 * c[best]) / det_at
    far_var, near_var = variance * a[best] / det_at, variance * b[best] / det_at
    both = -variance * c[best] / det_at
    delay_var = (
        (1 - share) ** 2 * far_var + share**2 * near_var - 2 * share * (1 - share) * both
    ) / safe**2
    ratio = np.abs(gain) / np.sqrt(np.maximum(gain_var, 1e-300))
    return best + share, np.sqrt(np.maximum(delay_var, 0.0)), ratio, best.astype(np.float64)
