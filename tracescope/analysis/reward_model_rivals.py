"""Whether something earlier than the reward explains a reward that differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tracescope.analysis.reward_model import RewardModel
from tracescope.analysis.reward_model_rows import RewardRows, RewardSides
from tracescope.model.trace import Samples

SCALES = np.concatenate((np.geomspace(0.5, 2.0, 24), (0.955, 0.98, 1.02, 1.048)))
OFFSETS_SD = np.concatenate((-np.geomspace(0.02, 1.0, 9), np.geomspace(0.02, 1.0, 9)))
LAGS = (-2, -1, 1, 2)
UNTOLD = 0.1
"""An action follows from the observations where they leave at most this share of its variance."""

FINER = 25
"""Steps from the best of these values to where the misfit is least."""

MAX_ROWS = 600
AS_GOOD = 1.5
"""A rival that leaves at most this many times the reward map's misfit cannot be excluded."""

ALL_BUT = 0.005
"""Nor can one that leaves at most this part of the difference: the function itself is only fitted."""

TOLERATED_SCALE, TOLERATED_SD, TOLERATED_MEAN = 1.05, 0.10, 0.05
"""Changes of an input this small pass the check that is to find them: scale, and offset in standard
deviations and in shares of the mean."""

TOLERATED_SHARE = 0.5
"""A tolerated change that explains this share of a difference leaves too little of it to judge."""


@dataclass(frozen=True, slots=True)
class RewardRival:
    """A change of one logged input, or of its phase, that leaves no reward difference.

    Attributes:
        channel: Sim name of the input, ``""`` for a shift of all observations.
        is_action: Whether that is an action.
        kind: ``scale``, ``offset`` or ``lag``.
        value: Scale, offset in the input's unit, or rows.
        tolerated: Whether it is so small that the check which looks for it passes it.
    """

    channel: str
    is_action: bool
    kind: str
    value: float
    tolerated: bool = False


def reward_rivals(model: RewardModel, sides: RewardSides) -> tuple[RewardRival, ...]:
    """Return the changes of one input that explain the target's reward as well as a reward map does.

    The reward map is the best scale and offset of the fitted function: what a wrong reward would be.
    Of changes that are too small for their own check, those that explain half of the difference.
    """
    rows = _newest(sides.target)
    expected = model.predict(rows)
    as_it_is = _misfit(rows.reward, expected)
    x = np.column_stack((np.ones(len(rows)), expected))
    beta = np.linalg.lstsq(x, rows.reward, rcond=None)[0]
    noise = _misfit(sides.sim.reward, model.predict(sides.sim))
    floor = max(AS_GOOD * max(_misfit(rows.reward, x @ beta), noise), ALL_BUT * as_it_is)
    best: dict[tuple[str, str], tuple[float, RewardRival]] = {}
    for rival, left in _candidates(model, sides, rows):
        key = (rival.channel, rival.kind)
        enough = min(floor, 0.5 * as_it_is)
        if rival.tolerated:
            enough = max(enough, noise + (1 - TOLERATED_SHARE) * (as_it_is - noise))
        if left <= enough and left < best.get(key, (np.inf, rival))[0]:
            best[key] = (left, rival)
    return tuple(rival for _, rival in sorted(best.values(), key=lambda found: found[0]))


def _candidates(
    model: RewardModel, sides: RewardSides, rows: RewardRows
) -> Iterator[tuple[RewardRival, float]]:
    """Yield changes of one input, or of all observations' phase, and the misfit that each leaves."""
    relevant = model.weight > 0.02 * float(np.max(model.weight))
    law = _law(sides)
    relevant |= law[:, relevant].any(axis=1)
    for k in np.flatnonzero(relevant):
        name, is_action = sides.names[k], sides.is_action[k]
        mean = float(np.mean(sides.sim.inputs[:, k]))
        small = float(np.hypot(TOLERATED_SD * model.spread[k], TOLERATED_MEAN * mean))
        for scale, left in _tried(model, rows, int(k), "scale", SCALES, law[k]):
            yield RewardRival(name, is_action, "scale", scale, _small_scale(scale)), left
        offsets = np.concatenate((OFFSETS_SD * model.spread[k], OFFSETS_SD * small))
        for offset, left in _tried(model, rows, int(k), "offset", offsets, law[k]):
            yield RewardRival(name, is_action, "offset", offset, abs(offset) <= small), left
    seen = ~np.asarray(sides.is_action)
    for lag in LAGS:
        place = np.clip(np.arange(len(rows)) + lag, 0, len(rows) - 1)
        inputs = np.where(seen[None, :], rows.inputs[place], rows.inputs)
        left = _misfit(rows.reward, model.predict(rows.moved(inputs)))
        yield RewardRival("", is_action=False, kind="lag", value=float(lag)), left


def _tried(
    model: RewardModel,
    rows: RewardRows,
    column: int,
    kind: str,
    values: Samples,
    law: Samples,
) -> Iterator[tuple[float, float]]:
    """Yield values of a change and the misfit that each leaves, and last the best one between its neighbours.

    Where hardly anything is noise, an exact explanation lies between two of the values tried. The input
    changes alone, and with the other inputs following by ``law``, shape ``(k,)``, where that is not zero.
    """
    from scipy.optimize import minimize_scalar

    ordered = [float(v) for v in np.sort(values)]
    for following in (np.zeros_like(law), law) if law.any() else (law,):

        def left(value: float, following: Samples = following) -> float:
            was = rows.inputs[:, column]
            change = (was / value if kind == "scale" else was - value) - was
            inputs = rows.inputs + np.outer(change, following)
            inputs[:, column] += change
            return _misfit(rows.reward, model.predict(rows.moved(inputs)))

        misfits = [left(v) for v in ordered]
        yield from zip(ordered, misfits, strict=True)
        best = int(np.argmin(misfits))
        near = (ordered[max(best - 1, 0)], ordered[min(best + 1, len(ordered) - 1)])
        finer = minimize_scalar(left, bounds=near, method="bounded", options={"maxiter": FINER})
        yield float(finer.x), float(finer.fun)


def _law(sides: RewardSides) -> Samples:
    """Return how much of each action follows from each observation in the simulator, shape ``(k, k)``.

    Zero where observations do not tell the action. Where they do, the reward's function cannot tell what
    an action says about the state from what the observation says, and holds shares of both: a wrong
    observation that the loop acts on then moves the action's share as well.
    """
    acts = np.asarray(sides.is_action)
    out = np.zeros((acts.size, acts.size))
    seen = sides.sim.inputs[:, ~acts] - sides.sim.inputs[:, ~acts].mean(axis=0)
    if len(sides.sim) <= 2 * acts.size or not seen.shape[1]:
        return out
    for k in np.flatnonzero(acts):
        action = sides.sim.inputs[:, k] - sides.sim.inputs[:, k].mean()
        slope = np.linalg.lstsq(seen, action, rcond=None)[0]
        if float(np.var(action - seen @ slope)) <= UNTOLD * float(np.var(action)):
            out[~acts, k] = slope
    return out


def _small_scale(scale: float) -> bool:
    return 1 / TOLERATED_SCALE <= scale <= TOLERATED_SCALE


def _newest(rows: RewardRows) -> RewardRows:
    """The last rows, neighbours kept: the state has had time to move there."""
    return rows.some(np.arange(max(0, len(rows) - MAX_ROWS), len(rows)))


def _misfit(reward: Samples, expected: Samples) -> float:
    """Mean square difference, trimmed of its largest percent: lags spoil the first and last row."""
    square = np.sort((reward - expected) ** 2)
    return float(np.mean(square[: max(1, int(0.99 * len(square)))]))
