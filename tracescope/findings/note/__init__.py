"""The findings note: one document, four formats."""

from __future__ import annotations

from tracescope.findings.note.document import NoteDocument
from tracescope.model.errors import Problem, UsageError

FORMATS = ("md", "html", "pdf", "json")


def render(document: NoteDocument, fmt: str) -> bytes:
    """Return the note in a format: ``md``, ``html`` (self-contained), ``pdf`` or ``json``.

    The same document gives the same bytes every time.

    Raises:
        UsageError: for another format, or where an overridden template does not render.
    """
    if fmt == "md":
        from tracescope.findings.note.markdown import markdown_note

        return markdown_note(document)
    if fmt == "html":
        from tracescope.findings.note.html import html_note

        return html_note(document)
    if fmt == "pdf":
        from tracescope.findings.note.pdf import pdf_note

        return pdf_note(document)
    if fmt == "json":
        from tracescope.findings.note.json_note import json_note

        return json_note(document)
    raise UsageError(
        Problem(f"no note format is called {fmt!r}", "note", todo=f"one of: {', '.join(FORMATS)}")
    )
