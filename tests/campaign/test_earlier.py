"""Whether a later campaign made a kind rarer: one rule for both campaigns."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tests.campaign.made import mixed_run
from tracescope.campaign.analysis import analysed
from tracescope.campaign.model import CampaignRun
from tracescope.campaign.report import render
from tracescope.campaign.report_page import earlier_text


def kind_of(cluster):
    return cluster.episodes[0].split("-")[0]


@pytest.fixture(scope="module")
def earlier():
    return analysed(mixed_run(seed=1, each=16))


def later(dropped: str, kept: int) -> CampaignRun:
    """Return a later campaign in which most episodes of a kind are sound instead."""
    results, seen = [], 0
    sound = [r for r in mixed_run(seed=3, each=16).results if r.id.startswith("sound")]
    for result in mixed_run(seed=2, each=16).results:
        if result.id.startswith(dropped):
            seen += 1
            if seen > kept:
                results.append(replace(sound[seen % len(sound)], id=f"mended-{seen}"))
                continue
        results.append(result)
    return CampaignRun(tuple(results))


def test_that_a_mended_kind_is_said_to_have_shrunk_with_its_interval(earlier):
    result = analysed(later("late", 2), earlier=earlier)
    found = {one.id: one for one in result.earlier}
    mended = next(c.id for c in earlier.clusters if kind_of(c) == "late")
    assert found[mended].shrank == "yes"
    assert (found[mended].before, found[mended].now) == (16, 2)
    high = found[mended].ratio_interval[1]
    assert high is not None
    assert high < 1
    assert [one.id for one in result.earlier if one.shrank != "undecided"] == [mended]
    assert "it shrank" in earlier_text(found[mended])


def test_that_two_that_are_left_count_although_they_are_no_kind_any_more(earlier):
    result = analysed(later("late", 2), earlier=earlier)
    assert "late" not in {kind_of(c) for c in result.clusters}
    mended = next(c.id for c in earlier.clusters if kind_of(c) == "late")
    one = next(one for one in result.earlier if one.id == mended)
    assert one.now == 2
    assert one.cluster is None


def test_that_kinds_that_stay_are_found_again_under_their_new_id(earlier):
    result = analysed(mixed_run(seed=2, each=16), earlier=earlier)
    for one in result.earlier:
        then = next(c for c in earlier.clusters if c.id == one.id)
        now = next(c for c in result.clusters if c.id == one.cluster)
        assert kind_of(then) == kind_of(now)
        assert one.shrank == "undecided"


def test_that_a_kind_that_came_more_often_is_not_said_to_have_shrunk(earlier):
    few = analysed(later("late", 4), earlier=None)
    result = analysed(mixed_run(seed=2, each=16), earlier=few)
    grown = next(one for one in result.earlier if one.before == 4)
    assert grown.shrank == "no"


def test_that_an_earlier_campaign_without_kinds_says_nothing(earlier):
    sound = CampaignRun(tuple(r for r in mixed_run(seed=2).results if r.id.startswith("sound")))
    assert analysed(mixed_run(seed=2), earlier=analysed(sound)).earlier == []
    assert [one.now for one in analysed(sound, earlier=earlier).earlier] == [0, 0, 0]


def test_that_a_file_without_the_clusters_episodes_gives_no_number_out_of_nothing(earlier):
    gone = msgspec.structs.replace(
        earlier, episodes=[e for e in earlier.episodes if not e.id.startswith("late")]
    )
    result = analysed(mixed_run(seed=2, each=16), earlier=gone)
    one = next(
        one
        for one, cluster in zip(result.earlier, gone.clusters, strict=True)
        if kind_of(cluster) == "late"
    )
    assert (one.before, one.now, one.shrank) == (0, 0, "undecided")
    assert "none of its episodes" in earlier_text(one)


def test_that_signatures_of_another_method_are_not_compared(earlier):
    other = msgspec.structs.replace(earlier, method={**earlier.method, "signature": "other"})
    result = analysed(later("late", 2), earlier=other)
    assert {one.shrank for one in result.earlier} == {"undecided"}
    assert all("another method" in earlier_text(one) for one in result.earlier)
    assert any("another method in: signature" in note for note in result.earlier_notes)


def test_that_a_reader_is_told_what_to_keep_in_mind(earlier):
    older = msgspec.structs.replace(earlier, tracescope="0.0.1")
    result = analysed(mixed_run(seed=2, each=16), earlier=older)
    for fmt in ("html", "md"):
        text = render(result, fmt).decode()
        assert "regression to the mean" in text
        assert "same ones" in text
        assert "written by tracescope" in text
    same = analysed(mixed_run(seed=2, each=16), earlier=earlier)
    assert not any("written by" in note or "another method" in note for note in same.earlier_notes)
    assert analysed(mixed_run(seed=2, each=16)).earlier_notes == []
