"""What the observation check knows of each channel before it decides anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import Place, place_of
from tracescope.analysis.intervals import bonferroni
from tracescope.analysis.regression import (
    FIRST_ROWS,
    FirstRows,
    Matrix,
    SlopeFit,
    first_rows,
    first_rows_on_line,
    fit_slopes,
)
from tracescope.analysis.regression_routes import (
    Agreement,
    commands_agree,
    episode_rows,
    exact_line,
    identical,
    increments_agree,
    responds,
)
from tracescope.analysis.resample import Nearest, nearest_in
from tracescope.analysis.rows import live
from tracescope.analysis.saturation import (
    Held,
    Plateau,
    held_values,
    resolution,
    saturated_or_tied,
    swapped_channels,
)
from tracescope.analysis.stretches import spreads_together
from tracescope.analysis.transitions import drives, on_rows
from tracescope.analysis.workbench import Workbench
from tracescope.model.trace import Samples

MIN_ROWS = 20
"""Fewer common rows say nothing of a scale."""

MIN_FINITE = 0.8
"""A channel with more dropped samples is set apart, lest it take the other channels' rows with it."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Shape faults of one channel on the common rows, and its resolution on either side.

    ``tied`` are plateaus that may be a limit or a rest: the simulator hardly moves beneath them.
    """

    saturated: tuple[Plateau, ...]
    tied: tuple[Plateau, ...]
    held: Held
    sim_step: float
    target_step: float

    @property
    def step_ratio(self) -> float:
        """Target's resolution over the simulator's, NaN where either has none."""
        return (
            self.target_step / self.sim_step
            if self.target_step * self.sim_step > 0
            else float("nan")
        )

    @property
    def rows(self) -> NDArray[np.bool_]:
        """Rows that hold no reading of the sensor, shape ``(n,)``."""
        taken = self.held.rows.copy()
        for plateau in self.saturated:
            taken |= plateau.rows
        return taken


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """Everything measured, one place a channel.

    Attributes:
        names: Sim names of the channels that move on both sides and have enough common samples.
        thin: Names left out because they have too few common samples.
        x, y: Sim and target on the rows where all ``names`` are finite, shape ``(k, n)``.
        spread: Standard deviation of each row of ``x``, shape ``(k,)``.
        rows: Which common rows those are, shape ``(N,)``.
        fit, first, on_line, responding: See :mod:`tracescope.analysis.regression`.
        outside: Channels that lie outside the loop for certain: an exact line of the other side's numbers
            although the commands differ, as a reference or a clock is. Nothing the commands move could.
        same: Channels that are the same numbers on both sides.
        agreement: Whether the emitted actions are equal.
        shapes: Per channel, on all common rows of the whole pair.
        swapped: ``{channel: the sim channel it follows instead}``.
        confidence: Of each interval, after Bonferroni.
    """

    names: tuple[str, ...]
    thin: tuple[str, ...]
    x: Matrix
    y: Matrix
    spread: Samples
    rows: NDArray[np.bool_]
    fit: SlopeFit
    first: FirstRows
    on_line: NDArray[np.bool_]
    responding: NDArray[np.bool_]
    outside: NDArray[np.bool_]
    same: NDArray[np.bool_]
    agreement: Agreement
    shapes: dict[str, Shape]
    swapped: dict[str, str]
    confidence: float


def gather(bench: Workbench, whole: Workbench | None = None) -> Facts | None:
    """Measure every live observation channel, or return ``None`` where there is nothing to measure.

    Args:
        bench: What lines are fitted on.
        whole: The whole pair where that is some stretches of it: shape faults are rare and counted there.
    """
    moving = bench.live_in_both(bench.observations)
    sim, target = bench.rows.sim, bench.rows.target
    inside = episode_rows(bench)
    finite = {n: inside & np.isfinite(sim[n]) & np.isfinite(target[n]) for n in moving}
    enough = max(MIN_ROWS, MIN_FINITE * int(inside.sum()))
    names = tuple(n for n in moving if finite[n].sum() >= enough and _moves(bench, n, inside))
    if not names:
        return None
    rows = np.logical_and.reduce([finite[n] for n in names])
    if rows.sum() < MIN_ROWS:
        return None
    x = np.stack([sim[n][rows] for n in names])
    y = np.stack([target[n][rows] for n in names])
    same = identical(x, y)
    confidence = bonferroni(bench.case.confidence, 2 * int((~same).sum()))
    shapes = _shapes(bench, names)
    fit = _fit_clean(x, y, [shapes[n].rows[rows] for n in names], confidence)
    if whole is not None and whole is not bench:
        shapes = _shapes(whole, names)
    agreement, responding = _loop(bench, x, rows)
    loop_differs = agreement.logged and not agreement.equal and not agreement.proportional
    outside = exact_line(x, y, fit.slope, fit.intercept) & loop_differs
    outside |= same & (agreement.logged and not agreement.exact)
    swapped = {names[i]: names[j] for i, j in swapped_channels(x, y).items()}
    return Facts(
        names=names,
        thin=tuple(n for n in moving if n not in names),
        x=x,
        y=y,
        spread=x.std(axis=1),
        rows=rows,
        fit=fit,
        first=first_rows(x, y, confidence) if x.shape[1] >= FIRST_ROWS else _no_first(x),
        on_line=first_rows_on_line(x, y, fit),
        responding=(responding | ~increments_agree(x, y)) & ~outside,
        outside=outside,
        same=same,
        agreement=agreement,
        shapes=shapes,
        swapped=swapped,
        confidence=confidence,
    )


def _shapes(bench: Workbench, names: tuple[str, ...]) -> dict[str, Shape]:
    skip = _stale_rows(bench) | ~episode_rows(bench)
    at_s = bench.case.alignment.to_target(bench.rows.time_s)
    places: dict[Place, Nearest] = {}

    def nearest(time_s: Samples) -> Nearest:
        if (key := place_of(time_s)) not in places:
            places[key] = nearest_in(time_s, at_s)
        return places[key]

    found = {}
    for name in names:
        bench.pulse()
        sim, read = bench.rows.sim[name], _as_read(bench, name, nearest)
        found[name] = _shape(sim, read, skip, _steps(bench, name))
    return found


def _moves(bench: Workbench, name: str, inside: NDArray[np.bool_]) -> bool:
    return live(bench.rows.sim[name][inside]) and live(bench.rows.target[name][inside])


def _no_first(x: Matrix) -> FirstRows:
    unknown = np.full(x.shape[0], np.nan)
    return FirstRows(unknown, unknown)


def _steps(bench: Workbench, name: str) -> tuple[float, float]:
    """Return both sides' resolution from their own rows, before any interpolation."""
    pair, case = bench.case.pair, bench.case
    target = pair.target_of(name) or name

    def steps() -> tuple[float, float]:
        ours = pair.sim[name].value
        uncorrected = case.correction_of(target) is None
        theirs = pair.target[target].value if uncorrected else case.target_values(target)
        return resolution(ours), resolution(theirs)

    return bench.of_recordings(("resolution", name), steps)


