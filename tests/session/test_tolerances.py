"""Tolerances from files and options, every fault named at once."""

import pytest

from tracescope.model.errors import UsageError
from tracescope.model.tolerance import Tolerances
from tracescope.session.tolerances import (
    all_tolerances,
    chosen_tolerances,
    parse_tolerance,
    read_tolerances,
    tolerances_text,
)

KEY = "observation-scaling.scale"


def test_that_every_declared_tolerance_is_listed_once():
    keys = [tolerance.key for tolerance in all_tolerances()]
    assert KEY in keys
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("a.b=0.9,1.1", ("a.b", (0.9, 1.1))),
        ("a.b=,1.1", ("a.b", (float("-inf"), 1.1))),
        ("a.b=0.9,", ("a.b", (0.9, float("inf")))),
        (" a.b = -1 , 1 ", ("a.b", (-1.0, 1.0))),
    ],
)
def test_that_an_option_reads_key_low_high(text, parsed):
    assert parse_tolerance(text) == parsed


@pytest.mark.parametrize("text", ["a.b", "a.b=1", "=1,2", "a.b=x,1", "a.b=1,2,3", ""])
def test_that_anything_else_is_refused_with_an_example(text):
    with pytest.raises(UsageError) as caught:
        parse_tolerance(text)
    assert "--tolerance" in caught.value.problems[0].todo


def test_that_a_file_is_read_and_an_option_wins(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(f'schema = 1\n[tolerances]\n"{KEY}" = [0.9, 1.1]\n', encoding="utf-8")
    assert chosen_tolerances(path, []).chosen == ((KEY, (0.9, 1.1)),)
    assert chosen_tolerances(path, [f"{KEY}=0.8,1.2"]).chosen == ((KEY, (0.8, 1.2)),)


def test_that_keys_may_stand_without_quotes(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(f"schema = 1\n[tolerances]\n{KEY} = [0.9, 1.1]\n", encoding="utf-8")
    assert read_tolerances(path) == {KEY: (0.9, 1.1)}


def test_that_what_is_written_reads_back(tmp_path):
    tolerances = Tolerances((("a.b", (float("-inf"), 0.25)), ("c.d", (0.1, 0.2))))
    path = tmp_path / "t.toml"
    path.write_text(tolerances_text(tolerances), encoding="utf-8")
    assert Tolerances(tuple(read_tolerances(path).items())) == tolerances


def test_that_all_faults_come_at_once(tmp_path):
    path = tmp_path / "t.toml"
    path.write_text(
        'schema = 1\nodd = 1\n[tolerances]\n"x" = 3\n"y" = [1, 2, 3]\n', encoding="utf-8"
    )
    with pytest.raises(UsageError) as caught:
        chosen_tolerances(path, ["bad", "observation-scaling.scal=0.9,1.1"])
    said = str(caught.value)
    assert len(caught.value.problems) == 5
    assert KEY in said


@pytest.mark.parametrize("content", ["schema = 2\n", "", "=", "[tolerances]\n"])
def test_that_another_file_is_refused(tmp_path, content):
    path = tmp_path / "t.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError):
        read_tolerances(path)


def test_that_a_missing_file_is_said(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_tolerances(tmp_path / "none.toml")
