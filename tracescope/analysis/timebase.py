"""Both traces on one lattice of rows, for finding the lag between them.

A lattice differs from the paired rows of the checks in that each trace keeps its whole length and starts
on its own first row, so that a lag of any size can be tried and equal clocks need no interpolation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.blocks import Blocks, blocks_of, taken
from tracescope.analysis.bridging import Clocks
from tracescope.analysis.correlation import lag_reach
from tracescope.analysis.excerpt import is_long
from tracescope.analysis.gaps import median_interval
from tracescope.analysis.intervals import Matrix
from tracescope.analysis.rows import at_rows, live
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel, Role, Samples, Trace

CONTENT_ROLES = (Role.OBSERVATION, Role.ACTION)
"""What is compared first to find a lag."""

FALLBACK_ROLES = (Role.OBSERVATION_RAW, Role.ACTION_APPLIED, Role.OTHER)
"""What is compared where no observation and no action moves in both traces."""

RATE_RATIO = 1.2
"""Counters whose seconds a step differ by more than this do not count the same steps."""


LONGEST_COUNT = 20
"""A counter that spans more than this many steps a row is not a counter of rows."""

MIN_BEND, MIN_BEND_OTHER = 1e-8, 1e-3
"""Least share of a channel's variance off a straight line; clocks and counters hide among *other*."""

Sampler = Callable[[Channel, Channel], tuple[Samples, Samples]]


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """Channels of both traces sampled on one spacing.

    Attributes:
        names: Sim names, k of them.
        is_command: Which are actions, shape ``(k,)``.
        is_content: Which show the motion, shape ``(k,)``. The others serve only where they are the same in
            both: references, and commands along a straight line.
        sim: Shape ``(k, n_sim)``; NaN where there is no sample.
        target: Shape ``(k, n_target)``.
        start_rows: Place of the target's first row less that of the sim's, rows, under the alignment
            that the lattice was laid with.
        row_s: Seconds a row.
        blocks: Which rows the columns hold, where they do not hold all.
    """

    names: tuple[str, ...]
    is_command: NDArray[np.bool_]
    is_content: NDArray[np.bool_]
    sim: Matrix
    target: Matrix
    start_rows: float
    row_s: float
    blocks: Blocks | None = None

    @property
    def target_rows(self) -> int:
        """Rows of the whole target, in columns or not."""
        return self.target.shape[1] if self.blocks is None else self.blocks.target_rows

    @property
    def reach(self) -> tuple[int, int]:
        """Smallest and largest lag to try between columns."""
        if self.blocks is not None:
            return self.blocks.reach
        low, high = lag_reach(self.sim.shape[1], self.target.shape[1])
        # Lags are tried around "aligned", which need not be around "first rows together".
        centre = round(-self.start_rows)
        return low + centre, high + centre

    @property
    def along(self) -> Samples:
        """Place of each target column along the whole target, −½ to ½."""
        if self.blocks is not None:
            return self.blocks.along
        return np.asarray(np.arange(self.target.shape[1]) / max(1, self.target.shape[1] - 1) - 0.5)

    def shortened(self) -> Lattice:
        """Return stretches of a long lattice, itself where it is short."""
        if self.blocks is not None:
            return self
        blocks = blocks_of(self.sim.shape[1], self.target.shape[1], self.start_rows)
        if blocks is None:
            return self
        return replace(
            self,
            sim=taken(self.sim, blocks.sim),
            target=taken(self.target, blocks.target),
            start_rows=self.start_rows + blocks.centre,
            blocks=blocks,
        )

    def only(self, kept: NDArray[np.bool_]) -> Lattice:
        """Return the lattice of some channels, ``kept`` of shape ``(k,)``."""
        names = tuple(n for n, keep in zip(self.names, kept, strict=True) if keep)
        return replace(
            self,
            names=names,
            is_command=self.is_command[kept],
            is_content=self.is_content[kept],
            sim=self.sim[kept],
            target=self.target[kept],
        )


def seconds_a_step(trace: Trace) -> float:
    """Return the median seconds the counter takes for one step; NaN without a usable counter.

    A counter that runs backwards (episodes run together) is not usable.
    """
    if trace.step is None or len(trace) < 2:
        return float("nan")
    counted = np.diff(trace.step)
    if (counted < 0).any() or not (counted > 0).any():
        return float("nan")
    if trace.step[-1] - trace.step[0] > LONGEST_COUNT * len(trace) * np.median(
        counted[counted > 0]
    ):
        return float("nan")
    passed = np.diff(trace.time_s)
    moved = (counted > 0) & (passed > 0)
    return float(np.median(passed[moved] / counted[moved])) if moved.any() else float("nan")


def counters_agree(pair: TracePair) -> bool:
    """Say whether both traces count the same steps: two counters whose rates agree within 20 %."""
    ratio = seconds_a_step(pair.sim) / seconds_a_step(pair.target)
    return bool(1 / RATE_RATIO <= ratio <= RATE_RATIO)


def time_lattice(case: Case, alignment: Alignment) -> Lattice:
    """Lay both traces on the spacing of the slower one, each from its own first row.

    Args:
        case: Gives the pair and the corrections; its own alignment is not used.
        alignment: Maps the target's clock.
    """
    sim, target = case.pair.sim, case.pair.target
    mapped = alignment.to_sim(target.time_s)
    row_s = max(median_interval(sim.time_s), median_interval(mapped))
    if not (len(sim) and len(target) and np.isfinite(row_s)):
        return _empty(row_s)
    grids = _grid(sim.time_s, row_s), _grid(mapped, row_s)
    start_rows = float(mapped[0] - sim.time_s[0]) / row_s
    blocks = blocks_of(grids[0].size, grids[1].size, start_rows)
    if blocks is not None:
        start_rows += blocks.centre
        grids = _picked(grids[0], blocks.sim), _picked(grids[1], blocks.target)
    clocks = Clocks(alignment)

    def sampled(a: Channel, b: Channel) -> tuple[Samples, Samples]:
        return (
            clocks.bridged(a.time_s, a.as_float(), grids[0], mapped=False),
            clocks.bridged(b.time_s, case.target_values(b.name), grids[1], mapped=True),
        )

    return replace(_collected(case, sampled, start_rows, row_s), blocks=blocks)


