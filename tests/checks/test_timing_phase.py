"""Rows that pair an action with the observation after it: one control period that is no latency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import trace
from tests.checks.test_timing import driven
from tests.checks.timing_judged import RESPONSE, judged, one
from tracescope.analysis.logging_phase import AFTER, BEFORE
from tracescope.model.check import State
from tracescope.model.trace import Trace
from tracescope.readers import hdf5_episodes


def logged(seed: int, phase: str, delay: int = 0, *, stated: bool = True) -> Trace:
    """The same loop, recorded in one phase or the other."""
    whole = driven(402, delay=delay, seed=seed)
    seen = np.column_stack([c.as_float() for c in whole.channels if c.name.startswith("obs")])
    action = next(c.as_float() for c in whole.channels if c.name == "action")
    late = int(phase == AFTER)
    rows = trace(0.02, seen[late : 400 + late], action[:400])
    return replace(rows, metadata=(("phase", phase),)) if stated else rows


def test_that_readers_and_analysis_use_the_same_words() -> None:
    assert (BEFORE, AFTER) == (hdf5_episodes.BEFORE, hdf5_episodes.AFTER)


@pytest.mark.parametrize("target", [BEFORE, AFTER])
@pytest.mark.parametrize("sim", [BEFORE, AFTER])
@pytest.mark.parametrize("delay", [0, 1, 2])
def test_that_stated_phases_leave_the_true_latency(sim: str, target: str, delay: int) -> None:
    result = judged(logged(1, sim), logged(2, target, delay))
    latency = one(result, RESPONSE)
    assert latency.interval is not None
    assert latency.interval[0] <= delay <= latency.interval[1]
    assert latency.estimate == pytest.approx(delay, abs=0.1)
    assert latency.state is (State.FAIL if delay else State.PASS)
    assert ("logging phase" in latency.note) == (sim != target)
    said = [lead.text for lead in result.leads if lead.kind == "delay"]
    assert len(said) == int(delay > 0)
    assert all(("counted off" in text) == (sim != target) for text in said)
    assert any("counted off" in item.text for item in result.untested) == (sim != target)


@pytest.mark.parametrize("stated", [True, False])
def test_that_one_row_is_not_told_from_an_unstated_phase(stated: bool) -> None:
    result = judged(logged(1, BEFORE, stated=stated), logged(2, BEFORE, 1, stated=False))
    latency = one(result, RESPONSE)
    assert latency.state is State.FAIL
    (lead,) = (lead for lead in result.leads if lead.kind == "delay")
    for text in (lead.text, latency.note):
        assert "not told apart from logging phase" in text
        assert ("neither trace" in text) == (not stated)


def test_that_two_rows_are_no_logging_phase() -> None:
    result = judged(logged(1, BEFORE, stated=False), logged(2, BEFORE, 2, stated=False))
    assert "phase" not in one(result, RESPONSE).note
