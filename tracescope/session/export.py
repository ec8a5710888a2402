"""Export a session: note, figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import msgspec

from tracescope.analysis.workbench import Workbench
from tracescope.checks.probing import BUDGETS
from tracescope.findings.note.compose import Judged, compose
from tracescope.findings.note.document import NoteDocument, NoteOptions
from tracescope.findings.note.figure import FigureSpec, NoteFigure, drawn
from tracescope.findings.note.figures import embedded, figure_specs
from tracescope.findings.note.formats import NoteFormat
from tracescope.model.check import CheckResult
from tracescope.model.errors import Problem, UsageError
from tracescope.model.progress import Progress, silent
from tracescope.session.atomic import refuse_source, unmade_folder, write_beside
from tracescope.session.catalogue import all_formats
from tracescope.session.edits import edited_report
from tracescope.session.ledger import session_follow_up
from tracescope.session.probe import probe_results, told_report
from tracescope.session.result_file import dated, session_result
from tracescope.session.session import Session
from tracescope.session.store import session_bytes, source_paths
from tracescope.session.tolerances import all_tolerances


def note_format(path: Path | str) -> NoteFormat:
    """Return the note format that a path's ending names, plug-ins included.

    Raises:
        UsageError: where it names none.
    """
    ending = Path(path).suffix.lower().lstrip(".")
    ending = {"markdown": "md", "htm": "html"}.get(ending, ending)
    formats = all_formats()
    found = next((fmt for fmt in formats if fmt.name == ending), None)
    if found is None:
        todo = f"end it in one of: {', '.join('.' + fmt.name for fmt in formats)}"
        raise UsageError(Problem("no note format has this ending", str(path), todo=todo))
    return found


def session_document(
    session: Session,
    date: str | None = None,
    options: NoteOptions | None = None,
    figures: Sequence[NoteFigure] | None = None,
) -> NoteDocument:
    """Return a session's note as a document; figures are drawn unless given."""
    if figures is None:
        figures = Drawings(session).of_note()
    result = session_result(session, dated(date))
    judged = Judged(
        session.case,
        told_report(session, probe_results(session)),
        result,
        tuple(figures),
        all_tolerances(),
        session_follow_up(session, result),
        BUDGETS if session.probes else (),
        session.budgets,
    )
    return compose(judged, options or NoteOptions())


class Drawings:
    """Every figure of a session's note, of its checks, then of its probes; chosen and drawn once.

    Notes and a folder of figures can share one: of a long pair, each figure costs a look through its rows.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._svg: dict[str, bytes] = {}

    @cached_property
    def specs(self) -> tuple[FigureSpec, ...]:
        """What to draw."""
        session = self._session
        observed = edited_report(session).observed
        return figure_specs(Workbench(session.case), _told(session), observed)

    def drawn(self, spec: FigureSpec, fmt: str) -> bytes:
        """Draw one of them as ``svg`` or ``png``."""
        if fmt != "svg":
            return drawn(spec, fmt)
        if spec.id not in self._svg:
            self._svg[spec.id] = drawn(spec)
        return self._svg[spec.id]

    def of_note(self) -> tuple[NoteFigure, ...]:
        """Return them as the note holds them."""
        return embedded((spec, self.drawn(spec, "svg")) for spec in self.specs)


def _told(session: Session) -> tuple[CheckResult, ...]:
    return (*session.results, *probe_results(session))


def export_note(
    session: Session,
    path: Path | str,
    date: str | None = None,
    options: NoteOptions | None = None,
    progress: Progress = silent,
) -> None:
    """Write the note; the format follows the ending. See :func:`export_notes`."""
    export_notes(session, [path], date, options, progress)


def export_notes(
    session: Session,
    paths: Sequence[Path | str],
    date: str | None = None,
    options: NoteOptions | None = None,
    progress: Progress = silent,
    drawings: Drawings | None = None,
) -> None:
    """Write the note in several formats; Markdown puts its figures into a folder beside it.

    Args:
        session: Judged.
        paths: Ending in ``.md``, ``.html``, ``.pdf`` or ``.json``; never one of the recordings.
        date: ISO 8601; ``None`` is now.
        options: Title, author, paper and so on.
        progress: Told before the slow steps.
        drawings: The session's, where they serve for more than these notes.

    Raises:
        UsageError: where a path, the date or a template cannot be used.
        Cancelled: from ``progress``.
    """
    wanted = [(Path(path), note_format(path)) for path in paths]
    for path, _ in wanted:
        refuse_source(path, source_paths(session))
    progress(0.1, "drawing figures")
    drawing = any(fmt.draws for _, fmt in wanted)
    figures = (drawings or Drawings(session)).of_note() if drawing else ()
    document = session_document(session, date, options, figures)
    for place, (path, fmt) in enumerate(wanted):
        progress(0.6 + 0.4 * place / len(wanted), f"writing {path.name}")
        _write_note(session, document, path, fmt)
    progress(1.0, "exported")


def _write_note(session: Session, document: NoteDocument, path: Path, fmt: NoteFormat) -> None:
    if fmt.name == "md" and not document.figure_folder:
        document = replace(document, figure_folder=f"{path.stem}_figures")
        _write_figures(document, path.parent / document.figure_folder)
    content = fmt.render(document)
    if fmt.name == "json":
        content = _with_session(content, session, path)
    write_beside(path, content, source_paths(session))


def _with_session(content: bytes, session: Session, path: Path) -> bytes:
    """Add the session itself, so that the note can be opened again."""
    note = msgspec.json.decode(content)
    note["session"] = msgspec.json.decode(session_bytes(session, path))
    return msgspec.json.format(msgspec.json.encode(note), indent=1) + b"\n"


def _write_figures(document: NoteDocument, folder: Path) -> None:
    figures = document.figures()
    if not figures:
        return
    _make_folder(folder)
    for figure in figures:
        write_beside(folder / f"{figure.id}.svg", figure.svg.encode("utf-8"), ())


def export_figures(
    session: Session, folder: Path | str, drawings: Drawings | None = None
) -> tuple[Path, ...]:
    """Write every figure of the note as SVG and PNG; return the paths.

    Args:
        session: Judged.
        folder: Made where it is not there.
        drawings: The session's, where notes share them.

    Raises:
        UsageError: where the folder cannot be written.
    """
    folder = Path(folder)
    _make_folder(folder)
    written = []
    drawings = drawings or Drawings(session)
    for spec in drawings.specs:
        for fmt in ("svg", "png"):
            path = folder / f"{spec.id}.{fmt}"
            write_beside(path, drawings.drawn(spec, fmt), source_paths(session))
            written.append(path)
    return tuple(written)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unmade_folder(folder, error) from error
