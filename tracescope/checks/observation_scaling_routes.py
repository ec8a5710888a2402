"""Scale and level of each channel, by the first route that can carry them.

A: same trajectory (equal commands). B: a channel the loop does not reach. C: kinematic ratio to a channel
that is settled. D: the first rows, before feedback acted. Each measurement's note names its route.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.intervals import covered
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.regression_routes import plant_gain_excluded
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_tolerances import LEVEL, SCALE, level_band
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement, State, state_of
from tracescope.model.tolerance import Tolerances

STRUCTURED = 0.10
"""A residual with more structure than this part of the spread is another motion."""

UNSTRUCTURED = 0.05
"""Up to this part of the spread a channel's difference is noise."""

MAGNIFIED = 4.0
"""Relative difference of a motion over that of the commands that made it, at most."""

FAR = 3.0
"""No plant gain is taken to be wrong by more than this factor under equal commands."""

BEYOND = 5.0
"""Nor is one motion so many times another one that has its shape, where the plants are driven alike."""

FAR_START = 5.0
"""A start farther from 0 than this many spreads says little of the scale of the motion about it."""

SCATTER = 1.5
"""Spreads of the first rows' differences, over all channels, that a reset is taken to scatter by."""

REPEATS = 0.05
"""Spreads that a reset is taken to scatter by however well it seems to repeat: few channels show little of it."""

PRECISE = 0.05
"""Spreads that a first row is known to, to show how far resets scatter."""

LOOSE = 0.2
"""A fit whose interval is wider than this part of its estimate gives way to steps that many channels share."""

SHARED_BY = 3
"""So many channels with one ratio of quantisation steps are counted in another unit, not by chance."""

ALIKE_STEPS = 0.01
"""Ratios of steps this near one another are one ratio."""

WIDEST = 1e3
"""An interval this many times wider than estimate and tolerance means nothing."""

PAIRED = {
    "A": "same trajectory (route A): paired fit under equal commands",
    "B": "channel outside the loop (route B): paired fit",
    "F": "paired fit of like motions: farther off than a plant driven alike can move (route F)",
}


Ratio = tuple[str, tuple[str, ...], Measurement]
"""A relation's whole, its rates, and the whole's scale over the product of the rates' scales."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Scale and level of one channel, and whether the one-step relations contradict its level."""

    name: str
    scale: Measurement
    level: Measurement
    doubted: bool = False


def settle_all(facts: Facts, tolerances: Tolerances) -> tuple[Settled, ...]:
    """Measure scale and level of every channel by routes A, B and D."""
    band = tolerances[SCALE]
    fit = facts.fit
    excluded = plant_gain_excluded(facts.x, facts.y, fit.slope, facts.responding)
    other_motion = bool((facts.responding & (fit.structured > STRUCTURED)).any())
    settled = []
    for i in range(len(facts.names)):
        scale = _scale(facts, i, band, gain_excluded=bool(excluded[i]), other_motion=other_motion)
        level = _level(facts, i, tolerances, scale, other_motion=other_motion)
        settled.append(Settled(facts.names[i], scale, level))
    return tuple(settled)


def _scale(
    facts: Facts, i: int, band: Interval, *, gain_excluded: bool, other_motion: bool
) -> Measurement:
    loose = _looseness(facts, i) * abs(float(facts.fit.slope[i]))
    interval = (float(facts.fit.low[i]) - loose, float(facts.fit.high[i]) + loose)
    paired = _measurement(facts, i, "scale", float(facts.fit.slope[i]), interval, band)
    route, blocked = _paired_route(facts, i)
    far = facts.agreement.equal and _far(interval)
    if not far and not blocked and paired.state is State.FAIL:
        if other_motion and facts.responding[i]:
            blocked = "the motion differs under equal commands"
        elif not gain_excluded:
            blocked = "a plant or actuator gain would look the same: the episode starts at rest"
    if far and facts.names[i] not in facts.swapped:
        route, blocked = "A", ""
    elif _beyond_motion(facts, i, interval):
        route, blocked = "F", ""
    paired = replace(paired, blocked=blocked, note=PAIRED.get(route, ""))
    if facts.names[i] in facts.swapped:
        return paired
    if paired.state is not State.INCONCLUSIVE:
        return _by_common_steps(facts, i, paired, band) or paired
    for other in (_by_resolution(facts, i, band), _scale_at_start(facts, i, band)):
        if other is not None:
            return other
    return paired


