"""The quick lane of plain numbers gives what the careful ways give, or leaves a block to them."""

from __future__ import annotations

import hashlib
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.readers.helpers import put, values
from tracescope.readers import csv_blocks, csv_lane, open_trace
from tracescope.readers.csv_dialect import detected_dialect
from tracescope.readers.csv_lane import Lanes
from tracescope.readers.csv_pieces import Field, Piece
from tracescope.readers.csv_slow import slow_pieces
from tracescope.readers.csv_store import Store, joined
from tracescope.readers.csv_text import text_blocks

PLAIN = [Field()] * 4
VECTORS = [Field(), Field(3), Field(), Field(1)]
ROW = b'0.5,"[1, -2.25, 3]",7,"[4.5]"\n'


def lanes(fields, delimiter=",", decimal="."):
    mark = "," if any(f.width for f in fields) else delimiter
    row = mark.join(["0.5".replace(".", decimal), "1", "2", "3"][: len(fields)])
    dialect = detected_dialect(f"{mark.join('tabc'[: len(fields)])}\n" + f"{row}\n" * 9)
    assert dialect is not None
    assert dialect.delimiter == mark
    return Lanes(fields, dialect), dialect


def arrays(columns):
    return [np.asarray(c.numbers if isinstance(c, Piece) else c) for c in columns]


def test_that_the_lane_is_open_with_the_installed_pandas():
    assert csv_lane.is_there()


def test_that_numbers_come_out_as_written_and_lines_are_counted():
    pieces = lanes(PLAIN)[0].pieces(b"0.5,1,-2.25,3\n0.1,2,1e-3,4\n", 5)
    assert list(pieces.lines) == [5, 6]
    assert pieces.ends == 6
    assert [a.tolist() for a in arrays(pieces.columns)] == [
        [0.5, 0.1],
        [1, 2],
        [-2.25, 1e-3],
        [3, 4],
    ]
    assert [a.dtype.kind for a in arrays(pieces.columns)] == ["f", "i", "f", "i"]


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_that_vectors_come_out_as_written(kind):
    data = kind(ROW * 3)
    pieces = lanes(VECTORS)[0].pieces(memoryview(data), 2)
    t, obs, plain, single = arrays(pieces.columns)
    assert obs.tolist() == [[1, -2.25, 3]] * 3
    assert (t.tolist(), plain.tolist(), single.tolist()) == ([0.5] * 3, [7] * 3, [[4.5]] * 3)
    assert kind is bytearray or data == ROW * 3


@pytest.mark.parametrize("place", [0, 1, 40, 79])
@pytest.mark.parametrize(
    "odd",
    [
        b'0.5,"[1, 2]",7,"[4.5]"\n',
        b'0.5,"[1, 2, 3, 4]",7,"[4.5]"\n',
        b'0.5,"[1, 2]",7,"[4.5, 6]"\n',
        b'0.5,"[1, 2, 3, 4]","[4.5]"\n',
        b'0.5,"[1, 2, 3]","[4.5]"\n',
        b"0.5,,1,2,3,,7,,4.5,\n",
        b'0.5,,1,2,3,,7,"[4.5]"\n',
        b'0.5,"[1, 2, 3]",,"[4.5]"\n',
        b'0.5,"[1, [2], 3]",7,"[4.5]"\n',
        b'0.5,"[1, x, 3]",7,"[4.5]"\n',
        b'0.5,"1, [2, 3]",7,"[4.5]"\n',
        b'0.5,"[1, 2, 3]" ,7,"[4.5]"\n',
        b'0.5,"[1, 2, 3]",7,"[]"\n',
        b'0.5,"[1, 2, 3]",7,\n',
        b'0.5,"[1, 2, 3]",7\n',
        b'0.5,"[1, 2, 3]",7,[4.5]\n',
        b'"[1, 2, 3]",0.5,7,"[4.5]"\n',
        b'0.5,"[1, 2, 3]",7,"[4.5]","[4.5]"\n',
        b'0.5,"[1,\n2, 3]",7,"[4.5]"\n',
        b'# 0.5,"[1, 2, 3]",7,"[4.5]"\n',
        b"\n",
        b'0.5,"[true, 2, 3]",7,"[4.5]"\n',
    ],
)
def test_that_a_row_of_vectors_of_another_shape_anywhere_is_left_to_the_careful_way(odd, place):
    rows = [ROW] * 80
    rows[place] = odd
    data = bytearray(b"".join(rows))
    before = bytes(data)
    assert lanes(VECTORS)[0].pieces(data, 1) is None
    assert bytes(data) == before


