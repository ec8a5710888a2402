"""Shape measurements of the observation check, and what is reported without being judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tracescope.analysis.saturation import ks_distance
from tracescope.checks.observation_scaling_facts import Facts, Shape
from tracescope.checks.observation_scaling_routes import Settled
from tracescope.checks.observation_scaling_tolerances import (
    HELD,
    HELD_SHARE,
    RESOLUTION,
    SATURATED,
    SWAPPED,
)
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement, State
from tracescope.model.tolerance import Tolerance, Tolerances

KS_ROWS = 2000
"""The distance is a lead: more rows than this are thinned evenly."""

MIN_HELD_ROWS = 5
"""Fewer repeats are no habit of a sensor."""


def shape_measurements(
    facts: Facts, settled: Sequence[Settled], tolerances: Tolerances
) -> tuple[Measurement, ...]:
    """Count saturated, held and coarse readings of every channel, and channels that swapped places.

    Args:
        facts: Measured.
        settled: Scale and level of each of their channels: a step is compared in the simulator's unit.
        tolerances: In force.
    """
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
    for i in range(len(facts.names)):
        found += _of_channel(facts, i, settled[i].scale, tolerances)
    return tuple(found)


def coarseness(facts: Facts, i: int, scale: Measurement) -> tuple[float, Interval]:
    """Return the target's step in the simulator's spreads, and the interval that its scale leaves of it.

    How much larger one motion was than the other is no scale: only one that was established as wrong counts, and
    an open one may be 1 or what a line through both motions says.
    """
    shape, spread = facts.shapes[facts.names[i]], float(facts.x[i].std())
    fitted = abs(float(facts.fit.slope[i]))
    if scale.state is State.PASS:
        scales = [1.0]
    elif scale.state is State.FAIL:
        scales = [abs(scale.estimate)]
    else:
        scales = [1.0, fitted]
    steps = [shape.target_step / s if s > 0 else 0.0 for s in scales]
    if facts.same[i] or spread <= 0 or shape.sim_step >= 0.5 * max(steps):
        return 0.0, (0.0, 0.0)
    return steps[-1] / spread, (min(steps) / spread, max(steps) / spread)


def _of_channel(
    facts: Facts, i: int, scale: Measurement, tolerances: Tolerances
) -> Sequence[Measurement]:
    name = facts.names[i]
    shape = facts.shapes[name]
    rows = shape.held.rows.size
    saturated = sum(p.count for p in shape.saturated) / rows
    repeats = int(shape.held.rows.sum())
    share = repeats / rows if repeats >= MIN_HELD_ROWS else 0.0
    coarse, between = coarseness(facts, i, scale)

    def counted(
        quantity: str,
        value: float,
        tolerance: Tolerance,
        note: str,
        unit: str = "",
        interval: Interval | None = None,
    ) -> Measurement:
        return Measurement(
            quantity,
            name,
            value,
            interval or _exact(value),
            unit=unit,
            n=float(rows),
            tolerance=tolerances[tolerance],
            tolerance_key=tolerance.key,
            confidence=facts.confidence,
            note=note,
        )

    plateaus = counted(
        "saturated rows", saturated, SATURATED, "share at a plateau the simulator moves over"
    )
    return (
        plateaus if shape.saturated else _perhaps(plateaus, shape),
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
            coarse,
            RESOLUTION,
            "quantisation step where coarser than the simulator's",
            "sd",
            between,
        ),
    )


def _perhaps(plateaus: Measurement, shape: Shape) -> Measurement:
    """Leave open whether readings tied at an extreme are a limit where the simulator hardly moves beneath them."""
    share = sum(p.count for p in shape.tied) / shape.held.rows.size
    if plateaus.tolerance is None or share <= plateaus.tolerance[1]:
        return plateaus
    bounds = " and ".join(f"{p.bound:.4g}" for p in shape.tied)
    note = f"readings tied at {bounds}, where the simulator shows noise only: a limit, or a rest without noise"
    return replace(plateaus, estimate=share, interval=(0.0, share), blocked=note, note=note)


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
