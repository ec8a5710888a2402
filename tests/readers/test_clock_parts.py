"""Stamps kept in two columns: seconds, and the part of a second beside them."""

from __future__ import annotations

import numpy as np
import pytest

from tracescope.readers.split_time import joined_time
from tracescope.readers.table import Column


def joined(seconds: list[float], nanoseconds: list[float]):
    columns = (
        Column("stamp.sec", np.array(seconds)),
        Column("stamp.nanosec", np.array(nanoseconds)),
    )
    return joined_time(columns)


def test_that_both_columns_make_one_clock_to_the_nanosecond() -> None:
    found = joined([5.0, 5.0, 6.0], [999999998.0, 999999999.0, 3.0])
    assert found is not None
    assert found[2].value.tolist() == [5999999998, 5999999999, 6000000003]


@pytest.mark.parametrize("most", [1e9, 9.223372036854776e18, 1e300, -1.0])
def test_that_a_part_that_is_no_part_of_a_second_is_not_joined(most: float) -> None:
    assert joined([0.0], [most]) is None


@pytest.mark.parametrize("most", [9.1e9, 9.223372036854776e18, -1e300])
def test_that_seconds_that_no_clock_holds_are_not_joined(most: float) -> None:
    assert joined([most], [1.0]) is None
