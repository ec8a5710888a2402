"""Numbers as the result file holds them: finite or null, with digits that every machine agrees on."""

from __future__ import annotations

import math

_DIGITS = 9


def rounded(value: float | None) -> float | None:
    """Return a number to nine significant digits, ``None`` where it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{_DIGITS}g}") + 0.0


def band(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    """Return an interval with open ends as ``None``."""
    return rounded(interval[0]), rounded(interval[1])
