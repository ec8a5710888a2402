"""Work done in a process of its own: ``python -m tests.bench.child NAME ARGUMENTS``.

Imports and warm-up come first; what the work itself adds is printed as one line of JSON: ``cpu_s`` of all
threads, and ``peak_mib`` that the memory grew by at most.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_STATUS = Path("/proc/self/status")


def run(name: str, *arguments: object) -> dict[str, float]:
    """Do some work in a child; return what it measured."""
    out = python("-m", "tests.bench.child", name, *map(str, arguments))
    return dict(json.loads(out.splitlines()[-1]))


def cpu_of(*arguments: str) -> float:
    """Return user and system seconds of a whole Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def python(*arguments: str) -> str:
    """Run this very interpreter from the project's root; return what it printed."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _peak_mib() -> float:
    """Return this process's own high-water mark (``ru_maxrss`` would include the parent's)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", _STATUS.read_text("ascii"))
    assert found is not None
    return int(found[1]) / 1024


def measured(work: Callable[[], object]) -> dict[str, float]:
    """Return what some work takes; it is kept alive until it was measured."""
    peak, cpu = _peak_mib(), _cpu_s()
    kept = work()
    out = {"cpu_s": _cpu_s() - cpu, "peak_mib": _peak_mib() - peak}
    del kept
    return out


def open_trace(path: str) -> dict[str, float]:
    """Open a recording the way the product does: hash, health, everything."""
    import h5py
    import pandas

    from tests.bench import recordings
    from tracescope.readers.registry import open_trace as opened

    del h5py, pandas
    with tempfile.TemporaryDirectory(prefix="bench-") as own:
        make = recordings.wide_csv if path.endswith(".csv") else recordings.hdf5
        opened(make(Path(own), 1000))
    return measured(lambda: opened(path))


def read_csv(path: str) -> dict[str, float]:
    """Read plain columns with pandas."""
    import pandas

    return measured(lambda: pandas.read_csv(path))


def json_cells(path: str) -> dict[str, float]:
    """Read vectors with pandas and ``json.loads`` a cell: what people do without a tool."""
    import numpy
    import pandas

    def work() -> list[object]:
        frame = pandas.read_csv(path)
        vectors = [
            numpy.array([json.loads(cell) for cell in frame[name]]) for name in ("obs", "action")
        ]
        return [frame, *vectors]

    return measured(work)


def read_hdf5(path: str) -> dict[str, float]:
    """Read every dataset whole with h5py."""
    import h5py

    def work() -> list[object]:
        with h5py.File(path, "r") as file:
            return [file[name][()] for name in file]

    return measured(work)


def first_picture(path: str) -> dict[str, float]:
    """Open a recording in the window, up to its first picture: of a preview where there is one."""
    from tests.bench.opening import Desk

    return Desk().open(path, exact=False)


def exact_picture(path: str) -> dict[str, float]:
    """Open a recording in the window, up to the picture of all its rows."""
    from tests.bench.opening import Desk

    return Desk().open(path, exact=True)


def whole_picture(path: str) -> dict[str, float]:
    """Open a recording, paint it and stay until every pyramid is there."""
    from PySide6.QtWidgets import QApplication

    app = QApplication([])
    from tests.bench.scenes import Scene, session
    from tracescope.session.session import SideChoices
    from tracescope.ui.opener import open_alone

    Scene(session(1000)).close()

    def work() -> Scene:
        trace = open_alone("sim", SideChoices(path), lambda *_: None)
        shown = [[f"sim:{channel.name}"] for channel in trace.pair.sim]
        return Scene(trace, shown=shown)

    out = measured(work)
    app.quit()
    return out


HEAVY = ("pandas", "h5py", "scipy", "matplotlib", "pyarrow", "typst", "rich")


def window() -> dict[str, float]:
    """Start the product up to its first painted window; says which heavy modules that took."""
    from tracescope.ui.app import Windows, make_application
    from tracescope.ui.garbage import GarbageHere

    app = make_application(["tracescope"])
    shown = Windows(Path(os.devnull), GarbageHere(app)).another()
    shown.resize(1280, 960)
    _until_painted(app, shown)
    loaded = [name for name in HEAVY if name in sys.modules]
    return {"cpu_s": _cpu_s(), "heavy": float(len(loaded))}


def bare_window() -> dict[str, float]:
    """Start an empty window of the same size."""
    from PySide6.QtWidgets import QApplication, QMainWindow

    app = QApplication([])
    shown = QMainWindow()
    shown.resize(1280, 960)
    shown.show()
    _until_painted(app, shown)
    return {"cpu_s": _cpu_s()}


def _until_painted(app: object, shown: object) -> None:
    for _ in range(5):
        app.sendPostedEvents()  # type: ignore[attr-defined]
        app.processEvents()  # type: ignore[attr-defined]
    shown.grab()  # type: ignore[attr-defined]


def works() -> dict[str, Callable[..., dict[str, float]]]:
    """Return what a child can do, by name."""
    from tests.bench import peer_scripts as peers

    own = (open_trace, read_csv, json_cells, read_hdf5)
    pictures = (first_picture, exact_picture, whole_picture)
    starts = (window, bare_window)
    others = (peers.ours, peers.pyqtgraph_script, peers.matplotlib_script)
    return {work.__name__: work for work in (*own, *pictures, *starts, *others)}


if __name__ == "__main__":
    print(json.dumps(works()[sys.argv[1]](*sys.argv[2:])), flush=True)  # noqa: T201
    os._exit(0)
