"""What people write themselves to look at 24 signals, and the product on the same file."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

PANES = 12
PANS = 12


def panned(pan: Callable[[int], None]) -> float:
    """Return the median seconds of a pan and its paint, on this thread."""
    found = []
    for turn in range(PANS):
        start = time.thread_time()
        pan(turn % 5)
        found.append(time.thread_time() - start)
    return statistics.median(found)


def ours(path: str) -> dict[str, float]:
    """The product: open the file, draw twelve panes of two signals each."""
    from PySide6.QtWidgets import QApplication

    from tests.bench import child

    app = QApplication([])
    import pandas

    from tests.bench.scenes import Scene, session
    from tracescope.session.session import SideChoices
    from tracescope.ui.opener import open_alone

    del pandas
    Scene(session(1000)).close()
    scenes = []

    def work() -> None:
        opened = open_alone("sim", SideChoices(path), lambda *_: None)
        names = [channel.name for channel in opened.pair.sim]
        shown = [[f"sim:{name}" for name in names[at::PANES]] for at in range(PANES)]
        scenes.append(Scene(opened, shown=shown))

    found = child.measured(work)
    scene = scenes[0]
    out = {"first_s": found["cpu_s"], "pan_s": panned(lambda _: scene.pan())}
    app.quit()
    return out | {"peak_mib": found["peak_mib"]}


def pyqtgraph_script(path: str) -> dict[str, float]:
    """pandas and pyqtgraph: twelve plots of two curves, automatic downsampling, clipped to the view."""
    import pandas
    import pyqtgraph
    from PySide6.QtWidgets import QApplication

    from tests.bench import child

    app = QApplication([])
    from tests.bench.scenes import paint

    plots, held = [], []

    def work() -> None:
        frame = pandas.read_csv(path)
        held.append(frame)
        widget = pyqtgraph.GraphicsLayoutWidget()
        widget.resize(1280, 960)
        time_s = frame["time_s"].to_numpy()
        for row in range(PANES):
            plot = widget.addPlot(row=row, col=0)
            for name, colour in ((f"s{row}", "b"), (f"s{row + PANES}", "r")):
                curve = plot.plot(time_s, frame[name].to_numpy(), pen=colour)
                curve.setDownsampling(auto=True, method="peak")
                curve.setClipToView(True)
            if plots:
                plot.setXLink(plots[0])
            plots.append(plot)
        widget.show()
        held.append(widget)
        paint()

    found = child.measured(work)
    span = float(held[0]["time_s"].iloc[-1])

    def pan(turn: int) -> None:
        plots[0].setXRange(turn * span * 1e-3, (1 + turn * 1e-3) * span, padding=0)
        paint()

    out = {"first_s": found["cpu_s"], "pan_s": panned(pan), "peak_mib": found["peak_mib"]}
    app.quit()
    return out


def matplotlib_script(path: str) -> dict[str, float]:
    """pandas and matplotlib: twelve axes of two lines, drawn into an image."""
    import matplotlib as mpl

    mpl.use("agg")
    import pandas
    from matplotlib import pyplot

    from tests.bench import child

    held = []

    def work() -> None:
        frame = pandas.read_csv(path)
        figure, axes = pyplot.subplots(PANES, 1, sharex=True, figsize=(12.8, 9.6), dpi=100)
        for row, ax in enumerate(axes):
            for name in (f"s{row}", f"s{row + PANES}"):
                ax.plot(frame["time_s"], frame[name], linewidth=1)
        figure.canvas.draw()
        held.extend((frame, figure, axes))

    found = child.measured(work)
    frame, figure, axes = held
    span = float(frame["time_s"].iloc[-1])

    def pan(turn: int) -> None:
        axes[0].set_xlim(turn * span * 1e-3, (1 + turn * 1e-3) * span)
        figure.canvas.draw()

    return {"first_s": found["cpu_s"], "pan_s": panned(pan), "peak_mib": found["peak_mib"]}
