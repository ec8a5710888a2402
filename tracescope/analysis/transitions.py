"""Transitions of the pair that may be compared: what drove them, which are alike, and how they differ.

A transition starts at row i and ends at row i + 1. It is comparable where both traces start it from
about the same state with about the same action. Its end is the outcome and takes no part in the choice:
choosing by the outcome would hide the very difference that is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.logging_phase import rows_late
from tracescope.analysis.rows import live, resampled
from tracescope.analysis.workbench import Workbench
from tracescope.model.pair import TracePair
from tracescope.model.trace import END_ROLES, Channel, Role, Samples, Trace

Flags = NDArray[np.bool_]

STATE_SD = 0.15
"""Two states are alike within this many of the simulator's standard deviations, in every channel."""

ACTION_SD = 0.05
"""Two actions are alike within this many of the simulator's standard deviations."""

SAME_ROWS, SAME_SHARE = 10, 0.05
"""So many rows, and so large a share of them, in which applied and emitted action are one number show one unit."""

RESET_JUMP = 5.0
"""A step into a flagged row that is this many times the usual motion may be a reset and is no transition:
one transition less costs nothing."""


@dataclass(frozen=True, slots=True)
class Drive:
    """The channel that drives the plant on each side: the applied action where it can be compared.

    Attributes:
        name: Sim name of the emitted action it stands for.
        sim, target: The channels read.
        applied: Whether ``target`` is what reached the actuator.
    """

    name: str
    sim: Channel
    target: Channel
    applied: bool


@dataclass(frozen=True, slots=True, eq=False)
class Comparable:
    """Which transitions are comparable.

    Attributes:
        possible: Rows i that start a transition in both traces, shape ``(n,)``.
        alike: Those of them with alike state and action, shape ``(n,)``.
        distance: Largest state difference at each row in sim standard deviations, shape ``(n,)``.
    """

    possible: Flags
    alike: Flags
    distance: Samples

    @property
    def count(self) -> int:
        """Number of comparable transitions."""
        return int(self.alike.sum())

    @property
    def total(self) -> int:
        """Number of transitions that both traces have."""
        return int(self.possible.sum())


def drives(pair: TracePair) -> tuple[Drive, ...]:
    """Choose what drives the plant: applied against applied where both log it.

    Where only the target logs it, applied is set against the simulator's emitted action if it lives on
    the emitted action's scale; else emitted against emitted.
    """
    chosen = []
    for a, b in pair.matched(Role.ACTION):
        applied_a, applied_b = applied_twin(pair.sim, a), applied_twin(pair.target, b)
        if applied_a is not None and applied_b is not None:
            chosen.append(Drive(a.name, applied_a, applied_b, applied=True))
        elif applied_b is not None and _same_scale(b, applied_b):
            chosen.append(Drive(a.name, a, applied_b, applied=True))
        else:
            chosen.append(Drive(a.name, a, b, applied=False))
    return tuple(chosen)


def applied_twin(trace: Trace, emitted: Channel) -> Channel | None:
    """Return the applied action that belongs to an emitted one: same place, else same index."""
    every = trace.of_role(Role.ACTION)
    applied = trace.of_role(Role.ACTION_APPLIED)
    if len(every) == len(applied):
        return applied[[c.name for c in every].index(emitted.name)]
    same = [c for c in applied if c.index is not None and c.index == emitted.index]
    return same[0] if len(same) == 1 else None


def _same_scale(emitted: Channel, applied: Channel) -> bool:
    if emitted.time_s.shape != applied.time_s.shape:
        return False
    x, y = emitted.as_float(), applied.as_float()
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < 3 or not live(x[both]):
        return False
    x, y = x[both], y[both]
    # Numbers that are the same again and again are in one unit, however much else was bounded.
    same = int(np.sum((np.abs(y - x) <= 1e-9 * np.abs(x)) & (x != 0)))
    if same >= max(SAME_ROWS, SAME_SHARE * x.size):
        return True
    return float(np.median(np.abs(x - y))) <= 0.5 * float(x.std())


def on_rows(bench: Workbench, channel: Channel, *, of_target: bool) -> Samples:
    """Return any channel's values on the common rows, corrected if the target's, shape ``(n,)``."""
    rows, case = bench.rows, bench.case
    trace = case.pair.target if of_target else case.pair.sim
    value = case.target_values(channel.name) if of_target else channel.as_float()
    row = rows.target_row if of_target else rows.sim_row
    if row is not None and channel.time_s.shape == trace.time_s.shape:
        return value[row]
    if row is not None:
        at_s = trace.time_s[row]
    else:
        at_s = case.alignment.to_target(rows.time_s) if of_target else rows.time_s
    return resampled(channel, value, at_s, gap_length_s(channel.time_s))


def _driving(bench: Workbench, channel: Channel, *, of_target: bool) -> Samples:
    """Return the action that drives from each common row on: the next row's where a row holds the last one."""
    pair, value = bench.case.pair, on_rows(bench, channel, of_target=of_target)
    late = rows_late(pair.target if of_target else pair.sim)
    return np.concatenate((value[late:], np.full(late, np.nan)))[: value.size] if late else value


