"""The one-step relation, its gap and the interval of a squared norm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import case, trace, wander
from tests.checks.dynamics_plants import Plant, both
from tracescope.analysis.one_step import cross_validated, relation, solve
from tracescope.analysis.one_step_gap import gaps
from tracescope.analysis.one_step_kinematics import kinematic_columns
from tracescope.analysis.one_step_noise import noise_compensated, whitened
from tracescope.analysis.one_step_rows import Recorded, steps_of
from tracescope.analysis.one_step_spread import spread_interval
from tracescope.analysis.supported import directions
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment

STEP = Alignment(mode="step")


def linear_pair(n: int, gain: float = 1.0, noise: float = 0.0, seed: int = 0):
    """Two runs of o' = 0.9 o + gain · 0.3 u under their own actions."""
    sides = []
    for side, factor in ((0, 1.0), (1, gain)):
        u = wander(n, 1, seed=2 * seed + side)[:, 0]
        draw = np.random.default_rng(100 + 2 * seed + side)
        o = np.zeros(n)
        for i in range(n - 1):
            o[i + 1] = 0.9 * o[i] + factor * 0.3 * u[i] + noise * draw.normal()
        sides.append(trace(obs=o, action=u))
    return Workbench(case(*sides, STEP))


def test_that_a_noise_free_linear_plant_has_no_gap_with_itself():
    bench = linear_pair(200)
    assert bench.relation is not None
    assert bench.relation.kind == ("linear",)
    (gap,) = bench.gaps
    assert gap.interval[1] < 1e-6


@pytest.mark.parametrize("gain", [0.7, 1.2, 1.5])
def test_that_a_gain_of_the_plant_is_measured_as_its_share_of_the_motion(gain):
    bench = linear_pair(800, gain)
    (gap,) = bench.gaps
    # What the gain alone adds to the step, over the motion.
    steps = bench.relation.target
    own = -0.1 * steps.state[:, 0] + 0.3 * gain * steps.drive[:, 0]
    sim = -0.1 * steps.state[:, 0] + 0.3 * steps.drive[:, 0]
    truth = np.sqrt(((own - sim) ** 2).mean() / (own**2).mean())
    assert gap.estimate == pytest.approx(truth, rel=0.04)


@pytest.mark.parametrize("n", [60, 200, 1000])
def test_that_the_interval_covers_no_gap_and_a_known_gap(n):
    missed = 0
    for seed in range(25):
        for gain in (1.0, 1.3):
            bench = linear_pair(n, gain, noise=0.03, seed=seed)
            steps = bench.relation.target
            own = -0.1 * steps.state[:, 0] + 0.3 * gain * steps.drive[:, 0]
            sim = -0.1 * steps.state[:, 0] + 0.3 * steps.drive[:, 0]
            truth = np.sqrt(((own - sim) ** 2).mean() / (own**2).mean())
            (gap,) = gaps(bench.relation, 0.99)
            missed += not gap.interval[0] <= truth <= gap.interval[1]
    assert missed <= 2


def test_that_a_position_that_integrates_a_velocity_is_kinematic():
    bench = Workbench(both(Plant("spring", sensor=0.0005), 300))
    assert bench.relation.kinematic == {0}
    assert bench.relation.plant_outputs == (1,)


def test_that_a_mass_between_force_and_speed_is_not_kinematic():
    force = wander(300, 1, seed=1)[:, 0]
    speed = np.concatenate(([0.0], np.cumsum(0.02 * 0.7 * (force[1:] + force[:-1]) / 2)))
    assert kinematic_columns(rows_of(np.column_stack((speed, force))), 0.02) == frozenset()
    assert kinematic_columns(rows_of(np.column_stack((speed / 0.7, force))), 0.02) == {0}


def test_that_noise_over_one_row_does_not_hide_a_kinematic_relation():
    speed = wander(600, 1, seed=2)[:, 0]
    place = np.concatenate(([0.0], np.cumsum(0.02 * (speed[1:] + speed[:-1]) / 2)))
    noise = np.random.default_rng(0).normal(0, 0.02, (2, 600))
    seen = rows_of(np.column_stack((place + noise[0], speed + noise[1])))
    assert kinematic_columns(seen, 0.02) == {0}


def rows_of(state: np.ndarray, drive: np.ndarray | None = None) -> Recorded:
    n = len(state)
    drive = np.zeros((n, 0)) if drive is None else drive
    return Recorded(0.02 * np.arange(n), state, drive, np.ones(n - 1, dtype=bool))


def steps_of_arrays(state: np.ndarray, drive: np.ndarray | None = None):
    return steps_of(rows_of(state, drive))


def test_that_channels_with_the_same_numbers_on_both_sides_are_no_outputs():
    reference = np.sin(np.arange(300) / 20)
    a, b = (wander(300, 1, seed=s)[:, 0] for s in (1, 2))
    sim = trace(obs=np.column_stack((a, reference)), action=a)
    target = trace(obs=np.column_stack((b, reference)), action=b)
    found = relation(Workbench(case(sim, target, STEP)))
    assert found.identical == {"obs[1]"}
    assert found.names == ("obs[0]",)


