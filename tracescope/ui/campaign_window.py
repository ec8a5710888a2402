"""Many pairs in one window: the table of episodes, the kinds of failure, the map and the timeline."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from tracescope.campaign.pool import Pool
from tracescope.ui.campaign_desk import CampaignDesk
from tracescope.ui.campaign_details import Details
from tracescope.ui.campaign_kinds import KindList
from tracescope.ui.campaign_map import ClusterMap
from tracescope.ui.campaign_marks import mark_icon
from tracescope.ui.campaign_parts import (
    ROW_PX,
    STATES_COLUMN,
    button,
    episode_table,
    search_field,
    split,
)
from tracescope.ui.campaign_rows import (
    EPISODE_ROLE,
    STATES_ROLE,
    EpisodeFilter,
    EpisodeModel,
    rows_of,
)
from tracescope.ui.campaign_timeline import Timeline
from tracescope.ui.campaign_work import (
    Source,
    waiting_rows,
)
from tracescope.ui.look import Look
from tracescope.ui.notices import Notices, NoticesBar
from tracescope.ui.panels.parts import words
from tracescope.ui.worker import Running

RUN_TIP = "Judge every pair; what is known already is kept (F5)"
RESULT_TIP = "This is a result; open its manifest to judge the pairs again"
SIZE = QSize(1480, 900)


def on_this_machine() -> Pool | None:
    """Return no pool: the runner then uses this machine's processes."""
    return None