def drive_values(bench: Workbench) -> tuple[Samples, Samples]:
    """Return what drove each side on the common rows, shapes ``(n, m)``."""
    chosen = drives(bench.case.pair)
    n = len(bench.rows)
    sim = [_driving(bench, d.sim, of_target=False) for d in chosen]
    target = [_driving(bench, d.target, of_target=True) for d in chosen]
    empty = np.zeros((n, 0))
    return (np.column_stack(sim), np.column_stack(target)) if chosen else (empty, empty)


def end_flags(trace: Trace) -> Flags:
    """Return the rows on which a trace says that its episode ends, shape ``(n,)``."""
    flagged = np.zeros(len(trace), dtype=np.bool_)
    for channel in trace.of_role(*END_ROLES):
        if channel.value.shape == flagged.shape:
            flagged |= np.nan_to_num(channel.as_float()) > 0.5
    return flagged


def episode_continues(state: Samples, flagged: Flags) -> Flags:
    """Say which steps from row i to row i + 1 stay inside one episode.

    Nothing follows a flagged row; a jump into one is the first observation of the next episode, which
    environments that reset themselves write there.

    Args:
        state: Observations, shape ``(n, p)``.
        flagged: Rows that end an episode, shape ``(n,)``.

    Returns:
        Shape ``(n − 1,)``.
    """
    goes_on = ~flagged[:-1]
    if not flagged.any() or state.shape[0] < 3:
        return np.asarray(goes_on)
    motion = np.abs(np.diff(state, axis=0))
    usual = motion[~flagged[1:]]
    if usual.size == 0:
        return np.asarray(goes_on)
    known = (~np.isnan(usual)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        rms = np.sqrt(np.nansum(usual**2, axis=0) / np.where(known > 0, known, np.nan))
        jumped = (motion > RESET_JUMP * rms).any(axis=1)
    return np.asarray(goes_on & ~(flagged[1:] & jumped))


def comparable_transitions(
    bench: Workbench,
    observation_norm: float = np.inf,
    action_norm: float = np.inf,
) -> Comparable:
    """Find the transitions that both traces start from alike states with alike actions.

    Args:
        bench: The case.
        observation_norm: If finite: the Euclidean norm of the state difference, in the channels' own
            units, below which states are alike, instead of 0.15 sim standard deviations a channel.
        action_norm: Likewise for the applied action, instead of 0.05 standard deviations.

    Returns:
        Flags by row of ``bench.rows``; the last row starts nothing.
    """
    rows = bench.rows
    n = len(rows)
    names = bench.live_in_both(bench.observations)
    state = np.column_stack([rows.sim[x] for x in names]) if names else np.zeros((n, 0))
    moved = np.column_stack([rows.target[x] for x in names]) if names else np.zeros((n, 0))
    drive_sim, drive_target = drive_values(bench)
    possible = _possible(bench, state, moved, drive_sim + drive_target)
    state_sd, drive_sd = _spread(state), _spread(drive_sim)
    with np.errstate(invalid="ignore"):
        apart = np.abs(moved - state)
        distance = (apart / state_sd).max(axis=1) if names else np.full(n, np.nan)
        if np.isfinite(observation_norm):
            same_state = np.linalg.norm(apart, axis=1) <= observation_norm
        else:
            same_state = distance <= STATE_SD
        driven = np.abs(drive_target - drive_sim)
        if np.isfinite(action_norm):
            same_drive = np.linalg.norm(driven, axis=1) <= action_norm
        else:
            same_drive = (driven <= ACTION_SD * drive_sd).all(axis=1)
    return Comparable(possible, possible & same_state & same_drive, distance)


def _spread(values: Samples) -> Samples:
    if values.shape[0] == 0:
        return np.ones(values.shape[1])
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=0), 1)
    kept = np.where(known, values, 0.0)
    centred = np.where(known, kept - kept.sum(axis=0) / count, 0.0)
    return np.asarray(np.maximum(np.sqrt((centred**2).sum(axis=0) / count), 1e-300))


def _possible(bench: Workbench, state: Samples, moved: Samples, drive: Samples) -> Flags:
    rows, pair = bench.rows, bench.case.pair
    n = len(rows)
    out = np.zeros(n, dtype=np.bool_)
    if n < 2 or not state.shape[1]:
        return out
    known = np.asarray(np.isfinite(state + moved).all(axis=1))
    driven = np.asarray(np.isfinite(drive).all(axis=1))
    out[:-1] = rows.consecutive & known[:-1] & known[1:] & driven[:-1]
    for of_target, values in ((False, state), (True, moved)):
        trace = pair.target if of_target else pair.sim
        flagged = np.zeros(n, dtype=np.bool_)
        for channel in trace.of_role(*END_ROLES):
            flagged |= np.nan_to_num(on_rows(bench, channel, of_target=of_target)) > 0.5
        out[:-1] &= episode_continues(values, flagged)
    return out
