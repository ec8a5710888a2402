"""Judge every pair of a campaign: from the cache where nothing changed, else by a pool of processes.

What comes out is in the manifest's order and the same to the last digit whatever the order of completion,
the number of processes or the machines that did it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from tracescope.campaign.cache import Cache, key_of
from tracescope.campaign.matching import Candidates, Nearest, Rollout, RolloutJob, rollout_of
from tracescope.campaign.model import (
    Campaign,
    CampaignRun,
    Entry,
    EpisodeResult,
    FailedEpisode,
    split_episode,
)
from tracescope.campaign.pipeline import DEFAULTS, Options, PairJob, Unusable, judge_pair
from tracescope.campaign.pool import Died, LocalPool, Pool, TookTooLong
from tracescope.model.errors import Cancelled
from tracescope.model.progress import Progress, silent
from tracescope.readers.base import ImportChoices
from tracescope.readers.files import sha256_of

J = TypeVar("J")
R = TypeVar("R")

HASHED, MATCHED = 0.02, 0.1
"""Shares of the work, for progress: telling what changed, and matching where a manifest asks for it."""


def run_campaign(
    campaign: Campaign,
    options: Options = DEFAULTS,
    pool: Pool | None = None,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> CampaignRun:
    """Judge every pair.

    Args:
        campaign: From :func:`~tracescope.campaign.manifest.read_campaign`.
        options: How to open and judge.
        pool: Who does it; processes of this machine, one a core, where not said. Processes start with the
            first pair that is not in the cache. As with ``multiprocessing``, a script that calls this
            guards its start by ``if __name__ == "__main__"``.
        cache: Where results are kept; ``None``: nowhere.
        progress: Told often; may raise ``Cancelled``.

    Returns:
        What was judged, what could not be, and whether it was interrupted (by ``progress`` or the interrupt
        key): with a cache, running it again goes on from there.

    Raises:
        UsageError: where the pool goes away as a whole.
    """
    with LocalPool() if pool is None else pool as workers:
        run = _Run(campaign, options, workers, cache, progress)
        try:
            run.all()
        except (Cancelled, KeyboardInterrupt):
            run.interrupted = True
    return run.outcome()


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The simulator run of an entry: named, or found."""

    sim: str
    found: Nearest | None = None


@dataclass(frozen=True, slots=True)
class _Key:
    """Where a result is kept, and the digests of the files that it is the result of."""

    text: str
    digests: tuple[str, ...]


