"""Manifests as people write them, and every fault of one told at once with its line."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracescope.campaign.manifest import read_campaign
from tracescope.model.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files that manifests may name; reading a manifest opens none of them."""
    for name in ("a_sim.csv", "a.csv", "b.csv", "all.h5", "odd::name.csv"):
        (tmp_path / name).write_text("x")
    return tmp_path


def write(folder: Path, text: str, name: str = "manifest.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def faults(path: Path) -> list[tuple[int, str]]:
    """Return (line, whole text) of every problem, line 0 where none is named."""
    with pytest.raises(UsageError) as caught:
        read_campaign(path)
    found = []
    for problem in caught.value.problems:
        _, _, line = problem.where.rpartition("line ")
        found.append((int(line) if line.isdigit() else 0, str(problem)))
    return found


FULL = (
    "id,sim,target,date,label,outcome,event_time,param.mass,param.floor\n"
    "one,a_sim.csv,a.csv,2026-03-01,reach,success,1.5,0.8,wood\n"
    '"two, too",all.h5::data/demo_3,b.csv,2026-03-01T10:00:00+02:00,reach,dropped,,1e-3,\n'
    "\n"
    "three,,b.csv,,reach,,,0,stone\n"
)


def test_that_a_csv_manifest_is_read_whole(folder: Path) -> None:
    campaign = read_campaign(write(folder, FULL))
    one, two, three = campaign.entries
    assert (one.id, one.sim, one.target, one.label) == ("one", "a_sim.csv", "a.csv", "reach")
    assert one.date == datetime(2026, 3, 1, tzinfo=UTC)
    assert (one.outcome, one.event_time_s) == ("success", 1.5)
    assert one.params == (("mass", 0.8), ("floor", "wood"))
    assert (two.id, two.line, two.params) == ("two, too", 3, (("mass", 1e-3),))
    assert two.date is not None
    assert two.date.utcoffset() == timedelta(hours=2)
    assert (three.sim, three.date, three.event_time_s) == (None, None, None)
    assert three.line == 5
    assert three.params == (("mass", 0.0), ("floor", "stone"))
    assert campaign.located("all.h5::data/demo_3") == f"{folder / 'all.h5'}::data/demo_3"
    assert campaign.located("odd::name.csv") == str(folder / "odd::name.csv")


TOML = """\
schema = 1

[[episode]]
id = "one"
sim = "a_sim.csv"
target = "a.csv"
date = 2026-03-01
label = "reach"
outcome = "success"
event_time = 1.5
param.mass = 0.8
param.floor = "wood"

[[episode]]
id = "two, too"
sim = "all.h5::data/demo_3"
target = "b.csv"
date = 2026-03-01T10:00:00+02:00
label = "reach"
outcome = "dropped"
[episode.param]
mass = 1e-3

[[episode]]
id = "three"
target = "b.csv"
label = "reach"
param = { mass = 0, floor = "stone" }
"""


def test_that_toml_and_csv_say_the_same(folder: Path) -> None:
    toml = read_campaign(write(folder, TOML, "manifest.toml")).entries
    csv = read_campaign(write(folder, FULL, "other.csv")).entries
    assert [_without_line(entry) for entry in toml] == [_without_line(entry) for entry in csv]
    assert [entry.line for entry in toml] == [3, 14, 24]
    assert toml[1].date == datetime(2026, 3, 1, 10, tzinfo=timezone(timedelta(hours=2)))


def _without_line(entry: object) -> object:
    from dataclasses import replace

    return replace(entry, line=0)  # type: ignore[type-var]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_that_other_delimiters_marks_and_line_ends_are_read(folder: Path, delimiter: str) -> None:
    lines = FULL.replace('"two, too"', "two").replace(",", delimiter).replace("\n", "\r\n")
    path = folder / "semicolons.csv"
    path.write_bytes(b"\xef\xbb\xbf" + lines.encode())
    assert [entry.id for entry in read_campaign(path).entries] == ["one", "two", "three"]


MANY_FAULTS = (
    "id,sim,target,dat,date,event_time,param.mass\n"  # dat is no column
    "one,a_sim.csv,a.csv,,2026-02-30,,1\n"  # no such day
    "one,a_sim.csv,b.csv,,2026-03-01,,1\n"  # the id of line 2
    "three,a_sim.csv,bb.csv,,2026-03-01,soon,1\n"  # no such file; no number
    "four,,,,,,1\n"  # no target
    ",a_sim.csv,a.csv,,,inf,1\n"  # no id; not finite
    "six,a_sim.csv,a.csv,,,,heavy\n"  # not a number where others are
    "seven,a_sim.csv,a.csv,,,,nan,extra,more\n"  # not finite; too many cells
)


def test_that_every_fault_is_told_at_once_with_its_line(folder: Path) -> None:
    found = faults(write(folder, MANY_FAULTS))
    told = {(line, word) for line, text in found for word in WORDS if word in text}
    assert told == {
        (1, "'dat'"),
        (2, "ISO 8601"),
        (3, "that of line 2"),
        (4, "does not exist"),
        (4, "event_time is not"),
        (5, "names no target"),
        (6, "no id"),
        (6, "event_time is not"),
        (7, "as it is in other rows"),
        (8, "not finite"),
        (8, "has 9 cells"),
    }
    assert len(found) == 11


WORDS = (
    "'dat'", "ISO 8601", "that of line 2", "does not exist", "event_time is not", "names no target",
    "no id", "as it is in other rows", "not finite", "has 9 cells",
)  # fmt: skip


def test_that_nearest_names_are_offered(folder: Path) -> None:
    text = "id,sim,target,lable\none,a_sim.csv,bb.csv,x\n"
    found = dict(faults(write(folder, text)))
    assert "did you mean label" in found[1]
    assert "did you mean b.csv" in found[2]


def test_that_faults_of_toml_have_the_line_of_their_key(folder: Path) -> None:
    text = TOML.replace("2026-03-01\n", '"the first of March"\n').replace("label", "lable")
    text = text.replace('id = "three"', 'id = "one"').replace('"b.csv"', '"c.csv"')
    found = faults(write(folder, text, "manifest.toml"))
    lines = [line for line, _ in found]
    assert sorted(lines) == [7, 8, 17, 19, 25, 26, 27]
    assert "the id is that of line 3 already" in dict(found)[25]


def test_that_an_episode_nobody_simulated_is_told(folder: Path) -> None:
    text = "id,sim,target,label\none,a_sim.csv,a.csv,reach\ntwo,,b.csv,push\n"
    [(line, told)] = faults(write(folder, text))
    assert line == 3
    assert "'push'" in told


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("id,sim,target\n", "names no episode"),
        ("id,target\none,a.csv\n", "'sim' is missing"),
        ("id,sim,target,id\none,a_sim.csv,a.csv,two\n", "there twice"),
        ('id,sim,target\none,"a_sim.csv,a.csv\n', "cannot be read as CSV"),
    ],
)
def test_that_a_manifest_of_no_use_says_why(folder: Path, text: str, word: str) -> None:
    assert any(word in told for _, told in faults(write(folder, text)))


