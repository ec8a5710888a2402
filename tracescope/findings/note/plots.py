"""Drawing a note's figures: simulator solid blue, target dashed orange, residual purple in its own lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tracescope.analysis.rows import ReadOnDemand, some_of
from tracescope.analysis.stretches import blocks_of_rows, even_rows
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Measurement
from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel, Samples

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIM, TARGET, RESIDUAL, QUIET = "#0072B2", "#D55E00", "#7A3E9D", "#666666"
DASH = (0, (4, 2))
SIM_LINE: dict[str, Any] = {"color": SIM, "linestyle": "-", "label": "simulator"}
TARGET_LINE: dict[str, Any] = {"color": TARGET, "linestyle": DASH, "label": "target"}
COLUMNS = 700
"""A curve is thinned to its lowest and highest sample in so many columns."""
MOST_DOTS = 1000
LONGEST_TITLE = 24
"""A longer signal name is shortened from its front on an axis; the caption has it whole."""
MOST_CURVES = 4
MARKED_BELOW = 80
"""So few samples in view are marked one by one."""


def titled(name: str, unit: str) -> str:
    """Return an axis title: the signal and its unit as the file gave it."""
    if len(name) > LONGEST_TITLE:
        tail = name[-LONGEST_TITLE:]
        cut = min((i for i in (tail.find(mark) for mark in "/._") if i >= 0), default=-1)
        name = f"…{tail[cut:] if 0 <= cut < LONGEST_TITLE // 2 else tail}"
    shown_unit = unit or "unit not stated"
    gap = "\n" if len(name) + len(shown_unit) > LONGEST_TITLE else " "
    return f"{name}{gap}({shown_unit})"


def thinned(time_s: Samples, value: Samples) -> tuple[Samples, Samples]:
    """Keep the lowest and the highest finite sample of each of many columns, in time order.

    Args:
        time_s, value: Shape ``(n,)``.

    Returns:
        The same shapes, at most ``2 * COLUMNS`` long; gaps (NaN) of whole columns stay NaN.
    """
    if time_s.size <= 2 * COLUMNS:
        return time_s, value
    edges = np.linspace(0, time_s.size, COLUMNS + 1).astype(int)
    kept: list[int] = []
    for start, end in pairwise(edges.tolist()):
        part = value[start:end]
        if np.isfinite(part).any():
            kept += sorted({start + int(np.nanargmin(part)), start + int(np.nanargmax(part))})
        else:
            kept.append(int(start))
    return time_s[kept], value[kept]


def dots(*arrays: Samples) -> tuple[Samples, ...]:
    """Keep every k-th of many rows for a scatter: finite in all arrays."""
    finite = np.logical_and.reduce([np.isfinite(a) for a in arrays])
    arrays = tuple(a[finite] for a in arrays)
    return tuple(a[:: every_kth(arrays[0].size)] for a in arrays)


Signal = tuple[Mapping[str, Samples], str]
"""Values on common rows, and whose of them."""


def row_dots(*signals: Signal) -> tuple[Samples, ...]:
    """Keep every k-th of the paired rows for a scatter; no others are read of a long pair."""
    first = signals[0][0]
    if isinstance(first, ReadOnDemand):
        kth = slice(None, None, every_kth(first.rows))
        some = dots(*(some_of(values, name, kth) for values, name in signals))
        if some[0].size:
            return some
    return dots(*(values[name] for values, name in signals))


def every_kth(n: int) -> int:
    """Return how many of ``n`` rows stand behind each dot of a scatter."""
    return max(1, -(-n // MOST_DOTS))


def draw_overlay(figure: Figure, bench: Workbench, name: str, span_s: Interval) -> None:
    """Draw both curves and their residual around a span of the simulator's clock."""
    case = bench.case
    sim = case.pair.sim[name]
    target_name = case.pair.target_of(name)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    low, high = _padded(span_s, bench)
    _curve(upper, sim, sim.time_s, sim.as_float(), (low, high), SIM_LINE)
    if target_name is not None:
        target = case.pair.target[target_name]
        on_sim = case.alignment.to_sim(target.time_s)
        _curve(upper, target, on_sim, case.target_values(target_name), (low, high), TARGET_LINE)
    rows = bench.rows
    seen = slice(
        int(np.searchsorted(rows.time_s, low)), int(np.searchsorted(rows.time_s, high, "right"))
    )
    apart = some_of(rows.target, name, seen) - some_of(rows.sim, name, seen)
    time_s, residual = thinned(rows.time_s[seen], apart)
    lower.plot(time_s, residual, color=RESIDUAL)
    lower.axhline(0, color=QUIET, linewidth=0.8)
    for axes in (upper, lower):
        if span_s[1] > span_s[0]:
            axes.axvspan(*span_s, color="#000000", alpha=0.06, linewidth=0)
    upper.set_ylabel(titled(name, sim.unit))
    lower.set_ylabel(f"residual\n({sim.unit or 'unit not stated'})")
    lower.set_xlabel("time on the simulator's clock (s)")
    lower.set_xlim(low, high)
    upper.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0.1)
    figure.align_ylabels()


