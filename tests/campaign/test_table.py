"""What the command prints: every pair, every kind of failure, everything that failed, nothing that steers."""

from __future__ import annotations

import io
from dataclasses import replace

from tests.campaign.made import mixed_run
from tracescope.campaign.analysis import analysed
from tracescope.campaign.model import CampaignRun, FailedEpisode
from tracescope.cli.campaign_table import print_campaign
from tracescope.model.check import CHECK_IDS

FAILED = (FailedEpisode("lost", "lost/target.csv: the file is empty\n  → copy it again"),)


def printed(run: CampaignRun, *, earlier: CampaignRun | None = None) -> str:
    out = io.StringIO()
    before = None if earlier is None else analysed(earlier)
    print_campaign(analysed(run, earlier=before), out)
    return out.getvalue()


def test_that_every_pair_cluster_and_failure_is_told() -> None:
    run = mixed_run(failed=FAILED)
    result = analysed(run)
    told = printed(run, earlier=run)
    lines = told.splitlines()
    for episode in result.episodes:
        [line] = [line for line in lines if line.split()[:1] == [episode.id]]
        assert len(line.split()[1]) == len(CHECK_IDS)
        assert (episode.cluster or "") in line
    flat = " ".join(told.split())
    assert result.clusters
    for cluster in result.clusters:
        assert f"{cluster.id} {cluster.name}: {cluster.size} pairs" in flat
        assert " ".join(cluster.do.split()) in flat.replace("  ", " ")
        assert f"earlier {cluster.id}" in flat
    assert "not used lost: lost/target.csv: the file is empty → copy it again" in flat


def test_that_nothing_known_is_said_so() -> None:
    assert "no kind of failure came back" in printed(CampaignRun(mixed_run().results[:2]))
    assert printed(CampaignRun(())) == ""


def test_that_words_of_others_neither_colour_nor_steer() -> None:
    first, *rest = mixed_run().results
    evil = replace(first, id="[red]x[/]\x1b[2J\u202e", states={"alignment": "pass"})
    told = printed(CampaignRun((evil, *rest)))
    assert "[red]x[/]\\x1b[2J\\u202e" in told
    assert "\x1b" not in told
    [line] = [line for line in told.splitlines() if line.startswith("[red]")]
    assert "✓······" in line


def test_that_a_rollout_that_was_found_is_named_with_its_distance() -> None:
    first, *rest = mixed_run().results
    found = replace(first, sim="sims/run_7.h5", matched=True, sim_distance=0.123)
    told = printed(CampaignRun((found, *rest)))
    assert "sims/run_7.h5 (0.12 spreads away)" in told
