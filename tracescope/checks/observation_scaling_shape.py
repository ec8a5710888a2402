"""Shape measurements of the observation check, and what is reported without being judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.analysis.saturation import ks_distance
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_tolerances import (
    HELD,
    HELD_SHARE,
    RESOLUTION,
    SATURATED,
    SWAPPED,
)
from tracescope.model.check import Measurement
from tracescope.model.tolerance import Tolerance, Tolerances

KS_ROWS = 2000
"""The distance is a lead: more rows than this are thinned evenly."""

MIN_HELD_ROWS = 5
"""Fewer repeats are no habit of a sensor."""


def shape_measurements(facts: Facts, tolerances: Tolerances) -> tuple[Measurement, ...]:
    """Count saturated, held and coarse readings of every channel, and channels that swapped places."""
    found = [
        Measurement(
            "swapped channels",
            "",
            float(len(facts.swapped)),
            _exact(float(len(facts.swapped))),
            n=float(facts.x.shape[1]),
            tolerance=tolerances[SWAPPED],
            tolerance_key=SWAPPED.key,
            confidence=facts.confidence,
            note="best closed assignment by |r| over the common rows",
        )
    ]
    for i, name in enumerate(facts.names):
        found += _of_channel(facts, i, name, tolerances)
    return tuple(found)


def _of_channel(facts: Facts, i: int, name: str, tolerances: Tolerances) -> Sequence[Measurement]:
    shape = facts.shapes[name]
    rows = shape.held.rows.size
    saturated = sum(p.count for p in shape.saturated) / rows
    repeats = int(shape.held.rows.sum())
    share = repeats / rows if repeats >= MIN_HELD_ROWS else 0.0
    spread = float(facts.x[i].std())
    slope = abs(float(facts.fit.slope[i]))
    coarse = shape.target_step / slope if slope > 0 else 0.0
    finer = shape.sim_step < 0.5 * coarse and not facts.same[i]

    def counted(
        quantity: str, value: float, tolerance: Tolerance, note: str, unit: str = ""
    ) -> Measurement:
        return Measurement(
            quantity,
            name,
            value,
            _exact(value),
            unit=unit,
            n=float(rows),
            tolerance=tolerances[tolerance],
            tolerance_key=tolerance.key,
            confidence=facts.confidence,
            note=note,
        )

    return (
        counted(
            "saturated rows", saturated, SATURATED, "share at a plateau the simulator moves over"
        ),
        counted(
            "held rows",
            float(shape.held.excess),
            HELD,
            "longest exact repeat while the simulator moved, beyond its own longest",
            "rows",
        ),
        counted(
            "held share", share, HELD_SHARE, "share of rows repeated while the simulator moved"
        ),
        counted(
            "resolution",
            coarse / spread if finer and spread > 0 else 0.0,
            RESOLUTION,
            "quantisation step where coarser than the simulator's",
            "sd",
        ),
    )


def _exact(value: float) -> tuple[float, float]:
    return (value, value)


def reported(facts: Facts) -> tuple[Measurement, ...]:
    """Quantities that are shown and never judged: mean ratio, distance of distributions."""
    found = []
    stride = max(1, facts.x.shape[1] // KS_ROWS)
    for i, name in enumerate(facts.names):
        x, y = facts.x[i], facts.y[i]
        mean = float(x.mean())
        if abs(mean) > 0.5 * float(x.std()):
            found.append(
                Measurement(
                    "mean ratio",
                    name,
                    float(y.mean()) / mean,
                    None,
                    n=float(facts.fit.shift_n_eff[i]),
                    note="shown because the simulator's mean is far enough from 0",
                )
            )
        found.append(
            Measurement(
                "distribution distance",
                name,
                ks_distance(np.asarray(x[::stride]), np.asarray(y[::stride])),
                None,
                n=float(facts.fit.shift_n_eff[i]),
                note="Kolmogorov–Smirnov, a lead: 0.05 is the usual budget",
            )
        )
    return tuple(found)
