"""Statistics of the visible range, of every shown signal and its residual, from raw samples."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tracescope.analysis.range_stats import RangeStats, range_stats
from tracescope.analysis.residual import residual
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.trace import Samples
from tracescope.ui.panels.fact_table import FactTable
from tracescope.ui.panels.page import Page
from tracescope.ui.panels.parts import words
from tracescope.ui.plots.background import Background
from tracescope.ui.plots.plot_data import Series, series_of
from tracescope.ui.plots.ticks import read_out
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

HEADERS = ("signal", "trace", "unit", "samples", "min", "max", "mean", "sd", "rms")
RESIDUAL = "target − sim"


def rows_within(series: Series, case: Case, span_s: Interval) -> slice:
    """Return the rows of a series whose samples lie inside a span of the sim's clock, as aligned."""
    ends = np.array(span_s)
    if series.side == "target":
        ends = case.alignment.to_target(ends)
    first = int(np.searchsorted(series.channel.time_s, ends[0], side="left"))
    last = int(np.searchsorted(series.channel.time_s, ends[1], side="right"))
    return slice(first, last)


def corrected_within(series: Series, case: Case, span_s: Interval) -> Samples:
    """Return a series' corrected samples inside a span, shape ``(m,)``, float64."""
    value = series.channel.value[rows_within(series, case, span_s)].astype(np.float64)
    return np.asarray((value - series.offset) / series.scale)


def table_rows(case: Case, keys: tuple[str, ...], span_s: Interval) -> list[list[str]]:
    """Write the statistics of some signals over a span: sim, target, and the residual at the sim's samples."""
    rows = []
    for key in keys:
        both = series_of(case, (key,))
        for series in both:
            stats = range_stats(corrected_within(series, case, span_s))
            rows.append(_row(series.channel.name, series.side, series.channel.unit, stats))
        if len(both) == 2 and not both[0].is_flag:
            sim = both[0].channel
            at_s = sim.time_s[rows_within(both[0], case, span_s)]
            stats = range_stats(residual(case, sim.name, at_s)[1])
            rows.append(_row(sim.name, RESIDUAL, sim.unit, stats))
    return rows


def _row(name: str, trace: str, unit: str, stats: RangeStats) -> list[str]:
    count = str(stats.count) if not stats.missing else f"{stats.count} ({stats.missing} missing)"
    numbers = (stats.low, stats.high, stats.mean, stats.sd, stats.rms)
    return [name, trace, unit, count, *(read_out(number) for number in numbers)]


class StatsPanel(Page):
    """Follows the visible range and the shown signals while it is seen."""

    def __init__(self, model: SessionModel, view: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._view = model, view
        self._background = Background("statistics", self._take, self)
        self._wanted: object = None
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 6)
        column.setSpacing(5)
        line = QHBoxLayout()
        self.range_words = words("", "muted")
        line.addWidget(self.range_words, 1)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the table, cells parted by tabs")
        self.copy.setAccessibleName("copy statistics")
        self.copy.setMinimumHeight(24)
        line.addWidget(self.copy)
        column.addLayout(line)
        tip = "Computed from every raw sample in view, the target's with its corrections; sd divides by n − 1"
        self.table = FactTable(HEADERS, "statistics of the visible range", tip, words=(0, 1, 2))
        column.addWidget(self.table, 1)
        self.copy.clicked.connect(self.table.copy)
        for changed in (
            model.pair_changed,
            model.alignment_changed,
            model.corrections_changed,
            view.range_changed,
            view.shown_changed,
        ):
            changed.connect(self.ask)

    @property
    def is_busy(self) -> bool:
        """Whether the table does not yet show what is in view."""
        return self._background.is_busy

    def refresh(self) -> None:
        """Compute what is in view, in the background."""
        case = self._model.case
        self._background.forget(lambda _: True)
        if case is None:
            self.table.show_rows([])
            return
        low, high = span_s = self._view.range_s
        keys = tuple(dict.fromkeys(key for pane in self._view.shown for key in pane))
        text = f"{low:.4f} s to {high:.4f} s on the sim's clock, as aligned and corrected"
        self.range_words.setText(text.replace("-", "−"))
        self._wanted = (keys, span_s, case.alignment, case.corrections)
        self._background.ask(self._wanted, partial(table_rows, case, keys, span_s))

    def _take(self, key: object, rows: list[list[str]]) -> None:
        if key == self._wanted:
            self.table.show_rows(rows)
