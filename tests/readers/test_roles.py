"""Names to roles, with reasons."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readers.helpers import put
from tracescope.readers import open_trace
from tracescope.readers.base import NO_CHOICES, ImportChoices
from tracescope.readers.roles import roles_for
from tracescope.readers.table import Column


def roles(*names, choices=NO_CHOICES):
    columns = [Column(name, np.zeros(3)) for name in names]
    return [str(role) for role, _ in roles_for(columns, choices)]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("obs", "observation"),
        ("obs_q_FL_hip", "observation"),
        ("observation.state", "observation"),
        ("observations/qpos[3]", "observation"),
        ("obs/actions[0]", "observation"),
        ("state[2]", "observation"),
        ("obs_raw[0]", "observation_raw"),
        ("raw_obs", "observation_raw"),
        ("action", "action"),
        ("actions[4]", "action"),
        ("action_target", "action"),
        ("action_applied[0]", "action_applied"),
        ("applied_action", "action_applied"),
        ("reward", "reward"),
        ("next.reward", "reward"),
        ("done", "done"),
        ("terminals", "done"),
        ("terminated", "terminated"),
        ("truncations", "truncated"),
        ("timeouts", "truncated"),
        ("latency_ms", "latency"),
        ("next_observations[0]", "other"),
        ("infos/action_log_probs", "other"),
        ("prev_action[0]", "other"),
        ("nav_state", "other"),
        ("q_value", "other"),
        ("loss", "other"),
    ],
)
def test_that_outspoken_names_decide(name, role):
    assert roles(name, "obs_anchor", "action_anchor")[0] == role


def test_that_words_of_mechanics_count_only_without_an_outspoken_observation():
    assert roles("x", "xdot", "theta", "cmd_vel") == ["observation"] * 3 + ["action"]
    assert roles("obs_x", "torque_hip", "x") == ["observation", "other", "other"]
    assert roles("action", "setpoint", "obs") == ["action", "other", "observation"]


def test_that_of_several_stages_the_first_is_emitted_and_the_last_applied():
    names = ("action_raw", "action_used", "setpoint_desired", "setpoint_sent")
    assert roles(*names) == ["action", "other", "other", "action_applied"]
    assert roles("action_raw", "action_used") == ["action", "action_applied"]
    assert roles("action_used") == ["action"]


def test_that_the_same_quantity_in_another_unit_is_not_taken_twice():
    assert roles("theta", "theta_deg", "x") == ["observation", "other", "observation"]


def test_that_given_roles_win_and_everything_else_is_other():
    choices = ImportChoices(roles=(("observation", ("foo_*",)), ("action", ("bar",))))
    assert roles("foo_1", "foo_2", "bar", "obs", choices=choices) == [
        "observation",
        "observation",
        "action",
        "other",
    ]


def test_that_a_vector_is_mapped_by_its_column_or_by_element(tmp_path):
    path = put(tmp_path, 't,v,w\n0,"[1, 2]",3\n1,"[2, 3]",4\n2,"[3, 4]",5\n')
    whole = open_trace(path, choices=ImportChoices(roles=(("observation", ("v",)),)))
    assert [str(c.role) for c in whole] == ["observation", "observation", "other"]
    one = open_trace(path, choices=ImportChoices(roles=(("observation", ("v[1]",)),)))
    assert [str(c.role) for c in one] == ["other", "observation", "other"]


def test_that_every_guess_gives_its_reason():
    columns = [Column(n, np.zeros(2)) for n in ("obs_1", "torque", "cmd", "foo", "done")]
    assert all(because for _, because in roles_for(columns, NO_CHOICES))
    guessed = roles_for([Column("theta", np.zeros(2))], NO_CHOICES)[0][1]
    assert guessed == "guessed: 'theta' is a word for a measurement"


def test_that_units_can_be_given_by_name_and_glob(tmp_path):
    path = put(tmp_path, "t,a,b_1,b_2\n0,1,2,3\n1,2,3,4\n")
    trace = open_trace(path, choices=ImportChoices(units=(("a", "rad"), ("b_*", "N"))))
    assert [c.unit for c in trace] == ["rad", "N", "N"]