def _as_read(bench: Workbench, name: str, nearest: Callable[[Samples], Nearest]) -> Samples:
    """Return the target's nearest samples on the common rows: between two of them no sensor was read.

    Interpolation by a small part of a row would hide a held value.
    """
    rows, case = bench.rows, bench.case
    if rows.target_row is not None:
        return rows.target[name]
    target = case.pair.target_of(name) or name
    channel = case.pair.target[target]
    corrected = case.correction_of(target) is not None
    value = case.target_values(target) if corrected else channel.value
    read = nearest(channel.time_s).read(value)
    read[~np.isfinite(rows.target[name])] = np.nan
    return read


def _shape(
    sim: Samples, target: Samples, skip: NDArray[np.bool_], steps: tuple[float, float]
) -> Shape:
    if skip.any():
        sim, target = np.where(skip, np.nan, sim), np.where(skip, np.nan, target)
    slope, covariance = _together(sim, target)
    sim_step, target_step = steps
    saturated, tied = saturated_or_tied(sim, target, -slope if covariance < 0 else slope)
    for plateau in saturated:
        skip = skip | plateau.rows
    coarse = max(target_step / slope if slope > 0 else 0.0, sim_step)
    held = held_values(sim, target, coarse, skip)
    return Shape(saturated, tied, held, sim_step, target_step)


