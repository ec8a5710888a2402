"""Properties of what is measured on a whole case: units, clocks and sides must not change an answer.

The last tests hold every public numerical function of the analysis to a property test and to a docstring
that states shapes.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tracescope.analysis
from tests.builders import pair, trace
from tracescope.analysis.anchors import alignment_from_anchors
from tracescope.analysis.content import content_lag
from tracescope.analysis.content_found import said, with_curve
from tracescope.analysis.correspondence import suggested_matches
from tracescope.analysis.counters import common_steps, slips
from tracescope.analysis.ends import end_places, episode_end, first_set, positions, reset_jumps
from tracescope.analysis.ends_motion import motion_at
from tracescope.analysis.estimate import (
    assumed_alignment,
    best_alignment,
    counter_alignment,
    initial_alignment,
    lag_by_step,
    lag_by_time,
)
from tracescope.analysis.explanations import explanations, ranked, without
from tracescope.analysis.explanations_maps import upstream_candidates
from tracescope.analysis.explanations_scan import floor_of, misfit_of, worst_columns
from tracescope.analysis.identical import identical_lag
from tracescope.analysis.impulse import best_pair_leaves, impulses
from tracescope.analysis.impulse_shape import shape_difference, shape_lag
from tracescope.analysis.logging_phase import logging_phase, rows_late
from tracescope.analysis.one_step import affordable, features, relation, richer_model
from tracescope.analysis.one_step_fit import fitted
from tracescope.analysis.one_step_kinematics import kinematic_columns
from tracescope.analysis.one_step_noise import noise_compensated, policy_slope, sensor_variance
from tracescope.analysis.one_step_rows import recorded, steps_of
from tracescope.analysis.regression_one_step import sensed
from tracescope.analysis.regression_outputs import blocks_of, outputs_of
from tracescope.analysis.regression_plant import plant_terms
from tracescope.analysis.regression_routes import episode_rows
from tracescope.analysis.residual import signal_lags
from tracescope.analysis.response import response_latency
from tracescope.analysis.response_bends import with_bends
from tracescope.analysis.response_rows import response_rows
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_rivals import reward_rivals
from tracescope.analysis.reward_model_rows import reward_pair, reward_sides
from tracescope.analysis.rows import at_rows, names_of, without_values
from tracescope.analysis.slip_content import slip_contents
from tracescope.analysis.start import nearest_unshifted, start_verdict
from tracescope.analysis.start_rows import chance_of_coincidence, limits_apart, points_elsewhere
from tracescope.analysis.timebase import (
    counters_agree,
    seconds_a_step,
    step_lattice,
    time_lattice,
)
from tracescope.analysis.transitions import (
    applied_twin,
    drive_values,
    drives,
    end_flags,
    on_rows,
)
from tracescope.analysis.transitions_paired import residual_growth
from tracescope.analysis.whole_shift import whole_shifts
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment, Anchor
from tracescope.model.case import Case
from tracescope.model.trace import Role, Trace

STEPS = Alignment(mode="step")
SEEDS = st.integers(0, 1000)
FEW = settings(max_examples=6, deadline=None)
ROWS = 160


@dataclass(frozen=True)
class Run:
    """How one side is made: plant gain, unit and zero of its sensors, start of its clock."""

    gain: float = 0.3
    unit: float = 1.0
    zero: float = 0.0
    t0: float = 0.0
    dt: float = 0.02


def run(seed: int, how: Run = Run(), steps: int = ROWS) -> Trace:
    """Two states driven by one action, with reward, an end flag and what was applied."""
    rng = np.random.default_rng(seed)
    action = rng.standard_normal(steps)
    state = np.zeros((steps, 2))
    state[0] = 0.5, -0.3
    for i in range(steps - 1):
        push = how.gain * action[i] * np.array([1.0, 0.4])
        state[i + 1] = state[i] @ np.array([[0.9, -0.1], [0.1, 0.85]]) + push
    seen = state + 1e-3 * rng.standard_normal(state.shape)
    done = np.zeros(steps, bool)
    done[-1] = True
    return trace(
        how.dt,
        how.unit * seen + how.zero,
        action,
        applied=action,
        reward=1 - state[:, 0] ** 2,
        done=done,
        t0=how.t0,
    )


def bench_of(sim: Trace, target: Trace, alignment: Alignment = STEPS) -> Workbench:
    return Workbench(Case(pair(sim, target), alignment))


# A case against itself


@FEW
@given(SEEDS)
def test_that_a_case_against_itself_is_off_by_nothing(seed: int) -> None:
    one = run(seed)
    bench = bench_of(one, one)
    case = bench.case
    for lattice in (step_lattice(case, 0), time_lattice(case, Alignment())):
        found = content_lag(lattice)
        assert found.lag == pytest.approx(0.0, abs=1e-6)
        alone = identical_lag(lattice, None)
        assert alone is not None
        assert alone.lag == 0
        assert said(lattice, alone.identical, 1.0, ())
        assert with_curve(lattice, None).lattice is lattice
    lattice = step_lattice(case, 0)
    assert 0 in whole_shifts(lattice, range(-3, 4), 0.99)
    assert points_elsewhere(lattice) == 0
    assert not nearest_unshifted(lattice, (-np.inf, np.inf))
    assert not nearest_unshifted(lattice, (2.6, 3.4))
    assert 0 <= chance_of_coincidence(lattice) <= 1
    assert start_verdict(lattice, 0.0) is not None
    assert lag_by_step(case, 0).lag == pytest.approx(lag_by_time(case).lag, abs=1e-6)
    assert all(lag.lag_s == pytest.approx(0.0, abs=1e-6) for lag in signal_lags(case))
    assert slips(case.pair, 0) == ()
    assert slip_contents(case) == ()
    assert limits_apart(case) in (None, 0)
    assert response_latency(bench).identical
    growth = residual_growth(bench, ("obs[0]", "obs[1]"))
    assert growth is None or growth[0] == 0
    assert explanations(bench) == ()
    end = episode_end(one)
    assert (end.row, end.kind) == (ROWS - 1, "done")
    places = end_places(case, end, end)
    assert places.sim == places.target
    assert motion_at(case, "sim", end).gap_sd == 0


# Clocks


@FEW
@given(SEEDS, st.floats(-50, 50))
def test_that_where_a_clock_starts_only_moves_the_offset(seed: int, t0: float) -> None:
    both, later = pair(run(seed), run(seed)), pair(run(seed), run(seed, Run(t0=t0)))
    counted, moved = counter_alignment(both), counter_alignment(later)
    assert counted is not None
    assert moved is not None
    at_s = later.target.time_s
    assert moved.to_sim(at_s) == pytest.approx(both.sim.time_s, abs=1e-6)
    assert best_alignment(later).to_sim(at_s) == pytest.approx(both.sim.time_s, abs=1e-6)
    assert assumed_alignment(later).to_sim_one(later.target.t_first_s) == pytest.approx(
        0.0, abs=1e-9
    )
    first_found, _ = initial_alignment(later)
    assert first_found.to_sim(at_s) == pytest.approx(both.sim.time_s, abs=1e-6)
    assert counters_agree(later)
    assert seconds_a_step(later.target) == pytest.approx(0.02)
    first, second = common_steps(later, 0)
    assert first.tolist() == second.tolist() == list(range(ROWS))
    late, _ = common_steps(later, 5)
    assert late.size == ROWS - 5
    a, b, row = positions(Case(later, STEPS))
    assert a.tolist() == b.tolist()
    assert row == 1
    anchored, left_s, linear = alignment_from_anchors(later, [Anchor(1.0, 1.0 + t0)])
    assert linear
    assert left_s == pytest.approx([0.0])
    assert anchored.to_sim_one(2.0 + t0) == pytest.approx(2.0)


@FEW
@given(SEEDS, st.integers(1, 6), st.integers(20, 120))
def test_that_a_slip_is_found_where_it_stands(seed: int, periods: int, row: int) -> None:
    one = run(seed)
    time_s = one.time_s.copy()
    time_s[row:] += 0.02 * periods
    late = trace(time_s=time_s, obs=np.stack([one[f"obs[{k}]"].value for k in (0, 1)], axis=1))
    (found,) = slips(pair(one, late), 0)
    assert (found.row, found.periods) == (row, periods)
    assert found.jump_s == pytest.approx(0.02 * periods, abs=1e-3)


# Ends


@FEW
@given(SEEDS, st.integers(20, ROWS - 20))
def test_that_ends_are_read_from_the_flags(seed: int, row: int) -> None:
    one = run(seed)
    value = np.stack([one[f"obs[{k}]"].value for k in (0, 1)], axis=1)
    done = np.zeros(ROWS, bool)
    done[row:] = True
    made = trace(0.02, value, one["action"].value, done=done)
    end = episode_end(made)
    assert end.row == row
    assert first_set(made["done"], made) == row
    assert end_flags(made)[row]
    assert not end_flags(made)[:row].any()
    assert not reset_jumps(made).any()
    jumped = value.copy()
    jumped[row:] += 50.0
    assert np.flatnonzero(reset_jumps(trace(0.02, jumped))).tolist() == [row - 1]
    bench = bench_of(made, made)
    assert episode_rows(bench)[: row - 1].all()
    assert not episode_rows(bench)[row + 2 :].any()


# Rows and drives


@FEW
@given(SEEDS)
def test_that_rows_and_drives_hold_what_was_logged(seed: int) -> None:
    sim, target = run(seed), run(seed + 1)
    bench = bench_of(sim, target)
    case = bench.case
    chosen = drives(case.pair)
    assert len(chosen) == 1
    assert applied_twin(sim, sim["action"]) is not None
    ours, theirs = drive_values(bench)
    assert ours[:, 0].tolist() == sim["action_applied"].value.tolist()
    assert theirs[:, 0].tolist() == target["action_applied"].value.tolist()
    assert on_rows(bench, target["obs[0]"], of_target=True).tolist() == (
        bench.rows.target["obs[0]"].tolist()
    )
    at = np.array([3, 7])
    assert at_rows(sim, sim["obs[1]"], sim["obs[1]"].value, at).tolist() == (
        sim["obs[1]"].value[at].tolist()
    )
    assert names_of(bench.rows, case, Role.OBSERVATION) == ("obs[0]", "obs[1]")
    assert without_values(bench.rows, "obs[0]") == ""
    a, _, same_rows = recorded(bench, ("obs[0]", "obs[1]"), chosen)
    assert not same_rows
    made = steps_of(a)
    assert made.change == pytest.approx(a.state[made.row + 1] - a.state[made.row])
    assert logging_phase(sim) == ""
    assert rows_late(sim) == 0
    assert suggested_matches(case.pair, STEPS) == ()
    rewards = reward_pair(case)
    assert rewards is not None
    assert rewards[0].name == "reward"


# One-step relations and what is read off them


@FEW
@given(SEEDS, st.floats(0.2, 5), st.floats(-10, 10))
def test_that_units_of_both_sides_change_no_gap(seed: int, unit: float, zero: float) -> None:
    plain = bench_of(run(seed), run(seed + 1, Run(gain=0.36)))
    scaled = bench_of(
        run(seed, Run(unit=unit, zero=zero)), run(seed + 1, Run(0.36, unit=unit, zero=zero))
    )
    ours, theirs = relation(plain), relation(scaled)
    assert ours is not None
    assert theirs is not None
    assert theirs.kind == ours.kind
    assert theirs.score == pytest.approx(ours.score, abs=1e-3)
    for a, b in zip(plain.gaps, scaled.gaps, strict=True):
        assert (b.estimate, *b.interval) == pytest.approx((a.estimate, *a.interval), abs=1e-3)
        assert a.interval[0] <= a.estimate <= a.interval[1]
    assert affordable("linear", ours.sim)
    assert richer_model(ours, "linear") != "linear"
    fit = fitted(ours, "linear", ours.outputs)
    assert fit.plain[0].shape == fit.plain[1].shape
    assert kinematic_columns(ours.sim_rows, 0.02) == frozenset()
    x = features("linear", ours.sim, ours.scaling)
    assert noise_compensated(x, ours.sim, ours.scaling).shape == (x.shape[1], 2)
    beta = np.linalg.lstsq(x, ours.sim.change, rcond=None)[0]
    noise = sensor_variance(ours.sim.change - x @ beta, ours.sim.row, beta, ours.scaling)
    assert ((noise >= 0) & (noise < 1e-3)).all()
    assert policy_slope(ours.sim).shape == (1, 2)


@FEW
@given(SEEDS, st.floats(1.1, 1.6))
def test_that_the_sensor_at_fault_is_named_with_its_scale(seed: int, scale: float) -> None:
    bench = bench_of(run(seed), run(seed + 1, Run(unit=scale)))
    found = bench.relation
    assert found is not None
    sensors = sensed(found, 0.99)
    assert sensors
    near = np.abs(np.log(sensors[0].scale / scale)) <= sensors[0].scale_half + 0.02
    assert near.all()
    every = ranked(found, 0.02)
    assert all(a.share >= b.share for a, b in pairwise(every))
    assert all(e.share <= 1 + 1e-9 for e in every)
    common = next(e for e in every if e.kind == "common scale")
    assert common.value == pytest.approx(scale, rel=0.1)
    misfit = misfit_of(found)
    after = misfit_of(without(found, common, 0.02))
    assert floor_of(misfit) >= 0
    assert floor_of(after) == pytest.approx(floor_of(misfit), rel=0.5, abs=1e-4)
    columns = worst_columns(misfit)
    assert set(columns[0]) <= {0, 1}
    assert {c.family for c in upstream_candidates(found, columns, 0.02)} <= {
        "observation-scaling",
        "action",
        "timing",
    }
    blocks = (blocks_of(found.sim, 1), blocks_of(found.target, 1))
    parts = outputs_of(found, [0, 1], [0, 1], found.target, blocks)
    assert len(parts) == 2
    design = features("linear", found.sim, found.scaling)
    beta = np.linalg.lstsq(design, found.sim.change, rcond=None)[0]
    names, moved = plant_terms(found, "linear", 0, design, beta[:, 0])
    assert moved.shape == (design.shape[0], len(names))


@FEW
@given(SEEDS, st.floats(0.2, 5))
def test_that_a_response_does_not_depend_on_units(seed: int, unit: float) -> None:
    plain = bench_of(run(seed), run(seed + 1))
    scaled = bench_of(run(seed, Run(unit=unit)), run(seed + 1, Run(unit=unit)))
    a, b = response_latency(plain), response_latency(scaled)
    assert a.difference is not None
    assert b.difference is not None
    assert b.difference.interval == pytest.approx(a.difference.interval, abs=1e-3)
    assert a.difference.interval[0] <= 0 <= a.difference.interval[1]
    sides = response_rows(plain.case, Role.ACTION)
    side = sides[0]
    same = with_bends(sides, lambda _: (6, False))
    assert [s.output.shape for s in same] == [s.output.shape for s in sides]
    assert side.input.shape[1] == side.output.shape[1] == side.run.size
    found = impulses(side, 6, alone=False)
    assert found.delay[0] == pytest.approx([0, 0], abs=0.05)
    assert found.resolved.all()
    both = (found, impulses(sides[1], 6, alone=False))
    assert shape_lag(both, 0, 0, 0.0).rows == pytest.approx(0.0, abs=0.05)
    apart, error = shape_difference(both, 0, 0)
    assert abs(apart) <= 0.05 + 4 * error
    assert best_pair_leaves(found._parts[0], 0) >= 0  # noqa: SLF001 - what the fit is made of


@FEW
@given(SEEDS)
def test_that_an_equal_reward_has_no_rival(seed: int) -> None:
    gathered = reward_sides(bench_of(run(seed), run(seed + 1)).case)
    assert gathered is not None
    model = fit_reward(gathered.sim)
    assert model is not None
    rivals = reward_rivals(model, gathered)
    assert all(rival.kind in ("scale", "offset", "lag") for rival in rivals)
    assert model.score > 0.9


# Every function


def functions() -> Iterator[tuple[str, FunctionType]]:
    for info in pkgutil.iter_modules(tracescope.analysis.__path__):
        module = importlib.import_module(f"tracescope.analysis.{info.name}")
        for name, value in vars(module).items():
            own = inspect.isfunction(value) and value.__module__ == module.__name__
            if own and not name.startswith("_"):
                yield f"{info.name}.{name}", value


def names_in(node: ast.AST) -> set[str]:
    plain = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return plain | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def held_to_properties() -> set[str]:
    """Functions that a hypothesis test of the analysis calls, or whose table one draws from."""
    found = {name.split(".")[1] for name, _ in functions() if name.startswith("action_map_fits.")}
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                "given" in ast.unparse(d) for d in node.decorator_list
            ):
                found |= names_in(node)
    return found


def test_that_every_public_function_is_held_to_a_property() -> None:
    held = held_to_properties()
    through = set(held)
    for name, function in functions():
        if name.split(".")[1] in held:
            through |= names_in(ast.parse(inspect.getsource(function)))
    bare = [name for name, _ in functions() if name.split(".")[1] not in through]
    assert not bare, f"no property test calls {bare}, nor a function that one calls"


ARRAYS = ("Samples", "Matrix", "NDArray")


@pytest.mark.parametrize(("name", "function"), list(functions()))
def test_that_docstrings_state_shapes_and_errors(name: str, function: FunctionType) -> None:
    module = inspect.getmodule(function)
    text = f"{function.__doc__}{module.__doc__ if module else ''}"
    if any(kind in str(inspect.signature(function)) for kind in ARRAYS):
        assert "hape" in text, name
    if any(
        isinstance(node, ast.Raise) for node in ast.walk(ast.parse(inspect.getsource(function)))
    ):
        assert "Raises" in text, name