def test_that_other_encodings_are_told_with_the_line(folder: Path) -> None:
    path = folder / "latin.csv"
    path.write_bytes("id,sim,target\nä,a_sim.csv,a.csv\n".encode("latin-1"))
    [(line, told)] = faults(path)
    assert line == 2
    assert "UTF-8" in told


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("schema = 2\n[[episode]]\nid = 'a'\n", "schema 1"),
        ("[[episode]\n", "not TOML"),
        ("[episode]\nid = 'a'\n", "list of tables"),
        ("[[pair]]\nid = 'a'\n", "pair: not a part"),
        ("episode = [{ id = 'a', sim = 'a_sim.csv', target = 'nix.csv' }]\n", "does not exist"),
    ],
)
def test_that_toml_of_no_use_says_why(folder: Path, text: str, word: str) -> None:
    assert any(word in told for _, told in faults(write(folder, text, "manifest.toml")))


def test_that_a_manifest_that_is_not_there_is_told(tmp_path: Path) -> None:
    [(_, told)] = faults(tmp_path / "nothing.csv")
    assert "No such file" in told


def test_that_a_folder_gives_its_pairs_in_natural_order(tmp_path: Path) -> None:
    for name in ("run_10", "run_9"):
        inside = tmp_path / name
        inside.mkdir()
        for file in ("sim.csv", "target.h5", "truth.toml", ".hidden"):
            (inside / file).write_text("x")
    for file in ("late_sim.csv", "late_target.csv", "README.md"):
        (tmp_path / file).write_text("x")
    (tmp_path / "bag_sim").mkdir()
    (tmp_path / "bag_target").mkdir()
    entries = read_campaign(tmp_path).entries
    assert [(e.id, e.sim, e.target) for e in entries] == [
        ("bag", "bag_sim", "bag_target"),
        ("late", "late_sim.csv", "late_target.csv"),
        ("run_9", "run_9/sim.csv", "run_9/target.h5"),
        ("run_10", "run_10/sim.csv", "run_10/target.h5"),
    ]


def test_that_names_with_dots_are_names_like_any_other(tmp_path: Path) -> None:
    names = ("2026-11-30T10.15", "run.1", "b")
    for name in names:
        for side in ("sim", "target"):
            (tmp_path / f"{name}_{side}.csv").write_text("x")
    (tmp_path / "old_sim.d").mkdir()
    entries = read_campaign(tmp_path).entries
    assert sorted(entry.id for entry in entries) == sorted(names)
    assert {entry.target for entry in entries} == {f"{name}_target.csv" for name in names}


