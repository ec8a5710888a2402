"""Intervals hold the truth on autocorrelated noise; the full table is ``python -m tests.truth.coverage``."""

import pytest

from tests.truth.coverage import KINDS, Cell, cell, main, table

QUICK = {
    "mean": 1000,
    "standard deviation": 300,
    "scale, noise in both": 800,
    "scale, noise in one": 800,
    "level": 800,
    "growth, none": 300,
    "growth, doubling": 300,
    "lag, one channel": 800,
    "lag, three channels": 800,
    "latency": 200,
    "gap": 150,
    "reward difference": 200,
    "reward slope": 200,
    "distribution distance": 400,
}
"""Repetitions that keep the run short; the slow kinds run a share of them."""


@pytest.mark.parametrize("kind", QUICK)
@pytest.mark.parametrize(("rows", "phi"), [(40, 0.5), (200, 0.0), (200, 0.9)])
def test_that_intervals_do_not_under_cover(kind, rows, phi):
    found = cell(kind, rows, phi, QUICK[kind], 0.95)
    assert found.verdict != "low", found


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_that_long_series_cover_at_the_nominal_rate(phi):
    for kind, reps in (("mean", 800), ("standard deviation", 200), ("level", 400)):
        found = cell(kind, 2000, phi, reps, 0.95)
        assert found.verdict != "low", found
        assert found.coverage < 0.995, found


@pytest.mark.parametrize("kind", ["lag, one channel", "lag, three channels"])
def test_that_lags_in_few_rows_of_strong_memory_cover_at_the_confidence_of_the_checks(kind):
    found = cell(kind, 40, 0.9, 1000, 0.99)
    assert found.coverage > 0.965, found  # two points, and a standard error of five hundred draws
    assert found.believed_verdict != "low", found


def test_that_intervals_of_few_effective_samples_are_counted_apart():
    found = cell("mean", 40, 0.9, 200, 0.95)
    assert found.given == 200
    assert found.believed < 100
    assert found.believed_held <= found.believed
    still = cell("standard deviation", 40, 0.9, 100, 0.95)
    assert still.believed_verdict != "low", still


def made(kind, phi, given, held, believed, believed_held) -> Cell:
    return Cell(kind, 40, phi, 0.95, given, held, 1000, believed, believed_held)


def test_that_the_table_marks_what_is_too_narrow_and_what_no_check_believes():
    cells = [
        made("mean", 0.0, 1000, 880, 1000, 880),
        made("mean", 0.9, 500, 499, 500, 499),
        made("level", 0.0, 1000, 940, 800, 760),
        made("level", 0.9, 1000, 700, 90, 50),
        made("gap", 0.0, 0, 0, 0, 0),
        made("gap", 0.9, 1000, 850, 400, 300),
    ]
    assert [c.verdict for c in cells] == ["low", "wide", "ok", "low", "none", "low"]
    assert [c.believed_verdict for c in cells] == ["low", "wide", "ok", "unmet", "unmet", "low"]
    lines = table(cells).splitlines()
    assert "88.0!" in lines[1]
    assert "99.8+~" in lines[1]
    assert "94.0" in lines[2]
    assert "70.0!" in lines[2]
    assert "–" in lines[3]
    assert lines[4] == ""
    assert "95.0 ~" in lines[7]
    assert "unmet" in lines[7]
    assert (
        "6 cells, believed intervals: 1 within two points or chance, 1 at least nominal"
        in lines[-2]
    )
    assert "2 low, 1 coverage unmet" in lines[-2]
    assert "1 without an interval" in lines[-2]
    assert lines[-1].startswith("at least nominal, by design: mean: the larger of two")


def test_that_every_kind_that_may_be_wide_says_why():
    assert all(kind.wide_because for kind in KINDS.values())


def test_that_every_kind_runs_from_the_command_line(capsys):
    main(["--reps", "10", "--rows", "60", "--phi", "0.5"])
    shown = capsys.readouterr().out
    assert all(kind in shown for kind in KINDS)
