"""What the cursors read, as a table for the clipboard."""

from __future__ import annotations

import math

from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.plot_data import PlotData
from tracescope.ui.plots.readout import read


def readout_text(panes: list[Pane], frame: Frame, data: PlotData) -> str:
    """Return one row a shown signal with all digits, cells parted by tabs, under one line of headers.

    Values are those on the drawn curves: raw samples through the alignment and corrections in force.
    """
    cursors = [("A", frame.cursor_a_s), ("B", frame.cursor_b_s)]
    there = [(name, at_s) for name, at_s in cursors if at_s is not None]
    header = ["signal", "unit"]
    for name, at_s in there:
        where = f"at {name} = {at_s!r} s"
        header += [f"sim {where}", f"target {where}", f"target − sim {where}"]
    lines = [header]
    for key in dict.fromkeys(key for pane in panes for key in pane.keys):
        series = [s for pane in panes for s in pane.series if s.key == key]
        if not series:
            continue
        cells = [series[0].channel.name, series[0].channel.unit]
        for _, at_s in there:
            values = {s.side: read(s, frame.case.alignment, data, at_s) for s in series}
            sim, target = values.get("sim", math.nan), values.get("target", math.nan)
            cells += [_cell(sim), _cell(target), _cell(target - sim)]
        lines.append(cells)
    return "\n".join("\t".join(line) for line in lines)


def _cell(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