def _padded(span_s: Interval, bench: Workbench) -> Interval:
    """Show some of what lies before and after the evidence, inside the paired rows."""
    rows = bench.rows
    width = max(span_s[1] - span_s[0], 20 * rows.interval_s)
    low = max(span_s[0] - 0.25 * width, float(rows.time_s[0]))
    high = min(span_s[1] + 0.25 * width, float(rows.time_s[-1]))
    return (low, high) if high > low else (float(rows.time_s[0]), float(rows.time_s[-1]))


def _curve(
    axes: Axes,
    channel: Channel,
    time_s: Samples,
    value: Samples,
    span: Interval,
    line: dict[str, Any],
) -> None:
    first = max(0, int(np.searchsorted(time_s, span[0])) - 1)
    last = int(np.searchsorted(time_s, span[1], side="right")) + 1
    time_s, value = thinned(time_s[first:last], value[first:last])
    style = {**line, "drawstyle": "steps-post" if channel.is_step else "default"}
    if time_s.size <= MARKED_BELOW:
        style |= {"marker": "." if line is SIM_LINE else "x", "markersize": 3.5}
    axes.plot(time_s, value, **style)


def draw_score(figure: Figure, estimate: Any, case: Case) -> None:  # AlignmentEstimate
    """Draw the score over the lag, the offset in force and every rival."""
    axes = figure.subplots()
    axes.plot(*thinned(np.asarray(estimate.lag_s), np.asarray(estimate.score)), color=QUIET)
    axes.axvline(case.alignment.offset_s, color=TARGET, linestyle=DASH, label="offset in force")
    found = estimate.alignment
    if found is not None:
        axes.axvline(found.offset_s, color=SIM, linewidth=0.9, label="estimate")
        for place, rival in enumerate(found.rivals):
            label = "cannot be excluded" if place == 0 else None
            axes.plot(rival.offset_s, rival.score, "v", color=RESIDUAL, label=label)
    axes.set_xlabel("lag of the target (s)")
    axes.set_ylabel("correlation (1)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def draw_scale(figure: Figure, bench: Workbench, name: str, measurement: Measurement) -> None:
    """Draw target against simulator with the measured scale through the middle of the rows."""
    axes = figure.subplots()
    x, y = row_dots((bench.rows.sim, name), (bench.rows.target, name))
    axes.plot(x, y, ".", color=TARGET, markersize=3, zorder=3)
    if x.size:
        ends = np.array([x.min(), x.max()])
        line = np.median(y) + measurement.estimate * (ends - np.median(x))
        axes.plot(ends, ends, ":", color=QUIET, label="equal")
        axes.plot(
            ends, line, "-", color=SIM, linewidth=1, label=f"scale {measurement.estimate:.4g}"
        )
        axes.legend(loc="upper left")
    _scatter_titles(axes, bench, name)


def draw_action(figure: Figure, bench: Workbench, name: str) -> None:
    """Draw the target's logged action against the simulator's on the same rows."""
    axes = figure.subplots()
    x, y = row_dots((bench.rows.sim, name), (bench.rows.target, name))
    axes.plot(x, y, ".", color=TARGET, markersize=3)
    if x.size:
        ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())])
        axes.plot(ends, ends, ":", color=QUIET, label="equal")
        axes.legend(loc="upper left")
    _scatter_titles(axes, bench, name)


