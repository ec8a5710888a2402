"""What differs: effects, intervals, and no more false alarms than said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from tracescope.campaign.differences import (
    cliffs_delta,
    delta_interval,
    differences,
    holm,
    share_interval,
)

Z = float(norm.ppf(0.975))


def test_that_cliffs_delta_counts_pairs():
    a, b = np.array([3.0, 4.0]), np.array([1.0, 3.0, 5.0])
    assert cliffs_delta(a, b) == pytest.approx((1 + 0 - 1 + 1 + 1 - 1) / 6)
    assert cliffs_delta(b, b) == 0.0
    assert cliffs_delta(b + 10, b) == 1.0


def test_that_a_complete_separation_keeps_an_interval_with_a_width():
    low, high = delta_interval(1.0, 20, 60, Z)
    assert 0.5 < low < 1.0
    assert high == pytest.approx(1.0)


@given(st.floats(-1, 1), st.integers(2, 60), st.integers(2, 200))
@settings(max_examples=60)
def test_that_the_interval_holds_the_effect_and_mirrors(delta, m, n):
    low, high = delta_interval(delta, m, n, Z)
    assert -1 - 1e-9 <= low <= delta + 1e-9
    assert delta - 1e-9 <= high <= 1 + 1e-9
    assert delta_interval(-delta, m, n, Z) == pytest.approx((-high, -low), abs=1e-6)


def test_that_delta_intervals_cover_what_is_true():
    rng = np.random.default_rng(2)
    shift = 0.8
    truth = 2 * norm.cdf(shift / np.sqrt(2)) - 1
    held = 0
    for _ in range(300):
        a, b = rng.normal(shift, 1, 25), rng.normal(0, 1, 60)
        low, high = delta_interval(cliffs_delta(a, b), 25, 60, Z)
        held += low <= truth <= high
    assert held / 300 > 0.92


def test_that_newcombes_interval_of_shares_is_the_published_one():
    # 56 of 70 against 48 of 80: Newcombe (1998), table II, method 10
    low, high = share_interval((56 / 70, 70), (48 / 80, 80), Z)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=2e-4)


def test_that_holm_steps_down():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_that_the_changed_parameter_comes_first_with_its_sign():
    rng = np.random.default_rng(3)
    rows = range(20)
    columns = {
        "light": list(rng.uniform(0, 1, 80)),
        "mass": [0.6 if row < 20 else float(rng.normal(1, 0.05)) for row in range(80)],
        "floor": [str(rng.choice(["oak", "mat"])) for _ in range(80)],
    }
    (found,) = differences(columns, [rows], "parameter")
    assert found[0].what == "mass"
    assert found[0].effect == -1.0
    assert found[0].distinguishable
    assert not any(d.distinguishable for d in found[1:])


def test_that_what_is_special_about_one_group_is_not_told_of_the_others():
    rng = np.random.default_rng(5)
    mass = [float(rng.normal(0.6 if row < 30 else 1.0, 0.01)) for row in range(90)]
    first, second = differences({"mass": mass}, [range(30), range(30, 60)], "parameter")
    assert first[0].distinguishable
    assert not second[0].distinguishable
    assert second[0].without == (0,)
    assert second[0].others == pytest.approx(1.0, abs=0.02)


def test_that_two_groups_that_both_differ_are_both_told():
    rng = np.random.default_rng(6)
    centers = [0.6] * 30 + [1.6] * 30 + [1.0] * 40
    mass = [float(rng.normal(center, 0.01)) for center in centers]
    first, second = differences({"mass": mass}, [range(30), range(30, 60)], "parameter")
    assert (first[0].effect, second[0].effect) == (-1.0, 1.0)
    assert first[0].distinguishable
    assert second[0].distinguishable


def test_that_texts_are_compared_level_by_level():
    floor = ["mat"] * 20 + ["oak", "mat", "oak", "oak"] * 15
    (found,) = differences({"floor": floor}, [range(20)], "parameter")
    assert {d.what for d in found} == {"floor=mat", "floor=oak"}
    assert found[0].distinguishable
    assert abs(found[0].effect) == pytest.approx(0.75)
    assert found[0].interval[0] * found[0].interval[1] > 0


def test_that_nothing_is_compared_where_nothing_varies_or_too_few_tell():
    columns = {"same": [1.0] * 20, "silent": [None] * 19 + [2.0], "few": [1.0, *[None] * 18, 2.0]}
    assert differences(columns, [range(10)], "parameter") == ((),)


def test_that_noise_is_told_apart_in_under_a_twentieth_of_campaigns():
    rng = np.random.default_rng(7)
    false = 0
    for _ in range(150):
        columns = {f"p{k}": list(rng.normal(size=80)) for k in range(5)}
        found = differences(columns, [range(20), range(20, 40)], "parameter")
        false += any(d.distinguishable for one in found for d in one)
    assert false / 150 <= 0.05 + 0.03
