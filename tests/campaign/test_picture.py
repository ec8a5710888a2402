"""The map: distances as well as a plane can show them, the same picture every time."""

from __future__ import annotations

import numpy as np
import pytest

from tracescope.campaign.picture import places


def apart_of(at):
    return np.hypot(*(np.subtract.outer(at[:, axis], at[:, axis]) for axis in (0, 1)))


def test_that_a_plane_comes_back_whatever_its_turn():
    at = np.random.default_rng(0).normal(size=(30, 2))
    found, stress = places(apart_of(at))
    assert stress < 1e-3
    assert apart_of(found) == pytest.approx(apart_of(at), abs=0.1)


def test_that_four_kinds_at_right_angles_do_not_lie_on_one_another():
    label = np.repeat(np.arange(4), 8)
    apart = np.where(label[:, None] == label[None, :], 0.02, 1.0)
    np.fill_diagonal(apart, 0.0)
    found, _ = places(apart)
    centers = np.stack([found[label == k].mean(axis=0) for k in range(4)])
    between = apart_of(centers)[np.triu_indices(4, 1)]
    assert between.min() > 0.5


def test_that_the_picture_is_the_same_every_time_and_widest_from_left_to_right():
    at = np.random.default_rng(1).normal(size=(20, 2)) * (1.0, 4.0)
    first, _ = places(apart_of(at))
    second, _ = places(apart_of(at))
    assert (first == second).all()
    assert np.ptp(first[:, 0]) > np.ptp(first[:, 1])


@pytest.mark.parametrize("many", [0, 1, 2, 3])
def test_that_few_points_have_a_place(many):
    found, stress = places(np.ones((many, many)) - np.eye(many))
    assert found.shape == (many, 2)
    assert np.isfinite(found).all()
    assert stress < 0.1


def test_that_points_on_one_another_have_a_place():
    found, stress = places(np.zeros((6, 6)))
    assert (found == 0).all()
    assert stress == 0.0
