"""``python -m tests.bench.memory``: whether minutes of work leave memory as it was.

A pair is opened, panned, zoomed, dragged and opened again, over and over, by script. The resident size is
taken at the same point of every round; a line is fitted through what follows the first quarter. The run
fails where the line rises by more than 1 % of the size over that time.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import re
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np

MOST = 0.01
"""How much of the memory may be gained from the first quarter to the end."""

_STATUS = Path("/proc/self/status")


def resident_mib() -> float:
    """Return what this process holds in memory now, without what the allocator keeps for later."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    found = re.search(r"VmRSS:\s+(\d+) kB", _STATUS.read_text("ascii"))
    assert found is not None
    return int(found[1]) / 1024


def growth(at_s: list[float], mib: list[float]) -> float:
    """Return how much a line through the sizes rises over the time they were taken in, as a share."""
    time_s, size = np.asarray(at_s), np.asarray(mib)
    kept = time_s >= time_s[0] + 0.25 * (time_s[-1] - time_s[0])
    slope, start = np.polyfit(time_s[kept], size[kept], 1)
    span_s = time_s[kept][-1] - time_s[kept][0]
    return float(slope * span_s / (start + slope * time_s[kept][0]))


class Desk:
    """A shown view, and the rounds of work done on it."""

    def __init__(self, sim: Path, target: Path) -> None:
        from tests.bench.scenes import Scene

        self.paths = (sim, target)
        opened = self._opened()
        names = [channel.name for channel in opened.pair.sim][:12]
        self.scene = Scene(opened, residual=True, shown=[[f"sim:{name}"] for name in names])

    def _opened(self):
        from tracescope.session.open import OpenOptions, open_session
        from tracescope.session.session import SideChoices

        sim, target = (SideChoices(str(path)) for path in self.paths)
        return open_session(sim, target, OpenOptions(align="first-sample"))

    def round(self) -> None:
        """Pan, zoom in to three thousand samples and out, drag and let go, and open the files again."""
        scene = self.scene
        for share in ("full", "tenth", "3000", "tenth", "full"):
            scene.look(share)
            for _ in range(15):
                scene.pan()
        for _ in range(20):
            scene.drag()
        scene.release()
        scene.rest()
        scene.model.open(self._opened())
        scene.rest()
        scene.look("full")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.memory", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--files", type=Path, default=None, help="keep the recordings here")
    return parser.parse_args()


def main() -> int:
    import tempfile

    from PySide6.QtWidgets import QApplication

    asked = arguments()
    app = QApplication([])
    from tests.bench import recordings
    from tracescope.ui.garbage import GarbageHere

    GarbageHere(app)
    with tempfile.TemporaryDirectory(prefix="bench-") as own:
        folder, rows = asked.files or Path(own), int(asked.rows)
        folder.mkdir(parents=True, exist_ok=True)
        desk = Desk(*(recordings.hdf5(folder, rows, side=side) for side in ("sim", "target")))
        began_s = time.monotonic()
        at_s: list[float] = []
        mib: list[float] = []
        while time.monotonic() - began_s < 60 * asked.minutes or len(mib) < 8:
            desk.round()
            at_s.append(time.monotonic() - began_s)
            mib.append(resident_mib())
            print(f"{at_s[-1]:7.1f} s  {mib[-1]:8.1f} MiB", flush=True)  # noqa: T201
    gained = growth(at_s, mib)
    kept = gained <= MOST
    print(f"M memory growth={gained:+.4f} limit={MOST} rounds={len(mib)} rows={rows:.0e}")  # noqa: T201
    print(json.dumps({"growth": gained, "kept": kept, "at_s": at_s, "mib": mib, "rows": rows}))  # noqa: T201
    app.quit()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
