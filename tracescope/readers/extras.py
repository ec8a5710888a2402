"""Libraries of optional extras: asked for when a file needs them, with the command that installs them."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError


def library(name: str, extra: str, path: Path, what: str) -> Any:
    """Return a module of an optional library.

    Args:
        name: Module, e.g. ``pyarrow.parquet``.
        extra: Extra of this package that brings it.
        path, what: The file and what it is, for the message.

    Raises:
        TraceReadError: where it is not installed.
    """
    top = name.split(".", maxsplit=1)[0]
    if importlib.util.find_spec(top) is None:
        todo = f"pip install 'tracescope[{extra}]'"
        raise TraceReadError(
            Problem(f"this is {what}; reading it needs {top}", str(path), todo=todo)
        )
    return importlib.import_module(name)
