"""A campaign's run: everything judged once, nothing lost, the same whatever the order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.campaign.generated import Generated
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import CampaignRun, EpisodeResult
from tracescope.campaign.pipeline import Options, PairJob, Unusable, judge_pair
from tracescope.campaign.pool import Died, LocalPool
from tracescope.campaign.runner import run_campaign
from tracescope.model.check import CHECK_IDS
from tracescope.model.errors import Cancelled
from tracescope.model.tolerance import Tolerances
from tracescope.session.judge import judge
from tracescope.session.open import OpenOptions, open_session, side_of

pytestmark = pytest.mark.xdist_group("small campaign")

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


def test_that_every_pair_is_judged_as_check_judges_it(
    small: Generated, judged: tuple[CampaignRun, Path]
) -> None:
    run, _ = judged
    campaign = read_campaign(small.manifest)
    assert [result.id for result in run.results] == [entry.id for entry in campaign.entries]
    assert not run.failed
    assert not run.interrupted
    for entry, result in list(zip(campaign.entries, run.results, strict=True))[::3]:
        session = judge(
            open_session(
                side_of(campaign.located(entry.sim or "")), side_of(campaign.located(entry.target))
            )
        )
        assert list(result.states) == list(CHECK_IDS)
        assert result.states == {r.id: str(r.state) for r in session.results}
        measured = [(m.quantity, m.channel) for r in session.results for m in r.measurements]
        assert [(m.quantity, m.channel) for m in result.measurements] == measured
        families = [h.family for h in session.report.hypotheses]
        assert [h.family for h in result.hypotheses] == families
        assert (result.params, result.date) == (entry.params, entry.date)
        assert (result.sim, result.matched, result.sim_distance) == (entry.sim, False, None)


def test_that_known_faults_show_in_their_checks(
    small: Generated, judged: tuple[CampaignRun, Path]
) -> None:
    checks = {"scale": "observation-scaling", "delay": "timing", "lost-rows": "timing"}
    seen = 0
    for result in judged[0].results:
        kind = small.kind[result.id]
        if kind in checks:
            assert result.states[checks[kind]] == "fail", (result.id, kind)
            seen += 1
        elif kind == "none":
            assert "fail" not in result.states.values()
    assert seen >= 4


def test_that_the_order_of_completion_changes_nothing(
    small: Generated, judged: tuple[CampaignRun, Path]
) -> None:
    backwards = run_campaign(
        read_campaign(small.manifest), pool=Here(lambda n: range(n - 1, -1, -1), anew=True)
    )
    assert as_bytes(backwards) == as_bytes(judged[0])


def test_that_results_hold_no_path_of_this_machine(
    small: Generated, judged: tuple[CampaignRun, Path]
) -> None:
    text = as_bytes(judged[0]).decode()
    assert str(small.manifest.parent) not in text
    assert json.loads(text)["results"][0]["sim"] == "pair_000/sim.csv"


def test_that_a_rerun_judges_nothing(small: Generated, judged: tuple[CampaignRun, Path]) -> None:
    run, folder = judged
    pool = Here()
    again = run_campaign(read_campaign(small.manifest), pool=pool, cache=Cache(folder))
    assert not pool.done
    assert again.reused == len(again.results) == 8
    assert as_bytes(again) == as_bytes(run)


def test_that_what_the_manifest_says_needs_no_new_judgement(
    own_small: Path, judged: tuple[CampaignRun, Path]
) -> None:
    text = own_small.read_text().replace("failure", "dropped").replace("track", "reach")
    own_small.write_text(text)
    pool = Here()
    run = run_campaign(read_campaign(own_small), pool=pool, cache=Cache(judged[1]))
    assert not pool.done
    assert {result.label for result in run.results} == {"reach"}


def test_that_only_what_changed_is_judged_again(
    own_small: Path, judged: tuple[CampaignRun, Path]
) -> None:
    target = own_small.parent / "pair_002" / "target.csv"
    target.write_text("\n".join(target.read_text().splitlines()[:-20]) + "\n")
    pool = Here()
    run = run_campaign(read_campaign(own_small), pool=pool, cache=Cache(judged[1]))
    assert [Path(job.target).parent.name for job in pool.done] == ["pair_002"]
    assert run.results[2].steps[1] < judged[0].results[2].steps[1]
    assert run.results[3] == judged[0].results[3]


@pytest.mark.parametrize(
    "options",
    [
        Options(OpenOptions(tolerances=Tolerances((("observation-scaling.scale", (0.5, 2.0)),)))),
        Options(OpenOptions(confidence=0.95)),
        Options(corrected=True),
    ],
)
def test_that_other_options_mean_another_judgement(
    own_small: Path, judged: tuple[CampaignRun, Path], options: Options
) -> None:
    lines = own_small.read_text().splitlines(keepends=True)
    own_small.write_text("".join(lines[:2]))
    pool = Here()
    run_campaign(read_campaign(own_small), options, pool, Cache(judged[1]))
    assert len(pool.done) == 1


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


def break_three(manifest: Path) -> dict[str, str]:
    """Damage three target files; return episode id → a word of what must be said."""
    folder = manifest.parent
    (folder / "pair_001" / "target.csv").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    (folder / "pair_004" / "target.csv").write_text("")
    (folder / "pair_006" / "sim.csv").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)
    return {"pair-001": "HDF5", "pair-004": "empty", "pair-006": "PDF"}


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


def test_that_paths_from_here_are_found_by_workers_elsewhere(
    own_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_small.parent.parent)
    for path in (Path("copy/manifest.csv"), Path("copy")):
        campaign = read_campaign(path)
        assert Path(campaign.located(campaign.entries[0].target)).is_absolute()


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


def test_that_a_recording_is_known_by_name_and_content(own_small: Path, tmp_path: Path) -> None:
    """NumPy arrays have no names of their own: the file's is the channel's."""
    import numpy as np

    rng = np.random.default_rng(0)
    for name in ("speed", "height"):
        (own_small.parent / name).mkdir()
    for side in ("sim", "target"):
        np.save(own_small.parent / "speed" / f"{side}_speed.npy", rng.normal(size=(60, 1)))
        (own_small.parent / "height" / f"{side}_height.npy").write_bytes(
            (own_small.parent / "speed" / f"{side}_speed.npy").read_bytes()
        )
    rows = [f"{n},{n}/sim_{n}.npy,{n}/target_{n}.npy" for n in ("speed", "height")]
    own_small.write_text("\n".join(["id,sim,target", *rows]))
    cache = Cache(tmp_path / "cache")
    campaign = read_campaign(own_small)
    plain = run_campaign(campaign, pool=Here())
    for _ in range(2):
        kept = run_campaign(campaign, pool=Here(), cache=cache)
        assert as_bytes(kept) == as_bytes(plain)
    assert kept.reused == len(kept.results) == 2


def test_that_two_runs_share_a_cache_at_the_same_time(
    own_small: Path, judged: tuple[CampaignRun, Path], tmp_path: Path
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    own_small.write_text("".join(own_small.read_text().splitlines(keepends=True)[:4]))
    campaign, cache = read_campaign(own_small), tmp_path / "cache"
    with ThreadPoolExecutor(2) as threads:
        runs = list(
            threads.map(lambda _: run_campaign(campaign, pool=Here(), cache=Cache(cache)), "ab")
        )
    assert all(run.results == judged[0].results[:3] for run in runs)
    assert run_campaign(campaign, pool=Here(), cache=Cache(cache)).reused == 3
    assert not list(cache.rglob("*.tmp"))


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


def test_that_equal_pairs_are_judged_once(own_small: Path) -> None:
    lines = own_small.read_text().splitlines(keepends=True)
    own_small.write_text("".join([*lines[:2], lines[1].replace("pair-000", "again")]))
    pool = Here()
    run = run_campaign(read_campaign(own_small), pool=pool)
    assert len(pool.done) == 1
    assert [result.id for result in run.results] == ["pair-000", "again"]
    assert run.results[0].states == run.results[1].states


@pytest.mark.parametrize("blank", ["pair_003/sim.csv", "nothing"])
def test_that_progress_grows_to_the_end_and_says_what_is_done(
    own_small: Path, tmp_path: Path, blank: str
) -> None:
    own_small.write_text(own_small.read_text().replace(blank, ""))
    told: list[tuple[float, str]] = []
    run_campaign(
        read_campaign(own_small),
        pool=Here(),
        cache=Cache(tmp_path / "cache"),
        progress=lambda d, w: told.append((d, w)),
    )
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any("5 of 8 pairs" in what for _, what in told)
