"""The simulator's one-step relation laid over the target's rows with and without a delay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import pair, trace
from tracescope.analysis.response_relation import applied_behind, delay_deviances, rows_behind
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.trace import Trace


def side(seed: int, delay: int, rows: int = 100) -> Trace:
    """One mass under its own pushes, acting so many rows later."""
    rng = np.random.default_rng(seed)
    push, speed = rng.standard_normal(rows), np.zeros(rows)
    acting = np.concatenate((np.zeros(delay), push))[:rows]
    for i in range(rows - 1):
        speed[i + 1] = 0.9 * speed[i] + 0.1 * acting[i]
    return trace(0.02, speed + 1e-4 * rng.standard_normal(rows), push, applied=push)


def bench(sim: Trace, target: Trace) -> Workbench:
    return Workbench(Case(pair(sim, target), Alignment(mode="step")))


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 3))
def test_that_the_true_delay_fits_best(seed: int, delay: int) -> None:
    case = bench(side(seed, 0), side(seed + 1, delay))
    relation = case.relation
    assert relation is not None
    worse = delay_deviances(relation, np.arange(-2.0, 6.0))
    assert int(np.argmin(worse)) - 2 == delay
    assert worse[2] == pytest.approx(0.0, abs=1e-9)
    assert not applied_behind(case.case.pair)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(0, 8),
    st.sampled_from(["same", "clip", "gain"]),
    st.floats(1e-3, 1e3),
)
def test_that_a_log_that_trails_is_found_whatever_altered_it(
    seed: int, lag: int, how: str, unit: float
) -> None:
    emitted = unit * np.random.default_rng(seed).standard_normal(80)
    altered = {"same": emitted, "clip": np.clip(emitted, -unit, unit), "gain": 1.3 * emitted}[how]
    applied = np.concatenate((np.zeros(lag), altered))[:80]
    assert rows_behind(emitted, applied) == lag
    assert rows_behind(emitted, np.zeros(80)) == 0


@pytest.mark.parametrize("rows", range(12))
def test_that_a_handful_of_rows_is_read_or_tells_nothing(rows: int) -> None:
    emitted = np.random.default_rng(rows).standard_normal(rows)
    assert rows_behind(emitted, emitted) == 0
