"""P: other programs on the same numbers, 24 signals, those that are installed.

kst is looked for by name; asammdf in this interpreter, else in the one that TRACESCOPE_ASAMMDF names. kst
gets the numbers separated by blanks, which is what it reads by itself; asammdf gets the HDF5 file's arrays,
and so does the product beside it: the text file repeats its rows, and what is drawn of it is denser.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import child, recordings
from tests.bench.harness import Goal, Plan

Measured = dict[str, float]


def goals(plan: Plan, folder: Path) -> Iterator[Goal]:
    """Measure every peer that is here; say by name which are not."""
    wide = recordings.wide_csv(folder, plan.rows)
    ours = _median(plan, lambda: child.run("ours", wide))
    yield from _scripts(plan, wide, ours)
    yield from _kst(plan, wide, ours)
    yield from asammdf_goals(plan, recordings.hdf5(folder, plan.rows))


def _median(plan: Plan, run: Callable[[], Measured]) -> Measured:
    """Return the median of each figure over a few runs."""
    runs = [run() for _ in range(min(3, plan.heavy_rounds))]
    return {key: statistics.median(found[key] for found in runs) for key in runs[0]}


def _beside(name: str, key: str, ours: Measured, theirs: Measured, limit: float) -> Goal:
    mine, other = ours[key], theirs[key]
    factor = 1e3 if key.endswith("_s") else 1.0
    return Goal(f"P {name}", mine / other, limit, mine * factor, other * factor, 3)


def _scripts(plan: Plan, wide: Path, ours: Measured) -> Iterator[Goal]:
    for peer, limit in (("pyqtgraph", 0.2 * plan.slack), ("matplotlib", math.inf)):
        theirs = _median(plan, lambda peer=peer: child.run(f"{peer}_script", wide))
        yield _beside(f"pan beside a {peer} script", "pan_s", ours, theirs, limit)
        yield _beside(f"first picture beside a {peer} script", "first_s", ours, theirs, math.inf)
        yield _beside(f"memory (MiB) beside a {peer} script", "peak_mib", ours, theirs, math.inf)


def _skipped(peer: str, why: str) -> None:
    print(f"P {peer} skipped: {why}", flush=True)  # noqa: T201


def _kst(plan: Plan, wide: Path, ours: Measured) -> Iterator[Goal]:
    program = shutil.which("kst2") or shutil.which("kst")
    if program is None:
        _skipped("kst", "not installed (Debian: apt-get install kst)")
        return
    blanks = wide.with_suffix(".txt")
    if not blanks.exists():
        _, _, numbers = wide.read_text("ascii").partition("\n")
        blanks.write_text(numbers.replace(",", " "), "ascii")
    theirs = _median(plan, lambda: _run_kst(program, blanks))
    yield _beside("first picture beside kst", "first_s", ours, theirs, 0.5 * plan.slack)
    yield _beside("memory (MiB) beside kst", "peak_mib", ours, theirs, 1.0 * plan.slack)


def _run_kst(program: str, path: Path) -> Measured:
    """Let kst read the file, draw a picture into a file and end; less what it takes with ten rows."""
    few = path.with_name("kst_few.txt")
    few.write_text("\n".join(path.read_text("ascii").splitlines()[:10]) + "\n", "ascii")
    empty, full = (_picture_by_kst(program, file) for file in (few, path))
    return {key: full[key] - empty[key] for key in full}


def _picture_by_kst(program: str, path: Path) -> Measured:
    picture = path.with_suffix(".png")
    picture.unlink(missing_ok=True)
    columns = [word for at in range(recordings.SIGNALS) for word in ("-y", str(at + 2))]
    command = [program, str(path), "-A", "-x", "1", *columns, "--png", str(picture)]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    for _ in range(3):  # it now and then aborts as it ends
        done = subprocess.run(
            [sys.executable, "-c", _WATCH, *command],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        if picture.exists():
            return dict(json.loads(done.stdout.splitlines()[-1]))
    raise RuntimeError(f"kst drew nothing of {path}")


_WATCH = """
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"first_s": used.ru_utime + used.ru_stime, "peak_mib": used.ru_maxrss / 1024}))
"""
"""Run by a small interpreter: a child's peak counts from what its parent had when it was started."""


def asammdf_goals(plan: Plan, path: Path) -> Iterator[Goal]:
    """Measure a pan beside asammdf's; nothing where no interpreter runs its script."""
    interpreter = os.environ.get("TRACESCOPE_ASAMMDF", "")
    if not interpreter and importlib.util.find_spec("asammdf") is not None:
        interpreter = sys.executable
    if not interpreter:
        _skipped("asammdf", "not installed (name an interpreter that has it: TRACESCOPE_ASAMMDF)")
        return
    script = Path(__file__).with_name("peer_asammdf.py")

    def run() -> Measured:
        done = subprocess.run(
            [interpreter, str(script), str(path)], capture_output=True, text=True, check=True
        )
        return dict(json.loads(done.stdout.splitlines()[-1]))

    try:
        theirs = _median(plan, run)
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines() or [f"it ended with status {error.returncode}"]
        _skipped("asammdf", f"its script does not run there: {said[-1]}")
        return
    ours = _median(plan, lambda: child.run("ours", path))
    yield _beside("pan beside asammdf", "pan_s", ours, theirs, 0.1 * plan.slack)
