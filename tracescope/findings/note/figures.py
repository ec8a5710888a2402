"""Figures of a note: which to draw, and drawing them as SVG or PNG. Light, and legible in grey."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tracescope.analysis.workbench import Workbench
from tracescope.findings.note import plots
from tracescope.findings.observe import capitalised, margin, title_of
from tracescope.model.check import CheckResult, Evidence, Measurement, State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_OVERLAYS = 6
MOST_A_CHECK = 2
MOST_SCATTERS = 2

STYLE: Any = {
    "svg.hashsalt": "tracescope",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "path.simplify": False,
    "text.parse_math": False,  # a channel called $x$ is that, not a formula
}


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure that can be drawn: its file name, what it shows, and how.

    Attributes:
        id: Stable, also the file's stem.
        check: The check it belongs to.
        caption: States what is drawn and what was done to the data; no causes.
        draw: Draws into an empty figure.
        size_in: Width and height, inches.
    """

    id: str
    check: str
    caption: str
    draw: Callable[[Figure], None]
    size_in: tuple[float, float] = (6.6, 2.9)


@dataclass(frozen=True, slots=True)
class NoteFigure:
    """A drawn figure, as the note holds it."""

    id: str
    check: str
    caption: str
    svg: str


def drawn(spec: FigureSpec, fmt: str = "svg") -> bytes:
    """Draw a figure as ``svg`` or ``png``: the same bytes every time."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=spec.size_in, layout="constrained")
        out = io.BytesIO()
        spec.draw(figure)
        if fmt == "png":
            FigureCanvasAgg(figure)
            figure.savefig(out, format="png", dpi=160, metadata={"Software": None})
        else:
            FigureCanvasSVG(figure)
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def note_figures(bench: Workbench, results: Sequence[CheckResult]) -> tuple[NoteFigure, ...]:
    """Draw every figure of a note."""
    return tuple(
        NoteFigure(spec.id, spec.check, spec.caption, _embeddable(drawn(spec), spec.id))
        for spec in figure_specs(bench, results)
    )


def _embeddable(svg: bytes, name: str) -> str:
    """Drop the XML prolog and make ids unique, so that several figures can stand in one page."""
    import re

    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    return re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)


def figure_specs(bench: Workbench, results: Sequence[CheckResult]) -> tuple[FigureSpec, ...]:
    """Choose the figures: around the evidence, then one picture a check that has something to show."""
    return tuple(_chosen(bench, {result.id: result for result in results}))


def _chosen(bench: Workbench, results: dict[str, CheckResult]) -> Iterator[FigureSpec]:
    if len(bench.rows) < 2:
        return
    if "alignment" in results:
        yield from _score(bench)
    if "observation-scaling" in results:
        yield from _scales(bench, results["observation-scaling"])
    if "action" in results:
        yield from _actions(bench, results["action"])
    if "timing" in results:
        yield from _intervals(bench)
    yield from _overlays(bench, results)
    if "dynamics" in results:
        yield from _residuals(bench)


def _score(bench: Workbench) -> Iterator[FigureSpec]:
    from tracescope.analysis.estimate import estimate_alignment

    estimate = estimate_alignment(bench.case.pair, bench.case.confidence)
    if len(estimate.lag_s) < 3:
        return
    caption = (
        "Correlation of all live channels over the lag tried, before any offset is taken out;"
        f" the estimate is {estimate.verdict}."
    )
    yield FigureSpec(
        "score-over-lag",
        "alignment",
        caption,
        lambda figure: plots.draw_score(figure, estimate, bench.case),
        (6.6, 2.3),
    )


def _scales(bench: Workbench, result: CheckResult) -> Iterator[FigureSpec]:
    scales = [m for m in result.measured("scale") if m.channel and m.interval is not None]
    scales = [m for m in sorted(scales, key=_relative_margin) if _sim_name(bench, m.channel)]
    for place, m in enumerate(scales[:MOST_SCATTERS]):
        name = _sim_name(bench, m.channel)
        yield FigureSpec(
            f"scale-{place + 1}",
            result.id,
            f"{m.channel}: {_rows(bench)}, target against simulator, with the measured scale"
            " (line) and equal values (dotted).",
            partial(plots.draw_scale, bench=bench, name=name, measurement=m),
            (3.6, 3.2),
        )


def _rows(bench: Workbench) -> str:
    """Say how many of the paired rows a scatter shows."""
    kth = plots.every_kth(len(bench.rows))
    return "every paired row" if kth == 1 else f"one of {kth} paired rows"


def _relative_margin(measurement: Measurement) -> float:
    if measurement.tolerance is None:
        return float("inf")
    width = measurement.tolerance[1] - measurement.tolerance[0]
    return margin(measurement) / width if width > 0 else margin(measurement)


def _actions(bench: Workbench, result: CheckResult) -> Iterator[FigureSpec]:
    worst = [m.channel for m in sorted(result.measurements, key=_relative_margin) if m.judged]
    names = [n for n in (_sim_name(bench, c) for c in worst) if n in bench.actions]
    names = list(dict.fromkeys([*names, *bench.live_in_both(bench.actions)]))
    for place, name in enumerate(names[:MOST_SCATTERS]):
        yield FigureSpec(
            f"action-{place + 1}",
            result.id,
            f"{name}: what the target logged against what the simulator emitted, {_rows(bench)}, and"
            " equal values (dotted).",
            partial(plots.draw_action, bench=bench, name=name),
            (3.6, 3.2),
        )


def _intervals(bench: Workbench) -> Iterator[FigureSpec]:
    yield FigureSpec(
        "intervals",
        "timing",
        "Intervals from row to row on each recorder's own clock, as recorded.",
        lambda figure: plots.draw_intervals(figure, bench.case.pair),
        (6.6, 2.3),
    )


def _overlays(bench: Workbench, results: dict[str, CheckResult]) -> Iterator[FigureSpec]:
    left = MOST_OVERLAYS
    order = (State.FAIL, State.INCONCLUSIVE, State.PASS)
    for state in order:
        for result in (r for r in results.values() if r.state is state):
            seen: set[str] = set()
            for evidence in result.evidence:
                name = _sim_name(bench, evidence.channel)
                if left == 0 or not name or name in seen or len(seen) == MOST_A_CHECK:
                    continue
                seen.add(name)
                left -= 1
                yield _overlay(bench, result, evidence, name, len(seen))


def _overlay(
    bench: Workbench, result: CheckResult, evidence: Evidence, name: str, place: int
) -> FigureSpec:
    applied = ", ".join(str(c) for c in bench.case.corrections)
    done = f"corrected: {applied}" if applied else "no value corrected"
    said = f" {capitalised(evidence.caption).rstrip('.')}." if evidence.caption else ""
    caption = (
        f"{name} around the evidence of {title_of(result.id).lower()}, target on the simulator's clock"
        f" ({done}), and the residual target − simulator below.{said}"
    )
    return FigureSpec(
        f"{result.id}-evidence-{place}",
        result.id,
        caption,
        lambda figure: plots.draw_overlay(figure, bench, name, evidence.span_s),
        (6.6, 3.3),
    )


def _residuals(bench: Workbench) -> Iterator[FigureSpec]:
    names = bench.live_in_both(bench.observations)
    if names:
        yield FigureSpec(
            "residual-over-step",
            "dynamics",
            "Residual target − simulator over the paired rows, each channel in units of the simulator's"
            " standard deviation.",
            lambda figure: plots.draw_residuals(figure, bench, names),
            (6.6, 2.4),
        )


def _sim_name(bench: Workbench, channel: str) -> str:
    """Return the paired sim channel that a check's channel name means, or ``""``."""
    if channel in bench.rows.sim:
        return channel
    name = bench.case.pair.sim_of(channel)
    return name if name is not None and name in bench.rows.sim else ""
