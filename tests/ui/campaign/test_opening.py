"""From the usual window to a campaign and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.ui import hands
from tests.ui.campaign.view import (
    campaign_windows,
    cell,
    opened_from,
    shown_ids,
)
from tests.ui.conftest import dialog_of, drop, wait_open
from tracescope.ui import pick_file
from tracescope.ui.dialogs.export_note import ExportDialog

pytestmark = pytest.mark.qt_log_ignore(
    "^This plugin does not support (raise|propagateSizeHints)", extend=True
)


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
