"""Bytes to traces: the only package that knows file formats.

The readers themselves are imported when the first file is opened: the window starts without them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tracescope.readers.registry import inspect_file, open_trace

__all__ = ["inspect_file", "open_trace"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tracescope.readers import registry

    return getattr(registry, name)
