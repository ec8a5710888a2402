"""Text tables as people write them: delimiters, decimal marks, headers, encodings, line ends."""

from __future__ import annotations

import math

import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import open_trace
from tracescope.readers.base import CsvChoices, ImportChoices


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " ", "   ", ":"])
def test_that_the_delimiter_is_told_from_the_content(tmp_path, delimiter):
    rows = [["t", "q", "u"], ["0.0", "1", "2"], ["0.1", "1.5", "3"], ["0.2", "2", "4"]]
    trace = open_trace(put(tmp_path, "\n".join(delimiter.join(row) for row in rows) + "\n"))
    assert trace.time_s.tolist() == [0.0, 0.1, 0.2]
    assert values(trace, "q") == [1.0, 1.5, 2.0]
    assert values(trace, "u") == [2, 3, 4]


def test_that_a_chosen_delimiter_wins_over_what_is_detected(tmp_path):
    path = put(tmp_path, "t,a|q,b\n0,1|2,5\n1,1|3,5\n2,1|4,5\n")
    trace = open_trace(path, choices=ImportChoices(csv=CsvChoices(delimiter="|")))
    assert trace["q,b"].value.tolist() == [2.5, 3.5, 4.5]


@pytest.mark.parametrize("delimiter", ["ab", '"', "\n", "é"])
def test_that_an_impossible_delimiter_is_refused(tmp_path, delimiter):
    choices = ImportChoices(csv=CsvChoices(delimiter=delimiter))
    with pytest.raises(TraceReadError, match="cannot be a delimiter"):
        open_trace(put(tmp_path, "t,q\n0,1\n"), choices=choices)


@pytest.mark.parametrize("language", ["de_DE.UTF-8", "en_US.UTF-8", "C"])
def test_that_the_decimal_mark_comes_from_the_content_and_never_from_the_locale(
    tmp_path, monkeypatch, language
):
    monkeypatch.setenv("LANG", language)
    monkeypatch.setenv("LC_ALL", language)
    point = open_trace(put(tmp_path, "t,q\n0.5,20.66\n1.5,21.25\n", "point.csv"))
    comma = open_trace(put(tmp_path, "t;q\n0,5;20,66\n1,5;21,25\n", "comma.csv"))
    for trace in (point, comma):
        assert trace.time_s.tolist() == [0.5, 1.5]
        assert values(trace, "q") == [20.66, 21.25]


@pytest.mark.parametrize("cell", ["20,66", "1.2.3", "12abc", "1e", "0x1G", "5 V", "--5", "1_000"])
def test_that_a_cell_not_consumed_to_its_end_is_an_error_with_line_and_column(tmp_path, cell):
    rows = "".join(f"{i * 0.1:.1f};{i}.5\n" for i in range(8))
    path = put(tmp_path, f"t;q\n{rows}0.8;{cell}\n0.9;3.5\n")
    if cell == "--5":  # it does not start like a number: words among numbers are missing, and said
        assert "words-among-numbers" in keys(open_trace(path))
        return
    with pytest.raises(TraceReadError) as caught:
        open_trace(path)
    problem = caught.value.problems[0]
    assert "'q'" in problem.what
    assert problem.where == f"{path}: line 10"
    assert problem.found == cell


def test_that_quoted_cells_may_hold_the_delimiter_and_quotes(tmp_path):
    text = 't,"Torque, Request",note\n0.0,1.5,"a, b"\n0.1,2.5,"say ""hi"""\n'
    trace = open_trace(put(tmp_path, text))
    assert values(trace, "Torque, Request") == [1.5, 2.5]
    assert trace["note"].labels == ("a, b", 'say "hi"')


def test_that_tables_with_every_cell_quoted_are_read(tmp_path):
    trace = open_trace(put(tmp_path, '"t","q"\n"0.0","1"\n"0.1","2"\n'))
    assert values(trace, "q") == [1, 2]