def test_that_lines_that_cancel_are_left_to_the_careful_way():
    short, long = b'0.5,"[1, 2]",7,"[4.5]"\n', b'0.5,"[1, 2, 3, 4]",7,"[4.5]"\n'
    assert lanes(VECTORS)[0].pieces(ROW + short + long, 1) is None
    bare, twice = b"0.5,,1,2,3,,7,,4.5,\n", b'0.5,"[1, 2, 3]",7,"[4.5]""[1, 2, 3]""[4.5]"\n'
    assert lanes(VECTORS)[0].pieces(ROW + bare + twice, 1) is None


def test_that_missing_elements_and_cells_are_told_apart_from_none():
    missing = b'0.5,"[1, nan, 3]",7,"[4.5]"\n'
    assert lanes(VECTORS)[0].pieces(missing, 1) is None
    data = (missing.replace(b" nan", b"nan") + ROW.replace(b"-2.25", b"2")) * 2
    pieces = lanes(VECTORS)[0].pieces(data, 1)
    assert np.isnan(arrays(pieces.columns)[1][[0, 2], 1]).all()
    plain = lanes(PLAIN)[0].pieces(b"0.5,,nan,3\n1.5,2,3,4\n", 1)
    assert plain.columns[1].empty.tolist() == [True, False]
    assert plain.columns[2].empty is None
    assert lanes(PLAIN)[0].pieces(b"0.5,1,2,\n1.5,2,3,4\n", 1) is None


def test_that_a_table_that_is_no_table_of_numbers_is_given_up(monkeypatch):
    lane, _ = lanes(PLAIN)
    for _ in range(3):
        assert lane.pieces(b"0.5,one,2,3\n", 1) is None
    assert lane.pieces(b"0.5,1,2,3\n", 1) is None
    monkeypatch.setattr(csv_lane, "is_there", lambda: False)
    assert lanes(PLAIN)[0].pieces(b"0.5,1,2,3\n", 1) is None


@pytest.mark.filterwarnings("ignore:The 'float_precision' argument")
@pytest.mark.parametrize(
    ("version", "is_asked"), [("2.2.3", True), ("3.0.0", True), ("3.1.1", False)]
)
def test_that_an_older_pandas_is_asked_for_the_nearest_float(monkeypatch, version, is_asked):
    import pandas as pd

    asked, read = [], pd.read_csv
    monkeypatch.setattr(pd, "__version__", version)
    monkeypatch.setattr(pd, "read_csv", lambda *a, **k: asked.append(k) or read(*a, **k))
    texts = ["0.30000000000000004", "123456.789012345678", "1.7976931348623157e308"]
    (column,) = csv_lane.Lane(1).parsed("\n".join([*texts, ""]).encode())
    assert column.tolist() == [float(text) for text in texts]
    assert (asked[0].get("float_precision") == "round_trip") is is_asked


def test_that_a_pandas_made_otherwise_is_not_used(monkeypatch):
    monkeypatch.setattr(csv_lane.Lane, "parsed", lambda *_: [np.array([1.0])] * 3)
    assert not csv_lane.is_there.__wrapped__()
    monkeypatch.setattr(csv_lane.Lane, "parsed", property(lambda _: None))
    assert not csv_lane.is_there.__wrapped__()


NUMBER = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e3, 1e3).map(lambda x: f"{x:.6g}"),
    st.integers(-(2**60), 2**60).map(str),
    st.sampled_from(["0", "-0", "1.", ".5", "+3", "1e5", "00.1", " 4", "5 ", "0.1000000000000000055511"]),
)  # fmt: skip
# An empty element of a vector is missing here and spoils its whole vector in the careful way.
ODD = st.sampled_from(["", "nan", "NA", "x", "1 2", "[1]", '"1"', "1,2", "inf", "True", "1_0", "-"])


