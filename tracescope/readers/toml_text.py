"""Keys and values as TOML writes them."""

from __future__ import annotations

import json
import re
from typing import Any


def toml_value(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(toml_quoted(v) for v in value)}]"
    return toml_quoted(value) if isinstance(value, str) else repr(value)


def toml_key(text: str) -> str:
    """Return a key as TOML, quoted where it must be."""
    return text if re.fullmatch(r"[A-Za-z0-9_-]+", text) else toml_quoted(text)


def toml_quoted(text: str) -> str:
    """Return a text as a TOML basic string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
