"""What probing holds a span to, where no budget file says otherwise."""

from __future__ import annotations

import math

from tracescope.model.tolerance import Tolerance, Tolerances

PROBE_ID = "probe"

Budgets = Tolerances
"""Budgets in force: declared defaults, and what a budget file set instead."""

_ANY = (-math.inf, math.inf)
_POSITIVE = (0.0, math.inf)


def _budget(name: str, band: tuple[float, float], unit: str, why: str) -> Tolerance:
    allowed = _POSITIVE if band[0] == 0 else _ANY
    return Tolerance(f"{PROBE_ID}.{name}", band[0], band[1], unit, why, allowed)


RISE = _budget(
    "rise", _ANY, "ms", "no published budget for the rise of a step: reported until one is set"
)
SETTLING = _budget(
    "settling", (-15.0, 15.0), "ms", "published budget: settling times within 15 ms of each other"
)
OVERSHOOT = _budget(
    "overshoot", (-5.0, 5.0), "%", "published budget: overshoots within 5 % of the step"
)
PHASE = _budget(
    "phase-lag", (-5.0, 5.0), "°", "published budget: phase lags within 5° of each other at 10 Hz"
)
LATENCY = _budget(
    "latency", _ANY, "ms", "what a loop bears depends on its rate: reported until a budget is set"
)
ONSET = _budget(
    "contact-onset", _ANY, "ms", "when contact comes depends on the approach: reported until set"
)
PEAK = _budget(
    "peak-force", (-15.0, 15.0), "N", "published budget: peak forces within 15 N of each other"
)
IMPULSE = _budget(
    "impulse", (-0.05, 0.05), "N·s", "published budget: contact impulses within 0.05 N·s"
)
CONTACT_RISE = _budget(
    "contact-rise", (-5.0, 5.0), "ms", "published budget: contact rise times within 5 ms"
)
DISTRIBUTION = _budget(
    "distribution", (0.0, 0.05), "", "published budget: Kolmogorov–Smirnov distance up to 0.05"
)
DROPOUT = _budget(
    "dropout-runs",
    (0.0, 0.0),
    "",
    "published budget: no sustained dropout, a policy holds over one row",
)
JITTER = _budget(
    "jitter", (0.0, 2.0), "ms", "published budget for 50 Hz policies: jitter below 2 ms"
)
AGE = _budget(
    "observation-age", (0.0, 25.0), "ms", "published budget for 50 Hz policies: at most 25 ms old"
)
OVERRUNS = _budget(
    "overruns", (0.0, 0.0), "", "published budget for 50 Hz policies: no deadline is missed"
)
CENTROID = _budget(
    "centroid", (0.0, 2.0), "mm", "published budget: a feature's centroid within 2.0 mm"
)

BUDGETS = (
    PHASE,
    SETTLING,
    OVERSHOOT,
    RISE,
    LATENCY,
    ONSET,
    PEAK,
    IMPULSE,
    CONTACT_RISE,
    DISTRIBUTION,
    CENTROID,
    DROPOUT,
    JITTER,
    AGE,
    OVERRUNS,
)
"""Every budget, in the order in which they are told. Differences are target less simulator."""