@pytest.mark.parametrize(
    "name",
    ["KM/H", "a.b.c", "obs[0]", "joint pos (left)", "größe", "/joint_states/position[0]", "日本"],
)
def test_that_names_stay_exactly_as_the_file_spells_them(tmp_path, name):
    trace = open_trace(put(tmp_path, f"timestamp,{name},D\n0.0,1,2\n0.1,3,4\n"))
    assert [channel.name for channel in trace] == [name, "D"]


def test_that_duplicate_names_are_numbered_and_said(tmp_path):
    trace = open_trace(put(tmp_path, "t,q,q,u,q\n0,1,2,3,4\n1,5,6,7,8\n"))
    assert [c.name for c in trace] == ["q", "q (2)", "u", "q (3)"]
    notes = [n for n in trace.health if n.key == "duplicate-name"]
    assert "number 2 and 3" in notes[0].what
    assert "number 2 and 5" in notes[1].what


def test_that_a_preamble_before_the_header_is_kept_as_metadata(tmp_path):
    preamble = "".join(f"Instrument setting {i},value {i}\n" for i in range(20))
    trace = open_trace(put(tmp_path, f"{preamble}t,q,u\n0.0,1,2\n0.1,3,4\n0.2,5,6\n"))
    assert values(trace, "u") == [2, 4, 6]
    assert note(trace, "preamble").count == 20
    assert ("preamble", "Instrument setting 0,value 0") in trace.metadata


def test_that_a_numeric_preamble_line_is_no_header(tmp_path):
    text = "Instr,XY\nrate,100\n\nt,q\n0,1\n0.1,2\n0.2,3\n"
    trace = open_trace(put(tmp_path, text))
    assert values(trace, "q") == [1, 2, 3]


def test_that_the_header_line_can_be_chosen(tmp_path):
    path = put(tmp_path, "a,b\nt,q\n0,1\n1,2\n")
    chosen = open_trace(path, choices=ImportChoices(csv=CsvChoices(header_line=2)))
    assert values(chosen, "q") == [1, 2]
    none = put(tmp_path, "0.5,1\n0.25,2\n0.75,3\n", "none.csv")
    bare = open_trace(none, choices=ImportChoices(csv=CsvChoices(header_line=0), rate_hz=10.0))
    assert [c.name for c in bare] == ["column 1", "column 2"]


def test_that_a_table_without_header_names_columns_by_number(tmp_path):
    trace = open_trace(put(tmp_path, "0.0,1.5\n0.1,2.5\n0.2,3.5\n"))
    assert len(trace) == 3
    assert values(trace, "column 2") == [1.5, 2.5, 3.5]
    assert "no-header" in keys(trace)


def test_that_savetxt_output_is_read(tmp_path):
    text = "0.000000000000000000e+00 1.000000000000000000e+00\n" * 2
    trace = open_trace(put(tmp_path, text + "2.5e-01 -3.25e+00\n"))
    assert values(trace, "column 2") == [1.0, 1.0, -3.25]


def test_that_fewer_names_than_cells_do_not_shift_the_names(tmp_path):
    trace = open_trace(put(tmp_path, "t,q\n0.0,1,7\n0.1,2,8\n0.2,3,9\n"))
    assert trace.time_s.tolist() == [0.0, 0.1, 0.2]
    assert values(trace, "q") == [1, 2, 3]
    assert values(trace, "column 3") == [7, 8, 9]
    assert "few-names" in keys(trace)


def test_that_trailing_delimiters_make_no_column(tmp_path):
    trace = open_trace(put(tmp_path, "t,q,\n0,1,\n1,2,\n2,,\n"))
    assert [c.name for c in trace] == ["q"]
    assert values(trace, "q")[:2] == [1.0, 2.0]


def test_that_comments_are_left_out_wherever_they_stand(tmp_path):
    text = "# run 7\nt,q\n# operator: me\n0,1\n1,2\n# pause\n2,3\n"
    trace = open_trace(put(tmp_path, text))
    assert values(trace, "q") == [1, 2, 3]
    assert ("comment", "run 7") in trace.metadata


