"""Which observation follows which action, with what gain, offset and lag, in each trace by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.regression import Matrix

MAX_LAG = 10
MIN_ROWS = 30
SEARCHED_ROWS = 1000
"""Rows on which every observation is tried at every lag; the fit of the best one uses all."""

CLOSE = 0.95
"""An observation follows an action where they correlate this much at the best lag."""


@dataclass(frozen=True, slots=True)
class Following:
    """``observation[t] = gain · action[t − lag] + offset`` in one trace.

    Attributes:
        gain, offset: Least squares.
        lag: Rows.
        score: Squared correlation.
    """

    gain: float
    offset: float
    lag: int
    score: float

    def __str__(self) -> str:
        rows = "row" if self.lag == 1 else "rows"
        return f"× {self.gain:.4g} {self.offset:+.4g} after {self.lag} {rows} (r² {self.score:.3f})"


def following(action: Matrix, observation: Matrix) -> dict[int, tuple[int, Following]]:
    """Say which observation follows each action best.

    Args:
        action: Finite, shape ``(m, n)``.
        observation: The same rows, shape ``(p, n)``.

    Returns:
        ``{action: (observation, fit)}`` for those with |r| ≥ 0.95 at the best lag of up to ten rows; empty
        for fewer than 30 rows.
    """
    n = action.shape[1]
    if n < MIN_ROWS or not (action.size and observation.size):
        return {}
    some = (action[:, :SEARCHED_ROWS], observation[:, :SEARCHED_ROWS])
    score = np.stack([_r(*some, lag) ** 2 for lag in range(MAX_LAG + 1)])
    found = {}
    for a in range(action.shape[0]):
        lag, j = np.unravel_index(int(score[:, a].argmax()), score[:, a].shape)
        if score[lag, a, j] >= CLOSE**2:
            found[a] = (int(j), fit_following(action[a], observation[j], int(lag)))
    return found


def best_following(action: Matrix, observation: Matrix) -> Following:
    """Fit one observation to one action at their best lag, both of shape ``(n,)`` with n ≥ 30."""
    score = [_r(action[None], observation[None], lag)[0, 0] ** 2 for lag in range(MAX_LAG + 1)]
    return fit_following(action, observation, int(np.argmax(score)))


def fit_following(action: Matrix, observation: Matrix, lag: int) -> Following:
    """Fit one observation to one action at a given lag, both of shape ``(n,)``."""
    x, y = action[: action.size - lag], observation[lag:]
    centred = x - x.mean()
    power = float(centred @ centred)
    gain = float(centred @ y) / power if power > 0 else 0.0
    r = float(_r(action[None], observation[None], lag)[0, 0])
    return Following(gain, float(y.mean()) - gain * float(x.mean()), lag, r**2)


def _r(action: Matrix, observation: Matrix, lag: int) -> Matrix:
    """Correlation of every observation with every action ``lag`` rows earlier, shape ``(m, p)``."""
    x, y = action[:, : action.shape[1] - lag], observation[:, lag:]
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    y /= np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-300)
    return np.asarray(x @ y.T)
