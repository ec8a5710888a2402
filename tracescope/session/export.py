"""Export a session: note, figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tracescope.analysis.workbench import Workbench
from tracescope.findings.note import FORMATS, render
from tracescope.findings.note.compose import Judged, compose
from tracescope.findings.note.document import NoteDocument, NoteOptions
from tracescope.findings.note.figures import drawn, figure_specs, note_figures
from tracescope.model.errors import Problem, UsageError
from tracescope.model.progress import Progress, silent
from tracescope.session.atomic import refuse_source, write_beside
from tracescope.session.edits import edited_report
from tracescope.session.result_file import dated, session_result
from tracescope.session.session import Session
from tracescope.session.store import source_paths
from tracescope.session.tolerances import all_tolerances


def note_format(path: Path | str) -> str:
    """Return the note format that a path's ending names.

    Raises:
        UsageError: where it names none.
    """
    ending = Path(path).suffix.lower().lstrip(".")
    ending = {"markdown": "md", "htm": "html"}.get(ending, ending)
    if ending not in FORMATS:
        raise UsageError(
            Problem(
                "no note format has this ending",
                str(path),
                todo=f"end it in one of: {', '.join('.' + fmt for fmt in FORMATS)}",
            )
        )
    return ending


def session_document(
    session: Session,
    date: str | None = None,
    options: NoteOptions | None = None,
    *,
    figures: bool = True,
) -> NoteDocument:
    """Return a session's note as a document, figures drawn unless told otherwise."""
    created = dated(date)
    pictures = note_figures(Workbench(session.case), session.results) if figures else ()
    judged = Judged(
        session.case,
        edited_report(session),
        session_result(session, created),
        pictures,
        all_tolerances(),
    )
    return compose(judged, options or NoteOptions())


def export_note(
    session: Session,
    path: Path | str,
    date: str | None = None,
    options: NoteOptions | None = None,
    progress: Progress = silent,
) -> None:
    """Write the note; the format follows the ending. Markdown puts its figures into a folder beside it.

    Args:
        session: Judged.
        path: ``.md``, ``.html``, ``.pdf`` or ``.json``; never one of the recordings.
        date: ISO 8601; ``None`` is now.
        options: Title, author, paper and so on.
        progress: Told before the slow steps.

    Raises:
        UsageError: where path, date or template cannot be used.
        Cancelled: from ``progress``.
    """
    path = Path(path)
    fmt = note_format(path)
    refuse_source(path, source_paths(session))
    options = options or NoteOptions()
    if fmt == "md" and not options.figure_folder:
        options = replace(options, figure_folder=f"{path.stem}_figures")
    progress(0.1, "drawing figures")
    document = session_document(session, date, options, figures=fmt != "json")
    progress(0.7, "writing the note")
    content = render(document, fmt)
    if fmt == "md":
        _write_figures(document, path.parent / options.figure_folder)
    write_beside(path, content, source_paths(session))
    progress(1.0, "exported")


def _write_figures(document: NoteDocument, folder: Path) -> None:
    figures = document.figures()
    if not figures:
        return
    _make_folder(folder)
    for figure in figures:
        write_beside(folder / f"{figure.id}.svg", figure.svg.encode("utf-8"), ())


def export_figures(session: Session, folder: Path | str) -> tuple[Path, ...]:
    """Write every figure of the note as SVG and PNG; return the paths.

    Raises:
        UsageError: where the folder cannot be written.
    """
    folder = Path(folder)
    _make_folder(folder)
    written = []
    for spec in figure_specs(Workbench(session.case), session.results):
        for fmt in ("svg", "png"):
            path = folder / f"{spec.id}.{fmt}"
            write_beside(path, drawn(spec, fmt), source_paths(session))
            written.append(path)
    return tuple(written)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            Problem(f"the folder cannot be made: {error.strerror}", str(folder))
        ) from error
