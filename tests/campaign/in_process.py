"""A pool that judges in this process, and what tests of a run do to its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from tracescope.campaign.model import CampaignRun, EpisodeResult
from tracescope.campaign.pipeline import PairJob, Unusable, judge_pair

_REMEMBERED: dict[tuple[object, ...], EpisodeResult] = {}


def judge_once(job: PairJob) -> EpisodeResult | Unusable:
    """Judge a pair, or say again what came of the same bytes under the same names and options.

    How a pair is judged is held against ``tracescope check`` elsewhere: what is tried with this is what
    becomes of the results.
    """
    key: tuple[object, ...] = (repr(job.options),)
    for path in map(Path, (job.sim, job.target)):
        if not path.is_file():  # an episode inside a file, or nothing at all
            return judge_pair(job)
        key += (path.name, path.read_bytes())
    if key in _REMEMBERED:
        return _REMEMBERED[key]
    outcome = judge_pair(job)
    if isinstance(outcome, EpisodeResult):
        _REMEMBERED[key] = outcome
    return outcome


class Here:
    """A pool that works in this process, in whatever order, and counts.

    The same pair is judged once for all tests unless they ask for it ``anew``.
    """

    def __init__(
        self, order: Callable[[int], Sequence[int]] = range, *, anew: bool = False
    ) -> None:
        self.done: list[object] = []
        self._order = order
        self._anew = anew

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, function, jobs, pulse=lambda: None) -> Iterator[tuple[int, object]]:
        work = judge_once if function is judge_pair and not self._anew else function
        for number in self._order(len(jobs)):
            pulse()
            self.done.append(jobs[number])
            yield number, work(jobs[number])


def as_bytes(run: CampaignRun) -> bytes:
    return msgspec.json.encode(replace(run, reused=0))


def break_three(manifest: Path) -> dict[str, str]:
    """Damage three target files; return episode id → a word of what must be said."""
    folder = manifest.parent
    (folder / "pair_001" / "target.csv").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    (folder / "pair_004" / "target.csv").write_text("")
    (folder / "pair_006" / "sim.csv").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)
    return {"pair-001": "HDF5", "pair-004": "empty", "pair-006": "PDF"}
