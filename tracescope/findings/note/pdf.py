"""The note as PDF: Typst lays out a template that takes the document as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tracescope.findings.note.document import NoteDocument
from tracescope.findings.note.templating import SOURCE_ROWS, printable
from tracescope.findings.wording import template_folders
from tracescope.model.errors import Problem, UsageError

NARROW_IN = 4.0
"""Figures no wider than this stand at half the page's width."""


def pdf_note(document: NoteDocument) -> bytes:
    """Return the note as PDF.

    Raises:
        UsageError: where the template does not compile: it was overridden wrongly.
    """
    import msgspec
    import typst

    content = msgspec.json.encode(_data(document)).decode("utf-8")
    template = _template()
    try:
        compiled = typst.compile(
            template,
            font_paths=[_fonts()],
            format="pdf",
            sys_inputs={"document": content},
        )
    except (typst.TypstError, RuntimeError) as error:
        raise UsageError(
            Problem("the template does not compile", str(template), str(error))
        ) from error
    if not isinstance(compiled, bytes):  # one bytes object a document; pages are for images
        raise TypeError(f"typst returned {type(compiled).__name__}")
    return compiled


def _template() -> Path:
    return next(path for folder in template_folders() if (path := folder / "note.typ").is_file())


def _fonts() -> Path:
    """Return a folder with DejaVu Sans, so that a note looks the same on every machine."""
    import matplotlib as mpl

    return Path(mpl.get_data_path()) / "fonts" / "ttf"


def _data(document: NoteDocument) -> Any:  # a JSON value
    import msgspec

    plain = msgspec.to_builtins(document)
    for key in ("result", "follow_up_value", "factors"):
        plain.pop(key)
    plain["source_rows"] = [list(row) for row in SOURCE_ROWS]
    for group in plain["observed"]:
        for figure in group["figures"]:
            figure["narrow"] = _width_in(figure["svg"]) <= NARROW_IN
    return _cleaned(plain)


def _width_in(svg: str) -> float:
    import re

    found = re.search(r'width="([\d.]+)pt"', svg)
    return float(found.group(1)) / 72 if found else 2 * NARROW_IN


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _cleaned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(inner) for inner in value]
    return value
