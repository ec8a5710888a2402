"""Sentences from templates that a team can override."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tracescope.findings.numbers import with_minus
from tracescope.model.errors import Problem, UsageError
from tracescope.resources_path import resources

if TYPE_CHECKING:
    from jinja2 import Template

OVERRIDE_VARIABLE = "TRACESCOPE_TEMPLATES"


def template_folders() -> tuple[Path, ...]:
    """Return where templates are looked for: the team's folder first, then our own."""
    own = resources() / "note"
    given = os.environ.get(OVERRIDE_VARIABLE)
    return (Path(given), own) if given else (own,)


@cache
def _tables(folders: tuple[Path, ...]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for folder in reversed(folders):
        path = folder / "wording.toml"
        if not path.is_file():
            continue
        try:
            merged = _merged(merged, tomllib.loads(path.read_text("utf-8")))
        except tomllib.TOMLDecodeError as error:
            raise UsageError(Problem("is not a TOML file", str(path), str(error))) from error
    return merged


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    out = dict(base)
    for key, value in over.items():
        inner = out.get(key)
        out[key] = (
            _merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
        )
    return out


@cache
def _template(text: str) -> Template:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    # Plain text: what goes into HTML or Typst is escaped there, once.
    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    return environment.from_string(text)


def entry(*keys: str) -> Any:  # a template's text or a table of them
    """Return what stands under nested keys, or ``None``."""
    found: Any = _tables(template_folders())
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found


def say(*keys: str, **values: object) -> str:
    """Render the template under nested keys.

    Raises:
        UsageError: where the template does not render: it was overridden wrongly.
        KeyError: where no such template exists.
    """
    from jinja2 import TemplateError

    text = entry(*keys)
    if not isinstance(text, str):
        raise KeyError(".".join(keys))
    try:
        return with_minus(" ".join(_template(text).render(**values).split()))
    except TemplateError as error:
        where = f"wording.toml, {'.'.join(keys)}"
        raise UsageError(Problem("the template does not render", where, str(error))) from error
