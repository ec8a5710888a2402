"""The findings name the family at fault: a small run of what ``tests.truth.families`` does at length."""

from __future__ import annotations

import pytest

from tests.truth.families import (
    FIRM,
    Named,
    family_of,
    first_clear,
    line_of_suspects,
    line_of_ties,
    line_of_upstream,
    offenders,
    sound,
    table_of_single,
    table_of_two,
    two,
)

ROWS = 300
KINDS = (
    "obs-scale-up",
    "obs-offset-down",
    "obs-unit",
    "obs-saturation",
    "action-gain-up",
    "action-clip",
    "response-delay",
    "latency-level",
    "interval",
    "mass-up",
    "damping-down",
    "plant-gain-up",
    "reward-scale-up",
    "early-end",
    "start-offset",
)
TWO_SEEDS = range(7100, 7110)
SOUND_SEEDS = range(7200, 7208)


@pytest.fixture(scope="module")
def one_fault() -> list[Named]:
    return [n for k, kind in enumerate(KINDS) if (n := first_clear(4000 + k, ROWS, (kind,)))]


@pytest.fixture(scope="module")
def two_faults() -> list[Named]:
    return [n for seed in TWO_SEEDS if (n := two(seed, ROWS))]


def test_that_the_family_at_fault_comes_first(one_fault: list[Named]) -> None:
    assert len(one_fault) == len(KINDS)
    firm = [n for n in one_fault if n.how == FIRM]
    assert len(firm) >= len(KINDS) // 2, table_of_single(one_fault)
    assert all(n.first for n in firm), offenders(one_fault)


def test_that_the_family_at_fault_leads_or_ties_and_few_pairs_tie(one_fault: list[Named]) -> None:
    named = [n for n in one_fault if n.ranked]
    assert sum(n.first_or_tied for n in named) >= len(named) - 1, offenders(one_fault)
    assert sum(bool(n.tied) for n in named) <= len(named) / 3, line_of_ties("one", one_fault)


def test_that_a_gain_of_an_action_that_no_log_shows_applied_ties_with_the_plants() -> None:
    alike = first_clear(4_100_081, 300, ("action-gain-down",))
    assert alike is not None
    assert set(alike.tied) == {"action", "dynamics", "observation-scaling"}
    assert alike.first_or_tied
    assert not alike.first
    assert alike.like_dynamics == {"action", "observation-scaling"}
    said = line_of_ties("one fault", [alike])
    assert said.startswith("tied for the lead in 1 of 1 pairs with one fault")
    assert "families at once: 3 in 1" in said
    assert "at any place 0, and as one that is not told apart" in line_of_upstream([alike])


def test_that_two_families_at_fault_are_both_named(two_faults: list[Named]) -> None:
    assert len(two_faults) >= len(TWO_SEEDS) - 2
    assert sum(n.both for n in two_faults) >= 0.7 * len(two_faults), offenders(two_faults)
    settled = [n for n in two_faults if n.both_decided]
    assert sum(n.both for n in settled) >= 0.8 * len(settled), offenders(two_faults)


def test_that_a_second_fault_that_no_check_may_decide_is_named_as_undecided() -> None:
    hidden = first_clear(14_500_174, 1000, ("pull-up", "obs-sign"))
    assert hidden is not None
    assert "dynamics" in hidden.suspects, hidden.about
    assert "dynamics" not in hidden.firm | hidden.later_firm
    assert hidden.first


def test_that_hardly_anything_is_suspected_that_is_not_at_fault(one_fault: list[Named]) -> None:
    untouched = [n for seed in SOUND_SEEDS if (n := sound(seed))]
    found = [*one_fault, *untouched]
    wrong = [n for n in found if n.suspects - {*n.families}]
    assert len(wrong) <= 1, offenders(found)
    assert f"of {len(untouched)} pairs" in line_of_suspects("nothing wrong", untouched)


def test_that_dynamics_is_not_blamed_for_what_lies_upstream(
    one_fault: list[Named], two_faults: list[Named]
) -> None:
    upstream = [n for n in (*one_fault, *two_faults) if n.upstream]
    assert len(upstream) >= 8
    for n in upstream:
        assert "dynamics" not in n.firm | n.later_firm, n.about
    assert "firmly 0, firmly once corrected 0" in line_of_upstream(upstream)


def test_that_tables_count_every_pair(one_fault: list[Named], two_faults: list[Named]) -> None:
    assert f"all {len(one_fault):>26}" in table_of_single(one_fault).replace("  ", "  ")
    assert f"300 rows and more {len(two_faults):>12}" in table_of_two(two_faults)
    assert {family_of(kind) for kind in KINDS} >= {"action", "timing", "dynamics", "reward"}
