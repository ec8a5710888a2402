"""What a result says of the clock in force, of stretches of a long pair, and of actions it could not pair."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action import CHECK as ACTION
from tracescope.checks.alignment_clock import clock_measurements
from tracescope.checks.base import of_stretches
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Coverage, State


def test_that_a_drift_is_reported_beside_the_offset_where_there_is_one():
    (alone,) = clock_measurements(Alignment(offset_s=0.5))
    assert (alone.quantity, alone.estimate, alone.unit) == ("clock offset", 0.5, "s")
    known = Alignment(offset_s=0.5, drift=1e-4, drift_interval=(0.9e-4, 1.2e-4))
    offset, drift = clock_measurements(known)
    assert offset.estimate == 0.5
    assert (drift.quantity, drift.unit, drift.required) == ("clock drift", "ppm", False)
    assert (drift.estimate, *drift.interval) == pytest.approx((100, 90, 120))
    assert len(clock_measurements(Alignment(drift=1e-4))) == 2
    assert len(clock_measurements(Alignment(drift_interval=(-1e-5, 1e-5)))) == 2


def test_that_a_long_pairs_result_covers_what_was_read_off_its_stretches():
    kept = Coverage("obs", (0.0, 1.0), "as far as it moved")
    result = CheckResult("timing", State.PASS, "fine", coverage=(kept,))
    long, short = (SimpleNamespace(excerpt_words=words) for words in ("8 stretches of 1 min", ""))
    found = of_stretches(result, long, "responses fitted on")  # type: ignore[arg-type]
    assert found.coverage == (kept, Coverage("", None, "responses fitted on: 8 stretches of 1 min"))
    assert (found.state, found.reason) == (State.PASS, "fine")
    assert of_stretches(result, short, "responses fitted on") is result  # type: ignore[arg-type]


def test_that_an_action_with_too_few_common_rows_is_named():
    sim, target = (trace(0.02, wander(12, seed=s), wander(12, 2, seed=s + 5)) for s in (1, 2))
    result = ACTION.judge(Workbench(case(sim, target, Alignment(mode="step"))), {})
    assert result.state is not State.PASS
    assert {m.channel for m in result.measurements} == {"action[0]", "action[1]"}


def test_that_emitted_actions_are_named_as_not_compared_where_the_rows_are_not_known_to_pair():
    sides = []
    for seed in (1, 2):
        command = wander(300, seed=seed, smooth=6.0)[:, 0]
        obs = np.concatenate(([0.0], 0.7 * command[:-1])) + 0.2
        sides.append(trace(0.02, obs, command, applied=command))
    bench = Workbench(case(*sides, Alignment(mode="step")))
    paired = ACTION.judge(bench, {})
    assert paired.measured("following gain")[0].channel == "action"
    gated = ACTION.judge(bench, {"alignment": CheckResult("alignment", State.FAIL, "")})
    assert not gated.measured("following gain")
    (compared,) = gated.measured("altered emitted rows")
    assert (compared.channel, compared.state) == ("action", State.INCONCLUSIVE)
    assert compared.blocked
