"""The table, the map, the strips and the timeline of a campaign, by mouse and by keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QAbstractItemModelTester

from tests.ui import hands
from tests.ui.campaign.view import (
    MARKUP,
    cell,
    click_header,
    click_kind,
    column,
    shown_ids,
    wait_read,
)
from tests.ui.conftest import drop
from tests.ui.test_access import controls, described, name_of
from tracescope.campaign.result import read_result
from tracescope.ui.campaign_rows import EpisodeFilter, EpisodeModel, rows_of

pytestmark = pytest.mark.qt_log_ignore(
    "^This plugin does not support (raise|propagateSizeHints)", extend=True
)


def test_that_the_models_keep_their_promises_to_qt(result_file, qapp):
    model = EpisodeModel()
    tester = QAbstractItemModelTester(model)
    kept = EpisodeFilter(model)
    proxy_tester = QAbstractItemModelTester(kept)
    model.show(rows_of(read_result(result_file)))
    kept.keep_text("misread")
    kept.keep_kind("A")
    kept.sort(2)
    model.show(())
    assert tester.model() is model
    assert proxy_tester.model() is kept
    assert kept.rowCount() == 0


def test_that_every_episode_stands_in_the_table_with_its_kind_and_its_states(view, result_file):
    result = read_result(result_file)
    assert shown_ids(view) == [*(e.id for e in result.episodes), "broken"]
    kinds = [view.filter.index(r, column(view, "Kind")).data() for r in range(41)]
    assert kinds == [*((e.cluster or e.of_kind) for e in result.episodes), "not usable"]
    states = view.filter.index(0, column(view, "States"))
    assert "observation-scaling: fail" in states.data(Qt.ItemDataRole.ToolTipRole)
    assert "observation-scaling: fail" in states.data(Qt.ItemDataRole.AccessibleTextRole)
    assert view.count.text() == "41 of 41 episodes"


def test_that_strips_tell_states_apart_by_shape_and_colour(view):
    image = (
        view.table.viewport()
        .grab(view.table.visualRect(view.filter.index(0, column(view, "States"))))
        .toImage()
    )
    seen = {
        QColor(image.pixel(x, y)).name()
        for x in range(image.width())
        for y in range(image.height())
    }
    theme = view._look.theme  # noqa: SLF001
    assert QColor(theme.failed).name() in seen
    assert QColor(theme.passed).name() in seen


def test_that_a_header_sorts_by_value_and_again_the_other_way_round(view):
    click_header(view, "mass")
    values = [view.filter.index(r, column(view, "mass")).data() for r in range(40)]
    numbers = [float(v) for v in values]
    assert numbers == sorted(numbers)
    assert shown_ids(view)[-1] == "broken"
    click_header(view, "mass")
    numbers = [float(view.filter.index(r, column(view, "mass")).data()) for r in range(1, 41)]
    assert numbers == sorted(numbers, reverse=True)


def test_that_typed_words_keep_the_episodes_that_hold_them_all(view):
    hands.key(view, Qt.Key.Key_F, hands.CTRL)
    assert view.search.hasFocus()
    hands.type_text(view.search, "timing: fail late")
    assert shown_ids(view)
    assert all(name.startswith("late-") for name in shown_ids(view))
    assert view.count.text() == "10 of 41 episodes"
    view.search.clear()
    hands.settle()
    assert len(shown_ids(view)) == 41


def test_that_a_kind_is_kept_by_mouse_in_every_picture_and_given_back(view):
    heavy = next(c for c in view.source.result.clusters if c.episodes[0].startswith("heavy"))
    click_kind(view, f"{heavy.id} ·")
    assert shown_ids(view) == heavy.episodes
    text = view.details.toPlainText()
    assert heavy.do in text
    assert heavy.would_be_wrong_if in text
    assert "Against it" in text
    click_kind(view, "Every episode")
    assert len(shown_ids(view)) == 41
    assert "This campaign" in view.details.toPlainText()


def test_that_kinds_are_reached_by_keys_alone(view):
    view.kinds.setFocus()
    hands.key(view, Qt.Key.Key_Down)
    assert shown_ids(view) == view.source.result.clusters[0].episodes
    hands.key(view, Qt.Key.Key_End)
    assert shown_ids(view) == ["broken"]
    assert MARKUP in view.details.toPlainText(), "typed text is shown, not obeyed"


def test_that_a_click_on_the_map_chooses_the_episode_and_a_row_rings_it(view):
    episode = "late-005"
    hands.click(view.map, view.map.where(episode))
    chosen = view.table.currentIndex().siblingAtColumn(0).data()
    assert chosen == view.map.selected
    assert chosen.startswith("late-")
    hands.click(view.table.viewport(), cell(view, 0))
    assert view.map.selected == "misread-000"


def test_that_the_map_is_walked_and_opened_by_keys(view, qtbot):
    view.map.setFocus()
    hands.key(view, Qt.Key.Key_Right)
    first = view.map.selected
    hands.key(view, Qt.Key.Key_Right)
    assert view.map.selected != first
    hands.key(view, Qt.Key.Key_Left)
    assert view.map.selected == first
    with qtbot.waitSignal(view.pair_wanted) as wanted:
        hands.key(view, Qt.Key.Key_Return)
    assert wanted.args[2] == first


def test_that_choosing_on_the_map_what_the_filter_hides_brings_it_back(view):
    hands.type_text(view.search, "misread")
    view.map.select("")
    view.select("late-001")
    assert view.search.text() == ""
    assert view.table.currentIndex().siblingAtColumn(0).data() == "late-001"


def test_that_the_timeline_says_what_stands_under_the_pointer(view):
    kind = view.source.result.clusters[0].id
    lane = view.timeline.lane(kind)
    said = view.timeline.words_at(QPointF(lane.right() - 2, lane.center().y()))
    last = view.source.result.timeline[-1]
    assert said == (
        f"week of {last.week}: {last.clusters[kind]} of {last.episodes} episodes are {kind}"
    )


def test_that_every_control_has_a_name_a_tooltip_and_is_reached_by_tab(view):
    assert [described(w) for w in controls(view) if not name_of(w)] == []
    assert [described(w) for w in controls(view) if not w.toolTip()] == []
    unreachable = [
        described(w)
        for w in [*controls(view), view.map]
        if w.isEnabled() and not w.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert unreachable == []
    assert view.map.accessibleName()
    assert view.timeline.accessibleDescription()


def test_that_dark_and_large_type_reach_everything(view, look):
    light = view.map.grab().toImage().pixelColor(4, 4).lightnessF()
    look.choose("dark", demo=True)
    hands.settle()
    assert view.map.grab().toImage().pixelColor(4, 4).lightnessF() < 0.3 < light
    assert view.table.rowHeight(0) > 26
    look.choose("light", demo=False)
    hands.settle()


def test_that_the_report_is_written_where_a_person_says(view, picked, tmp_path):
    for ending, start in (("html", b"<!doctype html>"), ("md", b"# Campaign report")):
        path = tmp_path / f"report.{ending}"
        picked(path)
        hands.press(view, "Save report…")
        hands.wait_for(path.exists, "the report", 30)
        assert path.read_bytes().startswith(start)
        hands.wait_for(lambda: view.desk.lane.task is None, "the lane", 10)
    assert any("Report written" in notice.text for notice in view.notices.standing)


def test_that_a_report_never_replaces_a_recording(view, picked, result_file):
    recording = result_file.parent / "misread-000" / "target.csv"
    before = recording.read_bytes()
    picked(recording)
    hands.press(view, "Save report…")
    hands.wait_for(lambda: bool(view.notices.standing), "the refusal", 10)
    assert recording.read_bytes() == before
    assert view.notices.standing[-1].level == "error"


def test_that_a_file_that_is_no_campaign_is_said_and_the_old_view_stays(view, tmp_path):
    bad = tmp_path / "manifest.csv"
    bad.write_text("id,sim,target\na,missing.csv,\n,x.csv,y.csv\n", "utf-8")
    drop(view, bad)
    wait_read(view)
    [bar] = view.notices.standing
    assert bar.level == "error"
    assert bar.detail.count("manifest.csv") >= 2, "every fault with its line"
    assert len(shown_ids(view)) == 41


def test_that_an_episode_without_a_pair_says_so(view):
    view.open_episode("broken")
    [bar] = view.notices.standing
    assert "no pair" in bar.text