def _together(sim: Samples, target: Samples) -> tuple[float, float]:
    """Return the ratio of spreads, target over sim, and the covariance, over every row that both have."""
    spread_x, spread_y, covariance = spreads_together(sim, target)
    return (spread_y / spread_x if spread_x > 0 else 1.0), covariance


def _stale_rows(bench: Workbench) -> NDArray[np.bool_]:
    """Mark rows whose target stamp repeats the previous row's: a matter of timing, not of the sensor."""
    rows = bench.rows
    stale = np.zeros(len(rows), dtype=np.bool_)
    if rows.target_row is not None and len(rows) > 1:
        stamp = bench.case.pair.target.time_s[rows.target_row]
        repeat = np.diff(stamp) <= 0
        stale[1:] |= repeat
        stale[:-1] |= repeat
    return stale


def _fit_clean(
    x: Matrix, y: Matrix, unread: list[NDArray[np.bool_]], confidence: float
) -> SlopeFit:
    """Fit all channels at once, and those with unread rows again without them."""
    fit = fit_slopes(x, y, confidence)
    for i, taken in enumerate(unread):
        kept = ~taken
        if taken.any() and kept.sum() >= MIN_ROWS and np.ptp(y[i, kept]) > 0:
            alone = fit_slopes(x[i : i + 1, kept], y[i : i + 1, kept], confidence)
            for field in fields(SlopeFit):
                getattr(fit, field.name)[i] = getattr(alone, field.name)[0]
    return fit


def _loop(
    bench: Workbench, x: Matrix, rows: NDArray[np.bool_]
) -> tuple[Agreement, NDArray[np.bool_]]:
    """Say whether the emitted actions are equal, and which channels they move in the sim."""
    sim, target = bench.rows.sim, bench.rows.target
    names = bench.actions
    kept = rows.copy()
    for name in names:
        kept &= np.isfinite(sim[name]) & np.isfinite(target[name])
    command = np.stack([sim[n][kept] for n in names]) if names else np.zeros((0, int(kept.sum())))
    answer = np.stack([target[n][kept] for n in names]) if names else command
    agreement = commands_agree(names, command, answer)
    if agreement.equal:
        agreement = _with_applied(bench, rows, agreement)
    if not agreement.logged:
        return agreement, np.ones(x.shape[0], dtype=np.bool_)
    place = np.flatnonzero(kept)
    run = bench.rows.run[kept]
    consecutive = (np.diff(place) == 1) & (run[1:] == run[:-1])
    motion = x[:, kept[rows]]
    return agreement, responds(motion, command, consecutive)


def _with_applied(bench: Workbench, rows: NDArray[np.bool_], agreement: Agreement) -> Agreement:
    """Say that the motion may differ where equal commands reached the two plants unlike, as far as logged."""
    found = [d for d in drives(bench.case.pair) if d.applied]
    if not found:
        return agreement
    sim = np.stack([on_rows(bench, d.sim, of_target=False) for d in found])
    target = np.stack([on_rows(bench, d.target, of_target=True) for d in found])
    kept = rows & np.isfinite(sim).all(axis=0) & np.isfinite(target).all(axis=0)
    reached = commands_agree(tuple(d.target.name for d in found), sim[:, kept], target[:, kept])
    if reached.equal or not reached.logged:
        return agreement
    because = reached.because.replace("emitted", "applied", 1)
    return replace(reached, proportional=False, because=because)
