"""Channels under other names are suggested by what they show, never matched unasked."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import trace
from tracescope.analysis.correspondence import suggested_matches
from tracescope.analysis.estimate import assumed_alignment
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Channel, Role, Source, Trace


def named(values: dict[str, np.ndarray], role: Role = Role.OBSERVATION) -> Trace:
    time_s = np.arange(200) * 0.02
    channels = tuple(Channel(name, role, time_s, value) for name, value in values.items())
    return Trace(Source("x.csv"), trace().clock, time_s, channels)


def signals() -> np.ndarray:
    return np.cumsum(np.random.default_rng(0).normal(size=(3, 200)), axis=1)


def suggested(sim: Trace, target: Trace):
    pair = pair_traces(sim, target)
    return suggested_matches(pair, assumed_alignment(pair))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_that_a_permutation_is_found_whatever_the_names(order):
    q = signals()
    # One more channel on the target, so that place says nothing.
    target = {f"joint_{k}": q[k] for k in order} | {
        "extra": np.random.default_rng(5).normal(size=200)
    }
    found = suggested(named({f"a{k}": q[k] for k in range(3)}), named(target))
    assert {(s.sim, s.target) for s in found} == {(f"a{k}", f"joint_{k}") for k in range(3)}
    assert all(s.correlation == pytest.approx(1.0) for s in found)


def test_that_sign_and_unit_are_said():
    q = signals()
    target = {"deg": -np.rad2deg(q[0]), "noise": np.random.default_rng(5).normal(size=200)}
    (found,) = suggested(named({"rad": q[0]}), named(target))
    assert (found.target, found.correlation) == ("deg", pytest.approx(-1.0))
    assert found.scale == pytest.approx(-180 / np.pi)
    assert found.unit.startswith("180/π")


def test_that_unlike_constant_and_other_roles_are_not_suggested():
    q = signals()
    random = np.random.default_rng(9)
    target = {"noise": random.normal(size=200), "still": np.zeros(200)}
    assert suggested(named({"a": q[0]}), named(target)) == ()
    action = named({"u": q[0], "v": q[1]}, Role.ACTION)
    assert suggested(named({"a": q[0]}), action) == ()


def test_that_what_is_matched_already_is_left_alone():
    q = signals()
    assert suggested(named({"a": q[0]}), named({"a": q[1], "b": q[0]})) == ()
