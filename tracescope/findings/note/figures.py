"""Figures of a note: which to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial

import numpy as np

from tracescope.analysis.workbench import Workbench
from tracescope.findings.note import plots
from tracescope.findings.note.figure import FigureSpec, NoteFigure, embeddable
from tracescope.findings.numbers import with_minus
from tracescope.findings.observe import capitalised, margin, title_of
from tracescope.model.check import CheckResult, Evidence, Measurement, State
from tracescope.model.finding import Observed

MOST_OVERLAYS = 6
MOST_A_CHECK = 2
MOST_SCATTERS = 2
MOST_MARKS = 6


def embedded(figures: Iterable[tuple[FigureSpec, bytes]]) -> tuple[NoteFigure, ...]:
    """Return figures, drawn as SVG, as a note holds them."""
    return tuple(
        NoteFigure(spec.id, spec.check, spec.caption, embeddable(svg, spec.id))
        for spec, svg in figures
    )


def figure_specs(
    bench: Workbench, results: Sequence[CheckResult], by_hand: Sequence[Observed] = ()
) -> tuple[FigureSpec, ...]:
    """Choose the figures: one picture a check that has something to show, around evidence and marks.

    Args:
        bench: The case.
        results: Of the checks.
        by_hand: What a person marked: each gets its figure.
    """
    if len(bench.rows) < 2:
        return ()
    chosen = _chosen(bench, {result.id: result for result in results})
    return (*chosen, *_marks(bench, by_hand))


def _chosen(bench: Workbench, results: dict[str, CheckResult]) -> Iterator[FigureSpec]:
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
        applied = _altered_applied(bench, result, name)
        if applied:
            caption = (
                f"{applied} (applied) against {name} (emitted), each trace against itself, {_rows(bench)}:"
                " what lies between the policy and the actuator."
            )
            draw = partial(plots.draw_applied, bench=bench, name=name, applied=applied)
        else:
            caption = (
                f"{name}: what the target logged against what the simulator emitted, {_rows(bench)}, and"
                " equal values (dotted)."
            )
            draw = partial(plots.draw_action, bench=bench, name=name)
        yield FigureSpec(f"action-{place + 1}", result.id, caption, draw, (3.6, 3.2))


def _altered_applied(bench: Workbench, result: CheckResult, name: str) -> str:
    """Return the applied action that is another than the emitted one, where the check found it so."""
    fails = any(
        m.state is State.FAIL and "applied" in m.quantity and _sim_name(bench, m.channel) == name
        for m in result.measurements
    )
    beside = (
        _sim_name(bench, other)
        for evidence in result.evidence
        if fails and _sim_name(bench, evidence.channel) == name
        for other in evidence.beside
    )
    return next((other for other in beside if other), "")


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
    said = f" {with_minus(capitalised(evidence.caption)).rstrip('.')}." if evidence.caption else ""
    caption = (
        f"{name} around the evidence of {title_of(result.id).lower()}, target on the simulator's clock"
        f" ({_done(bench)}), and the residual target − simulator below.{said}"
    )
    return FigureSpec(
        f"{result.id}-evidence-{place}",
        result.id,
        caption,
        lambda figure: plots.draw_overlay(figure, bench, name, evidence.span_s),
        (6.6, 3.3),
    )


def _marks(bench: Workbench, by_hand: Sequence[Observed]) -> Iterator[FigureSpec]:
    marked = [e for o in by_hand if o.by_hand for e in o.evidence]
    for place, evidence in enumerate(marked[:MOST_MARKS]):
        named = _sim_name(bench, evidence.channel)
        name = named or _most_apart(bench, evidence.span_s)
        if name:
            why = "" if named else ", which differs most there,"
            yield FigureSpec(
                f"mark-{place + 1}",
                "",
                f"{name}{why} around what was marked by hand, target on the simulator's clock"
                f" ({_done(bench)}), and the residual target − simulator below.",
                partial(plots.draw_overlay, bench=bench, name=name, span_s=evidence.span_s),
                (6.6, 3.3),
            )


def _most_apart(bench: Workbench, span_s: tuple[float, float]) -> str:
    """Return the channel that differs most in a span, in units of the simulator's spread, or ``""``."""
    rows = bench.rows
    inside = (rows.time_s >= span_s[0] - rows.interval_s) & (
        rows.time_s <= span_s[1] + rows.interval_s
    )
    apart = {
        name: float(np.nanmean(np.abs(rows.target[name] - rows.sim[name])[inside]))
        / float(np.nanstd(rows.sim[name]))
        for name in bench.live_in_both((*bench.observations, *bench.actions))
        if inside.any() and np.isfinite((rows.target[name] - rows.sim[name])[inside]).any()
    }
    return max(apart, key=lambda name: apart[name], default="")


def _done(bench: Workbench) -> str:
    applied = ", ".join(str(c) for c in bench.case.corrections)
    return f"corrected: {applied}" if applied else "no value corrected"


def _residuals(bench: Workbench) -> Iterator[FigureSpec]:
    names = bench.live_in_both(bench.observations)
    if names:
        # Read once however often it is drawn: as SVG for a note, as PNG beside it.
        curves = cache(partial(plots.residual_curves, bench, names))
        yield FigureSpec(
            "residual-over-step",
            "dynamics",
            "Residual target − simulator over the paired rows, each channel in units of the simulator's"
            " standard deviation.",
            lambda figure: plots.draw_residuals(figure, curves()),
            (6.6, 2.4),
        )


def _sim_name(bench: Workbench, channel: str) -> str:
    """Return the paired sim channel that a check's channel name means, or ``""``."""
    if channel in bench.rows.sim:
        return channel
    name = bench.case.pair.sim_of(channel)
    return name if name is not None and name in bench.rows.sim else ""
