"""Exporting again gives the same bytes but for the date; a note opens as the session it was made from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.session.files import exercise_files
from tracescope.findings.note.document import NoteOptions
from tracescope.session import export
from tracescope.session.export import Drawings, export_figures, export_notes
from tracescope.session.judge import judge
from tracescope.session.open import open_session, side_of
from tracescope.session.session import FindingEdit, Mark, Session
from tracescope.session.store import load_session

DATE, LATER = "2026-11-30T09:12:44+01:00", "2027-01-02T03:04:05+00:00"
ENDINGS = ("md", "html", "pdf", "json")
TYPED = "**bold** <script>alert(1)</script> 😀 שלום عالم | `x` #set\n\n- one\n- two"


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Session:
    sim, target = exercise_files(tmp_path_factory.mktemp("pair"))
    judged = judge(open_session(side_of(str(sim)), side_of(str(target))))
    return replace(
        judged,
        marks=(Mark((0.5, 0.9), TYPED),),
        edits=(FindingEdit("mine", "observed", text=TYPED, added=True),),
    )


@pytest.fixture(scope="module")
def drawings(session) -> Drawings:
    """What the first note shows; a figure is drawn without a date."""
    return Drawings(session)


@pytest.fixture(scope="module")
def first_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("first") / "a"


@pytest.fixture(scope="module")
def first(session, drawings, first_folder) -> dict[str, bytes]:
    """The files of the note, exported once."""
    return exported(session, first_folder, DATE, drawings)


def exported(
    session: Session, folder: Path, date: str, drawings: Drawings | None = None
) -> dict[str, bytes]:
    """Export in every format, figures drawn anew where none are given."""
    folder.mkdir()
    paths = [folder / f"note.{ending}" for ending in ENDINGS]
    options = NoteOptions(title="T", command="tracescope check a b")
    export_notes(session, paths, date, options, drawings=drawings)
    every = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in every}


def test_that_exporting_again_gives_the_same_bytes(session, first, tmp_path):
    assert exported(session, tmp_path / "b", DATE) == first


def test_that_another_date_changes_the_date_alone(session, first, drawings, tmp_path):
    second = exported(session, tmp_path / "b", LATER, drawings)
    assert first.keys() == second.keys()
    for name, content in first.items():
        if not name.endswith(".pdf"):  # compressed: compared above, byte for byte
            assert content.replace(DATE.encode(), LATER.encode()) == second[name], name


def test_that_a_note_opens_as_the_session_it_was_made_from(session, first, first_folder, tmp_path):
    again = load_session(first_folder / "note.json")
    assert (again.marks, again.edits) == (session.marks, session.edits)
    states = [(r.id, r.state, r.reason) for r in session.results]
    assert [(r.id, r.state, r.reason) for r in again.results] == states
    assert not again.stale
    assert exported(again, tmp_path / "b", DATE) == first


def test_that_a_mark_stands_under_observed_with_its_figure(first):
    files = first
    assert "note_figures/mark-1.svg" in files
    text = files["note.md"].decode("utf-8")
    assert "### Marked or written by hand" in text
    assert "Marked by hand from 0.5 s to 0.9 s" in text
    assert "![" in text.split("### Marked or written by hand")[1]
    assert "<script" not in text
    assert b"<script" not in files["note.html"]


def test_that_a_note_and_a_folder_of_figures_share_what_is_drawn(session, tmp_path, monkeypatch):
    drawn: list[tuple[str, str]] = []

    def counted(spec, fmt="svg"):
        drawn.append((spec.id, fmt))
        return f"<svg {spec.id}/>".encode() if fmt == "svg" else b"png"

    monkeypatch.setattr(export, "drawn", counted)
    drawings = Drawings(session)
    export_notes(session, [tmp_path / "note.md"], DATE, drawings=drawings)
    written = export_figures(session, tmp_path / "figures", drawings)
    assert len(drawn) == len(set(drawn)) == len(written) > 4
    names = {path.name for path in written}
    assert names == {f"{name}.{fmt}" for name, fmt in drawn}
    assert names == {path.name for path in (tmp_path / "figures").iterdir()}
