"""What robot-learning logs mean is kept as the file has it: no size, range or name is assumed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readers.helpers import note
from tests.readers.layouts import d4rl, ramp, write
from tracescope.readers import inspect_file, open_trace


def test_that_state_and_action_may_differ_in_size(tmp_path):
    path = write(
        tmp_path / "x.h5", {"data/demo_0/actions": ramp(9, 7), "data/demo_0/obs/state": ramp(9, 14)}
    )
    trace = open_trace(path)
    assert (len(trace.of_role("observation")), len(trace.of_role("action"))) == (14, 7)


@pytest.mark.parametrize("root", ["data/demo_0/", "episode_0/", "traj_0/", ""])
def test_that_every_dataset_is_listed_whatever_it_is_called(tmp_path, root):
    names = {"observations": 9, "obs": 9, "actions": 9, "rewards": 9, "terminals": 9}
    tree = {f"{root}{name}": ramp(n) for name, n in names.items()}
    tree |= {f"{root}q_value": ramp(9), f"{root}intervention/who": ramp(9, 2)}
    trace = open_trace(write(tmp_path / "x.h5", tree))
    assert {"q_value", "intervention/who[0]", "intervention/who[1]"} <= {
        c.name for c in trace.of_role("other")
    }
    assert {c.column for c in trace} >= set(names)


def test_that_actions_beyond_their_limits_are_kept(tmp_path):
    truth = np.array([1.5, -2.0, 1.79, 0.3])
    path = write(tmp_path / "x.h5", {"data/demo_0/actions": truth, "data/demo_0/obs/q": ramp(4)})
    assert open_trace(path)["actions"].value.tolist() == truth.tolist()


def test_that_what_follows_an_end_is_another_episode(tmp_path):
    path = d4rl(tmp_path / "x.h5", 12, terminals=[4], timeouts=[8])
    found = inspect_file(path)
    assert [e.steps for e in found.episodes] == [5, 4, 3]
    joined = np.concatenate([t["observations[0]"].value for t in found.traces])
    assert joined.tolist() == ramp(12, 3, dtype="<f8")[:, 0].tolist()


def test_that_ends_at_one_length_are_called_possible_time_limits(tmp_path):
    trace = open_trace(d4rl(tmp_path / "x.h5", 30, terminals=[9, 19, 29]))
    assert (note(trace, "time-limit-as-terminal").count, str(trace["terminals"].role)) == (
        3,
        "done",
    )