def test_that_a_reference_on_a_jittering_clock_is_no_output():
    time_s = 0.02 * np.arange(300)
    late = time_s + np.random.default_rng(0).uniform(0, 0.001, 300)
    a, b = (wander(300, 1, seed=s)[:, 0] for s in (1, 2))

    def side(own, at, stamps):
        obs = np.column_stack((own, np.sin(3 * at)))
        return trace(obs=obs, action=own, time_s=stamps, step=False)

    found = relation(Workbench(case(side(a, time_s, time_s), side(b, late, late))))
    assert found.identical == {"obs[1]"}
    assert 1 not in found.outputs


def test_that_a_gap_in_the_rows_is_never_stepped_over():
    obs = wander(100, 1, seed=3)[:, 0]
    kept = np.delete(np.arange(100), 50)
    sim = trace(obs=obs, action=obs)
    target = trace(obs=obs[kept], action=obs[kept], time_s=0.02 * kept, step=kept)
    found = relation(Workbench(case(sim, target, STEP)))
    assert len(found.sim) == 98
    assert len(found.target) == 95
    assert not {49, 50} & set(found.target.row.tolist())


def test_that_a_late_stamp_is_not_a_missing_row_where_a_counter_says_so():
    obs = wander(100, 1, seed=4)[:, 0]
    late = 0.02 * np.arange(100)
    late[50:] += 0.015
    with_counter = trace(obs=obs, action=obs, time_s=late)
    without = trace(obs=obs, action=obs, time_s=late, step=False)
    sim = trace(obs=obs, action=obs)
    assert len(relation(Workbench(case(sim, with_counter, STEP))).target) == 98
    assert len(relation(Workbench(case(sim, without))).target) == 96


def test_that_random_output_is_not_predicted():
    draw = np.random.default_rng(0)
    obs = np.cumsum(draw.normal(0, 1, 300))
    bench = Workbench(
        case(trace(obs=obs, action=draw.normal(0, 1, 300)), trace(obs=obs * 1.1), STEP)
    )
    assert bench.relation.outputs == ()
    assert bench.gaps == ()


def test_that_a_handful_of_rows_has_no_relation():
    bench = Workbench(case(trace(obs=np.arange(15.0)), trace(obs=np.arange(15.0)), STEP))
    assert relation(bench) is None


def test_that_a_quadratic_plant_is_recognised():
    u = wander(400, 1, seed=5)[:, 0]
    o = np.zeros(400)
    for i in range(399):
        o[i + 1] = o[i] + 0.1 * u[i] ** 2 - 0.05 * o[i]
    bench = Workbench(case(trace(obs=o, action=u), trace(obs=o[::-1].copy(), action=u), STEP))
    assert bench.relation.kind == ("quadratic",)


def test_that_cross_validation_sees_no_skill_in_noise_and_full_skill_in_a_line():
    draw = np.random.default_rng(1)
    x = np.column_stack((np.ones(500), draw.normal(size=(500, 3))))
    y = np.column_stack((x @ [1.0, 2.0, -1.0, 0.5], draw.normal(size=500), np.zeros(500)))
    score = cross_validated(x, y)
    assert score[0] == pytest.approx(1.0)
    assert score[1] < 0.05
    assert score[2] == -np.inf


def test_that_unexcited_directions_are_left_out_of_a_solution():
    x = np.column_stack((np.ones(50), np.arange(50.0), np.arange(50.0)))
    beta = solve(x.T @ x, x.T @ (3.0 + 2.0 * x[:, 1:2]))
    assert beta[:, 0] == pytest.approx([3.0, 1.0, 1.0])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_that_directions_are_uncorrelated_in_both_traces(seed, q):
    draw = np.random.default_rng(seed)
    a, b = (draw.normal(size=(60, q)) @ draw.normal(size=(q, q)) for _ in range(2))
    gram = [x.T @ x / 60 for x in (a, b)]
    along = directions(*gram)
    for g, second in zip(gram, (along.sim, along.target), strict=True):
        assert along.basis.T @ g @ along.basis == pytest.approx(np.diag(second), abs=1e-6)
    assert along.sim + along.target == pytest.approx(np.full(along.sim.size, 2.0))


def test_that_a_direction_the_simulator_never_used_is_not_comparable():
    draw = np.random.default_rng(2)
    a, b = draw.normal(size=(200, 3)), draw.normal(size=(200, 3))
    a[:, 2] *= 0.05
    along = directions(a.T @ a / 200, b.T @ b / 200)
    assert along.comparable.sum() == 2


def test_that_rows_far_from_the_simulators_are_outside_the_supported_region():
    draw = np.random.default_rng(3)
    a, b = draw.normal(size=(500, 2)), draw.normal(size=(500, 2))
    b[:50] += 8.0
    along = directions(a.T @ a / 500, b.T @ b / 500)
    inside = along.inside(a @ along.basis, b @ along.basis)
    assert not inside[:50].any()
    assert inside[50:].mean() > 0.98


