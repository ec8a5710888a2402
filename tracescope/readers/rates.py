"""Nominal rates that files say in attributes or metadata."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

_RATES = ("control_hz", "control_freq", "control_frequency", "fps", "rate_hz", "rate", "hz", "frequency",
          "freq", "sample_rate", "sampling_rate", "policy_hz", "control_rate")  # fmt: skip
_STEPS = (
    "dt",
    "control_dt",
    "timestep",
    "time_step",
    "step_dt",
    "sim_dt",
    "control_timestep",
    "policy_dt",
)


def rate_in(entries: Iterable[tuple[str, str]]) -> tuple[float, str] | None:
    """Find a rate among attributes; JSON texts are looked into.

    Returns:
        Rows a second, and a sentence saying which entry said so.
    """
    found = dict(entries)
    flat: dict[str, Any] = {}
    for key, text in found.items():
        if text.lstrip().startswith("{"):
            try:
                _flatten(json.loads(text), key, flat, 0)
            except (ValueError, RecursionError):
                continue
        else:
            flat.setdefault(key, text)
    for names, invert in ((_RATES, False), (_STEPS, True)):
        for wanted in names:
            for key, text in flat.items():
                if key.rsplit(".", 1)[-1].lower() == wanted:
                    value = _positive(text)
                    if value is not None:
                        return (1.0 / value if invert else value), f"{key} says {value:g}"
    return None


def _flatten(value: Any, key: str, out: dict[str, Any], depth: int) -> None:
    if depth > 8:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _flatten(inner, f"{key}.{name}", out, depth + 1)
    elif isinstance(value, str | int | float):
        out.setdefault(key, value)


def _positive(text: Any) -> float | None:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and 1e-4 < value < 1e6 else None


def control_rate(settings: Mapping[str, Any], key: str) -> tuple[float, str] | None:
    """Find the rate of rows in an environment's settings.

    A lone ``dt`` there is a physics step, not a row: it counts only together with its decimation.

    Returns:
        Rows a second, and a sentence saying which entry said so.
    """
    flat: dict[str, Any] = {}
    _flatten(settings, key, flat, 0)
    by_leaf = {
        name.rsplit(".", 1)[-1].lower(): (name, value) for name, value in reversed(flat.items())
    }
    for wanted in _RATES:
        name, value = by_leaf.get(wanted, ("", None))
        rate = _positive(value)
        if rate is not None:
            return rate, f"{name} says {rate:g}"
    dt = _positive(by_leaf.get("sim_dt", by_leaf.get("dt", ("", None)))[1])
    decimation = _positive(by_leaf.get("decimation", ("", None))[1])
    if dt and decimation:
        return 1.0 / (dt * decimation), f"{key} says dt {dt:g} and decimation {decimation:g}"
    return None
