"""Bent states for a response regression: drag, pendulums and joints that stiffen are no straight lines.

What a straight line leaves of such a motion hangs together over many rows and passes for a response; bends taken
into the regression remove it. They are taken only where the data ask for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.response_rows import ResponseRows
from tracescope.model.trace import Samples

MAX_STATES = 12
"""More states than these are not bent: their products would outnumber what they explain."""

Sides = tuple[ResponseRows, ResponseRows]
Afford = Callable[[Sides], tuple[int, bool]]


def with_bends(sides: Sides, afford: Afford) -> Sides:
    """Return both traces with two bends of each state beside it, where that describes an output better.

    The bends are z·|z| and z³ of the state in its own spread, about 0 where it changes sign and else about its
    mean. Both traces get them or neither, so that their responses stay comparable.

    Args:
        sides: The sim's and the target's rows.
        afford: Gives the memory that rows allow, and whether each action must stand alone.

    Source:
        Schwarz (1978), the Bayesian information criterion, summed over both traces.
    """
    if not 0 < len(sides[0].states) <= MAX_STATES:
        return sides
    bent = _bent(sides[0], sides), _bent(sides[1], sides)
    memory, alone = afford(bent)
    if memory == 0 or (memory, alone) != afford(sides):
        return sides
    gained = np.zeros(sides[0].output.shape[0])
    for straight, curved in zip(sides, bent, strict=True):
        rows = straight.mask(memory)
        n, more = int(rows.sum()), len(curved.states) - len(straight.states)
        before, after = (_left(side, rows, memory) for side in (straight, curved))
        gained += n * np.log(before / after) - more * np.log(n)
    return bent if gained.max(initial=0.0) > 0 else sides


def _bent(side: ResponseRows, sides: Sides) -> ResponseRows:
    both = np.concatenate([s.state for s in sides], axis=1)
    crosses = (np.nanmin(both, axis=1) < 0) & (np.nanmax(both, axis=1) > 0)
    centre = np.where(crosses, 0.0, np.nanmean(both, axis=1))[:, None]
    spread = np.nanstd(both, axis=1)[:, None]
    z = (side.state - centre) / np.where(spread > 0, spread, 1.0)
    names = tuple(f"{name} {bend}" for bend in ("bent", "cubed") for name in side.states)
    return replace(
        side, states=side.states + names, state=np.vstack((side.state, z * np.abs(z), z**3))
    )


def _left(side: ResponseRows, rows: NDArray[np.bool_], memory: int) -> Samples:
    """What states and all actions' lags leave of each output's power, shape ``(outputs,)``."""
    place = np.flatnonzero(rows)
    lagged = [side.input[:, place - back] for back in range(memory + 1)]
    design = np.vstack((np.ones((1, place.size)), side.state[:, place], *lagged))
    scale = np.sqrt((design**2).sum(axis=1, keepdims=True))
    design = design / np.where(scale > 0, scale, 1.0)
    output = side.output[:, place]
    solution = np.linalg.lstsq(design.T, output.T, rcond=1e-9)[0]
    power = (output**2).sum(axis=1)
    return np.asarray(((output - solution.T @ design) ** 2).sum(axis=1) + 1e-12 * power + 1e-300)