def draw_applied(figure: Figure, bench: Workbench, name: str, applied: str) -> None:
    """Draw what was applied over what was emitted, on the same rows of each trace."""
    axes = figure.subplots()
    sides = ((bench.rows.sim, SIM, "simulator", "."), (bench.rows.target, TARGET, "target", "x"))
    for values, colour, side, marker in sides:
        x, y = row_dots((values, name), (values, applied))
        axes.plot(x, y, marker, color=colour, markersize=3, label=side)
    axes.legend(loc="upper left")
    sim = bench.case.pair.sim
    axes.set_xlabel("emitted " + titled(name, sim[name].unit))
    axes.set_ylabel("applied " + titled(applied, sim[applied].unit))


def _scatter_titles(axes: Axes, bench: Workbench, name: str) -> None:
    pair = bench.case.pair
    target_name = pair.target_of(name) or name
    axes.set_xlabel("simulator " + titled(name, pair.sim[name].unit))
    axes.set_ylabel("target " + titled(target_name, pair.target[target_name].unit))


def draw_intervals(figure: Figure, pair: TracePair) -> None:
    """Draw the histogram of row intervals of both traces, milliseconds."""
    axes = figure.subplots()
    clocks = [trace.time_s for trace in (pair.sim, pair.target)]
    # Where most intervals lie shows in stretches of a long clock; every one of them is counted.
    seen = [
        (t[1:][some] - t[:-1][some]) * 1e3 for t in clocks if (some := even_rows(t.size - 1)).size
    ]
    if not seen:
        return
    low, high = np.percentile(np.concatenate(seen), [0.5, 99.5])
    pad = max(high - low, 0.02 * max(abs(high), 1e-3)) * 0.1
    bins = np.linspace(low - pad, high + pad, 61)
    for time_s, line in zip(clocks, (SIM_LINE, TARGET_LINE), strict=True):
        counts = np.zeros(bins.size - 1, np.int64)
        for rows in blocks_of_rows(time_s.size - 1):
            some_ms = np.diff(time_s[rows.start : rows.stop + 1]) * 1e3
            counts += np.histogram(np.clip(some_ms, bins[0], bins[-1]), bins)[0]
        axes.stairs(
            counts, bins, color=line["color"], linestyle=line["linestyle"], label=line["label"]
        )
    axes.set_xlabel("interval from row to row (ms); beyond 0.5 % and 99.5 % in the outer bins")
    axes.set_ylabel("rows (1)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def residual_curves(bench: Workbench, names: Sequence[str]) -> dict[str, tuple[Samples, Samples]]:
    """Return row numbers and standardised residuals of the channels where they are largest, thinned."""
    rows = bench.rows
    row = np.arange(len(rows), dtype=np.float64)
    curves, power = {}, {}
    for name in names:
        # One channel at a time: all of a long pair would take more memory than the traces.
        curve = rows.target[name] - rows.sim[name]
        curve /= np.nanstd(rows.sim[name])
        curves[name] = thinned(row, curve)
        power[name] = float(np.nanmean(curve**2))
    largest = sorted(names, key=lambda n: -power[n])[:MOST_CURVES]
    return {name: curves[name] for name in largest}


def draw_residuals(figure: Figure, curves: Mapping[str, tuple[Samples, Samples]]) -> None:
    """Draw standardised residuals over the row number (:func:`residual_curves`)."""
    axes = figure.subplots()
    for name, style in zip(curves, ("-", DASH, ":", "-."), strict=False):
        axes.plot(*curves[name], linestyle=style, color=RESIDUAL, label=name)
    axes.axhline(0, color=QUIET, linewidth=0.8)
    axes.set_xlabel("paired row (step)")
    axes.set_ylabel("residual (sim. std. dev.)")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
