"""Where a new user stopped: what is named is seen, bars push nothing away, fields and menus say enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton

from tests.ui import hands
from tests.ui.conftest import dialog_of, wait_judged
from tests.ui.test_access import menu_texts
from tracescope.model.check import Evidence
from tracescope.model.trace import Channel, HealthNote, Role
from tracescope.session.session import Session
from tracescope.ui.dialogs.shortcuts import ShortcutSheet
from tracescope.ui.guide_pages import check_anchor, guide_pages
from tracescope.ui.guide_viewer import GuideViewer
from tracescope.ui.main_window import MainWindow
from tracescope.ui.panels.health_card import health_lines
from tracescope.ui.panels.source_header import MOST_ON_CHIP, chip_text
from tracescope.ui.panels.tolerance_form import end_from, end_text
from tracescope.ui.view_model import channel_key


def with_channels(session: Session, count: int) -> Session:
    """Return the session with so many more simulator channels ``extra/0`` …"""
    sim = session.pair.sim
    wave = np.sin(np.arange(len(sim)) * 0.3)
    more = tuple(
        Channel(f"extra/{n}", Role.OTHER, sim.time_s, wave * (n + 1)) for n in range(count)
    )
    pair = replace(session.pair, sim=replace(sim, channels=(*sim.channels, *more)))
    return replace(session, pair=pair)


def seen(window: MainWindow) -> set[str]:
    """Return the keys of all panes that are seen whole."""
    traces = window.parts.traces
    area = traces._scroll  # noqa: SLF001 - what is seen is the viewport's business
    top, height = area.verticalScrollBar().value(), area.viewport().height()
    return {
        key
        for pane in traces.canvas.panes
        if top - 1 <= pane.rect.top() and pane.rect.bottom() <= top + height + 1
        for key in pane.keys
    }


@pytest.fixture
def tall(window: MainWindow) -> MainWindow:
    """The window with more panes than fit."""
    window.model.open(with_channels(window.model.open_session, 12))
    window.view.set_shown([(channel_key("sim", f"extra/{n}"),) for n in range(12)])
    hands.settle()
    assert len(seen(window)) < 12
    return window


def test_that_every_signal_that_evidence_names_comes_into_view(tall):
    evidence = Evidence("extra/1", (0.2, 0.8), "applied differs", ("extra/9",))
    before = tall.view.shown
    tall.view.show_evidence(evidence)
    hands.settle()
    assert {"sim:extra/1", "sim:extra/9"} <= seen(tall)
    assert sorted(tall.view.shown) == sorted(before)
    tall.view.back()
    assert tall.view.shown == before


def test_that_signals_seen_together_already_stay_where_they_are(tall):
    before = tall.view.shown
    tall.view.show_evidence(Evidence("extra/2", (0.2, 0.8), "", ("extra/3",)))
    hands.settle()
    assert tall.view.shown == before
    assert {"sim:extra/2", "sim:extra/3"} <= seen(tall)


def test_that_what_does_not_fit_on_the_screen_is_said(tall):
    names = tuple(f"extra/{n}" for n in range(1, 12))
    tall.view.show_evidence(Evidence("extra/0", (0.2, 0.8), "", names))
    hands.settle()
    assert "sim:extra/0" in seen(tall)
    said = tall.parts.status.currentMessage()
    assert said.startswith("not all fits on the screen: ")
    assert "extra/11 below" in said


def test_that_evidence_of_an_altered_action_names_the_applied_one(empty_window, tmp_path):
    from tests.ui.conftest import drop
    from tracescope.resources_path import samples

    folder = samples() / "clipped"
    drop(empty_window, folder / "sim.csv", folder / "target.csv")
    wait_judged(empty_window)
    result = empty_window.model.result_of("action")
    evidence = result.evidence[0]
    applied = [c.name for c in empty_window.model.open_session.pair.target if "applied" in c.name]
    assert set(evidence.beside) <= set(applied)
    assert evidence.beside
    button = empty_window.parts.checks.card_of("action").show_evidence
    hands.click(button, button.rect().center())
    hands.settle()
    assert {f"sim:{name}" for name in evidence.channels} <= seen(empty_window)
    xy = empty_window.parts.details.xy
    assert xy.isVisible()
    hands.wait_for(lambda: not xy.is_due, "the plane")
    assert xy.keys == tuple(f"sim:{name}" for name in evidence.channels)
    sides = {path.side: path for path in xy.plot.paths}
    assert np.nanmax(np.abs(sides["target"].y)) < 0.95 * np.nanmax(np.abs(sides["target"].x))


def test_that_a_dock_that_was_put_away_stays_away_for_evidence(empty_window):
    from tests.ui.conftest import drop
    from tracescope.resources_path import samples

    folder = samples() / "clipped"
    drop(empty_window, folder / "sim.csv", folder / "target.csv")
    wait_judged(empty_window)
    empty_window.parts.docks["details"].close()
    button = empty_window.parts.checks.card_of("action").show_evidence
    hands.click(button, button.rect().center())
    hands.settle()
    assert not empty_window.parts.docks["details"].isVisible()
    assert empty_window.view.evidence


def test_that_the_way_into_the_guide_costs_no_card_a_row_of_its_own(window):
    for result in window.model.open_session.results:
        card = window.parts.checks.card_of(result.id)
        badge, guide = card._badge.geometry(), card.guide.geometry()  # noqa: SLF001 - beside it
        assert badge.top() <= guide.center().y() <= badge.bottom()
        assert guide.right() < badge.left()
        before = card.heightForWidth(card.width())
        card.guide.hide()
        hands.settle()
        assert before - card.heightForWidth(card.width()) <= 6


@pytest.mark.parametrize("active", [0, 5, 11])
def test_that_a_bar_leaves_the_pane_that_is_looked_at_in_view(tall, active):
    tall.view.set_active(active)
    tall.parts.traces.canvas.show_pane(tall.parts.traces.canvas.panes[active])
    hands.settle()
    key = f"sim:extra/{active}"
    assert key in seen(tall)
    for number in range(3):
        tall.notices.tell("repair", f"target: rows out of order {number}", key=f"k{number}")
        hands.settle()
        assert key in seen(tall)
    tall.notices.withdraw("k0", "k1", "k2")
    hands.settle()
    assert key in seen(tall)


def test_that_a_bar_leaves_what_was_scrolled_to_in_view(tall):
    bar = tall.parts.traces._scroll.verticalScrollBar()  # noqa: SLF001 - a hand on the scroll bar
    tall.view.set_active(0)
    hands.settle()
    bar.setValue(bar.maximum())
    hands.settle()
    before = seen(tall)
    assert "sim:extra/0" not in before
    tall.notices.tell("repair", "target: rows out of order", key="repair-target")
    hands.settle()
    assert seen(tall) & before
    assert bar.value() > 0


def test_that_what_was_done_is_said_over_the_panes_and_moves_none_of_them(tall):
    traces = tall.parts.traces
    before = [pane.rect for pane in traces.canvas.panes], seen(tall), traces.geometry()
    tall.notices.tell("info", "Note written: /somewhere/findings.html", key="export")
    hands.settle()
    assert ([pane.rect for pane in traces.canvas.panes], seen(tall), traces.geometry()) == before
    bar = tall.parts.passing
    assert bar.isVisible()
    assert not tall.parts.notices.isVisible()
    assert bar.width() == traces.width()
    assert bar.height() < traces.strip.height() + 20
    tools = (traces.strip, traces.axis, traces.overview)
    assert not any(bar.geometry().intersects(tool.geometry()) for tool in tools)
    tall.resize(tall.width() - 150, tall.height())
    hands.settle()
    assert bar.width() == traces.width()
    assert not any(bar.geometry().intersects(tool.geometry()) for tool in tools)
    traces.toggle_sides()
    hands.settle()
    assert not bar.geometry().intersects(traces.overview.geometry())
    traces.toggle_sides()
    hands.settle()
    (close,) = [b for b in bar.findChildren(QToolButton) if b.isVisible()]
    hands.click(close, close.rect().center())
    assert not bar.isVisible()


def test_that_without_panes_it_takes_its_own_room(empty_window):
    empty_window.commands.show_about()
    hands.settle()
    assert empty_window.parts.notices.isVisible()
    assert not empty_window.parts.passing.isVisible()


def test_that_what_both_readers_noticed_is_said_once_and_shortly(window):
    where = "row 12 (0.24 s), row 40 (0.8 s), row 41 (0.82 s), row 60 (1.2 s), row 77 (1.54 s), …"
    stale = HealthNote("20 of 71 rows repeat stamp", where, 20, "kept", "warning", "stale-rows")
    own = HealthNote("3 rows are empty", "rows 3, 4, 5", 3, "left out", "repaired", "empty-rows")
    opened = window.model.open_session
    sim = replace(opened.pair.sim, health=(stale,))
    target = replace(opened.pair.target, health=(stale, own))
    window.model.open(replace(opened, pair=replace(opened.pair, sim=sim, target=target)))
    hands.settle()
    lines = health_lines(sim, target)
    places = "row 12 (0.24 s), row 40 (0.8 s), …"
    assert lines == [
        f"• sim and target: 20 of 71 rows repeat stamp ({places}): left as recorded",
        "• target: 3 rows are empty (rows 3, 4, 5): left out",
    ]
    card = window.parts.checks.health
    assert "\n".join(lines) in [label.text() for label in card.findChildren(QLabel)]
    assert any("row 77" in label.toolTip() for label in card.findChildren(QLabel))


# The sheet of shortcuts


def test_that_typing_narrows_the_shortcuts_and_escape_closes_them(window):
    window.actions_table["shortcuts"].trigger()
    sheet = dialog_of(ShortcutSheet)
    rows = sheet.table.rowCount()
    assert sheet.focusWidget() is sheet.filter
    hands.type_text(sheet.filter, "mark m")
    shown = [row for row in range(rows) if not sheet.table.isRowHidden(row)]
    texts = [sheet.table.item(row, 2).text() for row in shown]
    assert "Mark here" in texts
    assert len(shown) < 6
    hands.type_text(sheet.filter, " nothing like it")
    assert sheet.none.isVisible()
    sheet.filter.clear()
    assert not any(sheet.table.isRowHidden(row) for row in range(rows))
    QTest.keyClick(sheet.filter, Qt.Key.Key_Escape)
    hands.settle()
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, ShortcutSheet)]


# Menus


def entries(window: MainWindow, title: str) -> list[str]:
    bar = window.menuBar().actions()
    return menu_texts(next(a.menu() for a in bar if a.text().replace("&", "") == title))


def test_that_marks_stand_in_edit_and_the_note_in_findings(window):
    assert "Mark here" in entries(window, "Edit")
    assert "Mark here" not in entries(window, "Align")
    assert {"Export note…", "Mark here"} <= set(entries(window, "Findings"))
    assert "Export note…" in entries(window, "File")


# The cards' way into the guide


@pytest.mark.parametrize("number", range(7))
def test_that_every_check_has_its_place_in_the_guide(number):
    page = next(page for page in guide_pages() if page.file == "checks.md")
    assert f"\n## {number} · " in page.text
    assert check_anchor(number).startswith(f"{number}--")


def test_that_a_card_opens_the_guide_at_its_check(window):
    card = window.parts.checks.cards[3]
    assert card.guide.text() == "Guide"
    assert "can and cannot tell" in card.guide.toolTip()
    card.guide.click()
    viewer = dialog_of(GuideViewer)
    hands.settle()
    assert viewer.page.file == "checks.md"
    assert viewer.browser.verticalScrollBar().value() > 0
    viewer.close()


def test_that_a_check_the_guide_does_not_know_has_no_place_there():
    assert check_anchor(99) == ""


# Numbers in fields


def test_that_a_negative_number_has_the_minus_sign_and_is_typed_with_either(window):
    window.parts.align.offset.setLocale(QLocale(QLocale.Language.English))
    field = window.parts.align.offset
    window.model.align(window.model.open_session.alignment.by_hand(offset_s=-0.0123))
    assert field.text().startswith("−0.0123")
    for typed in ("−0.02", "-0.02"):
        field.lineEdit().setText(f"{typed} s")
        field.lineEdit().setModified(True)
        field.interpretText()
        assert field.value() == -0.02
        assert field.textFromValue(field.value()).startswith("−0.02")


@pytest.mark.parametrize("value", [-0.5, 1e-5, -3.25e-7, 12.0])
def test_that_an_end_of_a_band_is_written_with_the_minus_sign_and_read_back(value):
    assert "-" not in end_text(value)
    assert end_from(end_text(value), 0.0) == value


# Chips


STALE = HealthNote(
    "20 of 76 rows repeat stamp and observation of the row before",
    count=20,
    done="kept",
    severity="warning",
    key="stale-rows",
)


def test_that_a_chip_says_whole_words():
    assert chip_text(STALE) == "20 stale rows"
    assert chip_text(replace(STALE, count=1)) == "1 stale row"
    assert chip_text(HealthNote("3 rows sorted", done="by time")) == "3 rows sorted, by time"
    long = chip_text(replace(STALE, key="unknown"))
    assert len(long) <= MOST_ON_CHIP


# The status bar


def test_that_the_status_bar_forgets_the_cursors_of_a_closed_pair(window):
    window.view.set_cursor_a(0.5)
    assert window.parts.status.cursor_label.text()
    window.actions_table["close-pair"].trigger()
    hands.wait_for(lambda: window.model.session is None, "the pair to close")
    assert window.parts.status.cursor_label.text() == ""
