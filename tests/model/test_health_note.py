"""A health note names its place once."""

from __future__ import annotations

import pytest

from tracescope.model.trace import HealthNote


@pytest.mark.parametrize(
    ("what", "where", "said"),
    [
        ("3 rows repeat", "rows 4, 9, 12", "3 rows repeat (rows 4, 9, 12)"),
        ("clock_b is another clock", "clock_b", "clock_b is another clock"),
        ("extra cells were cut", "x", "extra cells were cut (x)"),
        ("one gap", "", "one gap"),
    ],
)
def test_that_a_place_stands_once(what, where, said):
    assert HealthNote(what, where).placed == said
