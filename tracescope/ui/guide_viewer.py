"""The user guide in a window of its own: contents, pages, and a search through all of them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut, QTextDocument
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QWidget,
)

from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.guide_pages import CHECKS, Page, check_anchor, guide_pages, page_html, page_style
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import words

WIDTH, HEIGHT, LIST_WIDTH, ROW_PX = 980, 740, 220, 28


def show_check(number: int, look: Look, parent: QWidget) -> None:
    """Show what the guide says about a check, by its number."""
    viewer = GuideViewer(look, parent, CHECKS)
    viewer.show()
    viewer.show_page(CHECKS, check_anchor(number))


class GuideViewer(Dialog):
    """Shows the guide. Closing it loses nothing; it opens again on the contents."""

    def __init__(self, look: Look, parent: QWidget, file: str = "") -> None:
        super().__init__("User guide", parent)
        self._look = look
        self._pages = guide_pages()
        self._at = 0
        self._been: list[int] = []
        self.list = self._make_list()
        self.browser = self._make_browser()
        self.column.addLayout(self._make_search())
        split = QSplitter()
        split.addWidget(self.list)
        split.addWidget(self.browser)
        split.setStretchFactor(1, 1)
        scale = look.theme.font_scale
        split.setSizes([round(LIST_WIDTH * scale), round((WIDTH - LIST_WIDTH) * scale)])
        self.column.addWidget(split, 1)
        self.column.addWidget(self.said)
        self.add_buttons()
        look.changed.connect(self._paint)
        self.resize(round(WIDTH * scale), round(HEIGHT * scale))
        self.show_page(file or self._pages[0].file)
        self.list.setFocus()

    @property
    def page(self) -> Page:
        """The page shown."""
        return self._pages[self._at]

    # Making

    def _make_list(self) -> QListWidget:
        pages = QListWidget()
        pages.setAccessibleName("pages of the guide")
        pages.setToolTip("The pages of the guide")
        pages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for page in self._pages:
            item = QListWidgetItem(page.title, pages)
            item.setSizeHint(QSize(0, round(ROW_PX * self._look.theme.font_scale)))
        pages.currentRowChanged.connect(self._row_chosen)
        return pages

    def _make_browser(self) -> QTextBrowser:
        browser = QTextBrowser()
        browser.setAccessibleName("guide")
        browser.setToolTip("Ctrl+wheel changes the size of the type")
        browser.setOpenLinks(False)
        browser.anchorClicked.connect(self._link_clicked)
        # Always there: a bar that comes with a long page would lay the page out twice, and the
        # first time wider than what can be seen of it.
        browser.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        browser.document().setDocumentMargin(14)
        return browser

    def _make_search(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.back = QPushButton("Back")
        self.back.setToolTip("The page before (Alt+Left)")
        self.back.clicked.connect(self.go_back)
        QShortcut(QKeySequence("Alt+Left"), self, self.go_back)
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find in the guide (Ctrl+F)")
        self.field.setAccessibleName("find in the guide")
        self.field.setToolTip(
            "Type and press Return: the next place on this page, then on the next ones"
        )
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self.find_next)
        QShortcut(QKeySequence.StandardKey.Find, self, self.field.setFocus)
        row.addWidget(self.back)
        row.addWidget(self.field, 1)
        self.said = words("", "muted")
        self.said.hide()
        return row

    # Showing

    def show_page(self, file: str, anchor: str = "") -> None:
        """Show a page by its file's name, at a heading where one is named."""
        place = next((n for n, page in enumerate(self._pages) if page.file == file), None)
        if place is None:
            return
        if place != self._at:
            self._been.append(self._at)
        self._show(place)
        if anchor:
            self.browser.scrollToAnchor(anchor)

    def go_back(self) -> None:
        """Show the page before."""
        if self._been:
            place = self._been.pop()
            self._show(place)

    def find_next(self) -> None:
        """Go to the next place that holds the typed words, from page to page."""
        wanted = self.field.text().strip()
        if not wanted or self.browser.find(wanted):
            self._say("")
            return
        count = len(self._pages)
        for step in range(1, count + 1):
            place = (self._at + step) % count
            if self._holds(place, wanted):
                self.show_page(self._pages[place].file)
                self.browser.find(wanted)
                self._say("")
                return
        self._say(f"{wanted!r} does not occur in the guide")

    def _holds(self, place: int, wanted: str) -> bool:
        document = QTextDocument()
        document.setHtml(page_html(self._pages[place]))
        return not document.find(wanted).isNull()

    def _say(self, text: str) -> None:
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def _show(self, place: int) -> None:
        self._at = place
        self._paint()
        self.list.setCurrentRow(place)
        self.back.setEnabled(bool(self._been))

    @Slot()
    def _paint(self) -> None:
        self.browser.document().setDefaultStyleSheet(page_style(self._look.theme))
        self.browser.setHtml(page_html(self.page))

    # Hearing

    @Slot(int)
    def _row_chosen(self, row: int) -> None:
        if row >= 0 and row != self._at:
            self.show_page(self._pages[row].file)

    @Slot(QUrl)
    def _link_clicked(self, url: QUrl) -> None:
        if url.scheme():
            QDesktopServices.openUrl(url)
        else:
            self.show_page(url.path() or self.page.file, url.fragment())
