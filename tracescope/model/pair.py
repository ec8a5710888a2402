"""Two traces of the same episode, and which channel belongs to which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tracescope.model.errors import Problem, UsageError
from tracescope.model.trace import Channel, Role, Trace


@dataclass(frozen=True, slots=True)
class Match:
    """One correspondence. ``how`` is ``name``, ``index`` (same role and place) or ``given``."""

    sim: str
    target: str
    how: str = "name"


@dataclass(frozen=True, slots=True, eq=False)
class TracePair:
    """The simulator's and the target's trace on comparable clocks.

    Attributes:
        sim, target: The recordings. Where both clocks are epochs that overlap, the target is already
            counted from the simulator's origin (:func:`pair_traces` does that).
        matches: Which channel corresponds to which; each channel at most once a side.
        same_epoch: Whether offset 0 means "same absolute time".
    """

    sim: Trace
    target: Trace
    matches: tuple[Match, ...]
    same_epoch: bool = False
    _target_of: dict[str, str] = field(init=False, repr=False)
    _sim_of: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_target_of", {m.sim: m.target for m in self.matches})
        object.__setattr__(self, "_sim_of", {m.target: m.sim for m in self.matches})

    def matched(self, *roles: Role) -> tuple[tuple[Channel, Channel], ...]:
        """Return (sim channel, target channel) of the matches whose sim channel has one of these roles."""
        return tuple(
            (self.sim[m.sim], self.target[m.target])
            for m in self.matches
            if not roles or self.sim[m.sim].role in roles
        )

    def target_of(self, sim_name: str) -> str | None:
        """Return the target channel matched with a sim channel."""
        return self._target_of.get(sim_name)

    def sim_of(self, target_name: str) -> str | None:
        """Return the sim channel matched with a target channel."""
        return self._sim_of.get(target_name)


def match_channels(
    sim: Trace, target: Trace, given: Iterable[tuple[str, str]] = ()
) -> tuple[Match, ...]:
    """Match by what a person gave, then by name, then by same role and place within the role.

    Place decides only where both sides leave the same number of channels of that role unmatched;
    anything else would be a guess.

    Raises:
        UsageError: where a given name does not exist or stands in two pairs.
    """
    matches = _given_matches(sim, target, given)
    used_sim = {m.sim for m in matches}
    used_target = {m.target for m in matches}
    for channel in sim.channels:
        twin = target.get(channel.name)
        if twin is not None and channel.name not in used_sim and channel.name not in used_target:
            matches.append(Match(channel.name, channel.name, "name"))
            used_sim.add(channel.name)
            used_target.add(channel.name)
    for role in Role:
        if role is Role.OTHER:
            continue
        left = [c for c in sim.of_role(role) if c.name not in used_sim]
        right = [c for c in target.of_role(role) if c.name not in used_target]
        if left and len(left) == len(right):
            matches += [Match(a.name, b.name, "index") for a, b in zip(left, right, strict=True)]
    order = {channel.name: place for place, channel in enumerate(sim.channels)}
    return tuple(sorted(matches, key=lambda m: order[m.sim]))


def _given_matches(sim: Trace, target: Trace, given: Iterable[tuple[str, str]]) -> list[Match]:
    matches: list[Match] = []
    problems = []
    for sim_name, target_name in given:
        for side, trace, name in (("sim", sim, sim_name), ("target", target, target_name)):
            if name not in trace:
                problems.append(_unknown(side, trace, name))
        if any(sim_name == m.sim or target_name == m.target for m in matches):
            what = f"{sim_name} with {target_name}: one of them is in a pair already"
            problems.append(Problem(what, "pairs", todo="give each channel once a side"))
        matches.append(Match(sim_name, target_name, "given"))
    if problems:
        raise UsageError(problems)
    return matches


def _unknown(side: str, trace: Trace, name: str) -> Problem:
    import difflib

    names = [channel.name for channel in trace.channels]
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    hint = f"closest names: {', '.join(close)}" if close else f"it has: {', '.join(names[:12])}"
    return Problem(f"the {side} trace has no channel {name!r}", trace.source.path, todo=hint)


def pair_traces(sim: Trace, target: Trace, given: Iterable[tuple[str, str]] = ()) -> TracePair:
    """Lay two traces beside each other, on one origin where both count overlapping epochs."""
    same_epoch = _epochs_overlap(sim, target)
    if same_epoch:
        target = target.rebased(sim.clock.origin_ns)
    return TracePair(sim, target, match_channels(sim, target, given), same_epoch)


def _epochs_overlap(sim: Trace, target: Trace) -> bool:
    if not (sim.clock.is_epoch and target.clock.is_epoch and len(sim) and len(target)):
        return False
    lag_s = (target.clock.origin_ns - sim.clock.origin_ns) / 1e9
    first = max(sim.time_s[0], target.time_s[0] + lag_s)
    last = min(sim.time_s[-1], target.time_s[-1] + lag_s)
    return bool(last > first)
