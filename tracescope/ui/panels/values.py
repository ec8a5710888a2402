"""Seconds as people type and read them in the panels."""

from __future__ import annotations

import math


def time_text(at_s: float) -> str:
    """Write seconds to the microsecond, no digit more than needed."""
    return f"{at_s:.6f}".rstrip("0").rstrip(".").replace("-", "−")


def typed_s(text: str) -> float | None:
    """Read seconds as people type them (``1,5``, ``−0.2 s``); ``None`` where that is no finite number."""
    plain = text.strip().removesuffix("s").strip().replace("−", "-").replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
