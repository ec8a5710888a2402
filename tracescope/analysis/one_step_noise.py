"""One-step relations freed of what noise does to them.

Sensor noise enters the state on both sides of the equation and, through the policy, the action; a slow
disturbance enters state and change alike. Either bends a least-squares fit, so a gap that only plain
least squares sees is not believed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.one_step import Scaling, solve
from tracescope.analysis.one_step_rows import Steps
from tracescope.model.trace import Samples

Rows = NDArray[np.int64]

ROUNDS = 3
MAX_MEMORY = 0.98


def lag_one(row: Rows) -> tuple[Rows, Rows]:
    """Return positions of transitions that follow one another directly: (earlier, later)."""
    earlier = np.flatnonzero(np.diff(row) == 1)
    return earlier, earlier + 1


def whitened(x: Samples, y: Samples, row: Rows, beta: Samples) -> Samples:
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
    floor = 2 / np.sqrt(earlier.size)
    error = y - x @ beta
    now, past = error[later], error[earlier]
    power = (past**2).sum(axis=0)
    memory = (now * past).sum(axis=0) / np.where(power > 0, power, 1.0)
    slow = np.flatnonzero(memory >= floor)
    if not slow.size:
        return beta
    a, b = x[later], x[earlier]
    out = beta.copy()
    products = (a.T @ a, a.T @ b, b.T @ b)
    for j in slow:
        out[:, j] = _whitened_one((a, b), products, (y[later, j], y[earlier, j]), out[:, j], floor)
    return out


def _whitened_one(
    x: tuple[Samples, Samples],
    products: tuple[Samples, Samples, Samples],
    y: tuple[Samples, Samples],
    beta: Samples,
    floor: float,
) -> Samples:
    """Refit one output; each pair holds the later rows, then the earlier ones."""
    (a, b), (now, cross, past) = x, products
    straight, crossed = a.T @ y[0], a.T @ y[1] + b.T @ y[0]
    behind = b.T @ y[1]
    for _ in range(ROUNDS):
        error, before = y[0] - a @ beta, y[1] - b @ beta
        power = float(before @ before)
        memory = float(error @ before) / power if power > 0 else 0.0
        if memory < floor:
            break
        memory = min(memory, MAX_MEMORY)
        gram = now - memory * (cross + cross.T) + memory**2 * past
        moment = straight - memory * crossed + memory**2 * behind
        beta = solve(gram, moment[:, None])[:, 0]
    return beta


def noise_compensated(x: Samples, steps: Steps, scaling: Scaling) -> Samples:
    """Fit the linear model without the bias that white sensor noise makes.

    Args:
        x: Features of the linear model of ``steps``, shape ``(n, q)``.
        steps: The transitions they were made from.
        scaling: What the features are counted in.

    Returns:
        Coefficients of every observation's change, shape ``(q, p)``.

    Source:
        Bias-compensated least squares (Stoica and Söderström 1982). The noise variance is read from the
        negative correlation of neighbouring residuals; what reaches the action at once goes through the
        policy's own slope (Stein's lemma).
    """
    p, m = steps.state.shape[1], steps.drive.shape[1]
    gram, moment = x.T @ x / len(x), x.T @ steps.change / len(x)
    beta = solve(gram, moment)
    noise = sensor_variance(steps.change - x @ beta, steps.row, beta, scaling)
    if not (noise > 0).any():
        return beta
    leak = np.zeros((x.shape[1], p))
    leak[1 : 1 + p] = np.diag(noise / scaling.state_spread)
    leak[1 + p : 1 + p + m] = policy_slope(steps) * noise / scaling.drive_spread[:, None]
    own = np.zeros_like(gram)
    own[:, 1 : 1 + p] = leak / scaling.state_spread
    with np.errstate(all="ignore"):
        solution = np.linalg.lstsq(gram - own, moment + leak, rcond=1e-9)[0]
    return np.where(np.isfinite(solution), solution, beta)


def sensor_variance(error: Samples, row: Rows, beta: Samples, scaling: Scaling) -> Samples:
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


def policy_slope(steps: Steps) -> Samples:
    """Return how the action answers the observation of the same row, shape ``(m, p)``."""
    p = steps.state.shape[1]
    known = np.column_stack((np.ones(len(steps)), steps.state, steps.before, steps.drive_before))
    spread = known.std(axis=0)
    spread[spread == 0] = 1.0
    known = known / spread
    beta = solve(known.T @ known, known.T @ steps.drive)
    return np.asarray((beta / spread[:, None])[1 : 1 + p].T)
