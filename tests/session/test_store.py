"""A session file brings everything back; nothing is ever written onto a recording."""

import json
from dataclasses import replace

import pytest

from tests.findings import hand
from tests.session.files import exercise_files
from tracescope.model.errors import TraceReadError, UsageError
from tracescope.model.tolerance import Tolerances
from tracescope.readers.base import CsvChoices, ImportChoices
from tracescope.session.atomic import write_beside
from tracescope.session.export import export_note
from tracescope.session.open import open_session, side_of
from tracescope.session.session import FindingEdit, Mark, SideChoices, View
from tracescope.session.store import CHANGED_KEY, load_session, save_session


@pytest.fixture
def session(tmp_path):
    files = exercise_files(tmp_path)
    choices = ImportChoices(units=(("obs_0", "rad"),), csv=CsvChoices(delimiter=","))
    made = open_session(SideChoices(str(files[0]), None, choices), side_of(str(files[1])))
    report = hand.judged_session().report
    made = made.tolerated(
        Tolerances((("a.b", (float("-inf"), 0.5)), ("c.d", (0.25, float("inf")))))
    )
    return replace(
        made.judged(hand.RESULTS, report, made.revision),
        marks=(Mark((0.1, 0.4), "<script>\u202e 😀"), Mark((1.0, 1.0), "")),
        edits=(FindingEdit("mine", "observed", "text", added=True),),
        view=View((("obs_0",), ("obs_1", "action_0")), (0.0, 1.5), "base64=="),
        locked=True,
    )


def test_that_saving_what_was_loaded_gives_the_same_bytes(session, tmp_path):
    path = tmp_path / "a.tracescope"
    save_session(session, path)
    first = path.read_bytes()
    save_session(load_session(path), path)
    assert path.read_bytes() == first


def test_that_everything_comes_back(session, tmp_path):
    path = tmp_path / "a.tracescope"
    save_session(session, path)
    loaded = load_session(path)
    for name in (
        "alignment", "corrections", "tolerances", "confidence", "marks", "edits", "view",
        "report", "revision", "results_revision", "locked", "proposal",
    ):  # fmt: skip
        assert getattr(loaded, name) == getattr(session, name), name
    assert repr(loaded.results) == repr(session.results)  # NaN is not equal to itself
    assert loaded.sim.choices == session.sim.choices
    assert loaded.pair.sim["obs_0"].unit == "rad"
    assert not loaded.stale


def test_that_the_file_is_json_without_nan(session, tmp_path):
    path = tmp_path / "a.tracescope"
    save_session(session, path)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    content = json.loads(path.read_text("utf-8"), parse_constant=refuse)
    assert content["schema"] == 1
    assert content["sim"]["path"] == "sim.csv"
    assert len(content["sim"]["sha256"]) == 64


def test_that_a_session_and_its_sources_may_move_together(session, tmp_path):
    save_session(session, tmp_path / "a.tracescope")
    moved = tmp_path.parent / f"{tmp_path.name}-moved"
    tmp_path.rename(moved)
    try:
        assert len(load_session(moved / "a.tracescope").pair.sim) == 40
    finally:
        moved.rename(tmp_path)


def test_that_a_changed_source_is_noticed_and_makes_results_stale(session, tmp_path):
    path = tmp_path / "a.tracescope"
    save_session(session, path)
    with (tmp_path / "target.csv").open("a", encoding="utf-8") as file:
        file.write((tmp_path / "target.csv").read_text("utf-8").splitlines()[-1] + "\n")
    loaded = load_session(path)
    notes = [note for note in loaded.pair.target.health if note.key == CHANGED_KEY]
    assert len(notes) == 1
    assert notes[0].severity == "warning"
    assert loaded.stale


def test_that_a_missing_source_says_where_it_is_expected(session, tmp_path):
    save_session(session, tmp_path / "a.tracescope")
    (tmp_path / "sim.csv").unlink()
    with pytest.raises(TraceReadError) as caught:
        load_session(tmp_path / "a.tracescope")
    assert "sim.csv" in caught.value.problems[0].where
    assert "a.tracescope" in caught.value.problems[0].todo


def test_that_the_version_before_is_kept_once(session, tmp_path):
    path = tmp_path / "a.tracescope"
    save_session(session, path)
    first = path.read_bytes()
    save_session(replace(session, locked=False), path)
    save_session(replace(session, locked=False, marks=()), path)
    backups = sorted(p.name for p in tmp_path.iterdir() if "tracescope" in p.name)
    assert backups == ["a.tracescope", "a.tracescope.bak"]
    assert (tmp_path / "a.tracescope.bak").read_bytes() != first


@pytest.mark.parametrize("name", ["sim.csv", "target.csv"])
def test_that_a_recording_is_never_written(session, tmp_path, name):
    before = (tmp_path / name).read_bytes()
    with pytest.raises(UsageError, match="never written"):
        save_session(session, tmp_path / name)
    assert (tmp_path / name).read_bytes() == before


def test_that_a_recording_is_not_written_through_a_link(session, tmp_path):
    link = tmp_path / "link.tracescope"
    link.symlink_to(tmp_path / "sim.csv")
    with pytest.raises(UsageError, match="never written"):
        save_session(session, link)


def test_that_a_failed_write_leaves_the_old_file(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        write_beside(tmp_path / "no" / "x.json", b"x", ())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not a session file"),
        ("{", "not a session file"),
        ("[1, 2]", "not a session file"),
        ('{"schema": 2, "alignment": {}}', "schema 2"),
        ('{"schema": 1, "alignment": {}}', "damaged"),
    ],
)
def test_that_other_files_are_refused_with_what_they_are(tmp_path, content, said):
    path = tmp_path / "x.tracescope"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        load_session(path)


def test_that_a_missing_session_file_is_said(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        load_session(tmp_path / "none.tracescope")


def test_that_a_json_note_opens_the_session_it_was_made_from(session, tmp_path):
    export_note(session, tmp_path / "note.json", hand.DATE)
    loaded = load_session(tmp_path / "note.json")
    assert loaded.marks == session.marks
    assert loaded.alignment == session.alignment
    assert loaded.report == session.report