@pytest.mark.parametrize("header", ["# t q0 q1", "#t,q0,q1", "% t q0 q1", "#  timestamp  q0  q1"])
def test_that_a_header_may_stand_in_a_comment(tmp_path, header):
    trace = open_trace(put(tmp_path, f"{header}\n0.0 1 2\n0.1 3 4\n0.2 5 6\n"))
    assert [c.name for c in trace] == ["q0", "q1"]
    assert trace.time_s.tolist() == [0.0, 0.1, 0.2]


def test_that_a_row_of_units_gives_the_units(tmp_path):
    trace = open_trace(put(tmp_path, "t,q,tau\n[s],[rad],[Nm]\n0,1,2\n0.1,3,4\n"))
    assert (trace["q"].unit, trace["tau"].unit) == ("rad", "Nm")
    assert values(trace, "q") == [1, 3]


def test_that_units_in_names_are_taken_and_names_left_as_they_are(tmp_path):
    trace = open_trace(put(tmp_path, "t,Speed (rad/s),p_x [m],n[0]\n0,1,2,3\n1,2,3,4\n"))
    assert [(c.name, c.unit) for c in trace] == [
        ("Speed (rad/s)", "rad/s"),
        ("p_x [m]", "m"),
        ("n[0]", ""),
    ]


def test_that_a_header_of_numbers_is_told_from_data(tmp_path):
    trace = open_trace(put(tmp_path, ",0,1,2\n0,0.5,1.5,2.5\n1,0.6,1.6,2.6\n"))
    assert values(trace, "1") == [1.5, 1.6]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8"),
        lambda text: b"\xef\xbb\xbf" + text.encode("utf-8"),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.encode("latin-1"),
    ],
    ids=["utf-8", "bom", "utf-16", "utf-16-le", "utf-16-be", "utf-16-be-bom", "latin-1"],
)
def test_that_the_encoding_is_told_and_no_mark_sticks_to_the_first_name(tmp_path, encode):
    text = '"time","größe"\n' + "".join(f"{i / 10},{i}.5\n" for i in range(6))
    trace = open_trace(put(tmp_path, encode(text)))
    assert trace.clock.column == "time"
    assert values(trace, "größe") == [i + 0.5 for i in range(6)]


def test_that_an_encoding_can_be_chosen_and_an_unknown_one_is_refused(tmp_path):
    path = put(tmp_path, "t,größe\n0,1\n1,2\n".encode("cp1252"))
    chosen = open_trace(path, choices=ImportChoices(csv=CsvChoices(encoding="cp1252")))
    assert "größe" in chosen
    with pytest.raises(TraceReadError, match="no encoding"):
        open_trace(path, choices=ImportChoices(csv=CsvChoices(encoding="utf-9")))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n", "\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("start", ["", "\n", "\n\n"])
def test_that_all_line_ends_and_blank_lines_are_accepted(tmp_path, end, start):
    text = start.replace("\n", end) + end.join(["t,q", "0.0,1", "0.1,2", "0.2,3"]) + end
    trace = open_trace(put(tmp_path, text))
    assert trace.time_s.tolist() == [0.0, 0.1, 0.2]
    assert values(trace, "q") == [1, 2, 3]


def test_that_a_last_line_cut_inside_a_number_is_dropped_and_said(tmp_path):
    rows = "".join(f"{i},{i},{i}\n" for i in range(40))
    trace = open_trace(put(tmp_path, f"t,a,b\n{rows}40,-3,-"))
    assert len(trace) == 40
    said = note(trace, "last-line")
    assert said.what == "last line incomplete: 1 of 41 rows"
    assert said.where == "line 42"


def test_that_a_last_line_with_cells_missing_is_dropped_and_a_whole_one_kept(tmp_path):
    cut = open_trace(put(tmp_path, "t,a,b\n0,1,2\n1,2,3\n2,3"))
    whole = open_trace(put(tmp_path, "t,a,b\n0,1,2\n1,2,3\n2,3,4", "whole.csv"))
    assert len(cut) == 2
    assert len(whole) == 3
    assert "last-line" not in keys(whole)


