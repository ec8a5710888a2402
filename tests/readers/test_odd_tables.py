"""Text tables joined, numbered, ruled and damaged in ways that must neither shift nor hide a value."""

from __future__ import annotations

import time

import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import open_trace

NAMES = "timestamp,step,obs_x,action_u"
ROWS = [f"{0.02 * k:.2f},{k},{0.5 * k},{k % 7}" for k in range(40)]


def text(*lines, end="\n"):
    return end.join(lines) + end


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_that_a_header_in_the_middle_is_left_out_and_said(tmp_path, mark, end):
    trace = open_trace(put(tmp_path, text(NAMES, *ROWS[:25], mark + NAMES, *ROWS[25:], end=end)))
    assert values(trace, "obs_x") == [0.5 * k for k in range(40)]
    assert trace.step is not None
    said = note(trace, "header-again")
    assert (said.severity, said.count, said.where) == ("repaired", 1, "line 27")
    assert "words-among-numbers" not in keys(trace)


def test_that_joined_recordings_are_two_episodes(tmp_path):
    path = put(tmp_path, text(NAMES, *ROWS, NAMES, *ROWS[:30]))
    assert note(open_trace(path), "header-again").count == 1
    assert (len(open_trace(path, "0")), len(open_trace(path, "1"))) == (40, 30)


@pytest.mark.parametrize("row", ["[s],[-],[m],[N]", "s,-,m,N", "[s],,[m],[-]"])
def test_that_a_row_of_units_gives_them_also_where_some_have_none(tmp_path, row):
    trace = open_trace(put(tmp_path, text(NAMES, row, *ROWS)))
    assert trace["obs_x"].unit == "m"
    assert trace.step is not None
    assert "words-among-numbers" not in keys(trace)


def test_that_a_table_of_markdown_keeps_its_names(tmp_path):
    lines = [f"| {row.replace(',', ' | ')} |" for row in (NAMES, *ROWS)]
    lines.insert(1, "|---|:---:|---:|:---|")
    trace = open_trace(put(tmp_path, text(*lines)))
    assert values(trace, "obs_x") == [0.5 * k for k in range(40)]


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("quote", ["", '"'])
def test_that_row_numbers_without_a_name_shift_no_name(tmp_path, start, quote):
    rows = [f"{quote}{start + k}{quote},{row}" for k, row in enumerate(ROWS)]
    trace = open_trace(put(tmp_path, text(NAMES, *rows)))
    assert values(trace, "obs_x") == [0.5 * k for k in range(40)]
    assert trace.clock.column == "timestamp"
    assert note(trace, "row-numbers").severity == "repaired"


def test_that_a_counter_with_a_name_keeps_it_where_the_last_name_is_missing(tmp_path):
    rows = [f"{k},{0.02 * k:.2f},{0.5 * k},9" for k in range(40)]
    trace = open_trace(put(tmp_path, text("step,timestamp,obs_x", *rows)))
    assert values(trace, "obs_x") == [0.5 * k for k in range(40)]
    assert values(trace, "column 4") == [9] * 40
    assert "few-names" in keys(trace)


@pytest.mark.parametrize("cell", ["-1.#IND00", "1.#QNAN0", "1.#J", "-1.#J", "1.#SNAN", "1.#IND"])
def test_that_windows_spells_nothing_with_any_number_of_digits(tmp_path, cell):
    rows = [row.replace(f",{0.5 * 9},", f",{cell},") for row in ROWS]
    trace = open_trace(put(tmp_path, text(NAMES, *rows)))
    assert str(values(trace, "obs_x")[9]) == "nan"


@pytest.mark.parametrize(("cell", "value"), [("1.#INF00", "inf"), ("-1.#INF000000", "-inf")])
def test_that_windows_spells_infinity_with_any_number_of_digits(tmp_path, cell, value):
    rows = [row.replace(f",{0.5 * 9},", f",{cell},") for row in ROWS]
    trace = open_trace(put(tmp_path, text(NAMES, *rows)))
    assert str(values(trace, "obs_x")[9]) == value


def test_that_a_bookkeepers_minus_among_numbers_is_missing_and_never_positive(tmp_path):
    rows = [row.replace(f",{0.5 * 9},", ",(4.5),") for row in ROWS]
    trace = open_trace(put(tmp_path, text(NAMES, *rows)))
    assert str(values(trace, "obs_x")[9]) == "nan"
    assert "(4.5)" in note(trace, "words-among-numbers").what


@pytest.mark.parametrize("cell", ["[4.5]", "(4.5,)", "(4.5, 1)"])
def test_that_vectors_are_still_vectors(tmp_path, cell):
    rows = [f'{0.02 * k:.2f},"{cell}"' for k in range(40)]
    assert values(open_trace(put(tmp_path, text("t,obs", *rows))), "obs[0]") == [4.5] * 40


def test_that_many_broken_cells_are_refused_in_no_more_time_than_reading_takes(tmp_path):
    good = [f"{0.02 * k:.2f};{0.5 * k + 0.25}" for k in range(60_000)]
    bad = [row.replace(".", ",") for row in good[30_000:]]
    path = put(tmp_path, text("timestamp;obs_x", *good[:30_000], *bad))
    started = time.process_time()
    with pytest.raises(TraceReadError, match="line 30002"):
        open_trace(path)
    assert time.process_time() - started < 10  # every cell against every other took minutes


def test_that_one_column_without_a_name_is_still_a_table(tmp_path):
    assert len(open_trace(put(tmp_path, "0.0\n0.5\n0.25\n1.0\n"))) == 4