def test_that_what_cannot_be_looked_at_is_told_with_its_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name too long, and a closed folder: neither may end in a traceback."""
    long = "x" * 300
    text = (
        f"id,sim,target\none,{long},a.csv\ntwo,a_sim.csv,all.h5::{long}\nthree,a_sim.csv,nix.csv\n"
    )
    found = dict(faults(write(folder, text)))
    assert set(found) == {2, 4}
    assert "cannot be looked at" in found[2]

    def closed(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", closed)
    assert len(faults(folder / "manifest.csv")) == 6
    monkeypatch.setattr(Path, "iterdir", closed)
    (folder / "manifest.csv").unlink()
    assert "cannot be listed" in faults(folder)[0][1]


def test_that_a_quotation_mark_left_open_hides_no_other_fault(folder: Path) -> None:
    text = 'id,sim,target,lable\none,,nix.csv,x\none,a_sim.csv,a.csv,x\ntwo,"a_sim.csv,a.csv,x\n'
    found = faults(write(folder, text))
    assert sorted(line for line, _ in found) == [1, 2, 3, 4]
    assert "cannot be read as CSV" in dict(found)[4]


def test_that_a_clock_that_was_not_set_gives_no_date(folder: Path) -> None:
    """One such date would lay two thousand empty weeks into the timeline."""
    dates = ("0001-01-01T00:00:00+14:00", "1970-01-01", "9999-12-31T23:59:59-10:00", "1980-01-06")
    rows = "".join(f"{n},a_sim.csv,a.csv,{date}\n" for n, date in enumerate(dates))
    found = faults(write(folder, f"id,sim,target,date\n{rows}"))
    assert [line for line, _ in found] == [2, 3, 4]
    assert all("clock that was not set" in text for _, text in found)


def test_that_a_column_of_texts_holds_texts_alone(folder: Path) -> None:
    rows = "".join(f"{n},a_sim.csv,a.csv,{v}\n" for n, v in enumerate(("1", "2_0", "mat", "oak")))
    entries = read_campaign(write(folder, f"id,sim,target,param.floor\n{rows}")).entries
    assert [entry.params[0][1] for entry in entries] == ["1", "2_0", "mat", "oak"]


def test_that_a_target_may_be_called_real(tmp_path: Path) -> None:
    (tmp_path / "run_1").mkdir()
    for file in ("a_sim.csv", "a_real.csv", "run_1/sim.csv", "run_1/real.csv"):
        (tmp_path / file).write_text("x")
    assert [(e.id, e.target) for e in read_campaign(tmp_path).entries] == [
        ("a", "a_real.csv"),
        ("run_1", "run_1/real.csv"),
    ]
    (tmp_path / "a_target.csv").write_text("x")
    assert "a has 2 target files" in faults(tmp_path)[0][1]


def test_that_a_folder_says_what_is_missing_or_double(tmp_path: Path) -> None:
    for file in ("a_sim.csv", "b_target.csv", "c_sim.csv", "c_sim.h5", "c_target.csv"):
        (tmp_path / file).write_text("x")
    told = " ".join(text for _, text in faults(tmp_path))
    assert "a has no target file" in told
    assert "b has no sim file" in told
    assert "c has 2 sim files" in told


def test_that_a_folder_without_pairs_says_how_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x")
    [(_, told)] = faults(tmp_path)
    assert "NAME_sim.*" in told


def test_that_a_folder_with_a_manifest_is_read_by_it(folder: Path) -> None:
    write(folder, "id,sim,target\nonly,a_sim.csv,a.csv\n")
    assert [entry.id for entry in read_campaign(folder).entries] == ["only"]


WORDS_OF_PEOPLE = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20
).map(str.strip)
SET_CLOCK = datetime(1980, 1, 1), datetime(2100, 12, 31)  # noqa: DTZ001  # hypothesis adds the zone
ROWS = st.lists(
    st.tuples(
        WORDS_OF_PEOPLE.filter(bool),
        WORDS_OF_PEOPLE,
        st.floats(allow_nan=False, allow_infinity=False),
        st.datetimes(*SET_CLOCK, timezones=st.just(UTC)),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda row: row[0],
)


@given(ROWS)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_that_what_was_written_is_read_with_its_line(folder: Path, rows) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["id", "sim", "target", "outcome", "param.x", "date"])
    lines = []
    for name, outcome, number, date in rows:
        lines.append(len(re.findall("\r\n|\r|\n", text.getvalue())) + 1)
        writer.writerow([name, "a_sim.csv", "a.csv", outcome, repr(number), date.isoformat()])
    path = folder / "written.csv"
    path.write_bytes(text.getvalue().encode())
    entries = read_campaign(path).entries
    assert [(e.id, e.outcome, e.params[0][1], e.date) for e in entries] == rows
    assert [entry.line for entry in entries] == lines
