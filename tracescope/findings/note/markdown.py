"""The note as Markdown: raw text escaped, a person's Markdown kept, raw HTML disarmed."""

from __future__ import annotations

import re

from tracescope.findings.note.document import Item, NoteDocument
from tracescope.findings.note.templating import printable, rendered

_SPECIAL = re.compile(
    r"([\\`*<>|~])|(?<![A-Za-z0-9])(_)|(_)(?![A-Za-z0-9])|(?<=\])(\()|^([#+-])(?=\s)"
)


def plain(text: str) -> str:
    """Escape text so that Markdown shows it letter by letter, on one line."""
    text = " ".join(printable(text).split())
    return _SPECIAL.sub(lambda found: "\\" + found.group(0), text)


def typed(item: Item) -> str:
    """Return a finding's text: generated text escaped, a person's Markdown without raw HTML."""
    if not item.by_hand:
        return plain(item.text)
    text = printable(item.text).replace("<", "&lt;").strip() or "(no text)"
    # Links that run something are not a person's Markdown either.
    text = re.sub(r"(?i)\b(javascript|vbscript|data)\s*:", r"\1&#58;", text)
    return "*By hand:* " + text.replace("\n", "\n  ")


def code(text: str) -> str:
    """Return text for a fenced block, which nothing in it can close."""
    return printable(text).replace("```", "'''")


def markdown_note(document: NoteDocument) -> bytes:
    """Return the note as Markdown, UTF-8."""
    text = rendered(
        "note.md.j2",
        document,
        {"md": plain, "cell": plain, "typed": typed, "code": code},
        escape=False,
    )
    return re.sub(r"\n{3,}", "\n\n", text).encode("utf-8")
