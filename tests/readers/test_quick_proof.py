"""Tables of plain numbers are proved regular by what comes out of the C reader; hashes are taken on the way."""

import hashlib
import os

import numpy as np
import pytest

from tests.readers.helpers import put
from tracescope.readers import open_trace
from tracescope.readers.csv_dialect import detected_dialect
from tracescope.readers.csv_pieces import Field
from tracescope.readers.csv_quick import _proved_by_parsing
from tracescope.readers.files import hashes_kept, hashing, sha256_of

WIDTH = 4
ROW = b"0.5,1,2.25,3\n"


def proved(data: bytes):
    dialect = detected_dialect("t,a,b,c\n" + (ROW * 9).decode())
    assert dialect is not None
    return _proved_by_parsing(data, [Field()] * WIDTH, dialect, 2)


def test_that_numbers_are_proved_and_keep_their_values():
    pieces = proved(b"0.5,1,2.25,3\n1.5,nan,-3e-9,4\n")
    assert pieces is not None
    assert pieces.rows == 2
    assert list(pieces.lines) == [2, 3]
    assert [c.numbers[0] for c in pieces.columns] == [0.5, 1, 2.25, 3]
    assert np.isnan(pieces.columns[1].numbers[1])


@pytest.mark.parametrize("place", [0, 1, 50, 20_000, 39_999])
@pytest.mark.parametrize(
    "odd",
    [
        b"0.5,1,2.25\n",
        b"0.5,1,2.25,3,4\n",
        b"0.5,1,2.25,3,\n",
        b"0.5\n",
        b"\n",
        b"# said\n",
        b"0.5,1,2.25,\n",
        b"0.5,1,2.25,nan\n",
        b"0.5,one,2.25,3\n",
        b"0.5,1,2.25,1.2.3\n",
        b"0.5,1,2.25,[3]\n",
        b"%0.5,1,2.25,3\n",
    ],
)
def test_that_a_line_of_another_shape_anywhere_is_left_to_the_careful_way(odd, place):
    lines = [ROW] * 40_000
    lines[place] = odd
    assert proved(b"".join(lines)) is None


def test_that_a_short_and_a_long_line_do_not_cancel():
    assert proved(ROW + b"0.5,1,2.25\n" + b"0.5,1,2.25,3,4\n" + ROW) is None
    assert proved(ROW + b"0.5,1,2.25,3,4\n" + b"0.5,1,2.25\n" + ROW) is None


@pytest.mark.parametrize("tail", ["", "\r\n", "8,1", "\n\n", '9,"a, b"\n'])
def test_that_the_hash_taken_while_reading_is_that_of_the_file(tmp_path, tail):
    path = put(tmp_path, "t,a\n" + "".join(f"{i},{i * 2}\n" for i in range(9)) + tail)
    assert open_trace(path).source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_that_a_hash_counts_only_for_the_file_it_was_taken_of(tmp_path):
    path = put(tmp_path, "t,a\n0,1\n")
    with hashes_kept():
        with hashing(path) as hashed:
            hashed(b"t,a\n0,1\n")
        with path.open("a") as file:
            file.write("1,2\n")
        assert sha256_of(path) == hashlib.sha256(b"t,a\n0,1\n1,2\n").hexdigest()
        with hashing(path) as hashed:
            hashed(b"t,a\n")  # not to the end
        assert sha256_of(path) == hashlib.sha256(b"t,a\n0,1\n1,2\n").hexdigest()


def test_that_a_file_that_changes_while_it_is_hashed_is_hashed_again(tmp_path):
    path = put(tmp_path, "t,a\n0,1\n")
    with hashes_kept():
        with hashing(path) as hashed:
            hashed(path.read_bytes())
            path.write_bytes(b"t,a\n0,9\n")
            os.utime(path, ns=(1, 1))
        assert sha256_of(path) == hashlib.sha256(b"t,a\n0,9\n").hexdigest()
