"""The result file: the contract's keys, the same bytes, and nothing that sums it all up."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.campaign.made import episode, measured, mixed_run
from tracescope.campaign.analysis import analysed, cluster_id
from tracescope.campaign.model import CampaignRun, FailedEpisode
from tracescope.campaign.report import render
from tracescope.campaign.report_page import page_of
from tracescope.campaign.result import (
    campaign_json,
    campaign_schema_text,
    is_result,
    read_result,
)
from tracescope.campaign.rounding import rounded
from tracescope.model.errors import Cancelled, UsageError
from tracescope.resources_path import resources

LEADS = {
    "perception drift", "dynamics mismatch", "task-scope overflow", "deployment-system noise",
    "undecided",
}  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return mixed_run(failed=[FailedEpisode("broken", "a.csv: empty")])


@pytest.fixture(scope="module")
def content(run):
    return json.loads(campaign_json(analysed(run, "..")))


def test_that_the_keys_are_those_that_scripts_were_promised(content):
    assert content["schema"] == 1
    for one in content["episodes"]:
        assert {"id", "sim", "target", "date", "states", "signature", "cluster"} <= set(one)
    for one in content["clusters"]:
        promised = {
            "id", "name", "lead", "because", "episodes", "stability", "growth", "differs", "do",
            "would_be_wrong_if",
        }  # fmt: skip
        assert promised <= set(one)
        assert one["lead"] in LEADS
        assert {"per_week", "interval", "growing"} <= set(one["growth"])
        assert one["growth"]["growing"] in {"yes", "no", "undecided"}
        for difference in one["differs"]:
            assert {"what", "effect", "interval"} <= set(difference)
            low, high = difference["interval"]
            assert low <= difference["effect"] <= high
    assert content["failed"] == [{"id": "broken", "problem": "a.csv: empty"}]


def test_that_every_episode_is_of_one_kind_and_clusters_name_their_own(content):
    of_cluster = {e["id"]: e["cluster"] for e in content["episodes"]}
    for cluster in content["clusters"]:
        assert all(of_cluster[name] == cluster["id"] for name in cluster["episodes"])
        assert set(cluster["exemplars"]) <= set(cluster["episodes"])
        assert cluster["size"] == len(cluster["episodes"])
    for one in content["episodes"]:
        assert (one["cluster"] is not None) == (one["of_kind"] == "cluster")


def test_that_the_growing_kind_comes_first_with_its_interval(content):
    first = content["clusters"][0]
    assert first["episodes"][0].startswith("heavy")
    assert first["growth"]["growing"] == "yes"
    assert first["growth"]["ratio_interval"][0] > 1
    assert [c["growth"]["growing"] for c in content["clusters"][1:]].count("yes") == 0


def test_that_the_changed_parameter_is_ranked_first(content):
    first = content["clusters"][0]["differs"][0]
    assert (first["what"], first["kind"], first["distinguishable"]) == (
        "param.mass",
        "parameter",
        True,
    )
    assert "mass" in content["clusters"][0]["do"]


def test_that_the_same_run_gives_the_same_bytes_and_reads_back(run, tmp_path):
    data = campaign_json(analysed(run, ".."))
    assert campaign_json(analysed(run, "..")) == data
    path = tmp_path / "result.json"
    path.write_bytes(data)
    assert is_result(path)
    assert campaign_json(read_result(path)) == data


def test_that_the_schema_is_published_as_it_is():
    published = resources() / "schema" / "campaign-1.json"
    assert published.read_text("utf-8") == campaign_schema_text()


def test_that_numbers_are_finite_or_null(content):
    text = json.dumps(content)
    assert not re.search(r"\b(NaN|Infinity)\b", text)
    assert rounded(float("nan")) is None
    assert rounded(float("inf")) is None
    assert str(rounded(-0.0)) == "0.0"


def test_that_nothing_adds_an_episode_or_a_campaign_up(content):
    def keys(value):
        if isinstance(value, dict):
            yield from value
            for inner in value.values():
                yield from keys(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from keys(inner)

    assert not {k for k in keys(content) if re.search(r"score|norm|total|overall|rank|grade", k)}


def test_that_weeks_hold_every_dated_episode_once(content):
    assert sum(week["episodes"] for week in content["timeline"]) == len(content["episodes"])
    for cluster in content["clusters"]:
        counted = sum(week["clusters"][cluster["id"]] for week in content["timeline"])
        assert counted == cluster["size"]


@pytest.mark.parametrize(
    "results",
    [(), (episode("one"),), (episode("a", day=None), episode("b", day=None))],
    ids=["none", "one", "undated"],
)
def test_that_small_and_undated_campaigns_have_a_result_without_claims(results, tmp_path):
    result = analysed(CampaignRun(tuple(results)))
    assert result.clusters == []
    assert result.timeline == []
    path = tmp_path / "result.json"
    path.write_bytes(campaign_json(result))
    assert read_result(path) == result


def test_that_undated_kinds_are_found_and_their_growth_is_undecided(run):
    undated = CampaignRun(tuple(replace(r, date=None) for r in run.results))
    result = analysed(undated)
    assert len(result.clusters) == 3
    assert {c.growth.growing for c in result.clusters} == {"undecided"}
    assert all(c.growth.per_week is None for c in result.clusters)


def test_that_a_difference_nobody_can_place_is_not_called_none(run):
    blocked = measured(
        "dynamics", "one-step gap", "v", (0.4, 0.5), (0.0, 0.1), blocked="a scale would explain it"
    )
    results = (*run.results, episode("open", [blocked]))
    result = analysed(CampaignRun(results))
    assert result.episodes[-1].of_kind == "cannot tell"
    summary = page_of(result).summary
    assert page_of(result).untold == ("open: dynamics: dynamics said so",)
    assert b"open: dynamics: dynamics said so" in render(result, "html")
    assert any("1 episode in which something differs that no check can place" in s for s in summary)


def test_that_cluster_ids_go_on_after_z():
    assert [cluster_id(place) for place in (0, 25, 26, 27, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AB",
        "ZZ",
        "AAA",
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not the result"),
        (b'{"schema": 1, "title": "note"}', "not the result"),
        (b"\xff\xfe", "not the result"),
    ],
)
def test_that_another_file_is_refused_with_what_to_do(content, said, tmp_path):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said) as caught:
        read_result(path)
    assert caught.value.problems[0].todo
    assert not is_result(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_result(tmp_path / "missing.json")


def test_that_a_result_of_another_schema_is_refused(run, tmp_path):
    path = tmp_path / "later.json"
    path.write_bytes(campaign_json(analysed(run)).replace(b'"schema": 1', b'"schema": 2', 1))
    with pytest.raises(UsageError, match="has schema 2"):
        read_result(path)


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ('"growing": "yes"', '"growing": "very"', "growth.growing"),
        ('"lead": "', '"lead": "cause: ', "lead"),
        ('"timing": "pass"', '"timing": "passed"', "states"),
        ('"of_kind": "cluster"', '"of_kind": "Cluster"', "of_kind"),
        ('"kind": "signal"', '"kind": "noise"', "kind"),
    ],
)
def test_that_a_word_that_no_list_holds_is_refused_with_its_place(
    run, before, after, place, tmp_path
):
    text = campaign_json(analysed(run)).decode()
    assert before in text
    path = tmp_path / "edited.json"
    path.write_text(text.replace(before, after, 1), "utf-8")
    with pytest.raises(UsageError, match="Invalid enum value") as caught:
        read_result(path)
    assert place in str(caught.value)


def test_that_a_mistyped_year_leaves_the_result_small_and_is_said(run):
    first = replace(run.results[0], date=datetime(2062, 1, 1, tzinfo=UTC))
    result = analysed(CampaignRun((first, *run.results[1:])))
    assert len(result.timeline) < 20
    assert sum(week.episodes for week in result.timeline) == len(run.results)
    assert result.timeline[-1].empty_before > 1000
    assert any("Where a year was mistyped" in line for line in page_of(result).summary)
    assert "weeks without episodes)" in render(result, "md").decode()
    assert b"weeks without episodes are left out" in render(result, "html")


def test_that_dates_are_told_in_utc_whatever_their_zone(run):
    east = timezone(timedelta(hours=9))
    moved = tuple(replace(r, date=r.date.astimezone(east)) for r in run.results)
    assert campaign_json(analysed(CampaignRun(moved, run.failed))) == campaign_json(analysed(run))


def test_that_the_work_ends_where_somebody_asks(run):
    left = 60

    def pulse():
        nonlocal left
        left -= 1
        if left < 0:
            raise Cancelled("grouping")

    with pytest.raises(Cancelled):
        analysed(run, pulse=pulse)
    assert left == -1
    asked = []
    analysed(run, pulse=lambda: asked.append(1))
    assert len(asked) > 150, "once a tree, once a random table, once a round of the picture"
