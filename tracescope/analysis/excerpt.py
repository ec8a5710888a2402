"""Some whole stretches of a long pair: what a regression needs, at a cost that does not grow with the recording.

A stretch is rows one after the other as they were recorded, so that transitions, lags and autocorrelation are
in it as they are; between two stretches the clock jumps, which every reader of rows takes for a gap. What looks
for single events (clips, held and stale rows, gaps, ends) must not look here: it would lose those in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.ends import first_set
from tracescope.analysis.gaps import Place, place_of
from tracescope.analysis.stretches import (
    LONG_ROWS,
    MOST_ROWS,
    STRETCH_ROWS,
    Span,
    stretches_of,
)
from tracescope.model.case import Case
from tracescope.model.trace import END_ROLES, Channel, Samples, Trace

_MIN_COMMON = 1000
"""With fewer common rows each trace is cut along its own length: nothing pairs them anyway."""

_AROUND_END = 16


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A case of some stretches.

    Attributes:
        case: The same alignment, corrections and tolerances over the shortened traces.
        rows, of_rows: Rows of the target in it, and of the whole target.
        stretches, stretch_rows: How many stretches, and the rows of each.
    """

    case: Case
    rows: int
    of_rows: int
    stretches: int
    stretch_rows: int

    def __str__(self) -> str:
        said = f"{self.rows:,} of {self.of_rows:,} rows"
        return f"{said}, in {self.stretches} stretches of {self.stretch_rows:,}"


def is_long(case: Case) -> bool:
    """Whether a pair is looked at in stretches where regressions are fitted."""
    return max(len(case.pair.sim), len(case.pair.target)) > LONG_ROWS


def excerpt_of(case: Case) -> Excerpt | None:
    """Choose stretches evenly along what both traces have in common; ``None`` where the pair is not long.

    The first begins on the first common row and the last one ends on the last. The rows around each trace's first
    end flag come along, so that rows after an end are still known to lie there.
    """
    if not is_long(case):
        return None
    sim, target = case.pair.sim, case.pair.target
    spans = _common(case)
    ours, theirs = stretches_of(*spans[0], _rows_each(spans)), [spans[1]]
    if spans[0][1] - spans[0][0] >= _MIN_COMMON and spans[1][1] - spans[1][0] >= _MIN_COMMON:
        theirs = [_partner(case, span) for span in ours]
    else:
        ours, theirs = (stretches_of(0, len(trace), STRETCH_ROWS) for trace in (sim, target))
    cut = [
        _cut(trace, _rows([*chosen, *_around_end(trace)], len(trace)), chosen)
        for trace, chosen in ((sim, ours), (target, theirs))
    ]
    pair = replace(case.pair, sim=cut[0], target=cut[1])
    first, last = theirs[0]
    return Excerpt(
        replace(case, pair=pair), len(cut[1]), len(target), len(theirs), max(1, last - first)
    )


def head_of(case: Case, rows: int = MOST_ROWS) -> Case:
    """Return a case of the first common rows alone, itself where it is not long."""
    if not is_long(case):
        return case
    (first, last), _ = _common(case)
    ours = (0, min(last, first + rows))
    if ours[1] - first < _MIN_COMMON:
        ours = theirs = (0, rows)
    else:
        theirs = (0, _partner(case, ours)[1])
    return _only(case, ours, theirs)


def around(case: Case, target_row: int, rows: int) -> tuple[Case, int]:
    """Return a case of the rows around a target row, and that row in it; itself where it is not long."""
    if not is_long(case):
        return case, target_row
    sim, target = case.pair.sim, case.pair.target
    theirs = (max(0, target_row - rows), min(len(target), target_row + rows))
    edges = target.time_s[[theirs[0], theirs[1] - 1]]
    at = np.searchsorted(sim.time_s, case.alignment.to_sim(edges))
    if case.alignment.mode == "step" and sim.step is not None and target.step is not None:
        steps = target.step[[theirs[0], theirs[1] - 1]] - case.alignment.step_shift
        at = np.searchsorted(sim.step, steps)
    ours = (max(0, int(at[0]) - rows), min(len(sim), int(at[1]) + rows))
    return _only(case, ours, theirs), target_row - theirs[0]


def _only(case: Case, ours: Span, theirs: Span) -> Case:
    sim, target = case.pair.sim, case.pair.target
    cut = [
        _cut(trace, np.arange(max(0, span[0]), min(len(trace), span[1])), [span])
        for trace, span in ((sim, ours), (target, theirs))
    ]
    return replace(case, pair=replace(case.pair, sim=cut[0], target=cut[1]))


