"""One-step relations freed of what noise does to them.

Sensor noise enters the state on both sides of the equation and, through the policy, the action; a slow
disturbance enters state and change alike. Either bends a least-squares fit, so a gap that only plain
least squares sees is not believed.
"""

from __future__ import annotations

import numpy as np

from tracescope.analysis.one_step import Scaling, solve
from tracescope.analysis.one_step_rows import Steps
from tracescope.model.trace import Samples

ROUNDS = 3
MAX_MEMORY = 0.98


def lag_one(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of transitions that follow one another directly: (earlier, later)."""
    earlier = np.flatnonzero(np.diff(row) == 1)
    return earlier, earlier + 1


def whitened(x: Samples, y: Samples, row: np.ndarray, beta: Samples) -> Samples:
    """Refit under first-order autocorrelated disturbances.

    Args:
        x: Features, shape ``(n, q)``.
        y: Outputs, shape ``(n, p)``.
        row: Row that each transition starts from, shape ``(n,)``.
        beta: Least-squares coefficients to start from, shape ``(q, p)``.

    Returns:
        Coefficients, shape ``(q, p)``; those given where residuals are not positively correlated.

    Source:
        Cochrane and Orcutt (1949), iterated.
    """
    earlier, later = lag_one(row)
    if earlier.size < 2 * x.shape[1]:
        return beta
    a, b = x[later], x[earlier]
    now, cross, past = a.T @ a, a.T @ b, b.T @ b
    out = beta.copy()
    floor = 2 / np.sqrt(earlier.size)
    for j in range(y.shape[1]):
        y_now, y_past = y[later, j], y[earlier, j]
        moments = (a.T @ y_now, a.T @ y_past, b.T @ y_now, b.T @ y_past)
        for _ in range(ROUNDS):
            e_now, e_past = y_now - a @ out[:, j], y_past - b @ out[:, j]
            power = float(e_past @ e_past)
            memory = float(e_now @ e_past) / power if power > 0 else 0.0
            if memory < floor:
                break
            memory = min(memory, MAX_MEMORY)
            gram = now - memory * (cross + cross.T) + memory**2 * past
            moment = moments[0] - memory * (moments[1] + moments[2]) + memory**2 * moments[3]
            out[:, j] = solve(gram, moment[:, None])[:, 0]
    return out


def noise_compensated(
    x: Samples, steps: Steps, scaling: Scaling, beta: Samples, column: np.ndarray
) -> Samples:
    """Refit the linear model without the bias that white sensor noise makes.

    Args:
        x: Features of the linear model of ``steps``, shape ``(n, q)``.
        steps: The transitions they were made from.
        scaling: What the features are counted in.
        beta: Least-squares coefficients of every output, shape ``(q, p)``.
        column: Transitions to use, positions in ``steps``.

    Returns:
        Coefficients, shape ``(q, p)``.

    Source:
        Bias-compensated least squares (Stoica and Söderström 1982). The noise variance is read from the
        negative correlation of neighbouring residuals; what reaches the action at once goes through the
        policy's own slope (Stein's lemma).
    """
    state, change = steps.state[column], steps.change[column]
    p, m = state.shape[1], steps.drive.shape[1]
    noise = sensor_variance(change - x @ beta, steps.row[column], beta, scaling)
    if not (noise > 0).any():
        return beta
    slope = policy_slope(steps, column)
    leak = np.zeros((x.shape[1], p))
    leak[1 : 1 + p] = np.diag(noise / scaling.state_spread)
    leak[1 + p : 1 + p + m] = slope * noise / scaling.drive_spread[:, None]
    gram = x.T @ x / len(x)
    own = np.zeros((x.shape[1], x.shape[1]))
    own[:, 1 : 1 + p] = leak / scaling.state_spread
    moment = x.T @ change / len(x) + leak
    with np.errstate(all="ignore"):
        solution = np.linalg.lstsq(gram - own, moment, rcond=1e-9)[0]
    return np.where(np.isfinite(solution), solution, beta)


def sensor_variance(error: Samples, row: np.ndarray, beta: Samples, scaling: Scaling) -> Samples:
    """Estimate each channel's white sensor noise from its one-step residual, shape ``(p,)``."""
    earlier, later = lag_one(row)
    p = error.shape[1]
    if earlier.size < 8:
        return np.zeros(p)
    centred = error - error.mean(axis=0)
    power = (centred**2).mean(axis=0)
    shared = (centred[later] * centred[earlier]).mean(axis=0)
    keep = 1 + beta[1 : 1 + p].diagonal() / scaling.state_spread
    keep = np.clip(keep, 0.3, 1.5)
    most = power / (1 + keep**2)
    significant = -shared > 2 * power / np.sqrt(earlier.size)
    return np.where(significant, np.clip(-shared / keep, 0.0, most), 0.0)


def policy_slope(steps: Steps, column: np.ndarray) -> Samples:
    """Return how the action answers the observation of the same row, shape ``(m, p)``."""
    state, drive = steps.state[column], steps.drive[column]
    p = state.shape[1]
    known = np.column_stack(
        (np.ones(len(state)), state, steps.before[column], steps.drive_before[column])
    )
    spread = known.std(axis=0)
    spread[spread == 0] = 1.0
    known = known / spread
    beta = solve(known.T @ known, known.T @ drive)
    return np.asarray((beta / spread[:, None])[1 : 1 + p].T)