def _paired_route(facts: Facts, i: int) -> tuple[str, str]:
    """Return the route of a paired fit, and why it may not speak (``""`` where it may)."""
    name = facts.names[i]
    if name in facts.swapped:
        return "", f"follows {facts.swapped[name]} instead"
    if facts.agreement.equal:
        route = "A"
    elif facts.outside[i]:
        return "B", ""
    elif facts.agreement.logged and not facts.responding[i]:
        route = "B"
        if facts.fit.structured[i] > UNSTRUCTURED:
            return route, "the difference has structure: the motion may differ"
    else:
        return "", f"the motion may differ: {facts.agreement.because}"
    if not facts.on_line[i]:
        return route, "the first rows do not lie on the fitted line: the motion may differ"
    return route, ""


def _looseness(facts: Facts, i: int) -> float:
    """How much of a scale the loop may have taken back, where commands differ by more than noise.

    A loop that sees a scaled sensor moves less or more, and its commands tell by how much: the motion of
    plants that integrate differs by a few times as much as the commands do.
    """
    return MAGNIFIED * facts.agreement.systematic if facts.responding[i] else 0.0


def _far(interval: Interval, factor: float = FAR) -> bool:
    """Whether a whole interval lies beyond any plausible plant gain."""
    low, high = sorted(abs(end) for end in interval)
    return interval[0] * interval[1] > 0 and (low > factor or high < 1 / factor)


def _beyond_motion(facts: Facts, i: int, interval: Interval) -> bool:
    """Whether a scale is farther off than the motions can differ, although the commands are not equal.

    Driven by commands of about one size, two plants that move in like shape do not move so differently
    far; the width of the interval holds what the shapes differ by.
    """
    apart = not facts.agreement.equal and facts.agreement.logged and facts.agreement.alike
    return apart and facts.names[i] not in facts.swapped and _far(interval, BEYOND)


def _measurement(
    facts: Facts, i: int, quantity: str, estimate: float, interval: Interval, band: Interval
) -> Measurement:
    n_eff = float(facts.fit.n_eff[i])
    meant = means_something(interval, estimate, band)
    return Measurement(
        quantity,
        facts.names[i],
        estimate,
        interval if meant else None,
        n=n_eff,
        tolerance=band,
        tolerance_key=SCALE.key,
        confidence=facts.confidence,
        covered=meant and covered(interval, n_eff, band),
    )


def means_something(interval: Interval, estimate: float, band: Interval) -> bool:
    """Whether an interval is no wider than :data:`WIDEST` allows, and finite."""
    low, high = interval
    finite = np.isfinite((low, high, estimate)).all()
    return bool(finite and high - low <= WIDEST * max(abs(estimate), band[1] - band[0]))


def _by_resolution(facts: Facts, i: int, band: Interval) -> Measurement | None:
    """Compare the quantisation steps, where spread and step say the same far-off factor."""
    shape = facts.shapes[facts.names[i]]
    ratio = shape.step_ratio
    if not facts.agreement.equal or np.isnan(ratio):
        return None
    interval = (0.99 * ratio, 1.01 * ratio)
    if not (_far(interval) and 0.5 <= float(facts.fit.slope[i]) / ratio <= 2.0):
        return None
    note = "resolution: both sides are quantised, and their steps stand in this ratio as their spreads do"
    found = _measurement(facts, i, "scale", ratio, interval, band)
    return replace(found, covered=True, note=note)


