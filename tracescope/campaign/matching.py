"""Find the simulator rollout that a target run is to be compared with, where the manifest names none.

Among the rollouts of the same label the one is taken that starts closest to the target, and among those that
start as close the one whose action sequence is closest. Differences count in spreads: a channel's standard
deviation over all rows of all those rollouts, so that neither units nor the length of an episode weigh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracescope.campaign.pipeline import Unusable, rounded
from tracescope.model.errors import TracescopeError
from tracescope.model.trace import Channel, Role, Samples, Trace
from tracescope.readers.base import ImportChoices
from tracescope.readers.files import Hashes, hashes_lasting

AS_CLOSE = 0.1
"""Starts this many spreads farther than the closest count as close: what sensor noise alone does."""

INSTANTS = 128
STILL = 1e-9

_HASHES: Hashes = {}

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class RolloutJob:
    """A run to describe: full path with ``::episode``."""

    path: str
    choices: ImportChoices = field(default_factory=ImportChoices)


@dataclass(frozen=True, slots=True)
class Rollout:
    """What matching needs of a run.

    Attributes:
        duration_s: Last row time less the first.
        observations, actions: Names of the channels that hold a finite value.
        start: First finite value of every observation.
        means, deviations: Over all rows, of the observations, then of the actions.
        sequence: Each action at :data:`INSTANTS` even instants of the run.
        sha256: Digest of the file.
    """

    duration_s: float
    observations: tuple[str, ...]
    actions: tuple[str, ...]
    start: tuple[float, ...]
    means: tuple[float, ...]
    deviations: tuple[float, ...]
    sequence: Rows
    sha256: str = ""

    def mean_of(self, name: str) -> float:
        """Return a channel's mean."""
        return self.means[(*self.observations, *self.actions).index(name)]

    def deviation_of(self, name: str) -> float:
        """Return a channel's standard deviation."""
        return self.deviations[(*self.observations, *self.actions).index(name)]


@dataclass(frozen=True, slots=True)
class Nearest:
    """The rollout taken: its key, how far it starts from the target and how far its actions lie, in spreads."""

    sim: str
    start: float
    actions: float | None


def rollout_of(job: RolloutJob) -> Rollout | Unusable:
    """Describe a run; never raises for what is wrong with its file."""
    from tracescope.readers import open_trace

    try:
        with hashes_lasting(_HASHES):
            return described(open_trace(job.path, choices=job.choices))
    except TracescopeError as error:
        return Unusable(str(error))
    except Exception as error:  # noqa: BLE001  # as for a pair: our own bug must not end the others
        return Unusable(f"a fault of ours: {type(error).__name__}: {error}; please report it")


def described(trace: Trace) -> Rollout:
    """Return what matching needs of a trace."""
    observations = _filled(trace, Role.OBSERVATION)
    actions = _filled(trace, Role.ACTION)
    values = [_finite(channel) for channel in (*observations, *actions)]
    return Rollout(
        duration_s=rounded(trace.duration_s) or 0.0,
        observations=tuple(channel.name for channel in observations),
        actions=tuple(channel.name for channel in actions),
        start=tuple(rounded(v[0]) or 0.0 for v in values[: len(observations)]),
        means=tuple(rounded(float(np.mean(v))) or 0.0 for v in values),
        deviations=tuple(rounded(float(np.std(v))) or 0.0 for v in values),
        sequence=tuple(_sampled(channel) for channel in actions),
        sha256=trace.source.sha256,
    )


def _filled(trace: Trace, role: Role) -> tuple[Channel, ...]:
    return tuple(c for c in trace.of_role(role) if not c.labels and _finite(c).size)


def _finite(channel: Channel) -> Samples:
    value = channel.as_float()
    return value[np.isfinite(value)]


def _sampled(channel: Channel) -> tuple[float, ...]:
    """Return a channel at even instants from its first row to its last; an action holds until the next."""
    value = channel.as_float()
    known = np.isfinite(value)
    time_s, value = channel.time_s[known], value[known]
    instants = np.linspace(channel.time_s[0], channel.time_s[-1], INSTANTS)
    place = np.maximum(np.searchsorted(time_s, instants, side="right") - 1, 0)
    return tuple(rounded(v) or 0.0 for v in value[place])


class Candidates:
    """Rollouts of one label, and the spread of every channel over all their rows."""

    def __init__(self, sims: Mapping[str, Rollout]) -> None:
        """Take rollouts by key; of equally near ones the first is taken."""
        self._sims = dict(sims)
        self._spread = _spreads(tuple(self._sims.values()))

    def nearest(self, target: Rollout) -> Nearest | None:
        """Return the rollout nearest to a target run, ``None`` where none has a channel in common."""
        starts = {
            key: _start_distance(target, sim, self._spread) for key, sim in self._sims.items()
        }
        known = {key: distance for key, distance in starts.items() if distance is not None}
        if not known:
            return None
        closest = min(known.values())
        found = [
            Nearest(key, distance, _action_distance(target, self._sims[key], self._spread))
            for key, distance in known.items()
            if distance <= closest + AS_CLOSE
        ]
        if any(candidate.actions is None for candidate in found):
            return min(found, key=lambda candidate: candidate.start)
        return min(found, key=lambda candidate: candidate.actions or 0.0)


def _spreads(sims: Sequence[Rollout]) -> dict[str, float]:
    """Return each channel's standard deviation over the rows of all rollouts together."""
    spread = {}
    for name in dict.fromkeys(name for sim in sims for name in (*sim.observations, *sim.actions)):
        having = [sim for sim in sims if name in sim.observations or name in sim.actions]
        means = np.array([sim.mean_of(name) for sim in having])
        inside = np.mean([sim.deviation_of(name) ** 2 for sim in having])
        spread[name] = float(np.sqrt(inside + np.var(means)))
    return spread


def _start_distance(target: Rollout, sim: Rollout, spread: dict[str, float]) -> float | None:
    """Return the root mean square difference of the starts over shared channels that move."""
    differences = [
        (target.start[there] - sim.start[here]) / spread[sim.observations[here]]
        for here, there in _shared(sim.observations, target.observations)
        if spread[sim.observations[here]] > STILL * max(1.0, abs(sim.start[here]))
    ]
    return rounded(float(np.sqrt(np.mean(np.square(differences))))) if differences else None


def _action_distance(target: Rollout, sim: Rollout, spread: dict[str, float]) -> float | None:
    """Return the root mean square difference of the actions over the time that both runs last."""
    common_s = min(target.duration_s, sim.duration_s)
    squares = []
    for here, there in _shared(sim.actions, target.actions):
        width = spread[sim.actions[here]]
        if width > STILL and common_s > 0:
            ours = _within(sim.sequence[here], common_s / sim.duration_s)
            theirs = _within(target.sequence[there], common_s / target.duration_s)
            squares.append(float(np.mean(((theirs - ours) / width) ** 2)))
    return rounded(float(np.sqrt(np.mean(squares)))) if squares else None


def _within(sequence: tuple[float, ...], share: float) -> NDArray[np.float64]:
    """Return the first share of a sequence at as many instants as the whole has."""
    place = np.linspace(0.0, share * (len(sequence) - 1), INSTANTS)
    return np.asarray(np.interp(place, np.arange(len(sequence)), np.asarray(sequence)))


def _shared(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return places of channels of the same name; of all in their order where no name is shared."""
    common = [(ours.index(name), theirs.index(name)) for name in ours if name in theirs]
    if not common and len(ours) == len(theirs):
        return [(place, place) for place in range(len(ours))]
    return common