def _counted(case: Case) -> bool:
    """Whether counters that only run on pair the rows."""
    steps = (case.pair.sim.step, case.pair.target.step)
    if case.alignment.mode != "step":
        return False
    return all(step is not None and bool((step[1:] >= step[:-1]).all()) for step in steps)


def _axes(case: Case) -> tuple[Samples, Samples]:
    """Return both traces' places on one axis that never decreases: counted steps, else the target's clock."""
    sim, target = case.pair.sim, case.pair.target
    if _counted(case) and sim.step is not None and target.step is not None:
        shifted = (sim.step + case.alignment.step_shift).astype(np.float64)
        return shifted, target.step.astype(np.float64)
    return case.alignment.to_target(sim.time_s), target.time_s


def _common(case: Case) -> tuple[Span, Span]:
    """Return the rows of either trace that lie where the other one is."""
    a, b = _axes(case)
    if not (a.size and b.size):
        return (0, int(a.size)), (0, int(b.size))
    spans = []
    for mine, other in ((a, b), (b, a)):
        first = int(np.searchsorted(mine, other[0], side="left"))
        last = int(np.searchsorted(mine, other[-1], side="right"))
        # One row more on either side: an equal clock's last digit must not cost the first row.
        spans.append((max(0, first - 1), min(int(mine.size), last + 1)))
    return spans[0], spans[1]


def _rows_each(spans: tuple[Span, Span]) -> int:
    """Rows of a stretch in the sim, so that neither trace gives more than :data:`STRETCH_ROWS`."""
    ours, theirs = (last - first for first, last in spans)
    return max(1, int(STRETCH_ROWS * min(1.0, ours / max(theirs, 1))))


def _partner(case: Case, span: Span) -> Span:
    """Return the target's rows that lie where these rows of the sim do."""
    sim, target = case.pair.sim, case.pair.target
    ends = np.array([span[0], max(span[0], span[1] - 1)])
    if _counted(case) and sim.step is not None and target.step is not None:
        at = sim.step[ends] + case.alignment.step_shift
        return _between(target.step, int(at[0]), int(at[1]))
    at_s = case.alignment.to_target(sim.time_s[ends])
    half_s = 0.5 * target.interval_s if np.isfinite(target.interval_s) else 0.0
    return _between(target.time_s, float(at_s[0]) - half_s, float(at_s[1]) + half_s)


def _between(axis: Samples | NDArray[np.int64], low: float, high: float) -> Span:
    first = int(np.searchsorted(axis, low, side="left"))
    return first, max(first, int(np.searchsorted(axis, high, side="right")))


def _around_end(trace: Trace) -> list[Span]:
    rows = [row for c in trace.of_role(*END_ROLES) if (row := first_set(c, trace)) is not None]
    if not rows:
        return []
    row = min(rows)
    return [(max(0, row - _AROUND_END), min(len(trace), row + _AROUND_END))]


def _rows(spans: Sequence[Span], size: int) -> NDArray[np.int64]:
    """Return the rows of spans that may lie over each other, each once, in order."""
    taken = np.zeros(size, dtype=np.bool_)
    for first, last in spans:
        taken[first:last] = True
    return np.flatnonzero(taken).astype(np.int64)


def _cut(trace: Trace, rows: NDArray[np.int64], chosen: Sequence[Span]) -> Trace:
    """Return some rows of a trace; channels on clocks of their own are cut at the same instants."""
    time_s = trace.time_s[rows]
    clocks: dict[Place, tuple[NDArray[np.int64], Samples]] = {}

    def cut(channel: Channel) -> Channel:
        if channel.time_s.shape == trace.time_s.shape:
            kept, stamps = rows, time_s
        else:
            key = place_of(channel.time_s)
            if key not in clocks:
                own = _own_clock(trace, channel.time_s, chosen)
                clocks[key] = own, channel.time_s[own]
            kept, stamps = clocks[key]
        return replace(channel, time_s=stamps, value=channel.value[kept])

    return replace(
        trace,
        time_s=time_s,
        channels=tuple(cut(channel) for channel in trace.channels),
        step=None if trace.step is None else trace.step[rows],
        frames=(),
    )


def _own_clock(trace: Trace, time_s: Samples, chosen: Sequence[Span]) -> NDArray[np.int64]:
    """Return the samples of another clock that lie within spans of rows, and one to either side."""
    if not (len(trace) and time_s.size):
        return np.arange(time_s.size)
    spans = []
    for first, last in chosen:
        ends_s = trace.time_s[[min(first, len(trace) - 1), max(0, last - 1)]]
        low = int(np.searchsorted(time_s, ends_s[0], side="left"))
        high = int(np.searchsorted(time_s, ends_s[1], side="right"))
        spans.append((max(0, low - 1), min(int(time_s.size), high + 1)))
    return _rows(spans, time_s.size)