def _by_common_steps(
    facts: Facts, i: int, paired: Measurement, band: Interval
) -> Measurement | None:
    """Trust the quantisation steps over a loose fit that contradicts them, where several channels share them.

    A load that differs between two runs of equal commands (a joint that rests on its friction) bends a paired
    fit of torques; the unit they are counted in stands in the steps of all of them alike.
    """
    stepped = _by_resolution(facts, i, band)
    if stepped is None or paired.state is not State.FAIL or paired.interval is None:
        return None
    low, high = paired.interval
    ratio = stepped.estimate
    ratios = np.array([shape.step_ratio for shape in facts.shapes.values()])
    alike = int((np.abs(ratios / ratio - 1) < ALIKE_STEPS).sum())
    loose = high - low > LOOSE * abs(paired.estimate)
    if low <= ratio <= high or not loose or alike < SHARED_BY:
        return None
    note = (
        f"{stepped.note}, as those of {alike - 1} others do; the motions beside it differ in size"
    )
    return replace(stepped, note=note)


def start_difference(facts: Facts, i: int) -> tuple[float, float]:
    """Difference at the first row and its half-width, no finer than sensors resolve and resets repeat."""
    shape = facts.shapes[facts.names[i]]
    steps = shape.sim_step + shape.target_step
    difference, half = float(facts.first.difference[i]), float(facts.first.half[i])
    # Two resets scatter: an offset may hide behind as much as this channel or the others show of it.
    scatter = SCATTER * _scatter(facts)
    if not facts.same[i]:
        scatter = max(scatter, REPEATS)
    # Noise and scatter are independent of one another.
    return difference, float(
        np.hypot(half, max(abs(difference), scatter * float(facts.spread[i]))) + steps
    )


def _scatter(facts: Facts) -> float:
    """Return by how many spreads first rows differ beyond their noise: those known well, else all there are."""
    spread, half = np.maximum(facts.spread, 1e-300), facts.first.half
    known = ~facts.same & (facts.spread > 0) & np.isfinite(half)
    precise = known & (half <= PRECISE * spread)
    shown = precise if precise.any() else known
    if not shown.any():
        return 0.0
    seen = (facts.first.difference[shown] / spread[shown]) ** 2
    noise = (half[shown] / spread[shown] / normal_quantile(facts.confidence)) ** 2
    return float(np.sqrt(max(float(np.mean(seen - noise)), 0.0)))


def _scale_at_start(facts: Facts, i: int, band: Interval) -> Measurement | None:
    """Route D: only ever agrees. A start that differs may be another reset."""
    start, spread = float(facts.x[i, 0]), float(facts.spread[i])
    if start == 0 or abs(start) > FAR_START * spread or not np.isfinite(facts.first.half[i]):
        return None
    difference, half = start_difference(facts, i)
    ends = sorted(((difference - half) / start, (difference + half) / start))
    interval = (1 + ends[0], 1 + ends[1])
    if state_of(interval, band) is not State.PASS:
        return None
    found = _measurement(facts, i, "scale", 1 + difference / start, interval, band)
    return replace(found, n=5.0, covered=True, note="first rows after the reset (route D)")


def _level(
    facts: Facts, i: int, tolerances: Tolerances, scale: Measurement, *, other_motion: bool
) -> Measurement:
    """Measure the level: of the difference itself, or of the fitted line where the scale failed."""
    fit, name = facts.fit, facts.names[i]
    mean, spread = float(facts.x[i].mean()), float(facts.spread[i])
    scaled = scale.state is State.FAIL
    slope = float(fit.slope[i]) if scaled else 1.0
    estimate = float(fit.intercept[i] if scaled else fit.shift[i])
    half = float(fit.intercept_half[i] if scaled else fit.shift_half[i])
    half += _looseness(facts, i) * abs(slope) * (spread + abs(mean) * scaled)
    band = level_band(tolerances, mean, spread, slope)
    interval = (estimate - half, estimate + half)
    n_eff = float(fit.n_eff[i] if scaled else fit.shift_n_eff[i])
    route, blocked = _paired_route(facts, i)
    found = replace(
        _measurement(facts, i, "level", estimate, interval, band),
        n=n_eff,
        covered=means_something(interval, estimate, band) and covered(interval, n_eff, band),
        tolerance_key=LEVEL.key,
        note=PAIRED.get(route, "") + (", intercept of the line" if scaled else ""),
    )
    if not blocked and found.state is State.FAIL and facts.responding[i]:
        there = abs(facts.first.difference[i] - fit.shift[i]) <= max(
            0.25 * abs(float(fit.shift[i])), float(facts.first.half[i])
        )
        if other_motion or not (there or scaled):
            blocked = "the first rows do not show it: the plant may hold another level"
    found = replace(found, blocked=blocked)
    if found.state is State.PASS and facts.responding[i] and not facts.agreement.replayed:
        found = _as_first_seen(facts, i, found)
    if found.state is State.INCONCLUSIVE and not scaled and name not in facts.swapped:
        return _level_at_start(facts, i, band) or found
    return found


