"""A campaign in the window: by mouse and by keys, from the file to the pair and back."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from tests.campaign.generated import Recipe, write_campaign
from tests.campaign.made import mixed_run
from tests.ui import hands
from tests.ui.conftest import dialog_of, drop, wait_open
from tests.ui.test_access import controls, described, name_of
from tracescope.campaign.analysis import analysed
from tracescope.campaign.model import FailedEpisode
from tracescope.campaign.pool import LocalPool
from tracescope.campaign.result import campaign_json, read_result
from tracescope.resources_path import samples
from tracescope.ui import campaign_desk, campaign_work, pick_file
from tracescope.ui.campaign_rows import EpisodeFilter, EpisodeModel, rows_of
from tracescope.ui.campaign_window import CampaignWindow
from tracescope.ui.campaign_work import judged, read_source
from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.look import Look
from tracescope.ui.main_window import MainWindow
from tracescope.ui.worker import Task

pytestmark = pytest.mark.qt_log_ignore(
    "^This plugin does not support (raise|propagateSizeHints)", extend=True
)

MARKUP = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty episodes of three kinds, one that could not be used; the first one's pair exists."""
    folder = tmp_path_factory.mktemp("campaign")
    run = mixed_run(failed=[FailedEpisode("broken", f"target.csv: empty {MARKUP}")])
    path = folder / "campaign.json"
    path.write_bytes(campaign_json(analysed(run, ".")))
    pair = folder / run.results[0].id
    pair.mkdir()
    for side in ("sim", "target"):
        shutil.copy(samples() / "exercise" / f"{side}.csv", pair / f"{side}.csv")
    return path


@pytest.fixture
def view(qtbot, look: Look, quiet_log, result_file: Path) -> Iterator[CampaignWindow]:
    """The campaign's window on the forty episodes."""
    window = CampaignWindow(look, lambda: LocalPool(1))
    window.resize(1480, 900)
    with qtbot.waitExposed(window):
        window.show()
    window.desk.open_path(result_file)
    wait_read(window)
    window.activateWindow()
    hands.settle()
    gone: list[bool] = []
    window.destroyed.connect(lambda: gone.append(True))
    yield window
    window.close()
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
    assert gone, "the window outlived its closing"


def wait_read(view: CampaignWindow) -> None:
    """Wait until what was opened is read, or refused."""
    hands.wait_for(lambda: view.desk.reader.task is None, "the file to be read", 10)


def shown_ids(view: CampaignWindow) -> list[str]:
    """Return the episodes in the table, from top to bottom."""
    rows = range(view.filter.rowCount())
    return [view.filter.index(row, 0).data() for row in rows]


def column(view: CampaignWindow, name: str) -> int:
    return view.model.columns.index(name)


def click_header(view: CampaignWindow, name: str) -> None:
    header = view.table.horizontalHeader()
    view.table.scrollTo(view.filter.index(0, column(view, name)))
    left = header.sectionViewportPosition(column(view, name))
    hands.click(header.viewport(), QPointF(left + 12, header.height() / 2))


def drop_urls(view: CampaignWindow, urls: list[QUrl]) -> bool:
    """Drag addresses over the window, let them go where it takes them; say whether it did."""
    data = QMimeData()
    data.setUrls(urls)
    middle = QPointF(view.rect().center())
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(middle.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    QApplication.sendEvent(view, enter)
    if enter.isAccepted():
        QApplication.sendEvent(
            view, QDropEvent(middle, Qt.DropAction.CopyAction, data, buttons, keys)
        )
    return enter.isAccepted()


def cell(view: CampaignWindow, row: int) -> QPointF:
    return QPointF(view.table.visualRect(view.filter.index(row, 0)).center())


def click_kind(view: CampaignWindow, start: str) -> None:
    [item] = view.kinds.findItems(start, Qt.MatchFlag.MatchStartsWith)
    hands.click(view.kinds.viewport(), QPointF(view.kinds.visualItemRect(item).center()))


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


@pytest.fixture
def small_manifest(tmp_path: Path) -> Path:
    recipe = Recipe(seed=11, pairs=3, rows=120, kinds=("scale",), growing="")
    return write_campaign(tmp_path / "small", recipe).manifest


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


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


def campaign_windows() -> list[CampaignWindow]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, CampaignWindow)]


def opened_from(window: MainWindow) -> CampaignWindow:
    hands.wait_for(lambda: bool(campaign_windows()), "the campaign's window", 10)
    [view] = campaign_windows()
    wait_read(view)
    view.resize(1400, 860)
    hands.settle()
    return view


def test_that_a_double_click_opens_the_pair_and_the_bar_leads_back(empty_window, result_file):
    drop(empty_window, result_file)
    view = opened_from(empty_window)
    hands.double_click(view.table.viewport(), cell(view, 0))
    wait_open(empty_window)
    session = empty_window.model.open_session
    assert Path(session.target.path) == result_file.parent / "misread-000" / "target.csv"
    [bar] = [n for n in empty_window.notices.standing if n.key == "campaign"]
    assert "misread-000 of campaign campaign.json" in bar.text
    view.table.setCurrentIndex(view.filter.index(5, 0))
    hands.press(empty_window, "Back to the campaign")
    assert view.table.currentIndex().siblingAtColumn(0).data() == "misread-000"


def test_that_the_note_of_such_a_pair_names_the_campaign_until_another_is_open(
    empty_window, result_file, pair
):
    drop(empty_window, result_file)
    view = opened_from(empty_window)
    view.table.setFocus()
    view.table.setCurrentIndex(view.filter.index(0, 0))
    hands.key(view, Qt.Key.Key_Return)
    wait_open(empty_window)
    empty_window.actions_table["export-note"].trigger()
    dialog = dialog_of(ExportDialog)
    assert dialog.title.text().startswith("misread-000 of campaign campaign.json (kind ")
    dialog.close()
    drop(empty_window, *pair)
    target = str(pair[1])
    hands.wait_for(lambda: empty_window.model.open_session.target.path == target, "the pair", 30)
    assert not [n for n in empty_window.notices.standing if n.key == "campaign"]
    empty_window.actions_table["export-note"].trigger()
    fresh = dialog_of(ExportDialog)
    assert fresh.title.text() == ""
    fresh.close()


def test_that_menu_and_start_page_open_a_campaign(
    empty_window, result_file, picked: Callable[[Path | None], None]
):
    picked(None)
    hands.press(empty_window, "Many pairs? Open a campaign…")
    assert campaign_windows() == []
    picked(result_file)
    empty_window.actions_table["open-campaign"].trigger()
    view = opened_from(empty_window)
    assert len(shown_ids(view)) == 41
    view.close()


def test_that_traces_and_notes_are_not_taken_for_campaigns(empty_window, pair, tmp_path):
    note = tmp_path / "note.json"
    note.write_text('{"schema": 1, "title": "Findings"}', "utf-8")
    folder = tmp_path / "recording"
    folder.mkdir()
    for path in (*pair, note, folder):
        assert not empty_window.campaigns.takes([str(path)])
    assert campaign_windows() == []


def test_that_the_file_dialogs_offer_what_can_be_opened(empty_window, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(pick_file, "open_file", lambda *args, **_: asked.append(args[2]))
    empty_window.actions_table["open-campaign"].trigger()
    assert "*.json" in asked[0]
    assert "*.csv" in asked[0]
