"""What of timing rests on the alignment, and what stands on one trace's own clock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks import alignment, timing
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers import open_trace
from tracescope.session.run import run_checks

RESPONSE = "response latency, target less sim"
OPEN = CheckResult.inconclusive("alignment", "an episode that cannot be aligned")


def bench(sim: Trace, target: Trace) -> Workbench:
    both = pair(sim, target)
    return Workbench(Case(both, initial_alignment(both)[0]))


def one(result: CheckResult, quantity: str) -> Measurement:
    (found,) = result.measured(quantity)
    return found


def stalling(n: int = 200) -> tuple[Trace, Trace]:
    value = wander(n, 2, seed=3)
    stamps, late = 0.02 * np.arange(n), value.copy()
    stamps[5::4], late[5::4] = stamps[4:-1:4], late[4:-1:4]
    return trace(0.02, value), trace(time_s=stamps, obs=late)


def test_that_a_clock_is_judged_without_an_alignment() -> None:
    result = timing.CHECK.judge(bench(*stalling()), {"alignment": OPEN})
    assert result.state is State.FAIL
    assert one(result, "stale rows").state is State.FAIL
    assert "stale rows" in result.reason
    response = one(result, RESPONSE)
    assert response.state is State.INCONCLUSIVE
    assert response.blocked == "alignment not established: an episode that cannot be aligned"


def test_that_a_good_clock_does_not_pass_the_check_without_an_alignment() -> None:
    value = wander(200, 2, seed=3)
    result = timing.CHECK.judge(bench(trace(0.02, value), trace(0.02, value)), {"alignment": OPEN})
    assert result.state is State.INCONCLUSIVE
    assert "alignment not established" in result.reason
    assert result.settle == "a better alignment"
    assert one(result, "mean interval ratio").state is State.PASS


def test_that_sorted_stamps_are_no_ground_for_a_verdict() -> None:
    sim, target = stalling()
    note = HealthNote("9 rows ran back", count=9, key="out-of-order")
    result = timing.CHECK.judge(bench(sim, replace(target, health=(note,))), {"alignment": OPEN})
    assert result.state is State.INCONCLUSIVE
    assert "9 of 200 rows of the target ran back in time" in one(result, "stale rows").blocked


@pytest.mark.parametrize(("unit", "slower"), [(1e3, "target"), (1e-6, "sim")])
def test_that_stamps_in_two_units_are_not_two_rates(unit: float, slower: str) -> None:
    value = wander(100, 2, seed=3)
    result = timing.CHECK.judge(
        bench(trace(0.02, value), trace(0.02 * unit, value)), {"alignment": OPEN}
    )
    assert result.state is State.INCONCLUSIVE
    assert f"the {slower}'s intervals are" in one(result, "mean interval ratio").blocked


def test_that_the_beams_stale_rows_are_found_whatever_its_alignment(shared_data: Path) -> None:
    folder = shared_data / "ball-and-beam"
    (sim,), (real,) = folder.glob("sim*.csv"), folder.glob("hardware*.csv")
    case = bench(open_trace(sim), open_trace(real)).case
    found = {r.id: r for r in run_checks(case, (alignment.CHECK, timing.CHECK))}
    assert found["alignment"].state is State.INCONCLUSIVE
    assert one(found["alignment"], "common rows").state is State.PASS
    assert found["timing"].state is State.FAIL
    assert "20 of 76 rows repeat" in found["timing"].reason
    assert "column dt says 10 ms always; measured 0 to 30.9" in found["timing"].reason


def test_that_a_response_is_not_read_off_a_swapped_channel() -> None:
    value = wander(200, 2, seed=3)
    same = bench(trace(0.02, value), trace(0.02, value))
    aligned = CheckResult("alignment", State.PASS, "")
    swap = Measurement("swapped channels", "", 2.0, (2.0, 2.0), tolerance=(0.0, 0.0))
    seen = CheckResult("observation-scaling", State.FAIL, "swapped", (swap,))
    result = timing.CHECK.judge(same, {"alignment": aligned, "observation-scaling": seen})
    assert one(result, RESPONSE).blocked.startswith("observations are swapped")
    assert result.settle == "the swap corrected"
    apart = replace(swap, estimate=0.0, interval=(0.0, 0.0))
    kept = CheckResult("observation-scaling", State.PASS, "", (apart,))
    upstream = {"alignment": aligned, "observation-scaling": kept}
    assert not one(timing.CHECK.judge(same, upstream), RESPONSE).blocked


def test_that_held_observations_excuse_a_late_response() -> None:
    held = Measurement("held rows", "obs[0]", 6.0, (6.0, 6.0), tolerance=(0.0, 2.0))
    seen = {
        "alignment": CheckResult("alignment", State.PASS, ""),
        "observation-scaling": CheckResult("observation-scaling", State.FAIL, "held", (held,)),
    }
    prompt = timing.CHECK.judge(bench(*driven(0)), seen)
    assert one(prompt, RESPONSE).state is State.PASS
    both = bench(*driven(3))
    alone = {"alignment": seen["alignment"]}
    assert one(timing.CHECK.judge(both, alone), RESPONSE).state is State.FAIL
    excused = one(timing.CHECK.judge(both, seen), RESPONSE)
    assert excused.state is State.INCONCLUSIVE
    assert excused.blocked.startswith("obs[0] coarse or held")


def driven(delay: int, n: int = 300) -> tuple[Trace, Trace]:
    """Two runs of one mass under their own pushes, the target's acting so many rows later."""
    sides = []
    for seed, late in ((1, 0), (2, delay)):
        rng = np.random.default_rng(seed)
        push, speed = rng.standard_normal(n), np.zeros(n)
        for i in range(n - 1):
            acting = push[i - late] if i >= late else 0.0
            speed[i + 1] = 0.95 * speed[i] + 0.1 * acting
        sides.append(trace(0.02, speed + 1e-3 * rng.standard_normal(n), push))
    return sides[0], sides[1]
