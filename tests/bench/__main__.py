"""``python -m tests.bench``: one line a goal, exit 1 where a limit is broken, one line of JSON last.

``--full`` measures the sizes of the goals; without it smaller ones, with slack, in about a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--full", action="store_true", help="the sizes of the goals")
    full = parser.parse_args().full
    from PySide6.QtWidgets import QApplication

    app = QApplication([])
    from tests.bench import drawing
    from tracescope.ui.garbage import GarbageHere

    GarbageHere(app)

    sizes = (100_000, 10_000_000) if full else (100_000, 1_000_000)
    measured = []
    for goal in drawing.goals(sizes, 10_000, 1.0 if full else 1.3):
        measured.append(goal)
        print(goal.line(), flush=True)  # noqa: T201
    print(json.dumps({goal.name: asdict(goal) | {"kept": goal.kept} for goal in measured}))  # noqa: T201
    app.quit()
    return 0 if all(goal.kept for goal in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
