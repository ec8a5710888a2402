"""Everything known about one trace: file, hash, layout, clock, channels' roles, repairs."""

from __future__ import annotations

import html

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from tracescope.model.trace import Trace
from tracescope.session.session import Session
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.opener import SideName
from tracescope.ui.words import clock_text, duration_text, rate_text

CHANNELS_LISTED = 200


def property_rows(trace: Trace) -> list[tuple[str, str]]:
    """Return names and values of what is known about a trace."""
    clock = trace.clock
    rows = [
        ("File", trace.source.path),
        ("SHA-256", trace.source.sha256),
        ("Layout", f"{trace.source.layout}: {trace.source.layout_because}"),
        ("Episode", trace.source.episode or ""),
        ("Rows", f"{len(trace)} of {trace.source.rows_in_file or len(trace)} in the file"),
        ("Rate", f"{rate_text(trace)}, {duration_text(trace.duration_s)}"),
        ("Clock", f"{clock_text(clock)}: {clock.because}"),
        ("Clock origin", f"{clock.origin_ns} ns{' since 1970, UTC' if clock.is_epoch else ''}"),
        ("Other clocks", ", ".join(clock.others)),
    ]
    rows += [(f"  {name}", value) for name, value in trace.metadata]
    for note in trace.health:
        done = f" → {note.done}" if note.done else ""
        rows.append((note.severity.capitalize(), f"{note.placed}{done}"))
    for channel in trace.channels[:CHANNELS_LISTED]:
        unit = f" {channel.unit}" if channel.unit else ""
        because = f" ({channel.role_because})" if channel.role_because else ""
        rows.append((channel.role.value, f"{channel.name}{unit}, {channel.dtype}{because}"))
    left = len(trace.channels) - CHANNELS_LISTED
    if left > 0:
        rows.append(("", f"and {left} channels more"))
    return [(name, value) for name, value in rows if value.strip(": ")]


class PropertiesDialog(Dialog):
    """A table to read and to copy from.

    Signals:
        import_wanted: The person wants to change how this side is read.
    """

    import_wanted = Signal(str)

    def __init__(self, side: SideName, session: Session, parent: QWidget) -> None:
        title = "Simulator trace" if side == "sim" else "Target trace"
        super().__init__(title, parent)
        trace = session.pair.sim if side == "sim" else session.pair.target
        cells = "".join(
            f"<tr><td style='padding-right:14px'><b>{html.escape(name)}</b></td>"
            f"<td>{html.escape(value)}</td></tr>"
            for name, value in property_rows(trace)
        )
        self.text = QTextBrowser()
        self.text.setHtml(f"<table cellspacing='4'>{cells}</table>")
        self.text.setAccessibleName(f"properties of the {title.lower()}")
        self.text.setToolTip("Text can be selected and copied")
        self.text.setTabChangesFocus(True)
        self.column.addWidget(self.text)
        box = self.add_buttons()
        change = box.addButton("Change how it is read…", box.ButtonRole.ActionRole)
        change.setToolTip("Clock, unit, order, dialect, roles and units of this file")
        change.clicked.connect(lambda: self.import_wanted.emit(side))
        change.clicked.connect(self.accept)
        self.resize(700, 480)
