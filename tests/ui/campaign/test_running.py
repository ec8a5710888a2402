"""Campaigns that are read, run, cancelled and drawn though something is wrong with them."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QPointF, Qt, QUrl

from tests.campaign.made import mixed_run
from tests.ui import hands
from tests.ui.campaign.view import (
    click_kind,
    drop_urls,
    shown_ids,
    wait_read,
)
from tests.ui.conftest import drop
from tracescope.campaign.analysis import analysed
from tracescope.campaign.result import campaign_json
from tracescope.ui import campaign_desk, campaign_work
from tracescope.ui.campaign_rows import EpisodeModel, rows_of
from tracescope.ui.campaign_work import judged, read_source
from tracescope.ui.worker import Task

pytestmark = pytest.mark.qt_log_ignore(
    "^This plugin does not support (raise|propagateSizeHints)", extend=True
)


def test_that_a_dropped_manifest_is_run_with_progress_and_again_from_the_cache(
    view, small_manifest, own_cache
):
    drop(view, small_manifest)
    wait_read(view)
    assert shown_ids(view) == ["pair-000", "pair-001", "pair-002"]
    assert "Nothing was judged yet" in view.details.toPlainText(), "no word of the old campaign"
    with pytest.raises(KeyError):
        view.map.where("late-005")
    assert view.cancel.isVisible()
    assert view.progress.isVisible()
    assert not view.run_button.isEnabled()
    hands.wait_for(lambda: view.source.result is not None, "the run", 90)
    assert [e.id for e in view.source.result.episodes] == shown_ids(view)
    assert view.run_button.isEnabled()
    first = view.source.result
    hands.key(view, Qt.Key.Key_F5)
    hands.wait_for(
        lambda: view.desk.lane.task is None and view.run_button.isEnabled(), "the rerun", 30
    )
    assert view.source.result == first


def test_that_a_run_is_cancelled_and_says_how_to_go_on(view, small_manifest, own_cache):
    drop(view, small_manifest)
    wait_read(view)
    hands.press(view, "Cancel")
    hands.wait_for(lambda: view.desk.lane.task is None, "the end of the run", 30)
    assert view.source.result is None
    assert any("Run goes on from there" in notice.text for notice in view.notices.standing)
    assert view.run_button.isEnabled()
    assert view.desk.lane.wait(30_000)


def test_that_a_file_is_read_beside_the_window_and_what_is_open_stays_meanwhile(
    view, small_manifest, own_cache, monkeypatch
):
    reading = Event()
    read = campaign_desk.read_source

    def slow(path):
        assert reading.wait(20)
        assert threading.current_thread() is not threading.main_thread()
        return read(path)

    monkeypatch.setattr(campaign_desk, "read_source", slow)
    drop(view, small_manifest)
    hands.settle()
    assert len(shown_ids(view)) == 41
    assert "reading manifest" in view.doing.text()
    assert view.cancel.isVisible()
    hands.press(view, "Cancel")
    reading.set()
    assert view.desk.reader.wait(10_000)
    hands.settle()
    assert len(shown_ids(view)) == 41
    assert view.desk.task is None
    assert view.notices.standing == []


def test_that_grouping_ends_where_a_person_cancels(small_manifest, own_cache, monkeypatch):
    source = read_source(small_manifest)
    said: list[object] = []
    task = Task("judging", lambda what, _item: said.append(what))
    monkeypatch.setattr(
        campaign_work,
        "run_campaign",
        lambda *_args, **_rest: task.cancel() or mixed_run(),
    )
    task.run(lambda running: judged(source, running, lambda: None))
    assert said == ["ended"]


@pytest.mark.parametrize("local_first", [True, False])
def test_that_of_a_file_and_a_web_address_the_file_is_opened(
    view, result_file, monkeypatch, local_first
):
    opened: list[Path] = []
    monkeypatch.setattr(view.desk, "open_path", opened.append)
    urls = [QUrl.fromLocalFile(str(result_file)), QUrl("http://localhost/x.json")]
    assert drop_urls(view, urls if local_first else urls[::-1])
    assert opened == [result_file]
    assert not drop_urls(view, urls[1:])
    assert opened == [result_file]


def test_that_parameters_may_bear_the_names_of_other_columns():
    names = ("Kind", "Label", "Date", "Largest differences")
    run = mixed_run()
    results = [
        replace(r, params=tuple((name, f"{name} {k}") for name in names))
        for k, r in enumerate(run.results)
    ]
    model = EpisodeModel()
    model.show(rows_of(analysed(replace(run, results=tuple(results)))))
    for place, name in enumerate(names):
        cell = model.index(3, 6 + place)
        assert cell.data() == f"{name} 3"
        assert cell.data(Qt.ItemDataRole.DecorationRole) is None
        tip = model.headerData(6 + place, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert tip == f"Simulation parameter {name}"
    assert model.index(3, 4).data() == ""
    assert "position" in model.index(0, 10).data()


def test_that_an_edited_result_is_refused_and_nothing_breaks_in_painting(
    view, result_file, tmp_path
):
    edited = tmp_path / "edited.json"
    text = result_file.read_text("utf-8")
    edited.write_text(text.replace('"timing": "pass"', '"timing": "passed"', 1), "utf-8")
    drop(view, edited)
    wait_read(view)
    [bar] = view.notices.standing
    assert bar.level == "error"
    assert "passed" in bar.detail
    assert "states" in bar.detail
    assert len(shown_ids(view)) == 41


def test_that_a_gap_of_the_timeline_is_drawn_and_said(view, tmp_path):
    run = mixed_run()
    first = replace(run.results[0], date=datetime(2062, 1, 1, tzinfo=UTC))
    path = tmp_path / "typo.json"
    path.write_bytes(campaign_json(analysed(replace(run, results=(first, *run.results[1:])))))
    drop(view, path)
    wait_read(view)
    hands.settle()
    lane = view.timeline.lane("A")
    said = view.timeline.words_at(QPointF(lane.right() - 2, lane.center().y()))
    assert "weeks without episodes are left out before it" in said
    assert not view.timeline.grab().isNull()


def test_that_the_page_of_a_kind_shows_no_p_for_what_made_it(view):
    made = next(c for c in view.source.result.clusters if c.episodes[0].startswith("misread"))
    click_kind(view, f"{made.id} ·")
    text = view.details.toPlainText()
    assert text.count("p (Holm)") == 1
    assert "test nothing" in text


# From the usual window and back
