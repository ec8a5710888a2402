"""Painting around the boxes of a pane: header line with legend and read-outs, value axis, border."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.ink import (
    Words,
    advance,
    colour_of,
    cosmetic,
    levels,
    width_of,
    write,
    write_right,
)
from tracescope.ui.plots.paint_box import value_ticks
from tracescope.ui.plots.pane import Box, Pane
from tracescope.ui.plots.plot_data import PlotData, Series
from tracescope.ui.plots.readout import read
from tracescope.ui.plots.ticks import read_out, signed, tick_text
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import key_of

SWATCH = "■ "
TICK_PX = 4


def axis_texts(box: Box) -> list[tuple[float, str]]:
    """Return the numbers beside a box: pixel and text."""
    step, values = value_ticks(box)
    return [(box.y(value), tick_text(value, step)) for value in values]


def axis_width(boxes: list[Box], font: QFont) -> float:
    """Return the width that holds the numbers of every box."""
    texts = {text for box in boxes for _, text in axis_texts(box)}
    return max((advance(text, font) for text in texts), default=0.0) + TICK_PX + 6


def paint_axis(painter: QPainter, box: Box, theme: Theme, font: QFont) -> None:
    """Write the numbers left of a box, none over its edges."""
    rect = box.rect
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    painter.setPen(QColor(theme.axis_text))
    half = metrics.height() / 2
    free_above = float("inf")
    texts = axis_texts(box)
    for y, text in texts:
        y = min(max(y, rect.top() + half - 2), rect.bottom() - half + 2)  # noqa: PLW2901
        if y + half * 0.8 > free_above:  # two numbers that touch read as a third
            continue
        free_above = y - half * 0.8
        at = QRectF(0, y - half, rect.left() - TICK_PX - 2, metrics.height())
        painter.drawText(at, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
    painter.setPen(cosmetic(theme.axis))
    levels(painter, [round(y) for y, _ in texts], rect.left() - TICK_PX, rect.left())


def paint_header(painter: QPainter, pane: Pane, frame: Frame, data: PlotData, font: QFont) -> None:
    """Write the legend on the left and, right-aligned and never on a curve, what the cursors read."""
    rect = pane.header.adjusted(pane.box.rect.left(), 0, 0, 0)
    rect.setRight(pane.box.rect.right())
    reading = _reading(pane, frame, data)
    small = legend(pane, frame, data, names_only=True)
    if width_of(small, font) + width_of(reading, font) > rect.width():
        reading = _reading(pane, frame, data, short=True)
    left = write_right(painter, rect, reading, font) if reading else rect.right()
    rect.setRight(max(left - 8, rect.left()))
    words = legend(pane, frame, data)
    if width_of(words, font) > rect.width():
        words = small
    write(painter, rect, words, font)


def legend(pane: Pane, frame: Frame, data: PlotData, *, names_only: bool = False) -> list[Words]:
    """Say what is drawn: names with units, sides, corrections in force, constants, evidence."""
    theme = frame.theme
    out: list[Words] = []
    several = len(pane.keys) > 1
    for key in pane.keys:
        own = [s for s in pane.series if s.key == key]
        if not own:
            where = "trace" if pane.is_one_side else "pair"
            name = key.partition(":")[2]
            out.append(Words(f"{name} (not in this {where})", theme.muted, gap=0))
            continue
        name = own[0].channel.name + _unit(own)
        if several:
            out.append(Words(SWATCH, colour_of(own[0], theme).name(), gap=2 if out else 0))
            out.append(Words(name, theme.text, bold=True, gap=0))
        else:
            out.append(Words(name, theme.text, bold=True, gap=0))
        if names_only:  # a curve that is not as recorded says so however narrow the pane is
            out += [Words(s.correction, theme.target_text, gap=2) for s in own if s.correction]
        else:
            named = not several and not pane.is_one_side
            out += _sides(own, theme, data, named=named)
    if not names_only:
        out += _residual(pane, frame)
        out += _captions(pane, frame)
    return out


def _unit(own: list[Series]) -> str:
    units = list(dict.fromkeys(s.channel.unit for s in own if s.channel.unit))
    return f" ({' | '.join(units)})" if units else ""


def _sides(own: list[Series], theme: Theme, data: PlotData, *, named: bool) -> list[Words]:
    out = []
    for series in own:
        colour = theme.sim_text if series.side == "sim" else theme.target_text
        words: list[str] = [series.side] if named or len(own) == 1 else []
        other = own[0].channel.name != series.channel.name
        words += [series.channel.name] if other else []
        words += [series.correction] if series.correction else []
        words += _oddities(series, data)
        if words:
            out.append(Words(SWATCH + " ".join(words), colour, gap=3))
    if len(own) == 1 and named and not data.is_sample:
        out.append(Words("no counterpart", theme.muted, gap=2))
    return out


def _oddities(series: Series, data: PlotData) -> list[str]:
    pyramid = data.pyramid(series.channel)
    if pyramid.is_pending:
        return ["reading…"]
    if data.is_sample:
        return []
    out = []
    if math.isnan(pyramid.low) and series.channel.value.size:
        out.append("no finite value")
    elif pyramid.low == pyramid.high and not series.is_flag:
        out.append(f"constant = {read_out(series.corrected(pyramid.low))}")
    if pyramid.infinite.size:
        out.append(f"{pyramid.infinite.size} inf")
    return out


def _residual(pane: Pane, frame: Frame) -> list[Words]:
    if not pane.has_residual:
        return []
    # With fewer rows than pixels even the sketch of a drag shows every one.
    sketched = frame.dragging and any(
        len(c.sim.channel.value) > frame.width_px for c in pane.couples
    )
    words = "target − sim" + (", at screen resolution" if sketched else "")
    out = [Words(SWATCH + words, frame.theme.residual_text, gap=3)]
    if pane.band_is_seen:
        out.append(Words("band: within tolerance", frame.theme.muted, gap=2))
    return out


def _captions(pane: Pane, frame: Frame) -> list[Words]:
    keys = set(pane.keys)
    captions = dict.fromkeys(
        e.caption for e in frame.evidence if key_of(frame.case.pair, e.channel) in keys
    )
    return [Words(caption, frame.theme.evidence, gap=3) for caption in captions if caption]


def _reading(pane: Pane, frame: Frame, data: PlotData, *, short: bool = False) -> list[Words]:
    cursors = [("A", frame.cursor_a_s), ("B", frame.cursor_b_s)]
    there = [(name, at_s) for name, at_s in cursors if at_s is not None]
    out: list[Words] = []
    for name, at_s in there[:1] if short else there:
        if len(there) > 1:
            out.append(Words(name, frame.theme.muted, gap=3))
        out += _read_keys(pane, frame, data, at_s)
    if len(there) == 2 and not short:
        out += _changes(pane, frame, data)
    return out


def _read_keys(pane: Pane, frame: Frame, data: PlotData, at_s: float) -> list[Words]:
    theme, alignment = frame.theme, frame.case.alignment
    out: list[Words] = []
    for key in pane.keys:
        own = [s for s in pane.series if s.key == key]
        for place, series in enumerate(own):
            colour = theme.sim_text if series.side == "sim" else theme.target_text
            gap = 5 if place == 0 and key != pane.keys[0] else 2
            out.append(Words(read_out(read(series, alignment, data, at_s)), colour, gap=gap))
        if len(own) == 2:
            # The difference that the residual and the checks use, none where they compare nothing.
            sim, target = (read(s, alignment, data, at_s) for s in own)
            out.append(Words(f"Δ {signed(target - sim)}", theme.text, gap=2))
    return out


def _changes(pane: Pane, frame: Frame, data: PlotData) -> list[Words]:
    """Say how far each curve of the first key moves from A to B."""
    assert frame.cursor_a_s is not None
    assert frame.cursor_b_s is not None
    out = [Words("B − A", frame.theme.muted, gap=3)]
    for series in (s for s in pane.series if s.key == pane.keys[0]):
        alignment = frame.case.alignment
        first = read(series, alignment, data, frame.cursor_a_s)
        change = read(series, alignment, data, frame.cursor_b_s) - first
        colour = frame.theme.sim_text if series.side == "sim" else frame.theme.target_text
        out.append(Words(signed(change), colour, gap=1))
    return out


def paint_active(painter: QPainter, pane: Pane, theme: Theme) -> None:
    """Mark the pane that keys act on with a small triangle in front of its legend."""
    middle = pane.header.center().y()
    x = pane.box.rect.left() - 10
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.focus))
    painter.drawPolygon([QPointF(x, middle - 4), QPointF(x + 6, middle), QPointF(x, middle + 4)])
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_edges(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Draw the left and lower edge of a box."""
    left, bottom = float(round(rect.left())), float(round(rect.bottom()))
    painter.setPen(cosmetic(theme.axis))
    painter.drawLines(
        [QLineF(left, rect.top(), left, bottom), QLineF(left, bottom, rect.right(), bottom)]
    )
