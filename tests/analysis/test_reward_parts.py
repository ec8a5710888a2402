"""Known truths of reward functions: what a design can hold, and how well a slope is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from tests.builders import wander
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_designs import designs
from tracescope.analysis.reward_model_gap import reward_gap
from tracescope.analysis.reward_model_rows import RewardRows, RewardSides
from tracescope.analysis.reward_model_sparse import dictionary
from tracescope.model.trace import Samples


def rows_of(inputs: Samples, reward: Samples) -> RewardRows:
    place = np.arange(len(inputs))
    before, after = inputs[np.maximum(place - 1, 0)], inputs[np.minimum(place + 1, place[-1])]
    return RewardRows(place, 0.02 * place, reward, inputs, before, after)


def missed(kind: str, rows: RewardRows) -> float:
    """Return the part of a reward's variance that a design cannot hold."""
    x = dict(designs(rows))[kind](rows)
    beta = np.linalg.lstsq(x, rows.reward, rcond=None)[0]
    return float(np.var(rows.reward - x @ beta) / np.var(rows.reward))


@pytest.mark.parametrize("seed", range(3))
def test_that_designs_of_changes_hold_a_cost_of_changes(seed: int):
    """A cost of the squared change since the row before, or to the row after: each has its own design."""
    inputs = wander(300, 2, seed=seed, smooth=1.0)
    change = np.diff(inputs, axis=0)
    since, to = np.zeros(300), np.zeros(300)
    since[1:] = to[:-1] = -(change**2).sum(axis=1)
    assert missed("changes", rows_of(inputs, since)) < 1e-12
    assert missed("outcome", rows_of(inputs, to)) < 1e-12
    assert missed("changes", rows_of(inputs, to)) > 0.1
    assert missed("outcome", rows_of(inputs, since)) > 0.1
    assert missed("products", rows_of(inputs, since)) > 0.1


def line(rows: RewardRows) -> Samples:
    return np.asarray(rows.inputs[:, :1])


@pytest.mark.parametrize("doubt", [0.01, 0.03])
@pytest.mark.parametrize("reach", [0.2, 0.5, 2.0])
def test_that_a_slope_is_known_no_better_than_the_function_that_carries_it(
    doubt: float, reach: float
):
    """The simulator stood at ±1 alone and its reward is 3 x, with a standard error of ``doubt`` of that.

    The target stood at ±reach: its reward over the simulator's there is told by the simulator's slope from
    1 to reach alone, which is unsure by (1 − 1 / reach) of that doubt.
    """
    side = np.where(np.random.default_rng(1).random(200) < 0.5, -1.0, 1.0)[:, None]
    sim, target = rows_of(side, 3 * side[:, 0]), rows_of(reach * side, 3 * reach * side[:, 0])
    blocks = np.array([-1.0, 1.0]) * doubt  # the jackknife of two is half of what sets them apart
    anywhere = wander(200, 1, seed=2)
    fitted = fit_reward(rows_of(anywhere, anywhere[:, 0]))
    assert fitted is not None
    model = replace(
        fitted,
        design=line,
        beta=np.array([3.0]),
        without=3 * (1 + blocks[:, None]),
        inverse_gram=np.array([[1 / 200]]),
        leverage_limit=1.0,
        weight=np.ones(1),
        spread=np.ones(1),
    )
    found = reward_gap(model, RewardSides(("x",), (False,), sim, target), 0.99)
    assert found is not None
    assert found.slope.estimate == pytest.approx(1.0)
    least = norm.ppf(0.995) * doubt * abs(1 - 1 / reach)
    assert least * 0.999 <= found.slope.half <= 1.1 * least


def test_that_a_distance_that_only_rounding_moves_is_no_term_of_a_reward():
    """In the spread of its rounding it would count for twelve orders of magnitude where a target moves it."""
    first = wander(120, seed=3)[:, 0]
    apart = np.column_stack((first, first + 0.3))
    terms = dictionary(rows_of(apart, first**2))
    moved = apart + np.array([0.0, 1e-3])
    assert np.abs(terms(rows_of(moved, first**2))).max() < 100.0
