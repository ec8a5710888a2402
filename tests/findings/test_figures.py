"""Figures: axis titles with units, one look, the same bytes every time."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import case as case_of
from tests.builders import exercise, trace
from tests.findings import hand
from tracescope.analysis.workbench import Workbench
from tracescope.findings.note.figure import FigureSpec, drawn
from tracescope.findings.note.figures import embedded, figure_specs
from tracescope.findings.note.plots import COLUMNS, thinned, titled
from tracescope.model.check import CheckResult, Evidence, Measurement
from tracescope.model.finding import Observed


@pytest.fixture(scope="module")
def bench():
    return Workbench(hand.case())


@pytest.fixture(scope="module")
def specs(bench):
    return {spec.id: spec for spec in figure_specs(bench, hand.RESULTS)}


def axes_of(spec):
    from matplotlib.figure import Figure

    figure = Figure(figsize=spec.size_in)
    spec.draw(figure)
    return figure.axes


def test_that_each_check_with_something_to_show_has_its_figure(specs):
    assert set(specs) >= {
        "scale-1", "scale-2", "action-1", "intervals", "observation-scaling-evidence-1",
        "action-evidence-1", "residual-over-step",
    }  # fmt: skip


def test_that_every_axis_has_a_title(specs):
    for spec in specs.values():
        for axes in axes_of(spec):
            assert axes.get_ylabel(), spec.id
        assert axes_of(spec)[-1].get_xlabel(), spec.id


def test_that_a_unit_is_the_files_or_said_to_be_missing():
    assert titled("q", "rad") == "q (rad)"
    assert titled("q", "") == "q (unit not stated)"


def test_that_the_target_is_dashed_and_lies_where_the_alignment_puts_it(specs, bench):
    upper, lower = axes_of(specs["observation-scaling-evidence-1"])
    sim, target = upper.get_lines()[:2]
    assert (sim.get_label(), target.get_label()) == ("simulator", "target")
    assert sim.get_linestyle() == "-"
    assert target.get_linestyle() != "-"
    shown = target.get_xdata()
    expected = bench.case.alignment.to_sim(bench.case.pair.target.time_s)
    assert np.isin(np.round(shown, 9), np.round(expected, 9)).all()
    residual = lower.get_lines()[0].get_ydata()
    rows = bench.rows
    assert np.isin(residual, rows.target["obs[0]"] - rows.sim["obs[0]"]).all()


@pytest.mark.parametrize("fmt", ["svg", "png"])
def test_that_a_figure_is_drawn_to_the_same_bytes(specs, fmt):
    spec = specs["scale-1"]
    assert drawn(spec, fmt) == drawn(spec, fmt)
    assert b"2026" not in drawn(spec, "svg")


def test_that_an_embedded_figure_has_no_prolog_and_its_own_ids(bench):
    figures = embedded((s, drawn(s)) for s in figure_specs(bench, [hand.action()]))
    for figure in figures:
        assert figure.svg.startswith("<svg")
        assert all(i.startswith(figure.id) for i in re.findall(r'\bid="([^"]+)"', figure.svg))


def test_that_no_rows_in_common_draw_nothing():
    sim, _ = exercise()
    bench = Workbench(case_of(sim, trace(0.05, other={"x": [0.0, 1.0]}, t0=900.0)))
    assert figure_specs(bench, hand.RESULTS) == ()


def test_that_a_name_with_dollars_is_no_formula():
    value = np.sin(np.arange(60.0))
    made = trace(0.05, other={"$x_{": value})
    from tracescope.findings.note import plots

    def draw(figure):
        plots.draw_overlay(figure, Workbench(case_of(made, made)), "$x_{", (0.5, 1.0))

    assert drawn(FigureSpec("a", "", "", draw)).startswith(b"<?xml")


@given(st.integers(1, 20_000), st.integers(0, 2**32 - 1))
def test_that_thinning_keeps_every_extreme_and_the_order(n, seed):
    value = np.random.default_rng(seed).standard_normal(n)
    time_s = np.arange(n, dtype=float)
    shown_time, shown = thinned(time_s, value)
    assert shown.max() == value.max()
    assert shown.min() == value.min()
    assert (np.diff(shown_time) >= 0).all()
    assert shown.size <= max(2 * COLUMNS, min(n, 2 * COLUMNS))


def altered(quantity: str) -> CheckResult:
    """The action check where something failed on an action whose applied one is logged."""
    failed = Measurement(quantity, "action", 0.44, (0.43, 0.45), "", 90.0, (0.95, 1.05))
    evidence = (Evidence("action", (0.5, 1.0), "", ("action_applied",)),)
    return CheckResult.from_measurements("action", "altered", [failed], evidence=evidence)


def test_that_an_altered_applied_action_is_drawn_over_the_emitted_one_of_either_trace():
    moves = np.random.default_rng(1).normal(0, 1, (3, 100))
    sim = trace(obs=moves[0], action=moves[1], applied=57.3 * moves[1])
    target = trace(obs=moves[0], action=moves[2], applied=25 * moves[2])
    bench = Workbench(case_of(sim, target))
    spec = {s.id: s for s in figure_specs(bench, [altered("applied gain")])}["action-1"]
    assert spec.caption.startswith("action_applied (applied) against action (emitted)")
    (axes,) = axes_of(spec)
    gains = {
        line.get_label(): np.polyfit(line.get_xdata(), line.get_ydata(), 1)[0]
        for line in axes.get_lines()
    }
    assert gains == pytest.approx({"simulator": 57.3, "target": 25.0})
    assert axes.get_xlabel() == "emitted action (unit not stated)"
    emitted = {s.id: s for s in figure_specs(bench, [altered("altered emitted rows")])}["action-1"]
    assert "against what the simulator emitted" in emitted.caption


def test_that_a_mark_gets_the_figure_of_the_channel_that_differs_most_there(bench):
    marked = Observed("odd", "", "mark-0", (Evidence("", (1.0, 1.4), "odd"),), by_hand=True)
    measured = Observed("scale", "observation-scaling", "", (Evidence("obs[0]", (0.0, 1.0)),))
    specs = figure_specs(bench, (), (marked, measured))
    (mark,) = [spec for spec in specs if spec.check == ""]
    assert mark.id == "mark-1"
    assert mark.caption.startswith(
        "obs[1], which differs most there, around what was marked by hand"
    )
    assert b"<svg" in drawn(mark)


def test_that_a_mark_beyond_the_traces_draws_nothing(bench):
    marked = Observed("late", "", "mark-0", (Evidence("", (90.0, 91.0)),), by_hand=True)
    assert figure_specs(bench, (), (marked,)) == ()
