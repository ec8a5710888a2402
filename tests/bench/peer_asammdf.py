"""A script for an interpreter that has asammdf: ``python peer_asammdf.py FILE.h5``; prints one line of JSON."""

import json
import os
import sys
import time
from datetime import UTC, datetime

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import h5py
from asammdf import Signal
from asammdf.gui.widgets.plot import Plot
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication


def painted(app):
    for _ in range(3):
        app.sendPostedEvents()
        app.processEvents()


def main(path):
    app = QApplication([])
    start = time.process_time()
    with h5py.File(path) as file:
        time_s = file["time_s"][()]
        signals = [Signal(file[name][()], time_s, name=name) for name in file if name != "time_s"]
    view = Plot([], origin=datetime.now(tz=UTC))
    view.resize(1280, 960)
    view.show()
    view.add_new_channels({signal.name: signal for signal in signals})
    tree = view.channel_selection
    for place in range(tree.topLevelItemCount()):
        tree.topLevelItem(place).setCheckState(0, Qt.CheckState.Checked)
    painted(app)
    view.grab()
    first_s = time.process_time() - start
    span = float(time_s[-1])
    pans = []
    for turn in range(12):
        start = time.thread_time()
        low = span * 1e-3 * (turn % 5)
        view.plot.viewbox.setXRange(low, low + span, padding=0)
        painted(app)
        view.plot.grab()
        pans.append(time.thread_time() - start)
    print(json.dumps({"first_s": first_s, "pan_s": sorted(pans)[len(pans) // 2]}), flush=True)  # noqa: T201
    os._exit(0)


main(sys.argv[1])
