"""Observation scaling: each fault is this finding and no other, and a healthy pair fails nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, exercise, trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction

STEPS = Alignment(mode="step")
START = np.array([2.0, -1.5, 1.0])


def judged(sim, target, *, corrections=(), upstream=None) -> CheckResult:
    pair = replace(case(sim, target, STEPS), corrections=tuple(corrections))
    return CHECK.judge(Workbench(pair), upstream or {})


def motion(n: int = 400, seed: int = 1) -> np.ndarray:
    """Three channels that start away from zero, shape ``(n, 3)``."""
    value = wander(n, 3, seed)
    return value - value[0] + START


def pair_with(change, n: int = 400, seed: int = 1, noise: float = 0.01):
    """A pair under equal commands whose target's observation went through ``change``."""
    sim, action = motion(n, seed), np.random.default_rng(seed + 50).standard_normal((n, 2))
    real = sim + noise * np.random.default_rng(seed + 99).standard_normal(sim.shape)
    return trace(0.02, sim, action), trace(0.02, change(real.copy()), action)


def findings(result: CheckResult) -> set[tuple[str, str]]:
    return {
        (m.quantity, m.channel) for m in result.measurements if m.judged and m.state is State.FAIL
    }


def kinds(result: CheckResult) -> set[tuple[str, tuple[str, ...]]]:
    return {(lead.kind, lead.channels) for lead in result.leads}


def scaled(factor: float, offset: float = 0.0):
    def change(value):
        value[:, 0] = factor * value[:, 0] + offset
        return value

    return change


def test_that_the_exercise_shows_both_scales_inside_narrow_intervals() -> None:
    result = judged(*exercise())
    assert result.state is State.FAIL
    for name in ("obs[0]", "obs[1]"):
        (scale,) = result.measured("scale", name)
        assert scale.state is State.FAIL
        assert scale.interval is not None
        low, high = scale.interval
        assert 1.4 <= low <= 1.5 <= high <= 1.6
        assert "route A" in scale.note
    assert findings(result) == {("scale", "obs[0]"), ("scale", "obs[1]")}
    assert [c.channel for c in result.pending] == ["obs[0]", "obs[1]"]
    assert all(c.offset == 0 for c in result.pending)


@pytest.mark.parametrize("scale", [1.5, None])
def test_that_the_exercise_passes_once_corrected(scale: float | None) -> None:
    sim, target = exercise()
    found = judged(sim, target).pending
    given = [Correction(c.channel, scale) for c in found] if scale else found
    result = judged(sim, target, corrections=given)
    assert result.state is State.PASS
    assert result.pending == ()
    assert set(map(str, given)) <= set(result.applied)


@pytest.mark.parametrize("factor", [0.8, 0.9, 1.1, 1.2, 1.5])
def test_that_a_scale_is_a_scale_of_that_channel(factor: float) -> None:
    result = judged(*pair_with(scaled(factor)))
    assert findings(result) == {("scale", "obs[0]")}
    assert kinds(result) == {("scale", ("obs[0]",))}
    (correction,) = result.pending
    assert correction.scale == pytest.approx(factor, rel=0.02)
    assert correction.offset == 0


@pytest.mark.parametrize(
    ("factor", "name"),
    [
        (180 / np.pi, "180/π"),
        (np.pi / 180, "1/(180/π)"),
        (1000.0, "1000"),
        (0.01, "1/(100)"),
        (2 * np.pi, "2π"),
        (9.80665, "9.80665"),
        (0.0254, "0.0254"),
        (4096 / (2 * np.pi), "4096/2π"),
    ],
)
def test_that_a_unit_step_is_named(factor: float, name: str) -> None:
    result = judged(*pair_with(scaled(factor)))
    assert findings(result) == {("scale", "obs[0]")}
    (lead,) = result.leads
    assert lead.kind == "unit"
    assert lead.value == pytest.approx(factor)
    assert name in lead.text


@pytest.mark.parametrize("offset", [-0.5, 0.3, 1.0])
def test_that_an_offset_is_an_offset(offset: float) -> None:
    result = judged(*pair_with(scaled(1.0, offset)))
    assert findings(result) == {("level", "obs[0]")}
    assert kinds(result) == {("offset", ("obs[0]",))}
    (correction,) = result.pending
    assert (correction.scale, correction.offset) == (1.0, pytest.approx(offset, abs=0.02))


def test_that_scale_and_offset_together_are_both_found_and_mended() -> None:
    sim, target = pair_with(scaled(1.3, 0.8))
    result = judged(sim, target)
    assert findings(result) == {("scale", "obs[0]"), ("level", "obs[0]")}
    assert judged(sim, target, corrections=result.pending).state is State.PASS


def test_that_a_second_correction_is_folded_into_the_first() -> None:
    sim, target = pair_with(scaled(1.5, 0.6))
    half = Correction("obs[0]", scale=1.25)
    (pending,) = judged(sim, target, corrections=[half]).pending
    assert pending.scale == pytest.approx(1.5, rel=0.02)
    assert judged(sim, target, corrections=[pending]).state is State.PASS


