"""What a response regression needs of one trace: actions, states and outputs on its own rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.counters import common_steps
from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.intervals import Matrix
from tracescope.analysis.logging_phase import rows_late
from tracescope.analysis.rows import at_rows, live, resampled
from tracescope.model.case import Case
from tracescope.model.trace import END_ROLES, Channel, Role, Samples, Trace

_SAME = 1e-9
_ALIKE, _EXACT = 1e-3, 1e-6
_HELD_MORE = 0.2
_FEW_LEVELS, _SMALL_STEP, _GRID_SLACK = 0.5, 0.25, 1e-3
_PINNED_ROWS, _PINNED_SHARE, _MOSTLY = 5, 0.005, 0.6
_FEWEST_ROWS = 20
"""No regression is fitted to fewer rows: which observations are states makes no difference."""


@dataclass(frozen=True, slots=True, eq=False)
class ResponseRows:
    """One trace for the regression.

    Attributes:
        inputs, states, outputs: Sim names.
        input: Actions, each beside the observation it was taken from, shape ``(inputs, n)``.
        state: Observations at the row, shape ``(states, n)``.
        output: What is explained, shape ``(outputs, n)``: of an observation its change to the next row, of
            another measured channel its value at the row.
        run: Gap-free run of each row, shape ``(n,)``.
    """

    inputs: tuple[str, ...]
    states: tuple[str, ...]
    outputs: tuple[str, ...]
    input: Matrix
    state: Matrix
    output: Matrix
    run: NDArray[np.int64]

    def mask(self, memory: int) -> NDArray[np.bool_]:
        """Say which rows have ``memory`` rows before and one after them in the same run, shape ``(n,)``."""
        n = self.run.size
        good: NDArray[np.bool_] = np.zeros(n, dtype=np.bool_)
        if n < memory + 2:
            return good
        good[memory : n - 1] = np.equal(self.run[: n - 1 - memory], self.run[memory + 1 :])
        measured = np.vstack((self.state, self.output))
        known: NDArray[np.bool_] = np.asarray(np.isfinite(measured).all(axis=0))
        known_input = np.asarray(np.isfinite(self.input).all(axis=0))
        for back in range(memory + 1):
            known[memory:] &= known_input[memory - back : n - back]
        return good & known

    def observed(self) -> ResponseRows:
        """Return the same rows with the observations alone as outputs."""
        states = len(self.states)
        return replace(self, outputs=self.outputs[:states], output=self.output[:states])

    def usable(self, memory: int) -> int:
        """Count the rows of :meth:`mask`."""
        return int(self.mask(memory).sum())


def response_rows(case: Case, role: Role) -> tuple[ResponseRows, ResponseRows]:
    """Gather both traces for the regression, the same channels in the same order."""
    pair = case.pair
    inputs = _moving(case, role)
    if not inputs:
        return _no_inputs(pair.sim), _no_inputs(pair.target)
    observed = _moving(case, Role.OBSERVATION)
    few = min(len(pair.sim), len(pair.target)) < _FEWEST_ROWS
    apart = [float("nan") if few else _apart(case, *names) for names in observed]
    # What is set from outside is no state; but where everything is alike, the runs are.
    states = observed
    for limit in (0.0, _EXACT if case.alignment.mode == "step" else _ALIKE):
        moved = tuple(names for names, a in zip(observed, apart, strict=True) if not a <= limit)
        states = moved or states
    others = tuple(
        names
        for names in _moving(case, Role.OTHER)
        if not names[0].labels and names[0].value.dtype.kind == "f" and _responds(case, *names)
    )
    sides = []
    for place, trace in enumerate((pair.sim, pair.target)):
        values = [_acting(trace, _rows(case, trace, names[place], place)) for names in inputs]
        values += [
            _unpinned(_rows(case, trace, names[place], place)) for names in (*states, *others)
        ]
        table = np.array(values) if values else np.zeros((0, len(trace)))
        state = table[len(inputs) : len(inputs) + len(states)]
        change = np.full(state.shape, np.nan)
        change[:, :-1] = np.diff(state, axis=1)
        sides.append(
            ResponseRows(
                tuple(a.name for a, _ in inputs),
                tuple(a.name for a, _ in states),
                tuple(a.name for a, _ in (*states, *others)),
                table[: len(inputs)],
                state,
                np.vstack((change, table[len(inputs) + len(states) :])),
                _run(trace),
            )
        )
    _silence_held(*sides)
    return sides[0], sides[1]


def _no_inputs(trace: Trace) -> ResponseRows:
    nothing = np.zeros((0, len(trace)))
    return ResponseRows((), (), (), nothing, nothing, nothing, _run(trace))


def _silence_held(sim: ResponseRows, target: ResponseRows) -> None:
    """Take out observations that stand still far more often in one trace: held values seem late.

    Coarse steps make values stand still as well, but late by nothing: what lies on a grid is left in.
    """
    states = len(sim.states)
    if sim.output.shape[1] < 2 or target.output.shape[1] < 2:
        return
    still = [np.nanmean(side.output[:states, :-1] == 0, axis=1) for side in (sim, target)]
    for place in np.flatnonzero(np.abs(still[0] - still[1]) > _HELD_MORE):
        stiller = sim if still[0][place] > still[1][place] else target
        if _on_grid(stiller.state[place]):
            continue
        for side in (sim, target):
            side.output[place] = 0.0


def _on_grid(value: Samples) -> bool:
    """Say whether a signal takes few values, all of them whole steps apart, and the steps are small."""
    known = value[np.isfinite(value)]
    levels = np.unique(known)
    if levels.size < 2 or levels.size > _FEW_LEVELS * known.size:
        return False
    steps = np.diff(levels)
    if steps.min() > _SMALL_STEP * known.std():
        return False
    counted = steps / steps.min()
    return bool(np.abs(counted - np.round(counted)).max() < _GRID_SLACK)


def _moving(case: Case, role: Role) -> tuple[tuple[Channel, Channel], ...]:
    return tuple(
        (a, b) for a, b in case.pair.matched(role) if live(a.as_float()) and live(b.as_float())
    )


def _rows(case: Case, trace: Trace, channel: Channel, place: int) -> Samples:
    value = case.target_values(channel.name) if place else channel.as_float()
    return at_rows(trace, channel, value, np.arange(len(trace)))


def _unpinned(value: Samples) -> Samples:
    """Take out the rows in which a sensor sits at the end of its range, where it answers to nothing."""
    known = np.isfinite(value)
    if not known.any():
        return value
    low, high = float(value[known].min()), float(value[known].max())
    pinned = np.zeros(value.shape, dtype=np.bool_)
    for end in (low, high):
        at_end = np.abs(value - end) <= _SAME * (high - low)
        if at_end.sum() >= max(_PINNED_ROWS, _PINNED_SHARE * known.sum()):
            pinned |= at_end
    return np.asarray(np.where(pinned & (pinned.mean() < _MOSTLY), np.nan, value))


def _acting(trace: Trace, value: Samples) -> Samples:
    """Put each action beside the observation it was taken from, whichever one its row holds."""
    late = rows_late(trace)
    return np.concatenate((value[late:], np.full(min(late, value.size), np.nan)))


def _side_by_side(case: Case, sim: Channel, target: Channel) -> tuple[Samples, Samples]:
    """Return both channels on the steps they share by count, or on the sim's stamps."""
    pair, theirs = case.pair, case.target_values(target.name)
    if case.alignment.mode == "step":
        rows = common_steps(pair, case.alignment.step_shift)
        if rows[0].size:
            ours = at_rows(pair.sim, sim, sim.as_float(), rows[0])
            return ours, at_rows(pair.target, target, theirs, rows[1])
    on_target = case.alignment.to_target(sim.time_s)
    return sim.as_float(), resampled(target, theirs, on_target, gap_length_s(target.time_s))


