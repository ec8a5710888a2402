"""The user guide in the window: pages, links, search, look."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices

from tests.ui import hands
from tests.ui.conftest import dialog_of
from tests.ui.test_access import controls, described, name_of
from tracescope.ui.guide_pages import guide_pages, page_html, slug
from tracescope.ui.guide_viewer import GuideViewer


@pytest.fixture
def viewer(empty_window):
    link = empty_window.parts.start.guide
    hands.click(link, link.rect().center())
    dialog = dialog_of(GuideViewer)
    yield dialog
    dialog.close()


def test_that_help_opens_it_on_the_contents(viewer):
    assert viewer.page.file == "index.md"
    assert "First ten minutes" in viewer.browser.toPlainText()


def test_that_ctrl_f1_opens_it(empty_window):
    hands.key(empty_window, Qt.Key.Key_F1, hands.CTRL)
    dialog = dialog_of(GuideViewer)
    assert dialog.page.file == "index.md"
    dialog.close()


def test_that_every_page_is_listed_and_shown(viewer):
    assert viewer.list.count() == len(guide_pages()) > 10
    for row, page in enumerate(guide_pages()):
        viewer.list.setCurrentRow(row)
        heading = page.text.partition("\n")[0].removeprefix("# ")
        shown = viewer.browser.toPlainText()
        assert shown.startswith(heading)
        assert "not run:" not in shown
        assert "<!--" not in shown


def test_that_the_keyboard_walks_the_pages(viewer):
    viewer.list.setFocus()
    hands.key(viewer, Qt.Key.Key_Down, times=2)
    assert viewer.page.file == guide_pages()[2].file


def test_that_links_lead_to_pages_and_back_returns(viewer):
    viewer.browser.anchorClicked.emit(QUrl("checks.md#3--timing"))
    assert viewer.page.file == "checks.md"
    assert viewer.browser.verticalScrollBar().value() > 0
    hands.press(viewer, "Back")
    assert viewer.page.file == "index.md"
    assert not viewer.back.isEnabled()


def test_that_outside_links_go_to_the_desktop(viewer, monkeypatch):
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    viewer.browser.anchorClicked.emit(QUrl("https://example.org/"))
    assert [url.host() for url in opened] == ["example.org"]
    assert viewer.page.file == "index.md"


def test_that_search_goes_from_page_to_page_and_says_when_nothing_is_found(viewer):
    hands.key(viewer, Qt.Key.Key_F, hands.CTRL)
    hands.type_text(viewer.field, "autocorrelation")
    hands.key(viewer, Qt.Key.Key_Return)
    assert viewer.page.file == "tolerances.md"
    assert viewer.browser.textCursor().selectedText() == "autocorrelation"
    viewer.field.clear()
    hands.type_text(viewer.field, "no such words here")
    hands.key(viewer, Qt.Key.Key_Return)
    assert viewer.said.isVisible()
    assert "does not occur" in viewer.said.text()
    assert viewer.page.file == "tolerances.md"


def test_that_it_follows_the_theme(viewer, empty_window):
    empty_window.commands.choose_theme("dark")
    assert empty_window.look.theme.link in viewer.browser.document().defaultStyleSheet()
    empty_window.commands.choose_theme("light")


def test_that_its_controls_have_names_and_tooltips(viewer):
    wanting = [
        described(w)
        for w in controls(viewer)
        if w.isVisible() and not (name_of(w) and w.toolTip()) and w.parent() is not viewer.field
    ]
    assert wanting == []


def test_that_no_page_is_wider_than_the_window(viewer):
    across = viewer.browser.horizontalScrollBar()
    for row in range(viewer.list.count()):
        viewer.list.setCurrentRow(row)
        hands.wait_for(lambda: across.maximum() == 0, f"{viewer.page.file} within the window")
        assert viewer.browser.document().size().width() <= viewer.browser.viewport().width()


def test_that_pages_long_and_short_have_the_same_width(viewer):
    widths = set()
    for row in range(viewer.list.count()):
        viewer.list.setCurrentRow(row)
        hands.settle()
        widths.add(viewer.browser.viewport().width())
    assert len(widths) == 1


def test_that_headings_are_anchors():
    (page,) = [page for page in guide_pages() if page.file == "checks.md"]
    assert f'<a name="{slug("3 · Timing")}"></a>' in page_html(page)