@settings(max_examples=40, deadline=None)
@given(st.floats(1.0, 60.0), st.floats(0.0, 3000.0), st.integers(0, 1000))
def test_that_noncentralities_are_ordered_and_bracket_the_draw(dof, centre, seed):
    draw = float(np.random.default_rng(seed).noncentral_chisquare(dof, centre))
    low, high = spread_interval(draw, dof, 0.99)
    assert 0 <= low <= high
    assert low <= max(draw - dof, 0.0) + 1e-6
    assert high >= max(draw - dof, 0.0) - 1e-6


def test_that_the_interval_of_a_noncentrality_covers_as_often_as_it_says():
    rng = np.random.default_rng(4)
    for centre in (0.0, 5.0, 200.0, 5000.0):
        draws = rng.noncentral_chisquare(6.0, centre, 400) if centre else rng.chisquare(6.0, 400)
        ends = [spread_interval(float(d), 6.0, 0.95) for d in draws]
        share = np.mean([low <= centre <= high for low, high in ends])
        assert share > 0.92


def test_that_sensor_noise_does_not_bend_the_compensated_fit():
    """Least squares reads a decay into white sensor noise; the compensated fit does not."""
    rng = np.random.default_rng(5)
    u = wander(20_000, 1, seed=6, smooth=1.0)
    o = np.zeros((20_000, 1))
    for i in range(19_999):
        o[i + 1] = 0.95 * o[i] + 0.2 * u[i]
    seen = o + rng.normal(0, 0.1, o.shape)
    from tracescope.analysis.one_step import Scaling, features

    steps = steps_of_arrays(seen, u)
    scaling = Scaling(np.zeros(1), np.ones(1), np.zeros(1), np.ones(1))
    x = features("linear", steps, scaling)
    plain = solve(x.T @ x, x.T @ steps.change)[1, 0]
    mended = noise_compensated(x, steps, scaling)[1, 0]
    assert abs(mended + 0.05) < 0.25 * abs(plain + 0.05)


def test_that_a_slow_disturbance_does_not_bend_the_whitened_fit():
    rng = np.random.default_rng(6)
    n = 20_000
    u, slow = rng.normal(size=n), np.zeros(n)
    for i in range(1, n):
        slow[i] = 0.9 * slow[i - 1] + 0.1 * rng.normal()
    o = np.zeros(n)
    for i in range(n - 1):
        o[i + 1] = 0.9 * o[i] + u[i] + slow[i]
    x, y = np.column_stack((o[:-1], u[:-1])), np.diff(o)[:, None]
    plain = solve(x.T @ x, x.T @ y)
    mended = whitened(x, y, np.arange(n - 1), plain)
    assert abs(mended[0, 0] + 0.1) < 0.5 * abs(plain[0, 0] + 0.1)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("push", [0.1, 0.2])
def test_that_a_slow_disturbance_of_the_target_makes_no_lower_end_of_a_gap(push, seed):
    """Both plants are the same; a push that comes and goes by itself bends the target's least squares."""
    sides = []
    for side, size in ((2 * seed, 0.0), (2 * seed + 1, push)):
        draw = np.random.default_rng(side)
        u = wander(1500, 1, seed=side, smooth=1.0)[:, 0]
        slow, o = 0.0, np.zeros(1500)
        for i in range(1499):
            slow = 0.9 * slow + size * draw.normal()
            o[i + 1] = 0.9 * o[i] + 0.3 * u[i] + slow
        sides.append(trace(obs=o, action=u))
    (gap,) = Workbench(case(*sides, STEP)).gaps
    assert gap.estimate > 0.3  # what least squares alone would have said
    assert gap.interval[0] == 0


@pytest.mark.parametrize("own", [0.0, 0.02, 0.3])
def test_that_what_the_simulator_hardly_tried_bounds_no_gap_though_the_target_ignores_it(own):
    """A second command moves the simulator, which hardly used it, and the target hardly heeds it."""
    sides = []
    for side, heed, reach in ((0, 0.3, 0.05), (1, own, 1.0)):
        u = wander(400, 2, seed=side)
        u[:, 1] *= reach
        o = np.zeros(400)
        noise = np.random.default_rng(side).normal(0, 0.002, 400)
        for i in range(399):
            o[i + 1] = 0.9 * o[i] + 0.3 * u[i, 0] + heed * u[i, 1] + noise[i]
        sides.append(trace(obs=o, action=u))
    bench = Workbench(case(*sides, STEP))
    (gap,) = bench.gaps
    steps = bench.relation.target
    motion = -0.1 * steps.state[:, 0] + 0.3 * steps.drive[:, 0] + own * steps.drive[:, 1]
    truth = np.sqrt((((0.3 - own) * steps.drive[:, 1]) ** 2).mean() / (motion**2).mean())
    assert np.hypot(gap.interval[1], gap.unexcited) >= 0.9 * truth
