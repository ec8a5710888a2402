"""Route E of the observation check: scale and level from the one-step relations, where the motions differ.

It only ever agrees. A pair that it finds to disagree may differ in the plant instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tracescope.analysis.intervals import covered
from tracescope.analysis.regression_one_step import Sensed, sensed
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_routes import Settled
from tracescope.checks.observation_scaling_tolerances import LEVEL, SCALE, level_band
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement, State, state_of

MAX_CHANNELS = 12
"""With more signals a step is predicted by too many others to say which sensor is meant."""

BLOCKS = (1, 4, 10)
"""Transitions averaged: quick exploration shows in single ones, slow motion stands out of noise in more."""

LONG_PAIR_STEPS = 20_000
"""Transitions of either side of a long pair that are fitted round after round: they settle a scale to a part in
a thousand of the motion, and more would only take longer."""

CHANCE = 0.01
NEGLIGIBLE = 0.01
"""What is left of a motion may be no more than this part of it, or no more than chance leaves."""

SIMILAR = (0.5, 2.0)
"""Spreads that differ by more are another unit, or another motion altogether."""

CONTRADICTED = "the one-step relations read another level than the first rows do"
NOTE = "one-step relation of both traces (route E)"
BLIND = "; a common factor on all sensors that the actuator's gain undoes would not show"


def by_one_step(bench: Workbench, facts: Facts, settled: Sequence[Settled]) -> tuple[Settled, ...]:
    """Settle what is open where both traces follow one relation with the sensors as they are."""
    if not _open(settled) or len(facts.names) > MAX_CHANNELS or facts.swapped:
        return tuple(settled)
    low, high = SIMILAR
    if not ((facts.fit.slope > low) & (facts.fit.slope < high)).all():
        return tuple(settled)
    found, band = [], bench.case.tolerances[SCALE]
    for block in BLOCKS:
        fits = _believed(bench, facts, block)
        if fits and any(state_of(i, band) is State.FAIL for i in _scales(fits).values()):
            return tuple(settled)
        found.append(fits)
    for fits in filter(None, found):
        settled = [_settled(bench, facts, i, one, fits) for i, one in enumerate(settled)]
    return tuple(settled)


def _open(settled: Sequence[Settled]) -> bool:
    every = [m for one in settled for m in (one.scale, one.level)]
    return any(m.state is State.INCONCLUSIVE for m in every)


def _believed(bench: Workbench, facts: Facts, block: int) -> tuple[Sensed, ...]:
    """Return the fits that leave nothing unexplained: the plain one, else those with a plant change.

    What chance would leave decides first: in long traces a change of the plant that leaves next to nothing of
    the motion is told from none all the same.
    """
    relation = bench.relation
    if relation is None:
        return ()
    if bench.is_excerpt:
        relation = relation.shortened(LONG_PAIR_STEPS)
    same = frozenset(n for n, is_same in zip(facts.names, facts.same, strict=True) if is_same)
    fits = sensed(relation, facts.confidence, same, block, pulse=bench.pulse)
    groups = [some for some in (fits[:1], fits[1:]) if some]
    for some in groups:
        if some[0].chance >= CHANCE:
            return some
    for some in groups:
        if some[0].left < NEGLIGIBLE:
            return some
    return ()


def _scales(fits: Sequence[Sensed]) -> dict[str, Interval]:
    """Return the hull of every channel's scale over the fits."""
    low = np.min([f.scale * np.exp(-f.scale_half) for f in fits], axis=0)
    high = np.max([f.scale * np.exp(f.scale_half) for f in fits], axis=0)
    return dict(zip(fits[0].names, zip(low.tolist(), high.tolist(), strict=True), strict=True))


def _settled(
    bench: Workbench, facts: Facts, i: int, one: Settled, fits: Sequence[Sensed]
) -> Settled:
    if one.name not in fits[0].names:
        return one
    place, tolerances = fits[0].names.index(one.name), bench.case.tolerances
    band = tolerances[SCALE]
    scale = _measured(facts, one.scale, place, fits, _scales(fits)[one.name], band)
    mean, spread = float(facts.x[i].mean()), float(facts.x[i].std())
    ends = [f.level[place] + s * f.level_half[place] for f in fits for s in (-1, 1)]
    allowed = level_band(tolerances, mean, spread)
    interval = (float(min(ends)), float(max(ends)))
    level = _measured(facts, one.level, place, fits, interval, allowed)
    doubted = one.doubted or _outside(interval, allowed)
    if doubted and level.state is State.PASS and facts.responding[i]:
        level = replace(level, blocked=CONTRADICTED)
    return replace(one, scale=scale, level=level, doubted=doubted)


def _outside(interval: Interval, band: Interval) -> bool:
    """Whether an interval no wider than the band lies off zero, and its middle off the band."""
    low, high = interval
    tight = high - low <= band[1] - band[0]
    return tight and not low <= 0 <= high and not band[0] <= (low + high) / 2 <= band[1]


def _measured(
    facts: Facts,
    old: Measurement,
    place: int,
    fits: Sequence[Sensed],
    interval: Interval,
    band: Interval,
) -> Measurement:
    """Return the route's own measurement where the old one is open and this one agrees."""
    n = min(float(f.n_eff[place]) for f in fits)
    agrees = covered(interval, n, band) and state_of(interval, band) is State.PASS
    if old.state is not State.INCONCLUSIVE or not agrees:
        return old
    first = fits[0]
    found = first.level[place] if old.tolerance_key == LEVEL.key else first.scale[place]
    plant = f", with {first.plant} let free" if first.plant else ""
    return replace(
        old,
        estimate=float(found),
        interval=interval,
        n=n,
        tolerance=band,
        covered=True,
        blocked="",
        confidence=facts.confidence,
        note=NOTE + plant + BLIND,
    )
