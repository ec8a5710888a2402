"""Targets without a simulator run find the rollout they belong to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.builders import trace
from tests.campaign.generated import references, simulate, write_run
from tests.campaign.in_process import Here
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.matching import Candidates, Rollout, RolloutJob, described, rollout_of
from tracescope.campaign.pipeline import Unusable
from tracescope.campaign.runner import run_campaign

RNG = np.random.default_rng(5)


def run_of(start: float, phase: float, *, scale: float = 1.0, rows: int = 200) -> Rollout:
    """A run that starts at a place and acts by a phase; ``scale`` changes the unit of everything."""
    at = np.arange(rows) * 0.02
    obs = scale * np.column_stack([start + 0.5 * np.sin(at), np.cos(at) - 1])
    return described(trace(obs=obs, action=scale * np.sin(2 * at + phase)))


def test_that_the_closest_start_wins() -> None:
    sims = {"far": run_of(2.0, 0.0), "near": run_of(0.1, 2.0), "mid": run_of(0.7, 0.0)}
    found = Candidates(sims).nearest(run_of(0.0, 0.0))
    assert found is not None
    assert found.sim == "near"
    assert 0 < found.start < 0.5


def test_that_actions_decide_between_equal_starts() -> None:
    sims = {f"phase {p}": run_of(0.001 * p, float(p)) for p in range(6)}
    for phase in range(6):
        found = Candidates(sims).nearest(run_of(0.0, phase + 0.1))
        assert found is not None
        assert found.sim == f"phase {phase}"
        assert found.actions is not None
        assert found.actions < 0.2


def test_that_units_do_not_weigh() -> None:
    places = (0.0, 0.3, 1.1, 2.0)
    plain = Candidates({str(s): run_of(s, s) for s in places}).nearest(run_of(0.9, 1.0))
    scaled = Candidates({str(s): run_of(s, s, scale=1000.0) for s in places}).nearest(
        run_of(0.9, 1.0, scale=1000.0)
    )
    assert plain is not None
    assert scaled is not None
    assert plain.sim == scaled.sim == "1.1"
    assert scaled.start == pytest.approx(plain.start, rel=1e-6)


def test_that_a_target_that_ended_early_is_compared_as_far_as_it_went() -> None:
    sims = {f"phase {p}": run_of(0.0, float(p), rows=400) for p in range(5)}
    found = Candidates(sims).nearest(run_of(0.0, 3.0, rows=120))
    assert found is not None
    assert found.sim == "phase 3"
    assert found.actions is not None
    assert found.actions < 0.1


def test_that_of_equals_the_first_is_taken_and_of_strangers_none() -> None:
    same = {"b": run_of(0.0, 0.0), "a": run_of(0.0, 0.0)}
    found = Candidates(same).nearest(run_of(0.0, 0.0))
    assert found is not None
    assert found.sim == "b"
    other = replace(run_of(0.0, 0.0), observations=("x", "y"), actions=("u",))
    names = ("p", "q", "r")
    unlike = replace(
        other, observations=names, start=(0.0,) * 3, means=(0.0,) * 4, deviations=(1.0,) * 4
    )
    assert Candidates({}).nearest(other) is None
    assert Candidates({"c": unlike}).nearest(other) is None


def test_that_dropped_samples_and_still_channels_do_not_weigh() -> None:
    obs = np.column_stack([np.full(50, 7.0), np.linspace(0, 1, 50), np.full(50, np.nan)])
    obs[:3, 1] = np.nan
    found = described(trace(obs=obs, action=np.ones(50)))
    assert found.observations == ("obs[0]", "obs[1]")
    assert found.start[1] == pytest.approx(3 / 49)
    moved = replace(found, start=(8.0, found.start[1]))
    nearest = Candidates({"only": found}).nearest(moved)
    assert nearest is not None
    assert nearest.start == 0.0
    assert nearest.actions is None


def test_that_an_unreadable_run_says_why(tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_text("")
    outcome = rollout_of(RolloutJob(str(tmp_path / "broken.csv")))
    assert isinstance(outcome, Unusable)
    assert "broken.csv" in outcome.problem


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """Five tasks simulated once each, run twice on the target; only the first of each names its rollout."""
    rng = np.random.default_rng(11)
    reference = np.repeat(references(5, 240, rng), 2, axis=0)
    ones = np.ones(10)
    sim = simulate(reference, ones, 0.8 * ones, rng)
    target = simulate(reference, ones, 0.8 * ones, rng)
    lines = ["id,sim,target,label"]
    for place in range(10):
        write_run(tmp_path / f"target_{place}.csv", target, reference, place)
        named = ""
        if place % 2 == 0:
            named = f"sim_{place // 2}.csv"
            write_run(tmp_path / named, sim, reference, place)
        lines.append(f"run-{place},{named},target_{place}.csv,track")
    path = tmp_path / "manifest.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_that_every_target_finds_the_rollout_of_its_task(manifest: Path, tmp_path: Path) -> None:
    run = run_campaign(read_campaign(manifest), pool=Here(), cache=Cache(tmp_path / "cache"))
    assert not run.failed
    for place, result in enumerate(run.results):
        assert result.sim == f"sim_{place // 2}.csv"
        assert result.matched == (place % 2 == 1)
        assert (result.sim_distance is not None) == result.matched
    distances = [r.sim_distance for r in run.results if r.sim_distance is not None]
    assert max(distances) < 0.3
    again = Here()
    assert run_campaign(
        read_campaign(manifest), pool=again, cache=Cache(tmp_path / "cache")
    ) == replace(run, reused=10)
    assert not again.done


def test_that_a_broken_rollout_is_no_candidate_and_labels_stay_apart(manifest: Path) -> None:
    (manifest.parent / "sim_1.csv").write_text("")
    text = manifest.read_text().replace("target_4.csv,track", "target_4.csv,reach")
    text = text.replace("target_5.csv,track", "target_5.csv,reach")
    text = text.replace("run-9,,target_9.csv", "run-9,,broken.csv")
    manifest.write_text(text)
    (manifest.parent / "broken.csv").write_text("")
    run = run_campaign(read_campaign(manifest), pool=Here())
    chosen = {result.id: result.sim for result in run.results}
    assert chosen["run-5"] == "sim_2.csv"
    assert chosen["run-3"] not in {"sim_1.csv", "sim_2.csv"}
    assert [failed.id for failed in run.failed] == ["run-2", "run-9"]
    assert run.failed[1].problem.startswith("broken.csv: ")


def test_that_a_label_whose_rollouts_are_all_broken_fails_with_what_to_do(manifest: Path) -> None:
    for place in range(5):
        (manifest.parent / f"sim_{place}.csv").write_text("")
    run = run_campaign(read_campaign(manifest), pool=Here())
    assert not run.results
    assert "name its simulator run" in run.failed[1].problem
