"""A campaign's run: everything judged once, nothing lost, the same whatever the order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.campaign.generated import Generated
from tests.campaign.in_process import Here, as_bytes
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import CampaignRun
from tracescope.campaign.pipeline import Options
from tracescope.campaign.runner import run_campaign
from tracescope.model.check import CHECK_IDS
from tracescope.model.tolerance import Tolerances
from tracescope.session.judge import judge
from tracescope.session.open import OpenOptions, open_session, side_of

pytestmark = pytest.mark.xdist_group("small campaign")


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


def test_that_paths_from_here_are_found_by_workers_elsewhere(
    own_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_small.parent.parent)
    for path in (Path("copy/manifest.csv"), Path("copy")):
        campaign = read_campaign(path)
        assert Path(campaign.located(campaign.entries[0].target)).is_absolute()


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
