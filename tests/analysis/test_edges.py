"""Inputs at the edge of what functions are meant for: nothing moves, nothing is common, nothing is near."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tracescope.analysis.action_map_follow import fit_following
from tracescope.analysis.counters import common_steps
from tracescope.analysis.intervals import mean_intervals


def test_that_a_still_action_is_followed_with_no_gain() -> None:
    fit = fit_following(np.full(40, 0.3), wander(40)[:, 0], 0)
    assert fit.gain == 0.0
    assert np.isfinite(fit.offset)


def test_that_counters_without_a_common_step_pair_no_row_but_whole_row_numbers() -> None:
    one, other = trace(0.02, wander(30)), trace(0.02, wander(30), step=np.arange(100, 130))
    sim, target = common_steps(pair(one, other), 0)
    assert (sim.size, target.size) == (0, 0)
    assert (sim.dtype, target.dtype) == (np.int64, np.int64)
    without = common_steps(pair(one, trace(0.02, wander(30), step=False)), 0)
    assert [rows.dtype for rows in without] == [np.int64, np.int64]


def test_that_two_samples_have_no_interval() -> None:
    with pytest.raises(ValueError, match="an interval needs at least three samples"):
        mean_intervals(np.zeros((1, 2)))
    assert mean_intervals(np.zeros((1, 3)))[1].tolist() == [0.0]
