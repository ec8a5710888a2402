"""A run over broken, changing and missing files, crashes and interrupts: nothing lost, nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaign.in_process import Here, as_bytes, break_three
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import CampaignRun, EpisodeResult
from tracescope.campaign.pipeline import PairJob, judge_pair
from tracescope.campaign.pool import Died, LocalPool
from tracescope.campaign.runner import run_campaign
from tracescope.model.errors import Cancelled

pytestmark = pytest.mark.xdist_group("small campaign")


def test_that_damaged_cache_entries_are_judged_again(
    own_small: Path, judged: tuple[CampaignRun, Path], tmp_path: Path
) -> None:
    import shutil

    folder = Path(shutil.copytree(judged[1], tmp_path / "damaged"))
    for damaged in folder.rglob("*.json"):
        damaged.write_bytes(damaged.read_bytes()[:500])
    pool = Here()
    run = run_campaign(read_campaign(own_small), pool=pool, cache=Cache(folder))
    assert len(pool.done) == len(run.results)
    assert as_bytes(run) == as_bytes(judged[0])


def test_that_a_run_goes_on_where_it_was_interrupted(own_small: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    campaign = read_campaign(own_small)
    first = Here()

    def cancel(_: float, what: str) -> None:
        if "3 of 8" in what:
            raise Cancelled

    part = run_campaign(campaign, pool=first, cache=cache, progress=cancel)
    assert part.interrupted
    assert len(part.results) == 3
    second = Here()
    whole = run_campaign(campaign, pool=second, cache=cache)
    assert not whole.interrupted
    assert (len(first.done), len(second.done), whole.reused) == (3, 5, 3)
    assert part.results == whole.results[:3]


def test_that_the_interrupt_key_ends_a_run_with_what_it_had(own_small: Path) -> None:
    def press(_: float, what: str) -> None:
        if "2 of 8" in what:
            raise KeyboardInterrupt

    run = run_campaign(read_campaign(own_small), pool=Here(), progress=press)
    assert run.interrupted
    assert len(run.results) == 2


def test_that_broken_files_are_listed_and_end_nothing(
    own_small: Path, judged: tuple[CampaignRun, Path], tmp_path: Path
) -> None:
    words = break_three(own_small)
    run = run_campaign(read_campaign(own_small), pool=Here(), cache=Cache(tmp_path / "cache"))
    assert [failed.id for failed in run.failed] == list(words)
    for failed in run.failed:
        assert words[failed.id] in failed.problem
        assert failed.problem.startswith(failed.id.replace("-", "_") + "/")  # which file
    sound = [result for result in judged[0].results if result.id not in words]
    assert list(run.results) == sound


def test_that_a_mended_file_is_tried_again(own_small: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    target = own_small.parent / "pair_001" / "target.csv"
    content = target.read_bytes()
    target.write_bytes(b"")
    assert run_campaign(read_campaign(own_small), pool=Here(), cache=cache).failed
    target.write_bytes(content)
    pool = Here()
    assert not run_campaign(read_campaign(own_small), pool=pool, cache=cache).failed
    assert len(pool.done) == 1


class Swapping(Here):
    """A pool before whose first job two recordings change places."""

    def __init__(self, one: Path, other: Path) -> None:
        super().__init__()
        self._files = [one, other]

    def run(self, function, jobs, pulse=lambda: None) -> Iterator[tuple[int, object]]:
        if self._files:
            one, other = self._files
            between = one.with_name("between")
            for file, place in ((one, between), (other, one), (between, other)):
                file.rename(place)
            self._files = []
        yield from super().run(function, jobs, pulse)


@pytest.mark.parametrize("matched", [False, True])
def test_that_nothing_is_kept_of_recordings_that_change_while_they_are_judged(
    own_small: Path, judged: tuple[CampaignRun, Path], tmp_path: Path, *, matched: bool
) -> None:
    """Not even where a recording takes the place of another one that is known."""
    folder = own_small.parent
    one, other = folder / "pair_000" / "target.csv", folder / "pair_002" / "target.csv"
    text = own_small.read_text().splitlines(keepends=True)[:4]
    if matched:
        text = [line.replace("pair_000/sim.csv", "") for line in text]
    own_small.write_text("".join(text))
    cache = Cache(tmp_path / "cache")
    run_campaign(read_campaign(own_small), pool=Swapping(one, other), cache=cache)
    Swapping(one, other).run(str, [0]).__next__()  # back again
    again, fresh = (
        run_campaign(read_campaign(own_small), pool=Here(), cache=kept) for kept in (cache, None)
    )
    assert as_bytes(again) == as_bytes(fresh)
    assert again.reused == 1


class Crashing(LocalPool):
    """A local pool whose processes die of one pair."""

    def run(self, function, jobs, pulse=lambda: None) -> Iterator[tuple[int, object | Died]]:
        from tests.campaign.jobs import judge_but_die

        return super().run(judge_but_die if function is judge_pair else function, jobs, pulse)


def test_that_a_crash_of_one_pair_ends_nothing(
    own_small: Path, judged: tuple[CampaignRun, Path]
) -> None:
    folder = own_small.parent / "pair_003"
    (folder / "target.csv").rename(folder / "crash.csv")
    some = own_small.read_text().splitlines(keepends=True)[:7]
    own_small.write_text("".join(some).replace("pair_003/target", "pair_003/crash"))
    run = run_campaign(read_campaign(own_small), pool=Crashing(2))
    assert [failed.id for failed in run.failed] == ["pair-003"]
    assert "SIGSEGV" in run.failed[0].problem
    assert list(run.results) == [r for r in judged[0].results[:6] if r.id != "pair-003"]


def test_that_our_own_fault_on_one_pair_is_told_and_ends_nothing(
    own_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("tracescope.campaign.scope.scope_of", fail)
    campaign = read_campaign(own_small)
    outcome = judge_pair(
        PairJob(campaign.located("pair_000/sim.csv"), campaign.located("pair_000/target.csv"))
    )
    assert not isinstance(outcome, EpisodeResult)
    assert "ZeroDivisionError: oops" in outcome.problem
