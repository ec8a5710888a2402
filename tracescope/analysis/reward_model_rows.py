"""A trace's own rows as reward and what it may be a function of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.ends import episode_end
from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.rows import live, resampled
from tracescope.model.case import Case
from tracescope.model.trace import Channel, Role, Samples, Trace


@dataclass(frozen=True, slots=True, eq=False)
class RewardRows:
    """One side's rows, in time order, only those in which everything is finite.

    Attributes:
        row: Row numbers in the trace, shape ``(n,)``.
        time_s: Their stamps on the trace's own clock, shape ``(n,)``.
        reward: Shape ``(n,)``.
        inputs: Logged observations and actions, target ones corrected, shape ``(n, k)``.
        before: The same one row earlier (the row's own where there is none), shape ``(n, k)``.
        after: The same one row later (the row's own where there is none), shape ``(n, k)``.
    """

    row: NDArray[np.int64]
    time_s: Samples
    reward: Samples
    inputs: Samples
    before: Samples
    after: Samples

    def __len__(self) -> int:
        return int(self.reward.size)

    def moved(self, inputs: Samples) -> RewardRows:
        """Return the same rewards with other inputs, shape ``(n, k)``, their neighbours following."""
        return RewardRows(
            self.row,
            self.time_s,
            self.reward,
            inputs,
            np.concatenate((inputs[:1], inputs[:-1])),
            np.concatenate((inputs[1:], inputs[-1:])),
        )

    def some(self, kept: NDArray[np.int64]) -> RewardRows:
        """Return only these rows, each with the neighbours it had."""
        return RewardRows(
            self.row[kept],
            self.time_s[kept],
            self.reward[kept],
            self.inputs[kept],
            self.before[kept],
            self.after[kept],
        )

    def thinned(self, most: int) -> RewardRows:
        """Return every k-th row, so that at most ``most`` are left."""
        every = -(-len(self) // most)
        return self if every <= 1 else self.some(np.arange(0, len(self), every))

    def only(self, columns: NDArray[np.int64]) -> RewardRows:
        """Return the same rows with only these inputs."""
        return RewardRows(
            self.row,
            self.time_s,
            self.reward,
            self.inputs[:, columns],
            self.before[:, columns],
            self.after[:, columns],
        )


@dataclass(frozen=True, slots=True, eq=False)
class RewardSides:
    """Both sides' rows.

    Attributes:
        names: Sim names of the inputs, in the order of the columns.
        is_action: Whether each of them is an action, same length.
        sim, target: Their rows.
    """

    names: tuple[str, ...]
    is_action: tuple[bool, ...]
    sim: RewardRows
    target: RewardRows

    def only(self, columns: NDArray[np.int64]) -> RewardSides:
        """Return both sides with only these inputs."""
        return RewardSides(
            tuple(self.names[k] for k in columns),
            tuple(self.is_action[k] for k in columns),
            self.sim.only(columns),
            self.target.only(columns),
        )


def reward_pair(case: Case) -> tuple[Channel, Channel] | None:
    """Return the (sim, target) reward channels, or ``None`` where a side has none."""
    matched = case.pair.matched(Role.REWARD)
    return matched[0] if matched else None


def reward_sides(case: Case) -> RewardSides | None:
    """Gather reward and inputs of both sides, each on its own rows: nothing is interpolated between them.

    ``None`` where no reward is matched or nothing that moves could predict it. The row that ends the
    episode is left out: a bonus or a reset may stand there.
    """
    reward = reward_pair(case)
    pairs = [
        (a, b)
        for a, b in case.pair.matched(Role.OBSERVATION, Role.ACTION, Role.ACTION_APPLIED)
        if live(a.as_float())
    ]
    pairs = [p for p in pairs if not _repeats(p, pairs)]
    if reward is None or not pairs:
        return None
    sim = _rows(
        case.pair.sim, reward[0].as_float(), [(a, a.as_float()) for a, _ in pairs], reward[0]
    )
    target = _rows(
        case.pair.target,
        case.target_values(reward[1].name),
        [(b, case.target_values(b.name)) for _, b in pairs],
        reward[1],
    )
    actions = tuple(a.role is not Role.OBSERVATION for a, _ in pairs)
    return RewardSides(tuple(a.name for a, _ in pairs), actions, sim, target)


def _repeats(pair: tuple[Channel, Channel], pairs: list[tuple[Channel, Channel]]) -> bool:
    """Whether an applied action only repeats the emitted one in the simulator.

    Which of them the reward is paid for then cannot be told from the simulator; the emitted one is taken.
    """
    applied, _ = pair
    if applied.role is not Role.ACTION_APPLIED:
        return False
    return any(a.role is Role.ACTION and np.array_equal(a.value, applied.value) for a, _ in pairs)


def _rows(
    trace: Trace, reward: Samples, inputs: list[tuple[Channel, Samples]], channel: Channel
) -> RewardRows:
    end = episode_end(trace)
    last = len(trace) if end.row is None else min(end.row, end.state_row)
    kept = slice(0, max(last, 0))
    value = _on_rows(trace, channel, reward)[kept]
    columns = [_on_rows(trace, c, v)[kept] for c, v in inputs]
    table = np.column_stack(columns)
    good = np.isfinite(value) & np.isfinite(table).all(axis=1)
    row = np.flatnonzero(good)
    here = table[row]
    previous, following = np.maximum(row - 1, 0), np.minimum(row + 1, max(len(table) - 1, 0))
    before, after = table[previous], table[following]
    before = np.where(np.isfinite(before), before, here)
    after = np.where(np.isfinite(after), after, here)
    return RewardRows(row, trace.time_s[kept][row], value[row], here, before, after)


def _on_rows(trace: Trace, channel: Channel, value: Samples) -> Samples:
    if channel.time_s.size == len(trace):
        return value
    return resampled(channel, value, trace.time_s, gap_length_s(channel.time_s))