def test_that_nul_runs_are_taken_out_and_counted(tmp_path):
    trace = open_trace(put(tmp_path, b"t,q\n0,1\n1,2\n" + b"\0" * 500))
    assert values(trace, "q") == [1, 2]
    assert note(trace, "nul-bytes").count == 500


def test_that_ragged_rows_are_counted_listed_and_told_from_empty_cells(tmp_path):
    text = "t,a,b\n0,1,2\n1,2\n2,3,4\n3,,6\n4,5,6,7\n5,6,7\n6,7,8\n7,8,9\n8,9,1\n9,1,2\n"
    trace = open_trace(put(tmp_path, text))
    short, long = note(trace, "short-rows"), note(trace, "long-rows")
    assert (short.count, short.where) == (1, "line 3")
    assert (long.count, long.where) == (1, "line 6")
    assert math.isnan(values(trace, "b")[1])
    assert math.isnan(values(trace, "a")[3])


@pytest.mark.parametrize(
    "cell",
    ["NaN", "nan", "NA", "null", "", "None", "-nan", "n/a", "-nan(ind)", "1.#QNAN", "not_valid"],
)
def test_that_spellings_of_nothing_are_missing_values(tmp_path, cell):
    trace = open_trace(
        put(tmp_path, f"q,t,u\n{cell},0.0,1\n2.5,0.1,2\n3.5,0.2,3\n4.5,0.3,4\n5,0.4,1\n")
    )
    assert math.isnan(values(trace, "q")[0])
    assert values(trace, "q")[1:] == [2.5, 3.5, 4.5, 5.0]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("inf", math.inf), ("-Infinity", -math.inf), ("-inf", -math.inf), ("1.#INF", math.inf)],
)
def test_that_spellings_of_infinity_are_infinite(tmp_path, cell, value):
    trace = open_trace(put(tmp_path, f"q,t\n{cell},0.0\n2.5,0.1\n3.5,0.2\n"))
    assert values(trace, "q") == [value, 2.5, 3.5]
    assert note(trace, "infinite-cells").count == 1


@pytest.mark.parametrize(
    "pair", ["true/false", "True/False", "TRUE/FALSE", "yes/no", "on/off", "T/F", "1/0"]
)
def test_that_booleans_are_read_in_any_spelling(tmp_path, pair):
    yes, no = pair.split("/")
    trace = open_trace(put(tmp_path, f"t,done\n0,{no}\n1,{no}\n2,{yes}\n"))
    assert [bool(v) for v in values(trace, "done")] == [False, False, True]
    assert trace["done"].role == "done"


def test_that_hexadecimal_cells_are_integers(tmp_path):
    trace = open_trace(put(tmp_path, "t,flags\n0,0x11\n1,0xFF\n2,0x0\n"))
    assert values(trace, "flags") == [17, 255, 0]


def test_that_mixed_cells_give_an_error_that_names_place_text_and_what_to_do(tmp_path):
    rows = "".join(f"{i},{i}\n" for i in range(10))
    path = put(tmp_path, f"t,q\n{rows}10,0b101\n11,7\n")
    with pytest.raises(TraceReadError) as caught:
        open_trace(path)
    problem = caught.value.problems[0]
    assert problem.where.endswith("line 12")
    assert problem.found == "0b101"
    assert problem.todo


def test_that_text_columns_become_codes_with_labels(tmp_path):
    trace = open_trace(put(tmp_path, "t,phase\n0,reach\n1,grasp\n2,reach\n"))
    assert trace["phase"].labels == ("reach", "grasp")
    assert values(trace, "phase") == [0, 1, 0]
    assert trace["phase"].role == "other"


def test_that_twenty_thousand_columns_open(tmp_path):
    names = ",".join(["t", *(f"c{i}" for i in range(20_000))])
    rows = "\n".join(",".join([str(r), *(["0.5"] * 20_000)]) for r in range(3))
    trace = open_trace(put(tmp_path, f"{names}\n{rows}\n"))
    assert len(trace.channels) == 20_000
    assert values(trace, "c19999") == [0.5, 0.5, 0.5]
