"""Factors that give a unit mistake away."""

from __future__ import annotations

import math

import pytest

from tracescope.analysis.units import FACTORS, unit_factor


@pytest.mark.parametrize("factor", FACTORS, ids=lambda f: f.name)
def test_that_each_factor_names_itself(factor) -> None:
    found = unit_factor(factor.value, (0.995 * factor.value, 1.005 * factor.value))
    assert found == factor


def test_that_the_list_holds_every_factor_and_its_inverse() -> None:
    values = {round(math.log(f.value), 9) for f in FACTORS}
    assert values == {-v for v in values}
    assert len(values) == 14


def test_that_a_wide_interval_names_the_nearest() -> None:
    found = unit_factor(638.9, (540.0, 740.0))
    assert found is not None
    assert found.name == "4096/2π"


def test_that_a_sign_is_looked_through() -> None:
    found = unit_factor(-57.3, (-58.0, -57.0))
    assert found is not None
    assert found.name == "180/π"


@pytest.mark.parametrize(
    ("estimate", "interval"),
    [
        (1.0, (0.99, 1.01)),
        (1.5, (1.4, 1.6)),
        (60.0, (1.0, 200.0)),
        (50.0, (-10.0, 100.0)),
        (float("nan"), (1.0, 2.0)),
        (57.3, None),
    ],
)
def test_that_nothing_is_named_without_reason(estimate, interval) -> None:
    assert unit_factor(estimate, interval) is None
