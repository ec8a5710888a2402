"""When a target signal may be regressed on the simulator's: is the motion the same?

Inside a closed loop a scaled sensor changes the motion itself, so a paired fit measures the sensor only
where the motion is known not to have changed. What can be known from one pair is gathered here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.regression import Matrix, fit_slopes, structured_spread

EQUAL = 0.05
"""Commands are equal where they differ by less than this part of their spread."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether both traces emitted the same commands. ``because`` names the worst one where not."""

    logged: bool
    equal: bool
    because: str


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
        return Agreement(logged=True, equal=True, because="emitted actions are equal")
    worst = int(np.where(equal, -1.0, median).argmax())
    return Agreement(
        logged=True,
        equal=False,
        because=f"emitted {names[worst]} differs by {median[worst]:.2g} of its spread",
    )


def plant_gain_excluded(
    x: Matrix,
    y: Matrix,
    slope: NDArray[np.float64],
    responding: NDArray[np.bool_],
    agreeing: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Say for which signals a slope other than 1 cannot be a plant or actuator gain, shape ``(k,)``.

    A signal that does not respond to the command has no such gain; where another responding signal agrees
    with the simulator, the command's gain is right; and a first row far from zero that already lies on the
    slope was there before any command acted.

    Args:
        x: Sim signals, shape ``(k, n)``.
        y: Target signals.
        slope: Fitted, shape ``(k,)``.
        responding: Whether the command moves the signal.
        agreeing: Whether the signal's own scale agrees.
    """
    others = bool((responding & agreeing).any())
    if others:
        return np.ones(slope.shape, dtype=np.bool_)
    start_x, start_y = x[:, 0], y[:, 0]
    noise = 1.4826 * np.median(np.abs(np.diff(y - slope[:, None] * x, axis=1)), axis=1)
    as_scaled = np.abs(start_y - slope * start_x)
    as_it_is = np.abs(start_y - start_x)
    there = (as_it_is > 6 * noise) & (as_scaled <= 0.25 * as_it_is)
    return np.asarray(~responding | there)