def same(a, b):
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(["\n", "\r\n"]), st.integers(0, 1))
def test_that_a_plain_block_taken_equals_what_the_careful_way_makes_of_it(data, end, odd):
    rows = data.draw(st.lists(st.lists(NUMBER, min_size=4, max_size=4), min_size=1, max_size=8))
    for _ in range(odd):
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.integers(0, 3))] = data.draw(ODD)
    text = "".join(",".join(row) + end for row in rows)
    lane, dialect = lanes(PLAIN)
    quick = lane.pieces(bytearray(text.encode()), 1)
    if quick is None:
        return
    slow = slow_pieces(text.replace("\r", "").encode(), PLAIN, dialect, 1, last=True)
    assert quick.rows == slow.rows == len(rows)
    assert quick.ends == len(rows)
    for mine, theirs in zip(quick.columns, slow.columns, strict=True):
        texts = [theirs.texts[code] for code in theirs.codes]
        wanted = [float("nan") if t in {"", "nan", "NA"} else float(_truth(t)) for t in texts]
        assert np.array_equal(mine.numbers.astype(float), wanted, equal_nan=True)
        assert np.array_equal(_empty(mine), [t == "" for t in texts])


def _truth(text):
    return {"True": "1"}.get(text, text)


def _empty(piece):
    return np.zeros(piece.numbers.size, bool) if piece.empty is None else piece.empty


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from([", ", ","]), st.integers(0, 1))
def test_that_a_block_of_vectors_taken_equals_what_the_careful_way_makes_of_it(data, comma, odd):
    rows = data.draw(st.lists(st.lists(NUMBER, min_size=6, max_size=6), min_size=1, max_size=8))
    for _ in range(odd):
        row = data.draw(st.sampled_from(rows))
        row[data.draw(st.integers(0, 5))] = data.draw(ODD.filter(bool))
    text = "".join(
        f'{t},"[{comma.join([a, b, c])}]",{plain},"[{d}]"\n' for t, a, b, c, plain, d in rows
    )
    lane, dialect = lanes(VECTORS)
    quick = lane.pieces(bytearray(text.encode()), 1)
    if quick is None:
        return
    slow = slow_pieces(text.encode(), VECTORS, dialect, 1, last=True)
    assert quick.rows == slow.rows == len(rows)
    for at in (1, 3):
        assert np.array_equal(quick.columns[at], slow.columns[at], equal_nan=True)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [64, 300, 4096])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_that_blocks_line_ends_and_marks_change_neither_values_nor_hash(
    tmp_path, monkeypatch, end, size, start
):
    rows = "".join(f"{i * 0.01:.2f},{i / 7!r},{i % 3}{end}" for i in range(150))
    path = put(tmp_path, f"{start}t,a,b{end}{rows}")
    in_blocks = partial(text_blocks, block_bytes=size)
    monkeypatch.setattr(csv_blocks, "text_blocks", in_blocks)
    trace = open_trace(path)
    assert values(trace, "a") == [i / 7 for i in range(150)]
    assert values(trace, "b") == [i % 3 for i in range(150)]
    assert trace.source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("size", [64, 300, 4096])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_that_lines_are_named_as_they_stand_in_the_file(tmp_path, monkeypatch, size, end):
    rows = [f"{i * 0.01:.2f},{i},{i % 3}" for i in range(150)]
    rows[90] = "0.90,90"
    rows[120:120] = ["", "# said"]
    rows[140] = "1.38,1,2,3"
    path = put(tmp_path, end.join(["t,a,b", *rows]) + end)
    monkeypatch.setattr(csv_blocks, "text_blocks", partial(text_blocks, block_bytes=size))
    places = {note.key: note.where for note in open_trace(path).health}
    assert places["short-rows"] == "line 92"
    assert places["long-rows"] == "line 142"


def test_that_columns_laid_behind_one_another_are_joined_without_a_copy():
    first = [Piece(np.arange(3)), np.arange(6.0).reshape(3, 2), Piece(np.ones(3))]
    store = Store(first, 8)
    parts = [store.laid(columns, 3) for columns in (first, first)]
    a, b = (joined([part[0].numbers for part in parts]), joined([p[1][:, 1] for p in parts]))
    assert a.tolist() == [0, 1, 2, 0, 1, 2]
    assert b.tolist() == [1, 3, 5, 1, 3, 5]
    assert np.shares_memory(a, parts[1][0].numbers)
    assert np.shares_memory(b, parts[0][1])
    other = [Piece(np.ones(3)), np.ones((3, 2), np.int64), Piece(None)]
    mixed = store.laid(other, 3)
    assert all(mine is given for mine, given in zip(mixed, other, strict=True))
    assert joined([parts[0][0].numbers, mixed[0].numbers]).tolist() == [0, 1, 2, 1, 1, 1]
    assert joined([parts[1][0].numbers, parts[0][0].numbers]).tolist() == [0, 1, 2, 0, 1, 2]
    assert joined([]).size == 0
