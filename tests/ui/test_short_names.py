"""A long channel name loses whole parts from its left and stays told apart from its neighbours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracescope.ui.short_names import distinct_tails, fitting_name, tails


def test_that_a_name_ends_at_every_part():
    assert tails("motor/velocities/Elbow") == [
        "motor/velocities/Elbow",
        "velocities/Elbow",
        "Elbow",
    ]
    assert tails("obs[3]") == ["obs[3]"]
    assert tails("/joint.position") == ["/joint.position", "position"]


def test_that_ends_shared_with_a_neighbour_are_not_used():
    short = distinct_tails(["m/velocities/Elbow", "m/positions/Elbow", "m/positions/Wrist"])
    assert short == {
        "m/velocities/Elbow": "velocities/Elbow",
        "m/positions/Elbow": "positions/Elbow",
        "m/positions/Wrist": "Wrist",
    }


def test_that_as_much_is_shown_as_fits():
    name = "motor/velocities/Elbow"
    assert fitting_name(name, "Elbow", lambda text: len(text) <= 40) == name
    assert fitting_name(name, "Elbow", lambda text: len(text) <= 18) == "…/velocities/Elbow"
    assert fitting_name(name, "Elbow", lambda text: len(text) <= 7) == "…/Elbow"
    assert fitting_name(name, "Elbow", lambda text: len(text) <= 2) == "Elbow"


@given(st.sets(st.from_regex(r"[ab](/[ab]){0,3}", fullmatch=True), min_size=1))
def test_that_no_two_names_are_shortened_to_the_same(names):
    short = distinct_tails(names)
    assert len(set(short.values())) == len(names)
    assert all(name.endswith(end) for name, end in short.items())
