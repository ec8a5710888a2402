"""When a target signal may be regressed on the simulator's: is the motion the same?

Inside a closed loop a scaled sensor changes the motion itself, so a paired fit measures the sensor only
where the motion is known not to have changed. What can be known from one pair is gathered here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.ends import episode_end
from tracescope.analysis.regression import Matrix, fit_slopes, structured_spread
from tracescope.analysis.workbench import Workbench
from tracescope.model.trace import Samples

EQUAL = 0.05
"""Commands are equal where they differ by less than this part of their spread."""

REPLAYED = 1e-3
"""Commands that never differ by more of their spread were played back; a policy that read another offset
would have answered it."""

TESTED_ROWS = 2000
"""Rows on which the response to a command is tested."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether both traces emitted the same commands.

    Attributes:
        logged: Whether any is logged on both sides.
        equal: Whether all are equal.
        because: Names the worst one where not.
        proportional: Whether every one is an exact line of the other side's.
        systematic: Largest difference that is not noise, over the action's spread.
        exact: Whether they are the same numbers.
        replayed: Whether no row differs by more than rounding: no feedback acted on what the sensors read.
        alike: Whether their spreads lie within a factor of two of each other: the plants are driven alike.
    """

    logged: bool
    equal: bool
    because: str
    proportional: bool = False
    systematic: float = 0.0
    exact: bool = False
    alike: bool = False
    replayed: bool = False


def commands_agree(names: tuple[str, ...], sim: Matrix, target: Matrix) -> Agreement:
    """Compare the emitted actions row by row.

    Equal are commands whose median difference is below 5 % of their spread, or that differ by noise alone:
    no structure above 5 % in the difference, slope within a tenth of 1, r above 0.9.

    Args:
        names: Of the actions.
        sim: Finite, shape ``(m, n)``.
        target: The same actions on the same rows.
    """
    if not names or sim.shape[1] < 8:
        return Agreement(
            logged=False, equal=False, because="no emitted action is logged on both sides"
        )
    difference = target - sim
    spread = np.maximum(sim.std(axis=1), target.std(axis=1))
    unit = np.where(spread > 0, spread, 1.0)
    median = np.median(np.abs(difference), axis=1) / unit
    equal = median <= EQUAL
    if not equal.all():
        with np.errstate(invalid="ignore", divide="ignore"):
            fit = fit_slopes(sim, target)
        noise = (
            (structured_spread(difference) <= EQUAL * unit)
            & (np.abs(difference.mean(axis=1)) <= EQUAL * unit)
            & (np.abs(fit.slope - 1) <= 0.1)
            & (fit.correlation > 0.9)
        )
        equal |= noise
    if equal.all():
        systematic = float((_beyond_chance(difference) / unit).max())
        because = "emitted actions are equal"
        return Agreement(
            logged=True,
            equal=True,
            because=because,
            systematic=systematic,
            exact=bool(identical(sim, target).all()),
            alike=True,
            replayed=bool((np.abs(difference).max(axis=1) <= REPLAYED * unit).all()),
        )
    worst = int(np.where(equal, -1.0, median).argmax())
    proportional = bool(exact_line(sim, target, fit.slope, fit.intercept).all())
    return Agreement(
        logged=True,
        equal=False,
        because=f"emitted {names[worst]} differs by {median[worst]:.2g} of its spread",
        proportional=proportional,
        alike=bool((np.abs(np.log2(_ratio(sim.std(axis=1), target.std(axis=1)))) <= 1).all()),
    )


def _ratio(a: Samples, b: Samples) -> Samples:
    """Return a over b, as far from 1 as numbers go where one is 0; 1 where both are."""
    return np.asarray((b + 1e-300) / (a + 1e-300))


def _beyond_chance(difference: Matrix) -> Samples:
    """Return the structured spread of each difference, 0 where noise of its size shows as much."""
    structured = structured_spread(difference)
    chance = difference.std(axis=1) * np.sqrt(min(4 / np.sqrt(2 * difference.shape[1]), 1.0))
    return np.where(structured > chance, structured, 0.0)


def identical(x: Matrix, y: Matrix) -> NDArray[np.bool_]:
    """Say which rows of ``y`` are those of ``x`` but for rounding, shape ``(k,)``."""
    return np.asarray(np.abs(y - x).max(axis=1) <= 1e-9 * np.maximum(x.std(axis=1), 1e-300))


def exact_line(x: Matrix, y: Matrix, slope: Samples, intercept: Samples) -> NDArray[np.bool_]:
    """Say which rows of ``y`` lie on their line to 1e-6 of their spread throughout, shape ``(k,)``."""
    left = np.abs(y - slope[:, None] * x - intercept[:, None]).max(axis=1)
    return np.asarray(left <= 1e-6 * y.std(axis=1))


def episode_rows(bench: Workbench) -> NDArray[np.bool_]:
    """Say which common rows surely belong to both episodes, shape ``(n,)``.

    A log that goes on after its end holds a fall, a reset or the next episode.
    """
    rows, case = bench.rows, bench.case
    sim, target = case.pair.sim, case.pair.target
    last_sim, last_target = episode_end(sim).state_row, episode_end(target).state_row
    if not len(rows):
        return np.zeros(0, dtype=np.bool_)
    if rows.sim_row is not None and rows.target_row is not None:
        return np.asarray((rows.sim_row <= last_sim) & (rows.target_row <= last_target))
    end_s = min(sim.time_s[last_sim], case.alignment.to_sim_one(float(target.time_s[last_target])))
    return np.asarray(rows.time_s <= end_s + 1e-9 * max(1.0, abs(end_s)))


def responds(
    motion: Matrix, command: Matrix, consecutive: NDArray[np.bool_], level: float = 0.02
) -> NDArray[np.bool_]:
    """Say which signals a command may move, as far as one trace can show it, shape ``(k,)``.

    F test of the row-to-row motion on the last three commands and their running sum (a velocity follows
    the sum), then on the signals found to respond (a position follows its velocity). Autocorrelation
    makes the test too ready to say yes, and too few rows always do: yes is the careful answer.

    Args:
        motion: Signals, shape ``(k, n)``.
        command: Emitted actions, shape ``(m, n)``.
        consecutive: Whether row i + 1 follows row i, shape ``(n − 1,)``.
        level: Significance.
    """
    found = np.zeros(motion.shape[0], dtype=np.bool_)
    if command.shape[0] == 0 or motion.shape[1] < 4:
        return found
    kept = np.flatnonzero(consecutive[2:])[:TESTED_ROWS] + 2
    step = (motion[:, kept + 1] - motion[:, kept]).T
    total = np.cumsum(command - command.mean(axis=1, keepdims=True), axis=1)
    lags = [command[:, kept - lag] for lag in range(3)]
    found = _predicts(np.concatenate((*lags, total[:, kept])).T, step, level)
    for _ in range(2):
        if found.all() or not found.any():
            break
        found = found | _predicts(motion[found][:, kept].T, step, level)
    return found


def increments_agree(x: Matrix, y: Matrix) -> NDArray[np.bool_]:
    """Say whose row-to-row motion is signal, not sensor noise: both sides' correlates at 0.9, shape ``(k,)``.

    Where noise buries the single step, that it does not follow the command says nothing.

    Args:
        x: Sim signals, shape ``(k, n)``.
        y: Target signals.
    """
    a, b = np.diff(x, axis=1), np.diff(y, axis=1)
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    size = np.sqrt(np.sum(a**2, axis=1) * np.sum(b**2, axis=1))
    return np.asarray(np.abs(np.sum(a * b, axis=1)) >= 0.9 * np.maximum(size, 1e-300))


def _predicts(design: Matrix, step: Matrix, level: float) -> NDArray[np.bool_]:
    """F test of each column of ``step`` on the design, both of shape ``(n, …)``."""
    from scipy.special import fdtrc

    n, p = design.shape
    if n < 2 * p + 8:
        return np.ones(step.shape[1], dtype=np.bool_)
    design = design - design.mean(axis=0)
    design = design / np.maximum(np.sqrt(np.mean(design**2, axis=0)), 1e-300)
    size, basis = np.linalg.eigh(design.T @ design)
    strong = size > 1e-9 * max(float(size.max()), 1e-300)
    step = step - step.mean(axis=0)
    energy = np.sum(step**2, axis=0)
    shadow = basis[:, strong].T @ (design.T @ step)
    explained = np.sum(shadow**2 / size[strong, None], axis=0)
    left = np.maximum(energy - explained, 1e-300)
    rank = max(int(strong.sum()), 1)
    ratio = explained / rank / (left / (n - rank - 1))
    return np.asarray((fdtrc(rank, n - rank - 1, ratio) < level) & (energy > 0))


def plant_gain_excluded(
    x: Matrix, y: Matrix, slope: Samples, responding: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Say for which signals a slope other than 1 cannot be a plant or actuator gain, shape ``(k,)``.

    A signal that does not respond to the command has no such gain, and a first row far from zero that
    already lies on the slope was there before any command acted.

    Args:
        x: Sim signals, shape ``(k, n)``.
        y: Target signals.
        slope: Fitted, shape ``(k,)``.
        responding: Whether the command moves the signal.
    """
    start_x, start_y = x[:, 0], y[:, 0]
    noise = 1.4826 * np.median(np.abs(np.diff(y - slope[:, None] * x, axis=1)), axis=1)
    as_scaled = np.abs(start_y - slope * start_x)
    as_it_is = np.abs(start_y - start_x)
    there = (as_it_is > 6 * noise) & (as_scaled <= 0.25 * as_it_is)
    return np.asarray(~responding | there)
