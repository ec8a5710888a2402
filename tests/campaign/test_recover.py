"""Kinds that were put into a campaign come out again; of noise nothing comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign.generated import Recipe
from tests.campaign.recover import LEAD_OF, recover


@pytest.fixture(scope="module")
def four_kinds(tmp_path_factory: pytest.TempPathFactory):
    recipe = Recipe(seed=31, pairs=40, rows=250)
    return recover(tmp_path_factory.mktemp("four"), recipe)


def test_that_the_kinds_come_back(four_kinds):
    assert four_kinds.rand >= 0.9
    assert sorted(four_kinds.kind_of.values()) == sorted(Recipe.kinds)


def test_that_every_kind_points_where_it_should(four_kinds):
    for cluster in four_kinds.result.clusters:
        assert cluster.lead == LEAD_OF[four_kinds.kind_of[cluster.id]]


def test_that_the_growing_kind_is_named_with_its_interval(four_kinds):
    assert four_kinds.growing == ["mass"]
    interval = four_kinds.cluster_of("mass").growth.ratio_interval
    assert interval is not None
    assert interval[0] > 1


def test_that_the_changed_parameter_is_ranked_first_and_no_other_kind_gets_one(four_kinds):
    assert four_kinds.first_parameter("mass") == "mass"
    assert [four_kinds.first_parameter(k) for k in ("scale", "delay", "lost-rows")] == [""] * 3


def test_that_noise_gives_no_kind_and_no_growth(tmp_path: Path):
    told = recover(tmp_path, Recipe(seed=32, pairs=12, rows=200, kinds=()))
    assert told.result.clusters == []
    assert told.growing == []
