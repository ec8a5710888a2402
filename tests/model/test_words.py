"""Files by names that tell them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.model.words import told_apart

PARTS = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("/runs/sim.csv", "/runs/target.csv"), ("sim.csv", "target.csv")),
        (("main/log.csv", "bench/log.csv"), ("main/log.csv", "bench/log.csv")),
        (("/a/run/log.csv", "/b/run/log.csv"), ("a/run/log.csv", "b/run/log.csv")),
        (("log.csv", "bench/log.csv"), ("log.csv", "bench/log.csv")),
        (("one/log.csv", "one/log.csv"), ("log.csv", "log.csv")),
        (("one/log.csv", ""), ("log.csv", "")),
        ((), ()),
    ],
)
def test_that_files_called_alike_are_named_with_as_much_of_their_folders_as_it_takes(paths, names):
    assert told_apart(*paths) == names


@given(PARTS, PARTS)
def test_that_two_files_are_named_alike_only_where_they_are_one(one, other):
    first, second = told_apart(one, other)
    assert one.endswith(first)
    assert other.endswith(second)
    assert (first == second) == (one == other)
