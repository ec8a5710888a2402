"""Route E of the observation check: scale and level from the one-step relations, where the motions differ.

It only ever agrees. A pair that it finds to disagree may differ in the plant instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tracescope.analysis.intervals import bonferroni, covered
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.regression_one_step import Sensed, sensed
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_routes import Settled
from tracescope.checks.observation_scaling_tolerances import LEVEL, SCALE, level_band
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement, State, state_of

MAX_CHANNELS = 12
"""With more signals a step is predicted by too many others to say which sensor is meant."""

BLOCKS = (0, 1, 4, 10)
"""Transitions averaged: quick exploration shows in single ones, slow motion stands out of noise in more.

0: none, but the noise that neighbouring ones share is taken out, which tells most where it is sensor noise.
"""

LONG_PAIR_STEPS = 20_000
"""Transitions of either side of a long pair that are fitted round after round: they settle a scale to a part in
a thousand of the motion, and more would only take longer."""

SHARP = 0.25
"""Part of its band that a level must be read to, to stand against first rows that show another one: a relation
that only happens to follow a position tells little of its level."""

CHANCE = 0.01
NEGLIGIBLE = 0.01
"""What is left of a motion may be no more than this part of it, or no more than chance leaves."""

SIMILAR = (0.5, 2.0)
"""Spreads that differ by more are another unit, or another motion altogether."""

CONTRADICTED = "the one-step relations read another level than the first rows do"
NOTE = "one-step relation of both traces (route E)"
COMMON = ", what several readings of it have in common"
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
    looks = [fits for fits in found if fits]
    for fits in looks:
        settled = [_settled(bench, facts, i, one, fits) for i, one in enumerate(settled)]
    return tuple(_in_common(bench, facts, one, looks) for one in settled)


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
    fits = sensed(
        relation, facts.confidence, same, max(block, 1), pulse=bench.pulse, whitened=block == 0
    )
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
    allowed = level_band(tolerances, mean, spread)
    interval = _level_of(fits, place)
    level = _measured(facts, one.level, place, fits, interval, allowed)
    doubted = one.doubted or _outside(interval, allowed)
    if level.state is State.PASS and facts.responding[i]:
        loose = interval[1] - interval[0] > SHARP * (allowed[1] - allowed[0])
        by_steps = level is not one.level and loose and starts_outside(facts, i, allowed)
        if doubted or by_steps:
            level = replace(level, blocked=CONTRADICTED)
    return replace(one, scale=scale, level=level, doubted=doubted)


def starts_outside(facts: Facts, i: int, band: Interval) -> bool:
    """Whether the first rows plainly show a level beyond its band: another reset, or what a loop took back."""
    difference, half = float(facts.first.difference[i]), float(facts.first.half[i])
    return state_of((difference - half, difference + half), band) is State.FAIL


def _in_common(
    bench: Workbench, facts: Facts, one: Settled, looks: Sequence[Sequence[Sensed]]
) -> Settled:
    """Settle a scale that several readings settle together: where all of them hold, only their overlap is left.

    Each is widened so that all hold at once as surely as one alone would (Bonferroni); one that rests on too few
    samples to be believed alone is not among them. Levels are not joined: a relation that happens to follow a
    position shows it a level where the plant has none, in every reading alike.
    """
    band = bench.case.tolerances[SCALE]
    looks = [fits for fits in looks if _tells_scale(fits, one.name, band)]
    if not looks or one.scale.state is not State.INCONCLUSIVE:
        return one
    read = [_scales(fits)[one.name] for fits in looks]
    if one.scale.interval is not None and one.scale.covered and not one.scale.blocked:
        read.append(one.scale.interval)
    place, shared = looks[0][0].names.index(one.name), overlap(read, facts.confidence)
    return replace(one, scale=_measured(facts, one.scale, place, looks[0], shared, band, COMMON))


def _tells_scale(fits: Sequence[Sensed], name: str, band: Interval) -> bool:
    """Whether a reading holds a channel's scale and rests on enough samples to be believed."""
    if name not in fits[0].names:
        return False
    place = fits[0].names.index(name)
    return covered(_scales(fits)[name], min(float(f.n_eff[place]) for f in fits), band)


def overlap(read: Sequence[Interval], confidence: float) -> Interval:
    """Return what several intervals of one quantity have in common, NaN where they contradict one another."""
    known = [ends for ends in read if np.isfinite(ends).all()]
    if len(known) < 2:
        return (float("nan"), float("nan"))
    wider = normal_quantile(bonferroni(confidence, len(known))) / normal_quantile(confidence)
    middle = np.array([(low + high) / 2 for low, high in known])
    half = np.array([(high - low) / 2 for low, high in known]) * wider
    low, high = float(np.max(middle - half)), float(np.min(middle + half))
    return (low, high) if low <= high else (float("nan"), float("nan"))


def _level_of(fits: Sequence[Sensed], place: int) -> Interval:
    """Return the hull of a channel's level over the fits."""
    ends = [f.level[place] + s * f.level_half[place] for f in fits for s in (-1, 1)]
    return (float(min(ends)), float(max(ends)))


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
    also: str = "",
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
        estimate=float(np.clip(found, *interval)),
        interval=interval,
        n=n,
        tolerance=band,
        covered=True,
        blocked="",
        confidence=facts.confidence,
        note=NOTE + also + plant + BLIND,
    )
