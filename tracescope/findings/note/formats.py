"""What a note format is. Built-ins and plug-ins (entry point ``tracescope.notes``) are alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tracescope.findings.note.document import NoteDocument


@dataclass(frozen=True, slots=True)
class NoteFormat:
    """One format of the note.

    Attributes:
        name: Also the file's ending, without the dot.
        title: What a person calls it.
        render: The document as bytes; the same document gives the same bytes.
        draws: Whether it shows figures.
    """

    name: str
    title: str
    render: Callable[[NoteDocument], bytes]
    draws: bool = True


def _markdown(document: NoteDocument) -> bytes:
    from tracescope.findings.note.markdown import markdown_note

    return markdown_note(document)


def _html(document: NoteDocument) -> bytes:
    from tracescope.findings.note.html import html_note

    return html_note(document)


def _pdf(document: NoteDocument) -> bytes:
    from tracescope.findings.note.pdf import pdf_note

    return pdf_note(document)


def _json(document: NoteDocument) -> bytes:
    from tracescope.findings.note.json_note import json_note

    return json_note(document)


BUILT_IN = (
    NoteFormat("md", "Markdown, figures beside it", _markdown),
    NoteFormat("html", "one self-contained HTML file", _html),
    NoteFormat("pdf", "PDF", _pdf),
    NoteFormat("json", "JSON, can be opened again", _json, draws=False),
)
