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
MAX_ROWS = 600
AS_GOOD = 1.5
"""A rival that leaves at most this many times the reward map's misfit cannot be excluded."""

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
    floor = AS_GOOD * max(_misfit(rows.reward, x @ beta), noise)
    best: dict[tuple[str, str], tuple[float, RewardRival]] = {}
    for rival, changed in _candidates(model, sides, rows):
        left = _misfit(rows.reward[: len(changed)], model.predict(changed))
        key = (rival.channel, rival.kind)
        enough = min(floor, 0.5 * as_it_is)
        if rival.tolerated:
            enough = max(enough, noise + (1 - TOLERATED_SHARE) * (as_it_is - noise))
        if left <= enough and left < best.get(key, (np.inf, rival))[0]:
            best[key] = (left, rival)
    return tuple(rival for _, rival in sorted(best.values(), key=lambda found: found[0]))


def _candidates(
    model: RewardModel, sides: RewardSides, rows: RewardRows
) -> Iterator[tuple[RewardRival, RewardRows]]:
    relevant = model.weight > 0.02 * float(np.max(model.weight))
    for k in np.flatnonzero(relevant):
        name, is_action = sides.names[k], sides.is_action[k]
        for scale in SCALES:
            yield (
                RewardRival(name, is_action, "scale", float(scale), _small_scale(float(scale))),
                _with(rows, int(k), rows.inputs[:, k] / scale),
            )
        mean = float(np.mean(sides.sim.inputs[:, k]))
        small = float(np.hypot(TOLERATED_SD * model.spread[k], TOLERATED_MEAN * mean))
        for offset in np.concatenate((OFFSETS_SD * model.spread[k], OFFSETS_SD * small)):
            yield (
                RewardRival(name, is_action, "offset", float(offset), abs(offset) <= small),
                _with(rows, int(k), rows.inputs[:, k] - offset),
            )
    seen = ~np.asarray(sides.is_action)
    for lag in LAGS:
        place = np.clip(np.arange(len(rows)) + lag, 0, len(rows) - 1)
        inputs = np.where(seen[None, :], rows.inputs[place], rows.inputs)
        yield RewardRival("", is_action=False, kind="lag", value=float(lag)), rows.moved(inputs)


def _small_scale(scale: float) -> bool:
    return 1 / TOLERATED_SCALE <= scale <= TOLERATED_SCALE


def _with(rows: RewardRows, column: int, value: Samples) -> RewardRows:
    inputs = rows.inputs.copy()
    inputs[:, column] = value
    return rows.moved(inputs)


def _newest(rows: RewardRows) -> RewardRows:
    """The last rows, neighbours kept: the state has had time to move there."""
    return rows.some(np.arange(max(0, len(rows) - MAX_ROWS), len(rows)))


def _misfit(reward: Samples, expected: Samples) -> float:
    """Mean square difference, trimmed of its largest percent: lags spoil the first and last row."""
    square = np.sort((reward - expected) ** 2)
    return float(np.mean(square[: max(1, int(0.99 * len(square)))]))
