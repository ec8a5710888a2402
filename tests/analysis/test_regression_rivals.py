"""What else than sensors bends a one-step relation: several outputs by one parameter, and a later response."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import case
from tests.checks.test_observation_scaling_levels import pair
from tests.checks.test_observation_scaling_loop import episode
from tests.truth.faults import Fault
from tracescope.analysis.one_step import Relation
from tracescope.analysis.regression_one_step import Sensed, sensed
from tracescope.analysis.regression_outputs import Output, blocks_of, outputs_of
from tracescope.analysis.regression_rivals import changes_of, later, moved_together
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment

SAME = frozenset({"obs[2]"})


def relation_of(delay: int = 0, rows: int = 400, task: int = 3) -> Relation:
    sim = episode(rows, task, 2 * task, spring=5.0)
    target = episode(rows, task, 2 * task + 1, spring=5.0, delay=delay)
    found = Workbench(case(sim, target, Alignment(mode="step"))).relation
    assert found is not None
    return found


def of_point(*faults: Fault, rows: int = 300) -> Relation:
    found = Workbench(pair("point", 4, *faults, rows=rows, explore="own", noise=0.002)).relation
    assert found is not None
    return found


def parts_of(relation: Relation) -> list[Output]:
    columns = [j for j, name in enumerate(relation.names) if name.startswith("obs")]
    outputs = [j for j in columns if relation.kind[j] is not None]
    blocks = (blocks_of(relation.sim, 1), blocks_of(relation.target, 1))
    return outputs_of(relation, outputs, columns, relation.target, blocks)


@pytest.mark.parametrize(
    ("kind", "value", "named"),
    [
        ("mass", 1.4, "inertia of every output"),
        ("damping", 2.2, "what each output does to itself"),
    ],
)
def test_that_one_parameter_of_two_axes_is_let_free_on_both(
    kind: str, value: float, named: str
) -> None:
    found = sensed(of_point(Fault(kind, "dynamics", value)), 0.999)
    told = [one for one in found if one.plant == named]
    assert found[0].chance < 0.01
    assert told
    for one in told:
        assert one.chance > 0.01
        assert np.abs(np.log(one.scale)).max() < 0.05


def test_that_a_mass_is_not_told_from_drag_and_a_factor_on_all_sensors() -> None:
    found = sensed(of_point(Fault("mass", "dynamics", 1.4)), 0.999)
    scales = [one.scale.mean() for one in found[1:] if one.chance > 0.01]
    assert min(scales) < 0.8
    assert max(scales) > 0.95


def test_that_a_gain_of_all_actions_leaves_the_scale_of_all_sensors_open() -> None:
    relation = of_point(Fault("gain", "dynamics", 1.4))
    found = sensed(relation, 0.999)
    assert found[0].scale == pytest.approx(1.4, rel=0.1)
    changes = changes_of(relation, parts_of(relation))
    assert "what actions do to every output" in changes.values()


@pytest.mark.parametrize("delay", [1, 3])
def test_that_a_later_response_is_told_from_scaled_sensors(delay: int) -> None:
    found: tuple[Sensed, ...] = sensed(relation_of(delay), 0.9975, SAME)
    late = [one for one in found if "later" in one.plant]
    assert found[0].chance < 0.01
    assert late[0].plant == f"a response {delay} row{'s' if delay > 1 else ''} later"
    assert (np.abs(np.log(late[0].scale)) <= late[0].scale_half).all()


@settings(max_examples=15, deadline=None)
@given(delay=st.integers(0, 8), rows=st.integers(60, 120))
def test_that_shifted_drives_are_those_of_earlier_rows(delay: int, rows: int) -> None:
    relation = relation_of(rows=rows)
    shifted = later(relation, delay)
    plain = dict(zip(relation.target.row.tolist(), relation.target.drive[:, 0], strict=True))
    assert len(shifted.target) == len(relation.target) - delay
    for row, drive in zip(shifted.target.row.tolist(), shifted.target.drive[:, 0], strict=True):
        if row - delay in plain:
            assert drive == plain[row - delay]
    assert shifted.sim is relation.sim


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000))
def test_that_a_change_adds_its_columns_up_and_keeps_the_sensors(seed: int) -> None:
    relation = of_point(rows=120)
    parts = parts_of(relation)
    changes = list(changes_of(relation, parts).items())
    change, name = changes[seed % len(changes)]
    size = parts[0].slopes.shape[1] - len(parts[0].changes)
    for p, part in enumerate(parts):
        seen = part.slopes @ moved_together(size, p, part, change)
        own = [i for q, i in change if q == p]
        assert np.array_equal(seen[:, :size], part.slopes[:, :size])
        assert np.allclose(seen[:, size], part.slopes[:, [size + i for i in own]].sum(axis=1))
        assert moved_together(size, p, part, None).shape == (part.slopes.shape[1], size)
    assert name
    assert all(0 <= i < len(parts[p].changes) for p, i in change)