@dataclass
class _Run:
    """One run's state: what is known of files, rollouts and pairs so far."""

    campaign: Campaign
    options: Options
    pool: Pool
    cache: Cache | None
    progress: Progress
    interrupted: bool = False
    reused: int = 0
    chosen: dict[str, _Chosen] = field(default_factory=dict)
    judged: dict[str, EpisodeResult] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    _digests: dict[Path, str] = field(default_factory=dict)
    _reached: float = 0.0

    def all(self) -> None:
        """Do everything; what was reached when it is interrupted stays."""
        if self.cache is not None:
            self.cache.prune()
        self._hash()
        self._choose()
        self._judge()
        self.progress(1.0, "judged")

    def outcome(self) -> CampaignRun:
        """Return what was reached, in the manifest's order."""
        return CampaignRun(
            tuple(
                _completed(entry, self.chosen[entry.id], self.judged[entry.id])
                for entry in self.campaign.entries
                if entry.id in self.judged
            ),
            tuple(
                FailedEpisode(entry.id, self._as_spelt(self.failed[entry.id]))
                for entry in self.campaign.entries
                if entry.id in self.failed
            ),
            self.interrupted,
            self.reused,
        )

    def _as_spelt(self, problem: str) -> str:
        """Name files as the manifest does: the same campaign elsewhere gives the same result."""
        folder = self.campaign.folder
        if folder == folder.parent:  # the root stands in every path
            return problem
        return problem.replace(str(folder / " ")[:-1], "")

    # what changed

    def _hash(self) -> None:
        """Hash every file once; a file that cannot be read fails where it is opened, with all its faults."""
        if self.cache is None:
            return
        texts = [text for e in self.campaign.entries for text in (e.sim, e.target) if text]
        files = list(dict.fromkeys(self._split(text)[0] for text in texts))
        for done, file in enumerate(files):
            self._tell(HASHED * done / len(files), "looking what changed")
            try:
                self._digests[file] = sha256_of(file, self._hashing)
            except OSError:
                self._digests[file] = ""

    def _hashing(self, done: float, what: str) -> None:
        del done  # a file's share of all of them is not known
        self._tell(0.0, what)

    def _tell(self, done: float, what: str) -> None:
        """Tell the progress, which never goes back."""
        self._reached = max(self._reached, done)
        self.progress(self._reached, what)

    def _split(self, text: str) -> tuple[Path, str]:
        return split_episode(self.campaign.folder, text)

    def _source_key(self, text: str, choices: ImportChoices) -> tuple[Any, ...]:
        """Return what reading a source depends on, its digest first (``""`` where its content is not known).

        The name is part of it: readers go by its ending, and some name a channel after the file.
        """
        file, episode = self._split(text)
        return self._digests.get(file, ""), episode, file.name, choices

    # which simulator run

    def _choose(self) -> None:
        """Choose a simulator run for every entry."""
        for entry in self.campaign.entries:
            if entry.sim:
                self.chosen[entry.id] = _Chosen(entry.sim)
        blank = [entry for entry in self.campaign.entries if not entry.sim]
        if not blank:
            return
        named: dict[str, dict[str, None]] = {entry.label: {} for entry in blank}
        for entry in self.campaign.entries:
            if entry.sim and entry.label in named:
                named[entry.label][entry.sim] = None
        sims = list(dict.fromkeys(sim for names in named.values() for sim in names))
        rollouts = self._described(sims, self.options.sim)
        ran = self._described(
            list(dict.fromkeys(entry.target for entry in blank)), self.options.target
        )
        candidates = {label: Candidates(_usable(rollouts, sims)) for label, sims in named.items()}
        for entry in blank:
            self._match(entry, ran[entry.target], candidates[entry.label])

    def _match(self, entry: Entry, target: Rollout | str, candidates: Candidates) -> None:
        if isinstance(target, str):
            self.failed[entry.id] = target
            return
        found = candidates.nearest(target)
        if found is None:
            self.failed[entry.id] = (
                f"{entry.target}: no simulator run of the label {entry.label!r} can be read and has a moving"
                " observation in common with it\n  → name its simulator run in the manifest"
            )
        else:
            self.chosen[entry.id] = _Chosen(found.sim, found)

    def _described(self, texts: Sequence[str], choices: ImportChoices) -> dict[str, Rollout | str]:
        """Describe runs, by the manifest's spelling; a text says why one could not be."""
        keys = [self._key("rollout", (self._source_key(text, choices),)) for text in texts]
        jobs = [RolloutJob(self.campaign.located(text), choices) for text in texts]
        found: dict[str, Rollout | str] = {}
        for number, outcome, _ in self._worked(rollout_of, jobs, keys, Rollout):
            share = len(found) / len(texts)
            self._tell(HASHED + (MATCHED - HASHED) * share, "matching simulator runs")
            found[texts[number]] = outcome
        return found

    # judging

    def _judge(self) -> None:
        """Judge what is not in the cache."""
        entries = [entry for entry in self.campaign.entries if entry.id in self.chosen]
        total = len(self.campaign.entries)
        jobs = [
            PairJob(
                self.campaign.located(self.chosen[entry.id].sim),
                self.campaign.located(entry.target),
                self.options,
            )
            for entry in entries
        ]
        keys = [self._pair_key(self.chosen[entry.id].sim, entry.target) for entry in entries]
        for number, outcome, known in self._worked(judge_pair, jobs, keys, EpisodeResult):
            name = entries[number].id
            self.reused += known
            if isinstance(outcome, EpisodeResult):
                self.judged[name] = outcome
            else:
                self.failed[name] = outcome
            done = len(self.judged) + len(self.failed)
            self._tell(MATCHED + (1 - MATCHED) * done / total, self._said(done, total))

    def _said(self, done: int, total: int) -> str:
        said = f"judging: {done} of {total} pairs"
        if self.reused:
            said += f", {self.reused} unchanged"
        return f"{said}, {len(self.failed)} unusable" if self.failed else said

    def _pair_key(self, sim: str, target: str) -> _Key | None:
        sides = (
            self._source_key(sim, self.options.sim),
            self._source_key(target, self.options.target),
        )
        return self._key("pair", sides, self.options.opening, self.options.corrected)

    def _key(self, kind: str, sides: Sequence[tuple[Any, ...]], *options: object) -> _Key | None:
        digests = tuple(str(side[0]) for side in sides)
        if self.cache is None or not all(digests):
            return None
        return _Key(key_of(kind, *sides, *options), digests)

    def _worked(
        self,
        function: Callable[[J], R | Unusable],
        jobs: Sequence[J],
        keys: Sequence[_Key | None],
        kind: type[R],
    ) -> Iterator[tuple[int, Any, bool]]:
        """Yield (number, result or why there is none, whether it was known); equal jobs are done once."""
        todo: dict[J, list[int]] = {}
        for number, (job, key) in enumerate(zip(jobs, keys, strict=True)):
            known = None if key is None or self.cache is None else self.cache.get(key.text, kind)
            if known is not None:
                yield number, known, True
            else:
                todo.setdefault(job, []).append(number)
        left = list(todo)
        for place, outcome in self.pool.run(function, left, self._pulse):
            numbers = todo[left[place]]
            if isinstance(outcome, Died):
                said: object = _lost(outcome)
            else:
                said = outcome.problem if isinstance(outcome, Unusable) else outcome
                self._keep(keys[numbers[0]], outcome)
            for number in numbers:
                yield number, said, False

    def _keep(self, key: _Key | None, outcome: object) -> None:
        """Keep a result, unless a file was changed between hashing and judging it."""
        if self.cache is None or key is None:
            return
        read: tuple[str, ...] = ()
        if isinstance(outcome, EpisodeResult):
            read = outcome.sim_sha256, outcome.target_sha256
        elif isinstance(outcome, Rollout):
            read = (outcome.sha256,)
        if read == key.digests:
            self.cache.put(key.text, outcome)

    def _pulse(self) -> None:
        """Let whoever watches cancel between results."""
        done = len(self.judged) + len(self.failed)
        total = len(self.campaign.entries)
        if self.judged or self.failed:
            self._tell(MATCHED + (1 - MATCHED) * done / total, self._said(done, total))
        else:
            self._tell(HASHED, "starting")


def _lost(outcome: Died) -> str:
    """Say why a pair that no process judged has no result."""
    if isinstance(outcome, TookTooLong):
        return f"the pair was given up: {outcome}\n  → allow more time, or look at it alone"
    return f"the pair could not be judged: {outcome}\n  → look at it alone"


def _usable(rollouts: Mapping[str, Rollout | str], names: Iterable[str]) -> dict[str, Rollout]:
    """Return the rollouts that could be read."""
    found = {name: rollouts[name] for name in names}
    return {name: rollout for name, rollout in found.items() if isinstance(rollout, Rollout)}


def _completed(entry: Entry, chosen: _Chosen, result: EpisodeResult) -> EpisodeResult:
    """Put what the manifest says to what the files gave."""
    found = chosen.found
    return replace(
        result,
        id=entry.id,
        sim=chosen.sim,
        target=entry.target,
        matched=found is not None,
        sim_distance=None if found is None else found.start,
        action_distance=None if found is None else found.actions,
        date=entry.date,
        event_time_s=entry.event_time_s,
        label=entry.label,
        outcome=entry.outcome,
        params=entry.params,
    )