def test_that_a_reversed_sign_is_a_sign() -> None:
    sim, target = pair_with(scaled(-1.0))
    result = judged(sim, target)
    assert findings(result) == {("scale", "obs[0]")}
    assert kinds(result) == {("sign", ("obs[0]",))}
    assert judged(sim, target, corrections=result.pending).state is State.PASS


@pytest.mark.parametrize("order", [(1, 0, 2), (1, 2, 0), (2, 0, 1)])
def test_that_channels_in_each_others_place_are_a_swap(order: tuple[int, ...]) -> None:
    sim, target = pair_with(lambda value: value[:, list(order)])
    result = judged(sim, target)
    assert findings(result) == {("swapped channels", "")}
    moved = {f"obs[{i}]" for i, j in enumerate(order) if i != j}
    assert kinds(result) == {("swap", (name,)) for name in moved}
    assert judged(sim, target, corrections=result.pending).state is State.PASS


def test_that_saturation_is_saturation_and_no_scale() -> None:
    result = judged(*pair_with(lambda v: np.column_stack([np.minimum(v[:, 0], 2.2), v[:, 1:]])))
    assert findings(result) == {("saturated rows", "obs[0]")}
    assert kinds(result) == {("saturation", ("obs[0]",))}
    assert result.leads[0].value == pytest.approx(2.2)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_that_readings_tied_where_the_simulator_shows_only_noise_are_left_open(side: float) -> None:
    rng = np.random.default_rng(5)
    rise = side * np.minimum(np.arange(300) / 100, 2.0)[:, None]
    action = rng.standard_normal((300, 1))
    noisy = [rise + 0.01 * rng.standard_normal((300, 1)) for _ in range(2)]
    sim, free = trace(0.02, noisy[0], action), trace(0.02, noisy[1], action)
    cut = trace(0.02, side * np.minimum(side * noisy[1], 1.99), action)
    assert judged(sim, free).state is State.PASS
    result = judged(sim, cut)
    assert result.state is State.INCONCLUSIVE
    assert "a limit, or a rest without noise" in result.reason


def test_that_quantisation_is_quantisation() -> None:
    result = judged(*pair_with(lambda v: np.column_stack([np.round(4 * v[:, 0]) / 4, v[:, 1:]])))
    assert findings(result) == {("resolution", "obs[0]")}
    assert kinds(result) == {("quantisation", ("obs[0]",))}


def test_that_a_fine_step_is_nothing() -> None:
    result = judged(*pair_with(lambda v: np.round(50 * v) / 50))
    assert result.state is State.PASS


def test_that_one_long_hold_is_a_hold_and_is_shown_where_it_is() -> None:
    def change(value):
        value[100:112, 0] = value[100, 0]
        return value

    result = judged(*pair_with(change))
    assert findings(result) == {("held rows", "obs[0]")}
    assert kinds(result) == {("hold", ("obs[0]",))}
    (evidence,) = result.evidence
    assert evidence.span_s == pytest.approx((2.0, 2.22))


def test_that_a_sensor_at_half_the_rate_is_held() -> None:
    def change(value):
        value[1::2, 0] = value[: len(value[1::2]) * 2 : 2, 0]
        return value

    result = judged(*pair_with(change))
    assert ("held share", "obs[0]") in findings(result)
    assert {name for _, name in findings(result)} == {"obs[0]"}


def test_that_a_dropped_reading_is_left_out() -> None:
    def change(value):
        value[50:70, 0] = np.nan
        return value

    assert judged(*pair_with(change)).state is State.PASS


def test_that_a_mostly_dropped_channel_is_untested_and_no_pass() -> None:
    def change(value):
        value[20:380, 0] = np.nan
        return value

    result = judged(*pair_with(change))
    assert result.state is State.INCONCLUSIVE
    assert any("obs[0]" in item.text for item in result.untested)
    assert result.measured("scale", "obs[1]")[0].state is State.PASS


@pytest.mark.parametrize("n", [40, 200])
def test_that_healthy_pairs_never_fail(n: int) -> None:
    states = {judged(*pair_with(lambda v: v, n, seed, noise=0.05)).state for seed in range(60)}
    assert State.FAIL not in states


def test_that_a_healthy_pair_passes_for_the_range_it_covered() -> None:
    result = judged(*pair_with(lambda v: v))
    assert result.state is State.PASS
    assert {c.channel for c in result.coverage} == {"obs[0]", "obs[1]", "obs[2]"}
    for item in result.coverage:
        assert item.range is not None
        assert item.range[0] < item.range[1]


def test_that_identical_traces_pass() -> None:
    sim = trace(0.02, motion(), np.random.default_rng(1).standard_normal((400, 2)))
    result = judged(sim, sim)
    assert result.state is State.PASS
    assert result.measured("scale", "obs[0]")[0].interval == pytest.approx((1.0, 1.0))


def test_that_a_dead_sensor_is_no_pass() -> None:
    result = judged(*pair_with(lambda v: np.column_stack([np.zeros(len(v)), v[:, 1:]])))
    assert result.state is State.INCONCLUSIVE
    assert any("obs[0] moves only in the simulator" in item.text for item in result.untested)


