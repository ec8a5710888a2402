"""What a person does in the window of a campaign, and what stands there."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tracescope.ui.campaign_window import CampaignWindow
from tracescope.ui.main_window import MainWindow

MARKUP = "<script>alert(1)</script>"


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


def campaign_windows() -> list[CampaignWindow]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, CampaignWindow)]


def opened_from(window: MainWindow) -> CampaignWindow:
    hands.wait_for(lambda: bool(campaign_windows()), "the campaign's window", 10)
    [view] = campaign_windows()
    wait_read(view)
    view.resize(1400, 860)
    hands.settle()
    return view
