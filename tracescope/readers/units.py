"""Units: only what a file, its header or a person says; never a guess."""

from __future__ import annotations

import fnmatch
import re

from tracescope.readers.base import ImportChoices
from tracescope.readers.table import Column

_UNITS = (
    r"rad|deg|°|m|mm|cm|km|um|µm|s|ms|us|µs|ns|sec|min|h|hz|khz|n|kn|nm|n·m|n\*m|nmm|v|mv|a|ma|w|kg|g|pa|"
    r"kpa|bar|rpm|c|°c|k|%|counts?|ticks?|px|pixels?|rad/s|rad/sec|deg/s|°/s|m/s|m/sec|mm/s|m/s2|m/s\^2|"
    r"m/s²|rad/s2|rad/s\^2|rad/s²|n/m|n\.m|t|mt|gauss|lux|db"
)
_WHOLE = re.compile(rf"(?:{_UNITS})", re.IGNORECASE)
_TRAILING = re.compile(rf"[\[(]\s*({_UNITS})\s*[\])]\s*$", re.IGNORECASE)


def is_unit(text: str) -> bool:
    """Whether a text is a unit and nothing else."""
    return _WHOLE.fullmatch(text.strip()) is not None


def unit_in_header(name: str) -> str:
    """Return the unit that stands in brackets at the end of a name, or ``""``; the name stays as it is."""
    found = _TRAILING.search(name)
    return found[1] if found else ""


def unit_given(column: Column, choices: ImportChoices) -> str:
    """Return what a person says, else what the file says."""
    for pattern, unit in choices.units:
        names = {column.name, column.column or column.name}
        if pattern in names or any(fnmatch.fnmatchcase(name, pattern) for name in names):
            return unit
    return column.unit
