"""Clusters: what comes back is kept, noise is not, and one seed gives one answer."""

from __future__ import annotations

import numpy as np
import pytest

from tests.campaign.made import episode, lag, lost, mixed_run, scale
from tests.campaign.recover import adjusted_rand
from tracescope.campaign.clusters import (
    LEAST_MEMBERS,
    LEAST_STABILITY,
    Table,
    cosine_distances,
    groups_of,
    table_of,
)
from tracescope.campaign.signature import signature_of


def table(rows):
    value = np.array(rows, dtype=float)
    return Table(tuple(f"e{k}" for k in range(value.shape[1])), value)


def bundles(rng, centers, each, spread):
    return np.vstack(
        [np.array(center) + rng.normal(0, spread, (each, len(center))) for center in centers]
    )


def test_that_bundles_are_found_whatever_their_size_in_tolerances():
    rng = np.random.default_rng(0)
    rows = bundles(rng, [(3, 0, 0, 0), (0, 2, 2, 0), (0, 0, 0, -1)], 12, 0.1)
    rows *= rng.uniform(0.8, 3, (36, 1))
    groups = groups_of(table(rows))
    assert sorted(group.rows for group in groups) == [
        tuple(range(12)),
        tuple(range(12, 24)),
        tuple(range(24, 36)),
    ]
    assert all(group.stability >= LEAST_STABILITY for group in groups)


def test_that_opposite_differences_are_two_kinds():
    rows = [[2.0, 0.1, *[0.0] * 8]] * 6 + [[-2.0, 0.1, *[0.0] * 8]] * 6
    assert len(groups_of(table(rows))) == 2


def test_that_directions_without_order_make_no_kind():
    rng = np.random.default_rng(1)
    found = sum(len(groups_of(table(rng.normal(0, 1, (60, 12))))) for _ in range(5))
    assert found == 0


def test_that_fewer_than_four_alike_stay_unclustered():
    rng = np.random.default_rng(2)
    few = LEAST_MEMBERS - 1
    rows = [[3.0, 0.0, 0.0]] * few + [[0.0, 3.0, float(rng.normal(0, 0.1))] for _ in range(8)]
    [group] = groups_of(table(rows))
    assert min(group.rows) == few


def test_that_short_signatures_and_many_small_entries_stay_out():
    rng = np.random.default_rng(3)
    faint = table(rng.normal(0.1, 0.01, (10, 4)))
    assert faint.active.size == 0
    many = table(np.full((10, 40), 0.3))
    assert many.norm.min() > 1.5
    assert many.active.size == 0, "forty entries of a third of a tolerance are forty times nothing"


def test_that_what_is_missing_counts_nothing_in_distances_and_stays_missing():
    signatures = [{"a": 2.0, "b": None}, {"a": 2.0}, {"a": 2.0, "b": 0.0}]
    made = table_of(signatures)
    assert made.entries == ("a", "b")
    assert np.isnan(made.value[:2, 1]).all()
    assert made.value[2, 1] == 0.0
    assert cosine_distances(made.filled).max() == pytest.approx(0.0, abs=1e-12)


def test_that_the_order_of_episodes_changes_the_grouping_in_nothing():
    rng = np.random.default_rng(4)
    rows = bundles(rng, [(3, 0, 0, 0, 0), (0, 2, 2, 0, 0), (1, 1, -3, 1, 1)], 12, 0.2)
    turned = rng.permutation(len(rows))
    first = groups_of(table(rows))
    second = groups_of(table(rows[turned]))
    back = [tuple(sorted(int(turned[row]) for row in group.rows)) for group in second]
    assert sorted(back) == sorted(group.rows for group in first)


def test_that_nothing_at_all_gives_no_groups():
    assert groups_of(table_of([])) == ()
    assert groups_of(table_of([{}, {}])) == ()


def test_that_three_kinds_of_judged_episodes_come_apart():
    run = mixed_run(seed=5)
    made = table_of([signature_of(result) for result in run.results])
    label = ["none"] * len(run.results)
    for place, group in enumerate(groups_of(made)):
        for row in group.rows:
            label[row] = str(place)
    assert adjusted_rand([r.id.split("-")[0] for r in run.results], label) == 1.0


def test_that_sound_episodes_alone_make_no_kind():
    rng = np.random.default_rng(6)
    signatures = []
    for place in range(60):
        middle = float(rng.normal(1.0, 0.012))
        at = float(rng.normal(0, 0.05))
        found = [
            scale("q", middle - 0.03, middle + 0.03),
            lag(at - 0.1, at + 0.1),
            lost(float(rng.integers(0, 3)) / 1000),
        ]
        signatures.append(signature_of(episode(f"e{place}", found)))
    assert groups_of(table_of(signatures)) == ()


def test_that_the_adjusted_rand_index_is_the_published_one():
    first = ["a"] * 3 + ["b"] * 3
    second = ["x", "x", "y", "y", "z", "z"]
    assert adjusted_rand(first, second) == pytest.approx(0.24242, abs=1e-5)
    assert adjusted_rand(first, ["q"] * 3 + ["p"] * 3) == 1.0