def test_that_a_constant_of_both_sides_needs_no_verdict() -> None:
    result = judged(*pair_with(lambda v: v))
    sim, target = pair_with(lambda v: v)
    still = np.full(400, 3.0)
    with_still = [
        trace(
            0.02,
            np.column_stack([*(t[f"obs[{i}]"].value for i in range(3)), still]),
            np.column_stack([t[f"action[{i}]"].value for i in range(2)]),
        )
        for t in (sim, target)
    ]
    other = judged(*with_still)
    assert (result.state, other.state) == (State.PASS, State.PASS)


@pytest.mark.parametrize(
    ("sim_empty", "target_empty", "sides"),
    [
        (True, True, "the simulator and the target"),
        (True, False, "the simulator"),
        (False, True, "the target"),
    ],
)
def test_that_a_channel_without_values_keeps_the_check_from_passing(
    sim_empty: bool, target_empty: bool, sides: str
) -> None:
    sim, target = pair_with(lambda v: v)
    both = []
    for one, empty in ((sim, sim_empty), (target, target_empty)):
        values = np.column_stack([one[f"obs[{i}]"].value for i in range(3)])
        if empty:
            values[:, 1] = np.nan
        action = np.column_stack([one[f"action[{i}]"].value for i in range(2)])
        both.append(trace(0.02, values, action))
    result = judged(*both)
    assert result.state is State.INCONCLUSIVE
    (scale,) = result.measured("scale", "obs[1]")
    assert scale.interval is None
    assert scale.note == f"obs[1] holds no value in {sides}"
    assert scale.note in result.reason
    assert "1 of 3 channels undecided" in result.reason
    assert "obs[1] holds values" in result.settle


def test_that_one_channel_is_one_channel() -> None:
    sim, target = pair_with(lambda v: v)
    alone = [trace(0.02, t["obs[0]"].value, t["action[0]"].value) for t in (sim, target)]
    result = judged(*alone)
    assert "1 channel " in result.reason
    assert "1 channels" not in result.reason


def test_that_every_measurement_is_blocked_without_alignment() -> None:
    upstream = {"alignment": CheckResult.inconclusive("alignment", "two offsets fit")}
    result = judged(*exercise(), upstream=upstream)
    assert result.state is State.INCONCLUSIVE
    judged_ones = [m for m in result.measurements if m.judged]
    assert judged_ones
    assert all(m.blocked == "alignment not established: two offsets fit" for m in judged_ones)
    assert result.pending == ()
    assert result.leads == ()
    assert result.settle


def test_that_no_observation_or_no_motion_is_inconclusive_with_a_way_out() -> None:
    nothing = trace(0.02, action=np.arange(50.0))
    still = trace(0.02, np.zeros((50, 2)), np.arange(50.0))
    short = trace(0.02, motion(10), np.arange(10.0))
    for sim in (nothing, still, short):
        result = judged(sim, sim)
        assert result.state is State.INCONCLUSIVE
        assert result.settle


def test_that_huge_values_do_no_harm() -> None:
    result = judged(*pair_with(lambda v: np.where(np.arange(len(v))[:, None] > 390, 1e22, v)))
    assert result.state in (State.FAIL, State.INCONCLUSIVE)


def test_that_a_tolerance_moves_the_verdict() -> None:
    sim, target = pair_with(scaled(1.1))
    wide = case(sim, target, STEPS)
    wide = replace(
        wide, tolerances=wide.tolerances.with_band("observation-scaling.scale", (0.8, 1.2))
    )
    assert CHECK.judge(Workbench(wide), {}).state is State.PASS


def test_that_the_same_case_gives_the_same_result() -> None:
    sim, target = pair_with(scaled(1.2))
    assert judged(sim, target) == judged(sim, target)


def counted_pair(shared: int):
    """A pair in counts of 1 where the simulator has 0.05; the last channel carries another load besides."""
    load = np.random.default_rng(7).standard_normal(600)

    def change(value):
        value[:, 2] = 0.52 * value[:, 2] + 0.3 * load
        counts = np.round(value / 0.05)
        counts[:, : 3 - shared] *= 0.05
        return counts

    sim, target = pair_with(change, n=600)
    channels = sim.channels
    grid = tuple(
        replace(c, value=np.round(c.value / 0.05) * 0.05) if c.name.startswith("obs") else c
        for c in channels
    )
    return replace(sim, channels=grid), target


@pytest.mark.parametrize(("shared", "stepped"), [(3, True), (1, False)])
def test_that_steps_that_many_channels_share_say_the_unit_where_a_load_bends_the_fit(
    shared, stepped
) -> None:
    result = judged(*counted_pair(shared))
    (scale,) = [m for m in result.measured("scale") if m.channel == "obs[2]"]
    assert scale.state is State.FAIL
    assert ("resolution" in scale.note) is stepped
    if stepped:
        assert scale.interval[0] < 20 < scale.interval[1]
        (mended,) = [c.scale for c in result.pending if c.channel == "obs[2]"]
        assert mended == pytest.approx(20, rel=0.01)
        assert result.reason == "scale of 3 channels is 20 (obs[0], obs[1], obs[2])"
