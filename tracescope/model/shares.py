"""Which plain numbers are shares of a whole: people read them in per cent, results hold them as 0 to 1."""

from __future__ import annotations

SHARES = frozenset(
    {
        "altered applied rows",
        "altered emitted rows",
        "held share",
        "missing rows",
        "overlap",
        "repeated stamps",
        "rows back in time",
        "rows repeated exactly",
        "saturated rows",
        "stale rows",
    }
)
"""Quantities that are a part of all rows; others that are begin with the word *share*."""

SHARE_TOLERANCES = frozenset(
    {
        "action.altered-rows",
        "alignment.overlap",
        "alignment.repeated-rows",
        "alignment.rows-back",
        "observation-scaling.held-share",
        "observation-scaling.saturated-rows",
        "reward.support",
        "timing.missing-rows",
        "timing.stale-rows",
    }
)
"""Their tolerances; options and files take the bands as 0 to 1."""


def is_share(quantity: str, unit: str) -> bool:
    """Say whether a quantity without a unit is a share of a whole."""
    return not unit.strip() and (quantity in SHARES or quantity.startswith("share "))


def amount(quantity: str, value: float, unit: str) -> str:
    """Write a number of a check's sentence with its unit, a share in per cent: ``26.3 %``."""
    if is_share(quantity, unit):
        return f"{value * 100:.3g} %"
    return f"{value:.4g} {unit}".rstrip()