def _as_first_seen(facts: Facts, i: int, found: Measurement) -> Measurement:
    """Widen a level that a loop may have taken back to what the first rows leave room for.

    A policy that reads an offset moves the machine until the reading is where it wants it, so that later rows
    show nothing of it; only the first rows do, as far as resets repeat.
    """
    difference, half = start_difference(facts, i)
    if found.interval is None or not np.isfinite((difference, half)).all():
        return replace(found, covered=False, note=f"{found.note}; the loop may have taken it back")
    low, high = found.interval
    return replace(found, interval=(min(low, difference - half), max(high, difference + half)))


def _level_at_start(facts: Facts, i: int, band: Interval) -> Measurement | None:
    difference, half = start_difference(facts, i)
    interval = (difference - half, difference + half)
    if state_of(interval, band) is not State.PASS:
        return None
    found = _measurement(facts, i, "level", difference, interval, band)
    return replace(
        found,
        n=5.0,
        covered=True,
        tolerance_key=LEVEL.key,
        note="first rows after the reset (route D)",
    )


def by_kinematics(
    settled: Sequence[Settled], ratios: Sequence[Ratio], band: Interval
) -> tuple[tuple[Settled, ...], tuple[Measurement, ...]]:
    """Route C: carry settled scales along kinematic ratios to channels that have none.

    Args:
        settled: After the other routes.
        ratios: Of the simulator's relations.
        band: Of a scale.

    Returns:
        The channels, and the ratios that settled none of several open ones: they blame all of theirs.
    """
    by_name = {s.name: s for s in settled}
    left = list(ratios)
    changed = True
    while changed:
        changed = False
        for item in list(left):
            whole, rates, ratio = item
            named = (whole, *rates)
            missing = [n for n in named if by_name[n].scale.state is State.INCONCLUSIVE]
            if not missing:
                left.remove(item)
            elif len(missing) == 1 and ratio.covered:
                known = {n: by_name[n].scale for n in named if n != missing[0]}
                carried = _carried(known, item, missing[0])
                if state_of(carried.interval, band) is not State.INCONCLUSIVE:
                    by_name[missing[0]] = replace(by_name[missing[0]], scale=carried)
                    left.remove(item)
                    changed = True
    return tuple(by_name[s.name] for s in settled), tuple(ratio for _, _, ratio in left)


def _carried(known: dict[str, Measurement], item: Ratio, name: str) -> Measurement:
    """Return the one open scale of a relation from the settled ones and the ratio."""
    whole, _, ratio = item
    low, high = _ends(ratio)
    estimate = ratio.estimate
    # Whole = ratio × rates: known rates multiply, then a known whole is divided by what came out.
    for other in sorted(known, key=lambda n: n == whole):
        scale, divides = known[other], other == whole
        ends = _ends(scale)
        parts = [b / a if divides else a * b for a in (low, high) for b in ends]
        estimate = scale.estimate / estimate if divides else estimate * scale.estimate
        low, high = min(parts), max(parts)
    first = next(iter(known.values()))
    return replace(
        first,
        channel=name,
        estimate=estimate,
        interval=(low, high),
        n=min(ratio.n, *(scale.n for scale in known.values())),
        note=f"kinematic ratio to {', '.join(known)} (route C), settled by: {first.note}",
    )


def _ends(measurement: Measurement) -> Interval:
    return measurement.interval or (measurement.estimate, measurement.estimate)
