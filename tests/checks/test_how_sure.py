"""Every measurement tells how sure it is, every result how many rows it compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, exercise, trace, wander
from tests.truth.pairs import make_pair
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment_clock import contradicted
from tracescope.checks.registry import BUILT_IN
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement


def clipped() -> Case:
    sim, obs = 0.4 * wander(300, seed=1), wander(300, seed=9)
    return case(
        trace(0.02, obs, sim), trace(0.02, obs, np.clip(sim, -0.3, 0.3)), Alignment(mode="step")
    )


CASES = {
    "exercise": lambda: case(*exercise()),
    "clipped": clipped,
    "made": lambda: make_pair(4_130_001, rows=300).case,
}


@pytest.mark.parametrize(
    ("name", "confidence"), [*((name, 0.99) for name in CASES), ("exercise", 0.999)]
)
def test_that_every_measurement_is_as_sure_as_was_asked_or_surer(name: str, confidence: float):
    bench = Workbench(replace(CASES[name](), confidence=confidence))
    found: dict[str, CheckResult] = {}
    for check in BUILT_IN:
        found[check.id] = check.judge(bench, found)
        for measurement in found[check.id].measurements:
            low, high = measurement.interval or (0.0, 0.0)
            least = confidence if low < high else 0.99  # what is counted is not a matter of chance
            assert least <= measurement.confidence < 1, measurement
            assert isinstance(measurement.channel, str)
            assert isinstance(measurement.note, str)
            assert isinstance(measurement.unit, str)
    assert dict(found["alignment"].counts)["common rows"] == len(bench.rows) > 0


@pytest.mark.parametrize(("rows", "side"), [(0.5, "right"), (3.0, "right"), (-0.5, "left")])
def test_that_an_offset_set_by_hand_is_said_to_draw_the_right_way(rows: float, side: str):
    words = contradicted(Measurement("offset", "", rows, None, "rows"), 0.02)
    assert f"{abs(rows):.3g} rows ({20 * abs(rows):.4g} ms) {side} of" in words
