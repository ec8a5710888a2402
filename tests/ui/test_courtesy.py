from threading import Thread

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import desk
from tracescope.ui import courtesy
from tracescope.ui.plots import pane_canvas, residuals
from tracescope.ui.plots.plot_data import PlotData, series_of
from tracescope.ui.worker import Task

__all__ = ["desk"]


def test_that_a_worker_waits_while_the_window_is_at_something(monkeypatch):
    monkeypatch.setattr(courtesy, "MOST_S", 60.0)
    order, task = [], Task("checks", print)
    with courtesy.foremost():
        worker = Thread(target=lambda: (task.pulse(), order.append("worker")))
        worker.start()
        order.append("window")
    worker.join()
    assert order == ["window", "worker"]


def test_that_a_worker_comes_to_its_end_though_the_window_does_not(monkeypatch):
    monkeypatch.setattr(courtesy, "MOST_S", 1e-3)
    with courtesy.foremost():
        assert not courtesy.give_way()
    assert courtesy.give_way()


def test_that_a_long_residual_gives_way_at_every_block(monkeypatch):
    monkeypatch.setattr(residuals, "MOST_ROWS_AT_ONCE", 10)
    monkeypatch.setattr(residuals, "BLOCK", 32)
    asked = []
    monkeypatch.setattr(residuals, "give_way", lambda: asked.append(1))
    case = pairs.sine_session().case
    (couple,) = residuals.couples_of(series_of(case, ("sim:obs[0]",)))
    residuals.exact_residual(couple, case, PlotData())
    assert len(asked) == -(-len(case.pair.sim) // 32)


def test_that_the_window_goes_first_while_it_paints(desk, monkeypatch):
    monkeypatch.setattr(courtesy, "MOST_S", 0.0)
    free = []
    monkeypatch.setattr(pane_canvas, "paint_inside", lambda *_: free.append(courtesy.give_way()))
    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    hands.settle()
    out.canvas.refresh()
    hands.settle()
    assert free
    assert not any(free)
    assert courtesy.give_way()
