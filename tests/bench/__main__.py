"""``python -m tests.bench``: one line a goal, exit 1 where a limit is broken, one line of JSON last.

The short form measures smaller sizes with slack in about a minute. ``--full`` measures the sizes of the
goals; ``--ci`` less than the short form, and what a busy machine cannot judge breaks nothing.
``--peers`` adds other programs, those that are installed. ``--write`` renews RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from tests.bench.harness import FULL, QUICK, SHORT, Goal, Plan, accept_up_to
from tests.bench.missed import ceiling_of, with_ceiling

Part = Callable[[Plan, Path], Iterator[Goal]]


def _drawing(plan: Plan, _: Path) -> Iterator[Goal]:
    from tests.bench import drawing

    return drawing.goals(plan)


def _loading(plan: Plan, folder: Path) -> Iterator[Goal]:
    from tests.bench import loading

    return loading.goals(plan, folder)


def _analysing(plan: Plan, _: Path) -> Iterator[Goal]:
    from tests.bench import analysing

    return analysing.goals(plan)


def _starting(plan: Plan, _: Path) -> Iterator[Goal]:
    from tests.bench import starting

    return starting.goals(plan)


def _peers(plan: Plan, folder: Path) -> Iterator[Goal]:
    from tests.bench import peers

    return peers.goals(plan, folder)


PARTS: dict[str, Part] = {
    "F": _drawing,
    "L": _loading,
    "A": _analysing,
    "S": _starting,
    "P": _peers,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--full", action="store_true", help="the sizes of the goals")
    size.add_argument("--ci", action="store_true", help="what a busy machine can judge")
    parser.add_argument("--peers", action="store_true", help="other programs beside the product")
    parser.add_argument("--only", default="", metavar="LETTERS", help="e.g. FL: these parts only")
    parser.add_argument("--write", action="store_true", help="renew tests/bench/RESULTS.md")
    parser.add_argument("--after", type=Path, metavar="FILE", help="output of a run of other parts")
    parser.add_argument("--files", type=Path, help="keep the recordings in this folder")
    return parser.parse_args()


def measured(plan: Plan, letters: str, folder: Path) -> list[Goal]:
    """Measure these parts, printing each goal as it is there."""
    found = []
    for letter in letters:
        for measured_goal in PARTS[letter](plan, folder):
            goal = measured_goal if plan.is_full else with_ceiling(measured_goal)
            found.append(goal)
            print(goal.line(), flush=True)  # noqa: T201
    return found


def earlier(output: Path | None) -> list[Goal]:
    """Return the goals that an earlier run measured, from what it printed last."""
    if output is None:
        return []
    kept = json.loads(output.read_text("utf-8").splitlines()[-1])
    for entry in kept.values():
        del entry["kept"]
        entry["limit"] = math.inf if entry["limit"] is None else entry["limit"]
    return [Goal(**entry) for entry in kept.values()]


def as_json(goal: Goal) -> dict[str, object]:
    """Return a goal as JSON knows it: where there is no limit, none is written."""
    limit = goal.limit if math.isfinite(goal.limit) else None
    return asdict(goal) | {"kept": goal.kept, "limit": limit}


def _heard_from_qt(_kind: object, _context: object, said: str) -> None:
    """Pass on what Qt says, but for the one sentence that every window without a screen brings."""
    if "propagateSizeHints" not in said:
        print(said, file=sys.stderr, flush=True)  # noqa: T201


def main() -> int:
    asked = arguments()
    plan = FULL if asked.full else QUICK if asked.ci else SHORT
    accept_up_to(ceiling_of)
    letters = asked.only.upper() or ("FLAS" + ("P" if asked.peers else ""))
    from PySide6.QtCore import qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    qInstallMessageHandler(_heard_from_qt)
    app = QApplication([])
    from tracescope.ui.garbage import GarbageHere

    GarbageHere(app)
    with tempfile.TemporaryDirectory(prefix="bench-") as own:
        folder = asked.files or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        goals = earlier(asked.after) + measured(plan, letters, folder)
    if asked.write:
        from tests.bench import results

        results.write(goals, plan)
    print(json.dumps({goal.name: as_json(goal) for goal in goals}))  # noqa: T201
    app.quit()
    return 1 if any(goal.breaks for goal in goals) else 0


if __name__ == "__main__":
    sys.exit(main())
