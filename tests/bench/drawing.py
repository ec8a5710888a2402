"""F1 to F5 and D1, D2: what drawing and dragging cost."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

from tests.bench.harness import Goal, compare, counted
from tests.bench.scenes import PANES, Scene, Stock, paint, session
from tests.ui import hands
from tracescope.ui.theme import LIGHT


def goals(sizes: tuple[int, int], stock_rows: int, slack: float) -> Iterator[Goal]:
    """Measure every goal of drawing.

    Args:
        sizes: Rows of the small and of the great pair.
        stock_rows: Rows of the pair that stock pyqtgraph draws.
        slack: Factor on every limit.
    """
    small, great = sizes
    yield from _scaling(small, great, slack)
    yield from _beside_others(great, stock_rows, slack)
    yield _paints()
    yield from _looks(small, slack)
    yield from _dragging(small, great, slack)


def _scaling(small: int, great: int, slack: float) -> Iterator[Goal]:
    a, b = Scene(session(great)), Scene(session(small))
    for share in ("full", "tenth", "3000"):
        a.look(share)
        b.look(share)
        yield compare(f"F1 pan {great:.0e} beside {small:.0e}, {share}", a.pan, b.pan, 1.5 * slack)
    a.close()
    b.close()


def _beside_others(great: int, stock_rows: int, slack: float) -> Iterator[Goal]:
    scene = Scene(session(great))
    yield compare(f"F2 frame {great:.0e} beside a bare painter", scene.pan, scene.floor, 3 * slack)
    many = Scene(session(great), panes=40)
    yield compare("F2 40 panes beside 12", many.pan, scene.pan, 3 * slack)
    many.close()
    stock = Stock(session(stock_rows))
    name = f"F3 frame {great:.0e} beside stock pyqtgraph at {stock_rows:.0e}"
    yield compare(name, scene.pan, stock.pan, 0.45 * slack)
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


def _looks(rows: int, slack: float) -> Iterator[Goal]:
    plain, wide = Scene(session(rows)), Scene(session(rows), theme=LIGHT.for_projector())
    yield compare("F5 width 2 beside 1", wide.pan, plain.pan, 1.8 * slack)
    wide.close()
    noisy = Scene(session(rows, kind="noise"))
    yield compare("F5 white noise beside a robot", noisy.pan, plain.pan, 3 * slack)
    noisy.close()
    plain.close()


def _dragging(small: int, great: int, slack: float) -> Iterator[Goal]:
    scene = Scene(session(great), residual=True)
    panned = Scene(session(great), residual=True)
    panned.rest()
    yield compare("D1 drag step beside a pan frame", scene.drag, panned.pan, 2 * slack)
    panned.close()
    little = Scene(session(small), residual=True)
    name = f"D1 drag step {great:.0e} beside {small:.0e}"
    yield compare(name, scene.drag, little.drag, 2 * slack)
    little.close()
    tracemalloc.start()
    for _ in range(40):  # until caches of past views are full
        scene.drag()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    for _ in range(20):
        scene.drag()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    scene.close()
    yield counted("D2 MiB allocated by a drag", (peak - held) / 2**20, 2)


assert PANES == 12, "the limits belong to twelve panes"