def step_lattice(case: Case, step_shift: int) -> Lattice:
    """Lay both traces on their step counters, one row a counted step of the slower counter.

    Args:
        case: Gives the pair and the corrections.
        step_shift: Target step ``k + step_shift`` belongs to sim step ``k``.

    Raises:
        ValueError: if a trace has no step counter.
    """
    sim, target = case.pair.sim, case.pair.target
    if sim.step is None or target.step is None:
        raise ValueError("both traces need a step counter")
    counts = [np.diff(step) for step in (sim.step, target.step)]
    spacing = int(max(np.median(c[c > 0]) if (c > 0).any() else 1 for c in counts))
    places = [_places(step, spacing) for step in (sim.step, target.step)]
    start_rows = float(target.step[0] - step_shift - sim.step[0]) / spacing
    row_s = seconds_a_step(sim) * spacing
    sizes = [int(place[-1]) + 1 if place.size else 0 for place in places]
    # A very long pair is not laid out whole only to take stretches of it.
    blocks = blocks_of(sizes[0], sizes[1], start_rows) if is_long(case) else None
    if blocks is not None:
        start_rows += blocks.centre
        sides = (_Placed(sim, places[0], blocks.sim), _Placed(target, places[1], blocks.target))
    else:
        sides = (_Placed(sim, places[0]), _Placed(target, places[1]))

    def sampled(a: Channel, b: Channel) -> tuple[Samples, Samples]:
        return sides[0].read(a, a.as_float()), sides[1].read(b, case.target_values(b.name))

    return replace(_collected(case, sampled, start_rows, row_s), blocks=blocks)


def _collected(case: Case, sampled: Sampler, start_rows: float, row_s: float) -> Lattice:
    """Gather the channels that move in both traces: observations and actions, else what else moves."""
    names, is_command, is_content, sims, targets = [], [], [], [], []
    for a, b in case.pair.matched(*CONTENT_ROLES, *FALLBACK_ROLES):
        if a.labels or a.value.dtype.kind == "b":
            continue
        x, y = sampled(a, b)
        main = a.role in CONTENT_ROLES
        bends = not _is_line(x, MIN_BEND if main else MIN_BEND_OTHER)
        # A straight line among the others is a clock: it counts from its own recorder's start.
        if live(x) and live(y) and (main or bends):
            names.append(a.name)
            is_command.append(a.role is Role.ACTION)
            is_content.append(main and bends)
            sims.append(x)
            targets.append(y)
    if not names:
        return _empty(row_s)
    content = np.array(is_content)
    if not content.any():
        content = ~np.array([case.pair.sim[n].role in CONTENT_ROLES for n in names])
    return Lattice(
        tuple(names),
        np.array(is_command),
        content,
        np.array(sims),
        np.array(targets),
        start_rows,
        row_s,
    )


def _empty(row_s: float) -> Lattice:
    nothing = np.zeros((0, 0))
    none = np.zeros(0, np.bool_)
    return Lattice((), none, none, nothing, nothing, 0.0, row_s)


def _grid(time_s: Samples, row_s: float) -> Samples:
    count = int(np.floor((time_s[-1] - time_s[0]) / row_s + 1e-3)) + 1
    return np.asarray(time_s[0] + row_s * np.arange(count))


def _picked(grid: Samples, rows: NDArray[np.int64]) -> Samples:
    return np.asarray(np.where(rows >= 0, grid[np.maximum(rows, 0)], np.nan))


def _places(step: NDArray[np.int64], spacing: int) -> NDArray[np.int64]:
    return np.asarray((step - step[0]) // spacing, dtype=np.int64)


class _Placed:
    """The channels of one trace by the places of its counter, at all places or at some (−1: at none)."""

    def __init__(
        self, trace: Trace, places: NDArray[np.int64], wanted: NDArray[np.int64] | None = None
    ) -> None:
        self._trace, self._places = trace, places
        self._row: NDArray[np.int64] | None = None
        if wanted is not None:
            row = np.searchsorted(places, wanted, side="right") - 1
            self._row = np.where(places[np.maximum(row, 0)] == wanted, row, -1)

    def read(self, channel: Channel, value: Samples) -> Samples:
        if self._row is not None:
            read = at_rows(self._trace, channel, value, np.maximum(self._row, 0))
            return np.asarray(np.where(self._row >= 0, read, np.nan))
        out = np.full(int(self._places[-1]) + 1 if self._places.size else 0, np.nan)
        out[self._places] = at_rows(self._trace, channel, value, np.arange(len(self._trace)))
        return out


def _is_line(value: Samples, bend: float) -> bool:
    """Say whether a signal is a straight line over its rows, which fits itself at any lag."""
    finite = value[np.isfinite(value)]
    if finite.size < 3:
        return True
    rows = np.arange(finite.size) - (finite.size - 1) / 2
    centred = finite - finite.mean()
    slope = float(rows @ centred / (rows @ rows))
    return bool(np.var(centred - slope * rows) < bend * np.var(centred))
