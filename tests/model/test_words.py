"""Files by names that tell them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.model.alignment import Alignment
from tracescope.model.words import measured, told_apart

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


@pytest.mark.parametrize(
    ("number", "said"),
    [("1", "1 row"), ("+1", "+1 row"), ("−1", "−1 row"), ("1.74", "1.74 rows"), ("0", "0 rows")],
)
def test_that_a_noun_follows_the_number_as_it_is_written(number, said):
    assert measured(number, "row") == said


@pytest.mark.parametrize("offset_s", [0.02, -0.02, 0.0200004])
def test_that_one_sample_is_one(offset_s):
    assert Alignment(offset_s=offset_s).in_words(0.02).endswith("20 ms, 1 sample")