def _apart(case: Case, sim: Channel, target: Channel) -> float:
    """How far an observation lies from itself in the other trace, in sim standard deviations (median).

    Set from outside it is the same in both, and no state. NaN where too little is common.
    """
    value, other = _side_by_side(case, sim, target)
    both = np.isfinite(value) & np.isfinite(other)
    if both.sum() < 3:
        return float("nan")
    spread = float(value[both].std())
    return float(np.median(np.abs(value[both] - other[both]))) / (spread + 1e-300)


def _responds(case: Case, sim: Channel, target: Channel) -> bool:
    """Say whether a channel can be a response: not a reference that is the same in both, nor a clock."""
    a, b = sim.as_float(), case.target_values(target.name)
    n = min(a.size, b.size)
    scale = float(np.nanmax(np.abs(a))) if np.isfinite(a).any() else 0.0
    same = bool(np.nanmax(np.abs(a[:n] - b[:n]), initial=0.0) <= _SAME * scale)
    steps = np.diff(a[np.isfinite(a)])
    runs_on = steps.size > 0 and bool((steps >= 0).all() or (steps <= 0).all())
    return not same and not runs_on


def _run(trace: Trace) -> NDArray[np.int64]:
    """Number the gap-free runs, by counter where there is one, else by clock."""
    if len(trace) < 2:
        return np.zeros(len(trace), np.int64)
    ended = _ended(trace)
    if trace.step is not None:
        counted = np.diff(trace.step)
        ahead = counted[counted > 0]
        jump = (counted <= 0) | (counted > (np.median(ahead) if ahead.size else 1))
    else:
        steps = np.diff(trace.time_s)
        jump = (steps > gap_length_s(trace.time_s)) | (steps <= 0)
    # At an end flag the log may hold the next episode already, and behind it nothing is controlled.
    return np.concatenate(([0], np.cumsum(jump | ended[1:]))).astype(np.int64)


def _ended(trace: Trace) -> NDArray[np.bool_]:
    """Say which rows lie at or after the first end flag, shape ``(n,)``."""
    ended = np.zeros(len(trace), dtype=np.bool_)
    for channel in trace.of_role(*END_ROLES):
        if channel.value.shape == trace.time_s.shape:
            ended |= np.nan_to_num(channel.as_float()) > 0
    return np.asarray(np.maximum.accumulate(ended))
