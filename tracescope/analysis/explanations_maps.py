"""One-parameter changes on the way into or out of the plant, as lenses over the target's transitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.one_step import Relation
from tracescope.analysis.one_step_rows import Recorded, Steps
from tracescope.model.trace import Samples

Lens = Callable[[Steps, float], Steps]

RATIOS = np.concatenate(
    (-np.exp(np.linspace(np.log(4), -np.log(4), 5)), np.exp(np.linspace(-7.6, 7.6, 39)))
)
"""Wrong signs too, and units as far apart as thousands; 1 is among them."""

SHIFTS = np.linspace(-2.0, 2.0, 9)
REACHES = np.linspace(0.1, 1.0, 10)
ONE_SIGNED = 0.1
"""Share of its reach up to which an action that goes the other way counts as one-signed."""
BANDS = np.linspace(0.0, 0.6, 9)
MEMORIES = np.linspace(0.0, 0.95, 9)
DELAYS = np.arange(-2.0, 9.0)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An explanation whose number is still open.

    Attributes:
        family: The check whose finding it would be.
        kind: Short stable name.
        channels: Sim names.
        lens: Takes target transitions and a value, gives them as they would be without the fault.
        grid: Values to scan, in the lens's own unit.
        neutral: The value that changes nothing, ``None`` where that is an end of the grid.
        unit: Reported value = ``unit`` × value in the lens's unit.
        columns: Observations whose recorded size the value multiplies (residuals are judged in the
            recorded size, or a scale that shrinks everything would always win).
        straight: The number that states and actions are straight lines of, as a function of the value;
            ``None`` where there is none, as for bounds and memory.
    """

    family: str
    kind: str
    channels: tuple[str, ...]
    lens: Lens
    grid: Samples
    neutral: float | None = None
    unit: float = 1.0
    columns: tuple[int, ...] = ()
    straight: Callable[[float], float] | None = None


def _itself(value: float) -> float:
    return value


def _inverse(value: float) -> float:
    return 1 / value


def upstream_candidates(
    relation: Relation, columns: tuple[tuple[int, ...], tuple[int, ...]], interval_s: float
) -> Iterator[Candidate]:
    """Return every candidate upstream of the plant.

    Args:
        relation: Both sides.
        columns: Observations and actions worth trying one by one; all are tried together as well.
        interval_s: Seconds a row.
    """
    states, actions = columns
    yield from _of_observations(relation, states)
    yield from _of_actions(relation, actions)
    if relation.drives:
        names = tuple(d.name for d in relation.drives)
        late = _Late(relation.target_rows)
        yield Candidate("timing", "delay", names, late, DELAYS, 0.0, unit=interval_s)


def _of_observations(relation: Relation, states: tuple[int, ...]) -> Iterator[Candidate]:
    family = "observation-scaling"
    for j in states:
        name = (relation.names[j],)
        yield Candidate(
            family, "scale", name, _Scaled((j,)), RATIOS, 1.0, columns=(j,), straight=_inverse
        )
        spread = float(relation.scaling.state_spread[j])
        yield Candidate(
            family, "offset", name, _Moved(j, spread), SHIFTS, 0.0, spread, straight=_itself
        )
    every = tuple(range(len(relation.names)))
    if len(every) > 1:
        yield Candidate(
            family,
            "common scale",
            relation.names,
            _Scaled(every),
            RATIOS,
            1.0,
            columns=every,
            straight=_inverse,
        )
    for place, a in enumerate(states):
        for b in states[place + 1 :]:
            channels = (relation.names[a], relation.names[b])
            yield Candidate(family, "swap", channels, _Swapped(a, b), np.ones(1))


def _of_actions(relation: Relation, actions: tuple[int, ...]) -> Iterator[Candidate]:
    drive = relation.target.drive
    count = drive.shape[1]
    names = tuple(d.name for d in relation.drives)
    groups = [(a,) for a in actions] + ([tuple(range(count))] if count > 1 else [])
    for group in groups:
        channels = tuple(names[a] for a in group)
        reach = float(np.abs(drive[:, group]).max())
        if not reach > 0:
            continue
        each = np.abs(drive[:, group]).max(axis=0)
        for kind, lens, grid in (
            ("gain", _gain, RATIOS),
            ("clip", _clip, REACHES),
            ("dead band", _dead_band, BANDS),
        ):
            unit = reach if kind != "gain" else 1.0
            neutral = 1.0 if kind == "gain" else None
            driven = _Driven(group, each, lens)
            straight = _itself if kind == "gain" else None
            yield Candidate(
                "action", kind, channels, driven, grid, neutral, unit=unit, straight=straight
            )
        yield Candidate(
            "action", "smoothing", channels, _Smooth(relation.target_rows, group), MEMORIES
        )
        if len(group) == 1:
            yield from _narrowed(relation, group[0])
            spread = float(relation.scaling.drive_spread[group[0]])
            shift = _Driven(group, np.array([spread]), _bias)
            yield Candidate(
                "action", "bias", channels, shift, SHIFTS, 0.0, spread, straight=_itself
            )


