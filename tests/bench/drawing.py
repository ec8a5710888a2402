"""F1 to F5 and D1, D2: what drawing and dragging cost."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from unittest import mock

from PySide6.QtGui import QPainter

from tests.bench.harness import REPEATS, Goal, Plan, compare, counted, thread_s
from tests.bench.scenes import PANES, Scene, Stock, paint, session, turn
from tests.ui import hands
from tracescope.ui.plots import paint_box
from tracescope.ui.theme import LIGHT

STOCK_ROWS = 10_000
FRAME_ROWS = 1_000_000
"""Rows at which a frame is set beside the bare painter."""


def goals(plan: Plan) -> Iterator[Goal]:
    """Measure every goal of drawing."""
    yield from _scaling(plan)
    yield from _beside_floor(plan)
    yield from _beside_stock(plan)
    yield _paints()
    yield from _looks(plan)
    yield from _dragging(plan)


def _scaling(plan: Plan) -> Iterator[Goal]:
    great, small = plan.great, plan.small
    a, b = Scene(session(great)), Scene(session(small))
    for share in ("full", "tenth", "3000"):
        a.look(share)
        b.look(share)
        name = f"F1 pan {great:.0e} beside {small:.0e}, {share}"
        yield compare(name, a.pan, b.pan, 1.5 * plan.slack, plan.rounds)
    a.close()
    b.close()


def _beside_floor(plan: Plan) -> Iterator[Goal]:
    scene = Scene(session(FRAME_ROWS))
    name = f"F2 frame {FRAME_ROWS:.0e} beside a bare painter"
    yield compare(name, scene.pan, scene.floor, 3 * plan.slack, plan.rounds)
    # Nobody reads forty panes in one window's height: the canvas is as tall as all of them need.
    many = Scene(session(FRAME_ROWS), panes=40)
    assert len(many.widget.canvas.panes) == 40
    yield compare("F2 40 panes beside 12", many.pan, scene.pan, 3 * plan.slack, plan.rounds)
    many.close()
    scene.close()


def _beside_stock(plan: Plan) -> Iterator[Goal]:
    scene = Scene(session(plan.great))
    stock = Stock(session(STOCK_ROWS))
    name = f"F3 frame {plan.great:.0e} beside stock pyqtgraph at {STOCK_ROWS:.0e}"
    yield compare(name, scene.pan, stock.pan, 0.45 * plan.slack, plan.rounds)
    stock.close()
    if plan.is_ci:
        scene.close()
        return
    stock = Stock(session(plan.great))
    name = f"F3 frame {plan.great:.0e} beside stock pyqtgraph at {plan.great:.0e}"
    # Stock takes half a second a frame at 1e7; at smaller sizes it has less to lose.
    limit = 0.08 if plan.is_full else 0.25
    yield compare(name, scene.pan, stock.pan, limit * plan.slack, plan.heavy_rounds, warm_ups=1)
    stock.close()
    scene.close()


def _paints() -> Goal:
    scene = Scene(session(10_000))
    canvas = scene.widget.canvas
    at = canvas.panes[0].box.rect.center()
    with hands.Drag(canvas, at) as hand:
        hand.to(at + at / 20, steps=1)
        before = canvas.paints
        hand.queue([at + at / 20 * (1 + step / 50) for step in range(50)])
        paint()
        painted = canvas.paints - before
    scene.close()
    return counted("F4 paints for 50 queued moves", painted, 2)


def _looks(plan: Plan) -> Iterator[Goal]:
    rows, slack, rounds = plan.small, plan.slack, plan.rounds
    plain, wide = Scene(session(rows)), Scene(session(rows), theme=LIGHT.for_projector())

    def without_grid() -> None:
        with mock.patch.multiple(paint_box, uprights=_nothing, levels=_nothing):
            plain.pan()

    yield compare("F5 grid beside none", plain.pan, without_grid, 1.15 * slack, rounds)
    yield compare("F5 width 2 beside 1", wide.pan, plain.pan, 1.8 * slack, rounds)
    wide.close()
    # The product never smooths its lines; what it would cost is kept in view.
    smooth = compare("F5 antialias (not used)", lambda: _smoothed(plain), plain.pan, 1.7 * slack, 5)
    yield smooth.only_shown()
    noisy = Scene(session(rows, kind="noise"))
    yield compare("F5 white noise beside a robot", noisy.pan, plain.pan, 3 * slack, rounds)
    noisy.close()
    plain.close()


def _nothing(*_: object) -> None:
    """Paint nothing. A mock would keep the painter it was called with."""


def _smoothed(scene: Scene) -> None:
    painted = paint_box.stroke

    def smooth(painter: QPainter, *rest: object) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painted(painter, *rest)  # type: ignore[arg-type]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    with mock.patch.object(paint_box, "stroke", smooth):
        scene.pan()


def _dragging(plan: Plan) -> Iterator[Goal]:
    great, small, slack, rounds = plan.great, plan.small, plan.slack, plan.rounds
    scene = Scene(session(great), residual=True)
    panned = Scene(session(great), residual=True)
    panned.rest()
    yield compare("D1 drag step beside a pan frame", scene.drag, panned.pan, 2 * slack, rounds)
    panned.close()
    little = Scene(session(10_000 if plan.is_full else small), residual=True)
    name = f"D1 drag step {great:.0e} beside {len(little.opened.pair.sim):.0e}"
    yield compare(name, scene.drag, little.drag, 2 * slack, rounds)
    little.close()
    yield _allocated(scene)
    blocked = _blocked(scene, slack)
    yield blocked.only_shown() if plan.is_ci else blocked  # one turn, and not a median of many
    scene.close()


def _allocated(scene: Scene) -> Goal:
    tracemalloc.start()
    for _ in range(40):  # until caches of past views are full
        scene.drag()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    for _ in range(20):
        scene.drag()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return counted("D2 MiB allocated by a drag", (peak - held) / 2**20, 2)


def _blocked(scene: Scene, slack: float) -> Goal:
    """Let go of a drag: the longest turn of the window's own thread while a worker computes the rest.

    One turn cannot be a median: over the limit it is measured twice more, as every goal is.
    """
    limit = 2 * slack
    best = _released(scene, limit)
    for _ in range(REPEATS):
        if best.ratio <= limit:
            break
        best = min(best, _released(scene, limit), key=lambda goal: goal.ratio)
    return best


def _released(scene: Scene, limit: float) -> Goal:
    scene.rest()
    frame_s = min(thread_s(scene.pan) for _ in range(9))
    for _ in range(3):
        scene.drag()
    began_s = time.perf_counter()
    longest_s = thread_s(scene.release)
    while scene.widget.canvas.is_busy:
        longest_s = max(longest_s, thread_s(turn))
    whole_s = time.perf_counter() - began_s
    name = "D3 longest turn after release, frames"
    return counted(name, longest_s / frame_s, limit, exact_after_s=whole_s)


assert PANES == 12, "the limits belong to twelve panes"