class CampaignWindow(QMainWindow):
    """Shows a campaign and runs it.

    Signals:
        pair_wanted: (sim path, target path, id, kind) of an episode a person opened.
    """

    pair_wanted = Signal(str, str, str, str)

    def __init__(self, look: Look, pool: Callable[[], Pool | None] = on_this_machine) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.setWindowTitle("Campaign — tracescope")
        self._look = look
        self.notices = Notices(self)
        self.desk = CampaignDesk(self.notices, pool, self)
        self.model = EpisodeModel(self)
        self.filter = EpisodeFilter(self.model, self)
        self.table = episode_table(self.filter, look)
        self.kinds, self.details = KindList(look), Details(look)
        self.map, self.timeline = ClusterMap(look), Timeline(look)
        self.search = search_field(look)
        self.count = words("", "muted", wrap=False)
        self._make_buttons()
        self._make_progress()
        self._lay_out()
        self._connect()
        self.resize((SIZE * look.theme.font_scale).boundedTo(self.screen().availableSize()))
        self._task_changed()
        self.table.setFocus()

    # Making

    def _make_buttons(self) -> None:
        self.open_button = button(
            "&Open campaign…", "Open a manifest (CSV, TOML) or a result (Ctrl+O)"
        )
        self.run_button = button("&Run", RUN_TIP)
        self.report_button = button("&Save report…", "Write HTML, Markdown, JSON or CSV (Ctrl+E)")
        self.open_button.clicked.connect(self.desk.choose)
        self.run_button.clicked.connect(self.desk.run)
        self.report_button.clicked.connect(self.desk.save_report)

    def _make_progress(self) -> None:
        self.doing = QLabel()
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(180)
        self.progress.setAccessibleName("progress")
        self.cancel = button("Cancel", "Stop this; pairs judged so far are kept for the next run")
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        for widget in (self.doing, self.progress, self.cancel):
            bar.addPermanentWidget(widget)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(10, 8, 10, 8)
        for way_in in (self.open_button, self.run_button, self.report_button):
            top.addWidget(way_in)
        top.addStretch(1)
        top.addWidget(self.count)
        top.addSpacing(6)
        top.addWidget(self.search)
        pictures = split(Qt.Orientation.Horizontal, self.map, self.timeline)
        right = split(Qt.Orientation.Vertical, self.kinds, pictures, self.details)
        right.setSizes([210, 280, 300])
        both = split(Qt.Orientation.Horizontal, self.table, right)
        both.setSizes([760, 700])
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(NoticesBar(self.notices, self._look))
        column.addWidget(both, 1)
        self.setCentralWidget(page)

    def _connect(self) -> None:
        self.search.textChanged.connect(self.filter.keep_text)
        for changed in (self.filter.layoutChanged, self.filter.modelReset, self.filter.rowsRemoved):
            changed.connect(self._tell_count)
        self.filter.rowsInserted.connect(self._tell_count)
        self.kinds.kept.connect(self._keep)
        self.table.doubleClicked.connect(self._open_index)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.map.chosen.connect(self.select)
        self.map.opened.connect(self.open_episode)
        self.details.opened.connect(self.open_episode)
        self.cancel.clicked.connect(self.desk.stop)
        self.desk.source_changed.connect(self._show)
        self.desk.task_changed.connect(self._task_changed)
        self._look.changed.connect(self._fit)
        keys: tuple[tuple[str, Callable[[], object]], ...] = (
            ("Ctrl+O", self.desk.choose),
            ("F5", self.desk.run),
            ("Ctrl+E", self.desk.save_report),
            ("Ctrl+F", self.search.setFocus),
            ("Ctrl+W", self.close),
        )
        for key, do in keys:
            QShortcut(QKeySequence(key), self).activated.connect(do)
        for pressed in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            shortcut = QShortcut(QKeySequence(pressed), self.table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(self._open_current)

    # Showing

    @property
    def source(self) -> Source | None:
        """The campaign that is open."""
        return self.desk.source

    @Slot()
    def _show(self) -> None:
        source = self.source
        assert source is not None
        result, campaign = source.result, source.campaign
        rows = rows_of(result) if result is not None else ()
        if result is None and campaign is not None:
            rows = waiting_rows(campaign)
        self.model.show(rows)
        for view in (self.map, self.timeline, self.details):
            view.show_result(result)
        self.kinds.show_kinds(rows, result)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._fit()
        self.setWindowTitle(f"{source.path.name} — campaign — tracescope")
        self._refresh()

    @Slot()
    def _fit(self) -> None:
        """Give rows and columns the room that their content needs."""
        scale = self._look.theme.font_scale
        result = None if self.source is None else self.source.result
        names = [] if result is None else [cluster.id for cluster in result.clusters]
        self.model.marks = {name: mark_icon(self._look, place) for place, name in enumerate(names)}
        self.table.verticalHeader().setDefaultSectionSize(round(ROW_PX * scale))
        for column in range(self.filter.columnCount() - 1):
            self.table.resizeColumnToContents(column)

    @Slot(str)
    def _keep(self, kind: str) -> None:
        self.filter.keep_kind(kind)
        for view in (self.map, self.timeline, self.details):
            view.keep_kind(kind)
        self._tell_count()

    @Slot()
    def _tell_count(self) -> None:
        shown, every = self.filter.rowCount(), len(self.model.rows)
        self.count.setText("" if not every else f"{shown} of {every} episodes")

    @Slot()
    def _refresh(self) -> None:
        busy = self.desk.task is not None
        source = self.source
        runs = source is not None and source.campaign is not None
        self.run_button.setEnabled(runs and not busy)
        self.run_button.setToolTip(RUN_TIP if runs or source is None else RESULT_TIP)
        self.report_button.setEnabled(source is not None and source.result is not None and not busy)
        self._tell_count()

    @Slot()
    def _task_changed(self) -> None:
        task: Running | None = self.desk.task
        for widget in (self.doing, self.progress, self.cancel):
            widget.setVisible(task is not None)
        if task is not None:
            self.doing.setText(task.title)
            self.progress.setValue(0)
            task.progressed.connect(self._progressed)
        self._refresh()

    @Slot(float, str)
    def _progressed(self, done: float, what: str) -> None:
        self.doing.setText(what)
        self.progress.setValue(round(1000 * done))

    # Episodes

    @Slot(str)
    def select(self, episode: str) -> None:
        """Choose an episode in table and map; what hides it from the table goes."""
        row = self.model.row_of(episode)
        if row < 0:
            return
        index = self.filter.mapFromSource(self.model.index(row, 0))
        if not index.isValid():
            self.search.clear()
            self.kinds.keep("")
            index = self.filter.mapFromSource(self.model.index(row, 0))
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)

    @Slot(QModelIndex)
    def _row_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            self.map.select(str(index.data(EPISODE_ROLE)))
            states = index.siblingAtColumn(STATES_COLUMN)
            said = ", ".join(f"{check}: {state}" for check, state in states.data(STATES_ROLE) or ())
            self.statusBar().showMessage(f"{index.data(EPISODE_ROLE)}   {said}")

    @Slot(QModelIndex)
    def _open_index(self, index: QModelIndex) -> None:
        self.open_episode(str(index.data(EPISODE_ROLE)))

    @Slot()
    def _open_current(self) -> None:
        if self.table.currentIndex().isValid():
            self._open_index(self.table.currentIndex())

    @Slot(str)
    def open_episode(self, episode: str) -> None:
        """Ask for an episode's pair in the usual window."""
        row = self.model.row_of(episode)
        if row < 0 or self.source is None:
            return
        shown = self.model.rows[row]
        if not (shown.sim and shown.target):
            self.notices.tell("info", f"{episode} has no pair to open", shown.words, key="pair")
            return
        sim, target = self.source.located(shown.sim), self.source.located(shown.target)
        self.pair_wanted.emit(sim, target, shown.id, shown.kind)

    # What Qt tells

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept one file or folder."""
        if len(_local(event)) == 1:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped; what lies elsewhere (a web address beside it) is not it."""
        dropped = _local(event)
        if len(dropped) == 1:
            event.acceptProposedAction()
            self.desk.open_path(dropped[0])

    def closeEvent(self, event: QCloseEvent) -> None:
        """Cancel, then let go."""
        self.desk.close()
        super().closeEvent(event)


def _local(event: QDropEvent) -> list[Path]:
    """Return the files and folders of this machine among what is dragged."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