def _narrowed(relation: Relation, action: int) -> Iterator[Candidate]:
    """Bound a one-signed action (a duty cycle, a valve) from below as well: bounds about zero never do."""
    used = relation.sim.drive[:, action]
    low, high = float(used.min()), float(used.max())
    if high > low and min(abs(low), abs(high)) <= ONE_SIGNED * max(abs(low), abs(high)):
        half = (high - low) / 2
        lens = _Driven((action,), np.array([low + half, half]), _within)
        name = (relation.drives[action].name,)
        yield Candidate("action", "narrow range", name, lens, REACHES, unit=half)


def _within(value: Samples, each: Samples, level: float) -> Samples:
    middle, half = each
    return np.clip(value, middle - level * half, middle + level * half)


def _gain(value: Samples, each: Samples, level: float) -> Samples:
    del each
    return value * level


def _clip(value: Samples, each: Samples, level: float) -> Samples:
    return np.clip(value, -level * each, level * each)


def _dead_band(value: Samples, each: Samples, level: float) -> Samples:
    return np.where(np.abs(value) <= level * each, 0.0, value)


def _bias(value: Samples, each: Samples, level: float) -> Samples:
    return value + level * each


@dataclass(frozen=True, slots=True)
class _Scaled:
    """Divide observations by the value."""

    columns: tuple[int, ...]

    def __call__(self, steps: Steps, value: float) -> Steps:
        by = np.ones(steps.state.shape[1])
        by[list(self.columns)] = value
        return replace(
            steps, state=steps.state / by, before=steps.before / by, change=steps.change / by
        )


@dataclass(frozen=True, slots=True)
class _Swapped:
    """Put two observations back in each other's place."""

    one: int
    other: int

    def __call__(self, steps: Steps, value: float) -> Steps:
        del value
        order = np.arange(steps.state.shape[1])
        order[[self.one, self.other]] = self.other, self.one
        return replace(
            steps,
            state=steps.state[:, order],
            before=steps.before[:, order],
            change=steps.change[:, order],
        )


@dataclass(frozen=True, slots=True)
class _Moved:
    """Take ``value`` spreads off an observation."""

    column: int
    spread: float

    def __call__(self, steps: Steps, value: float) -> Steps:
        by = np.zeros(steps.state.shape[1])
        by[self.column] = value * self.spread
        return replace(steps, state=steps.state - by, before=steps.before - by)


@dataclass(frozen=True, slots=True, eq=False)
class _Driven:
    """Pass actions through a map without memory; ``each`` is what the map counts in, an action."""

    columns: tuple[int, ...]
    each: Samples
    change: Callable[[Samples, Samples, float], Samples]

    def __call__(self, steps: Steps, value: float) -> Steps:
        columns = list(self.columns)
        now, before = steps.drive.copy(), steps.drive_before.copy()
        now[:, columns] = self.change(now[:, columns], self.each, value)
        before[:, columns] = self.change(before[:, columns], self.each, value)
        return replace(steps, drive=now, drive_before=before)


@dataclass(frozen=True, slots=True, eq=False)
class _Smooth:
    """Pass actions through a first-order low-pass: y = (1 − value) u + value · y one row earlier."""

    rows: Recorded
    columns: tuple[int, ...]

    def __call__(self, steps: Steps, value: float) -> Steps:
        from scipy.signal import lfilter

        columns = list(self.columns)
        given = np.nan_to_num(self.rows.drive[:, columns])
        start = value * given[:1]
        smooth, _ = lfilter([1 - value], [1.0, -value], given, axis=0, zi=start)
        now, before = steps.drive.copy(), steps.drive_before.copy()
        now[:, columns] = smooth[steps.row]
        before[:, columns] = smooth[steps.row - 1]
        return replace(steps, drive=now, drive_before=before)


@dataclass(frozen=True, slots=True, eq=False)
class _Late:
    """Let actions act ``value`` rows later; a part of a row holds the earlier action that long."""

    rows: Recorded

    def __call__(self, steps: Steps, value: float) -> Steps:
        whole = int(np.floor(value))
        part = value - whole
        last = len(self.rows.drive) - 1

        def held(row: NDArray[np.int64]) -> Samples:
            recent = self.rows.drive[np.clip(row - whole, 0, last)]
            earlier = self.rows.drive[np.clip(row - whole - 1, 0, last)]
            return np.asarray((1 - part) * recent + part * earlier if part else recent)

        now, before = held(steps.row), held(steps.row - 1)
        known = np.asarray(np.isfinite(now).all(axis=1) & np.isfinite(before).all(axis=1))
        now = np.where(known[:, None], now, steps.drive)
        before = np.where(known[:, None], before, steps.drive_before)
        return replace(steps, drive=now, drive_before=before)
