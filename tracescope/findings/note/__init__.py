"""The findings note: one document, several formats."""

from __future__ import annotations

from tracescope.findings.note.document import NoteDocument
from tracescope.findings.note.formats import BUILT_IN
from tracescope.model.errors import Problem, UsageError

FORMATS = tuple(fmt.name for fmt in BUILT_IN)


def render(document: NoteDocument, fmt: str) -> bytes:
    """Return the note in a built-in format: ``md``, ``html`` (self-contained), ``pdf`` or ``json``.

    The same document gives the same bytes every time.

    Raises:
        UsageError: for another format, or where an overridden template does not render.
    """
    found = next((known for known in BUILT_IN if known.name == fmt), None)
    if found is None:
        raise UsageError(
            Problem(
                f"no note format is called {fmt!r}", "note", todo=f"one of: {', '.join(FORMATS)}"
            )
        )
    return found.render(document)
