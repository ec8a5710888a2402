"""The Jinja environment of the Markdown and HTML notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tracescope.findings.note.document import NoteDocument
from tracescope.findings.wording import template_folders
from tracescope.model.errors import Problem, UsageError

SOURCE_ROWS = (
    ("file", "path"),
    ("SHA-256", "sha256"),
    ("layout", "layout"),
    ("episode", "episode"),
    ("rows", "rows"),
    ("duration", "duration"),
    ("median interval", "interval"),
)


def rendered(
    name: str,
    document: NoteDocument,
    filters: Mapping[str, Callable[..., object]],
    *,
    escape: bool,
) -> str:
    """Render a note template from the team's folder or our own.

    Raises:
        UsageError: where the template does not render.
    """
    from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=FileSystemLoader([str(folder) for folder in template_folders()]),
        autoescape=escape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    try:
        return environment.get_template(name).render(doc=document, source_rows=SOURCE_ROWS)
    except TemplateError as error:
        raise UsageError(Problem("the template does not render", name, str(error))) from error


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def printable(text: str) -> str:
    """Drop control characters, which no format can show."""
    return _CONTROL.sub("", text)
