"""Renew the pictures of the window that README and guide show.

    python packaging/pictures.py [--to DIR] [--pair SIM TARGET NAME]... [--scale 2]

Opens the real window without a screen on bundled pairs (or the given ones), waits until the checks are
in, and writes one PNG a pair and theme.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1480, 900)
PATIENCE_S = 600.0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--to", type=Path, default=ROOT / "resources" / "pictures")
    parser.add_argument("--pair", nargs=3, action="append", metavar=("SIM", "TARGET", "NAME"))
    parser.add_argument("--scale", default="1", help="QT_SCALE_FACTOR")
    parser.add_argument("--theme", action="append", choices=("light", "dark"))
    return parser.parse_args()


def wait_for_events() -> None:
    """Take what comes in for a moment; an event loop that waits leaves the interpreter to the checks."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(10, loop.quit)
    loop.exec()


def main() -> int:
    asked = arguments()
    latch = ROOT / "samples" / "latch"
    pairs = asked.pair or [(str(latch / "sim.h5"), str(latch / "target.h5"), "main-window")]
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = asked.scale
    os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()

    from tracescope.session.catalogue import all_checks
    from tracescope.session.session import SideChoices
    from tracescope.ui.app import make_application
    from tracescope.ui.look import Look
    from tracescope.ui.main_window import MainWindow
    from tracescope.ui.settings import Settings

    app = make_application(["pictures"])
    asked.to.mkdir(parents=True, exist_ok=True)
    for theme in asked.theme or ["light", "dark"]:
        look = Look(theme, demo=False)
        for sim, target, name in pairs:
            window = MainWindow(all_checks(), look, Settings())
            window.resize(*SIZE)
            window.show()
            window.commands.open_sides(SideChoices(sim), SideChoices(target))
            end = time.monotonic() + PATIENCE_S
            while window.model.session is None or window.model.session.stale:
                wait_for_events()
                if time.monotonic() > end:
                    print(f"{name}: the checks did not come in", file=sys.stderr)
                    return 1
            for _ in range(50):
                app.processEvents()
            path = asked.to / f"{name}-{theme}.png"
            window.grab().save(str(path))
            print(path)
            window.model.undo_stack.setClean()
            window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
