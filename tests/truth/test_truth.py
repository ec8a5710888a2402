"""The checks on pairs of known truth, a small run of what ``tests.truth.report`` does at length."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.truth.faults import BAD, MAKERS, SOUND, UNJUDGED
from tests.truth.offsets import WANTED_ROWS, offset_errors, offset_table
from tests.truth.pairs import ALL_LENGTHS, Cell, grid, make_grid_pair, make_pair
from tests.truth.plants import PLANTS
from tests.truth.report import built_in, verdicts_of
from tests.truth.tables import REFERENCE, Verdict, by_magnitude, offenders, splits, table
from tracescope.model.check import CHECK_IDS

PAIRS = 60
FIRST_SEED = 5000
LENGTHS = (40, 100, 300)
FEW = 1
"""Wrong verdicts that so small a run may show by chance where one in a hundred is allowed."""


@pytest.fixture(scope="module")
def found() -> list[Verdict]:
    seeds = range(FIRST_SEED, FIRST_SEED + PAIRS)
    return [v for s in seeds for v in verdicts_of(s, LENGTHS[s % len(LENGTHS)])]


@pytest.mark.parametrize("check", CHECK_IDS)
def test_wrong_verdicts_are_rare(found: list[Verdict], check: str) -> None:
    mine = [v for v in found if v.check == check]
    assert len(mine) == PAIRS
    wrong = Counter(v.wrong for v in mine)
    assert wrong["wrong pass"] <= FEW, offenders(mine)
    assert wrong["wrong fail"] <= FEW, offenders(mine)


@pytest.mark.parametrize("check", CHECK_IDS)
def test_checks_decide_something(found: list[Verdict], check: str) -> None:
    longest = [
        v for v in found if v.check == check and v.rows == LENGTHS[-1] and v.truth != UNJUDGED
    ]
    assert sum(v.decided for v in longest) >= 0.2 * len(longest), table(found)


def test_report_has_every_check_and_reference(found: list[Verdict]) -> None:
    text = table(found)
    assert set(REFERENCE) == set(CHECK_IDS)
    assert all(check in text for check in CHECK_IDS)
    assert {c.id for c in built_in()} == set(CHECK_IDS)


def test_generator_knows_many_faults_and_lengths() -> None:
    assert len(MAKERS) >= 40
    assert min(ALL_LENGTHS) == 40
    assert max(ALL_LENGTHS) == 5000


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_every_fault_makes_a_judged_pair(kind: str) -> None:
    pair = make_pair(7, rows=60, kinds=[kind])
    assert set(pair.truth) == set(CHECK_IDS)
    assert set(pair.truth.values()) <= {BAD, SOUND, UNJUDGED}
    assert [f.kind for f in pair.faults] == [MAKERS[kind](_plant(), np.random.default_rng(0)).kind]


def _plant():  # type: ignore[no-untyped-def]
    from tests.truth.plants import PLANTS

    return PLANTS[0]


@pytest.mark.parametrize("seed", [3, 11, 29])
def test_a_seed_makes_the_same_pair_again(seed: int) -> None:
    one, two = make_pair(seed, rows=80), make_pair(seed, rows=80)
    assert one.truth == two.truth
    for a, b in zip(one.case.pair.target, two.case.pair.target, strict=True):
        assert np.array_equal(a.value, b.value)
        assert np.array_equal(a.time_s, b.time_s)


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("obs-unit", "observation-scaling"),
        ("response-delay", "timing"),
        ("start-offset", "alignment"),
        ("early-end", "termination"),
    ],
)
def test_truth_is_bad_where_the_fault_is(kind: str, check: str) -> None:
    truths = Counter(make_pair(s, rows=100, kinds=[kind]).truth[check] for s in range(12))
    assert truths[SOUND] == 0
    assert truths[BAD] >= 8


def test_nothing_wrong_is_sound_everywhere() -> None:
    assert set(make_pair(1, rows=100, kinds=[]).truth.values()) == {SOUND}


def test_even_grid_holds_every_grade_plant_and_length_once() -> None:
    cells = grid()
    assert len(cells) == len({(c.kind, c.grade, c.plant.name, c.rows) for c in cells})
    assert {c.kind for c in cells} == {"", *MAKERS}
    assert len(cells) == (1 + sum(len(m.grid) for m in MAKERS.values())) * 5 * 4
    for seed in (0, 1, 2):
        pair, cell = make_grid_pair(seed), cells[seed]
        assert (pair.plant, pair.rows) == (cell.plant.name, cell.rows)
        assert [f.kind for f in pair.faults] == ([MAKERS[cell.kind].kind] if cell.kind else [])


def test_report_splits_shares_and_names_magnitudes(found: list[Verdict]) -> None:
    assert "not logged" in splits(found)
    assert all(check in splits(found) for check in ("alignment", "action", "termination"))
    judged = [v for v in found if v.about_it and v.truth in (BAD, SOUND)]
    assert judged
    assert all(v.magnitude in by_magnitude(found) for v in judged)


def test_estimated_offsets_lie_near_the_truth_where_they_answer() -> None:
    errors = offset_errors(range(9100, 9124))
    found = np.abs([e.error_rows for e in errors if np.isfinite(e.error_rows)])
    assert found.size >= 30
    assert np.percentile(found, 95) <= WANTED_ROWS, offset_table(errors)
    assert {"resampled", "loops", "bare loops"} == {e.kind for e in errors}


@pytest.mark.parametrize("grade", [1, 4])
@pytest.mark.parametrize("seed", [11, 12, 13, 14])
def test_quantisation_is_graded_by_the_step_that_was_recorded(grade: int, seed: int) -> None:
    plant = PLANTS[seed % len(PLANTS)]
    pair = make_pair(seed, cell=Cell("obs-quantisation", grade, plant, 300))
    name = plant.states[pair.faults[0].channel]
    sim, target = pair.case.pair.sim[name].as_float(), pair.case.pair.target[name].as_float()
    step = float(np.diff(np.unique(np.round(target, 9))).min())
    times = step / (0.1 * float(np.std(sim)))
    expected = BAD if times > 1.1 else SOUND if times < 0.9 else UNJUDGED
    assert pair.truth["observation-scaling"] == expected
