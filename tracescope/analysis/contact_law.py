"""Contact stiffness read off a force and a position of one trace: no pairing of rows enters it.

While something is touched, a one-sided spring with damping (Kelvin and Voigt) gives a force
f = k p − d v; the position is then x = x₀ + f / k + (d / k) v. Position is fitted on force and speed, not
force on position: the position's noise then widens the interval instead of weakening the slope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tracescope.analysis.intervals import influence_interval
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

MIN_ROWS = 20
FREE_SHARE = 0.25
"""At least so many rows touch nothing."""
QUIET = 0.05
"""Spread of the free rows over the largest force."""
TOUCHING = 0.2
"""Rows with at least this share of the largest force touch for certain."""
MIN_R2 = 0.95
BEYOND = 0.98
"""Share of the free rows that lie on the free side of the softest touching position."""
MOST_CHANNELS = 24


@dataclass(frozen=True, slots=True)
class Stiffness:
    """A contact stiffness with its interval; the sign is dropped."""

    estimate: float
    interval: Interval
    n: float


@dataclass(frozen=True, slots=True)
class Contact:
    """A force that follows a position while something is touched, in both traces.

    Attributes:
        force, position: Sim names.
        sim, target: Force a unit of position.
        ratio: Target over sim.
    """

    force: str
    position: str
    sim: Stiffness
    target: Stiffness
    ratio: Stiffness


def contacts(bench: Workbench, confidence: float) -> tuple[Contact, ...]:
    """Return the contact of every observation that behaves as a contact force in both traces.

    Args:
        bench: The case; corrections are applied.
        confidence: Of every interval.
    """
    names = bench.live_in_both(bench.observations)[:MOST_CHANNELS]
    found = (_contact(bench, name, names, confidence) for name in names)
    return tuple(contact for contact in found if contact is not None)


def touching(force: Samples) -> tuple[Samples, Samples] | None:
    """Return (touching, free) masks of a force that rests for a while and then rises one way, or ``None``.

    Args:
        force: Shape ``(n,)``, may hold NaN.
    """
    finite = force[np.isfinite(force)]
    if finite.size < 2 * MIN_ROWS:
        return None
    low, middle, high = np.percentile(finite, [1, 25, 99])
    size = high - middle
    if not size > 0 or middle - low > QUIET * size:
        return None
    free = np.abs(force - middle) <= QUIET * size
    active = force >= middle + TOUCHING * size
    if free.sum() < max(MIN_ROWS, FREE_SHARE * finite.size) or active.sum() < MIN_ROWS:
        return None
    return active, free


def _contact(
    bench: Workbench, force: str, names: Sequence[str], confidence: float
) -> Contact | None:
    sides = (bench.rows.sim, bench.rows.target)
    masks = [touching(side[force]) for side in sides]
    if masks[0] is None or masks[1] is None:
        return None
    best: tuple[float, Contact] | None = None
    for position in names:
        if position == force:
            continue
        fits = [
            _law(side[force], side[position], mask, confidence)
            for side, mask in zip(sides, masks, strict=True)
            if mask is not None
        ]
        sim, target = fits
        if sim is None or target is None or sim[2] != target[2]:
            continue
        quality = min(sim[1], target[1])
        if best is None or quality > best[0] + 1e-9:
            made = Contact(force, position, sim[0], target[0], _ratio(target[0], sim[0]))
            best = (quality, made)
    return None if best is None else best[1]


def _law(
    force: Samples, position: Samples, masks: tuple[Samples, Samples], confidence: float
) -> tuple[Stiffness, float, bool] | None:
    """Return (stiffness, R², whether position falls with force), or ``None`` where there is no such law."""
    active, free = masks
    speed = np.gradient(position)
    used = active.astype(bool) & np.isfinite(force) & np.isfinite(position) & np.isfinite(speed)
    if used.sum() < MIN_ROWS:
        return None
    x = position[used]
    design = np.column_stack((np.ones(x.size), speed[used], force[used]))
    beta, *_ = np.linalg.lstsq(design, x, rcond=None)
    left = x - design @ beta
    spread = float(np.var(x))
    compliance = float(beta[2])
    if not spread > 0 or compliance == 0:
        return None
    r2 = 1.0 - float(np.var(left)) / spread
    if r2 < MIN_R2 or not _one_sided(position[free.astype(bool)], x, compliance):
        return None
    others = design[:, :2]
    alone = force[used] - others @ np.linalg.lstsq(others, force[used], rcond=None)[0]
    influence = alone * left / float(np.mean(alone**2))
    found = influence_interval(compliance, influence, confidence)
    ends = sorted((abs(found.low), abs(found.high)))
    if found.low * found.high <= 0 or not math.isfinite(found.low + found.high):
        return None
    stiffness = Stiffness(1 / abs(compliance), (1 / ends[1], 1 / ends[0]), found.n_eff)
    return stiffness, r2, compliance < 0


def _one_sided(free: Samples, touching_x: Samples, compliance: float) -> bool:
    """Say whether the free rows lie on the side that the position leaves as the force rises."""
    free = free[np.isfinite(free)]
    sign = math.copysign(1.0, compliance)
    limit = float(np.percentile(sign * touching_x, 50))
    return bool(np.mean(sign * free < limit) >= BEYOND)


def _ratio(over: Stiffness, under: Stiffness) -> Stiffness:
    """Return a quotient; the intervals of independent traces are joined on the log scale."""
    value = over.estimate / under.estimate
    down = math.hypot(*(math.log(s.estimate / s.interval[0]) for s in (over, under)))
    up = math.hypot(*(math.log(s.interval[1] / s.estimate) for s in (over, under)))
    return Stiffness(value, (value * math.exp(-down), value * math.exp(up)), min(over.n, under.n))
