"""Outputs that were asked for, rows that were altered whatever is known of noise, and few rows' samples."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tests.checks.dynamics_plants import Plant, both
from tracescope.analysis.action_map import NamedMap, altered_rows
from tracescope.analysis.action_map_kinds import FittedMap
from tracescope.analysis.lag import refine
from tracescope.analysis.one_step_gap import gaps
from tracescope.analysis.spline import smoothed
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action import CHECK as ACTION
from tracescope.model.alignment import Alignment


def test_that_only_the_outputs_asked_for_are_measured():
    relation = Workbench(both(Plant("spring"), 300, 1, mass=1.5)).relation
    assert relation is not None
    every = gaps(relation, 0.99)
    assert len(every) > 1
    for place, wanted in enumerate(relation.outputs):
        (found,) = gaps(relation, 0.99, outputs=[wanted])
        assert found.output == every[place].output


def test_that_rows_are_altered_where_no_noise_is_known():
    emitted = wander(300, seed=1)[:, 0]
    applied = np.where(np.arange(300) < 100, 0.0, emitted)
    found = altered_rows(emitted, applied, NamedMap(FittedMap("unnamed"), 1.0, float("nan")))
    assert found[:100].mean() > 0.95
    assert not found[100:].any()


def test_that_few_rows_are_believed_less_than_their_number_says():
    """Four times the rows halve an interval; beyond that few rows are widened and count for fewer samples."""
    width, share = np.zeros((2, 12)), np.zeros((2, 12))
    for seed in range(12):
        value = wander(160, 2, seed=seed).T
        noisy = value + 0.05 * np.random.default_rng(seed).standard_normal((2, 160))
        for k, n in enumerate((40, 160)):
            found = refine(smoothed(value[:, :n]), smoothed(noisy[:, :n]), 0.0, 0.99)
            width[k, seed] = found.interval[1] - found.interval[0]
            share[k, seed] = found.n_eff / n
    assert np.median(width[0] / width[1]) > 2.5
    assert np.median(share[0] / share[1]) < 0.9


def test_that_a_gains_interval_is_as_wide_beside_any_gain():
    command, rng = wander(400, seed=1)[:, 0], np.random.default_rng(3)
    scatter = 0.004 * rng.standard_normal((2, 400))
    widths = []
    for gain in (0.01, 1.5, 100.0):
        sides = [
            trace(0.02, wander(400, seed=9), command, applied=gain * (command + one))
            for one in scatter
        ]
        result = ACTION.judge(Workbench(case(*sides, Alignment(mode="step"))), {})
        (ratio,) = result.measured("applied gain")
        assert ratio.estimate == pytest.approx(1.0, abs=0.01)
        assert ratio.interval is not None
        widths.append(ratio.interval[1] - ratio.interval[0])
    assert widths == pytest.approx([widths[1]] * 3, rel=0.2)
    assert 0 < widths[1] < 0.01
