"""Mutation testing of what verdicts rest on: ``tracescope/analysis``, ``tracescope/checks``, the state rule.

``python -m tests.mutation [--sample N] [--seed S] [--of analysis.intervals] [--folder F] [--show]``

Every small change of the code (mutant) should make a test fail; one that survives is a missing test or
changes nothing. mutmut makes the mutants, knows which tests run through which function, tries the quickest
first and stops at the first that fails. All of them are over thirty thousand, too many for one evening, so a
seeded sample across all modules is tried, and with ``--of`` every mutant of the modules named.

Works on a clone of the last commit in ``--folder``, never on this tree. The clone, its mutants and their
results are kept: a later call tries what the earlier ones left. Give it a quiet machine; the first call also
runs all tests twice. Tests run without deadlines and with fixed seeds (hypothesis' profile for CI).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SMALLEST = "tracescope.analysis.logging_phase.*"
"""Tried first, so that mutants exist to sample from."""

KILLED, SURVIVED, UNTESTED, TIMEOUT = "killed", "survived", "no test runs it", "too slow"
STATES = {0: SURVIVED, 1: KILLED, 3: KILLED, 5: UNTESTED, 33: UNTESTED}
STATES |= dict.fromkeys((36, 24, -24, 152, 255), TIMEOUT)


def prepare(folder: Path) -> None:
    """Clone the last commit, or bring an earlier clone up to it."""
    if (folder / ".git").is_dir():
        subprocess.run(["git", "-C", str(folder), "pull", "--quiet", "--ff-only"], check=True)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)


def mutmut(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mutmut in the clone, one mutant at a time."""
    quiet = {"CI": "true", "OPENBLAS_NUM_THREADS": "1", "TRACESCOPE_SHARED": _recordings()}
    return subprocess.run(
        [sys.executable, "-m", "mutmut", *arguments],
        cwd=folder,
        env=os.environ | quiet,
        text=True,
        capture_output=True,
        check=False,
    )


def _recordings() -> str:
    return os.environ.get("TRACESCOPE_SHARED", str(ROOT.parent / "shared" / "data"))


def results(folder: Path) -> dict[str, str]:
    """Every mutant that was made and what became of it, ``""`` where it was not tried."""
    out: dict[str, str] = {}
    for meta in sorted((folder / "mutants").rglob("*.meta")):
        for name, code in json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"].items():
            out[name] = "" if code is None else STATES.get(code, f"exit {code}")
    return out


def chosen(names: Iterable[str], sample: int, seed: int, modules: Sequence[str]) -> list[str]:
    """The seeded sample of all mutants, and all mutants of the modules named."""
    every = sorted(names)
    picked = set(random.Random(seed).sample(every, min(sample, len(every))))
    starts = tuple(f"tracescope.{module}." for module in modules if module)
    return sorted(picked | {name for name in every if starts and name.startswith(starts)})


def module_of(name: str) -> str:
    """``analysis.blocks`` of ``tracescope.analysis.blocks.x_taken__mutmut_1``."""
    return ".".join(name.split(".")[1:3])


def table(found: Mapping[str, str]) -> str:
    """What became of the mutants that were tried, a module a line, and the survivors by name."""
    tried = {name: state for name, state in found.items() if state}
    lines = []
    for module in (*sorted({module_of(name) for name in tried}), "all"):
        count = Counter(s for name, s in tried.items() if module in ("all", module_of(name)))
        total = sum(count.values())
        caught = count[KILLED] + count[TIMEOUT]
        share = f"{100 * caught / total:.0f} %" if total else "–"
        states = ", ".join(f"{n} {state}" for state, n in sorted(count.items()))
        lines.append(f"{module:40} {total:5} tried, {share:>5} caught: {states or 'none'}")
    lines += [f"{state}: {name}" for name, state in tried.items() if state in (SURVIVED, UNTESTED)]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Try mutants and print what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--of", default="", help="modules of which every mutant is tried")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "tracescope-mutation"
    )
    parser.add_argument("--show", action="store_true", help="print how each survivor differs")
    given = parser.parse_args(arguments)
    prepare(given.folder)
    if not results(given.folder):
        made = mutmut(given.folder, "run", "--max-children", "1", SMALLEST)
        if not results(given.folder):
            sys.exit(f"no mutants were made:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
    found = results(given.folder)
    wanted = chosen(found, given.sample, given.seed, given.of.split(","))
    left = [name for name in wanted if not found[name]]
    if left:
        mutmut(given.folder, "run", "--max-children", "1", *left)
    found = results(given.folder)
    sys.stdout.write(table({name: found.get(name, "") for name in wanted}) + "\n")
    if given.show:
        for name in wanted:
            if found.get(name) == SURVIVED:
                sys.stdout.write(mutmut(given.folder, "show", name).stdout + "\n")


if __name__ == "__main__":
    main()
