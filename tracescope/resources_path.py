"""Where files that ship with the package lie, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    inside = _PACKAGE / f"_{name}"
    return inside if inside.is_dir() else _PACKAGE.parent / name


def resources() -> Path:
    """Return the folder of icons, styles, note templates and the guide."""
    return _folder("resources")


def samples() -> Path:
    """Return the folder of bundled pairs."""
    return _folder("samples")
