"""Mutation testing of what verdicts rest on: ``tracescope/analysis``, ``tracescope/checks``, the state rule.

``python -m tests.mutation [--each N] [--of analysis.intervals:20,checks.timing] [--seed S] [--again] [--show]``

Every small change of the code (mutant) should make a test fail; one that survives is a missing test or
changes nothing. mutmut makes the mutants; ``tests.mutation_worker`` tries them, several times quicker than
mutmut's own run because the tests are collected once and those likely to notice go first. All mutants are
over thirty thousand, too many for one evening: of every module a seeded sample of ``--each`` is tried, and of
the modules named with ``--of`` as many as said there, or all. A larger number continues a smaller one's sample.

Works on a clone of the last commit in ``--folder``, never on this tree. The clone, its mutants and their
results are kept: a later call tries what the earlier ones left, and what a change of the function or of
its tests (``--again``, for the survivors) has put in doubt; ``--as-it-is`` leaves the clone at its commit.
The first call also runs every test once. ``--write`` puts the table into ``mutation_results.md``;
``mutation_survivors.toml`` says what was found of the survivors that were looked at.
Tests run without deadlines and with fixed seeds.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.mutation_worker import (
    KILLED,
    SURVIVED,
    TIMEOUT,
    TRIED,
    UNFINISHED,
    UNTESTED,
    function_of,
)

ROOT = Path(__file__).resolve().parents[1]
PLACES = ("tests/analysis", "tests/checks", "tests/model")
WRITTEN = ROOT / "tests" / "mutation_results.md"
LOOKED_AT = ROOT / "tests" / "mutation_survivors.toml"
CAUGHT, SURVIVING = (KILLED, TIMEOUT), (SURVIVED, UNFINISHED, UNTESTED)


@dataclass(frozen=True)
class Result:
    """What became of one mutant: at first, now, the test that caught it, and its processor time."""

    first: str
    state: str
    test: str = ""
    cpu_s: float | None = None


def prepare(folder: Path) -> None:
    """Clone the last commit, or bring an earlier clone up to it, and make its mutants."""
    if (folder / ".git").is_dir():
        subprocess.run(["git", "-C", str(folder), "pull", "--quiet", "--ff-only"], check=True)
        for module in (folder / "tracescope").rglob("*.py"):
            copy = folder / "mutants" / module.relative_to(folder)
            if not copy.exists() or copy.stat().st_mtime < module.stat().st_mtime:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(module, copy)
    else:
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    work(folder, "make")


def work(folder: Path, what: str, *arguments: str) -> None:
    """Have the worker do something: ``make`` in the clone, all else among its mutants."""
    place = folder if what == "make" else folder / "mutants"
    worker = place / "tests" / "mutation_worker.py"
    shutil.copy2(ROOT / "tests" / "mutation_worker.py", worker)
    quiet = {"CI": "true", "OPENBLAS_NUM_THREADS": "1", "TRACESCOPE_SHARED": _recordings()}
    quiet |= {"PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "tests.mutation_worker", what, *arguments]
    done = subprocess.run(
        command, cwd=place, env=os.environ | quiet, text=True, capture_output=True, check=False
    )
    if done.returncode not in (0, 5):
        sys.exit(f"{what} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def _recordings() -> str:
    return os.environ.get("TRACESCOPE_SHARED", str(ROOT.parent / "shared" / "data"))


def made(folder: Path) -> dict[str, str]:
    """Every mutant there is and the digest of the function it was made of."""
    out: dict[str, str] = {}
    for meta in sorted((folder / "mutants").rglob("*.meta")):
        found = json.loads(meta.read_text(encoding="utf-8"))
        digests = found["hash_by_function_name"]
        for name in found["exit_code_by_key"]:
            out[name] = digests.get(function_of(name).rpartition(".")[2], "")
    return out


def results(folder: Path, names: Mapping[str, str]) -> dict[str, Result]:
    """What became of the mutants that were tried since their function last changed."""
    out: dict[str, Result] = {}
    tried = folder / "mutants" / TRIED
    for line in tried.read_text(encoding="utf-8").splitlines() if tried.exists() else ():
        found = json.loads(line)
        name, state = found["mutant"], found["state"]
        if names.get(name) == found["of"]:
            first = out[name].first if name in out else state
            if name in out and out[name].state in CAUGHT:
                continue  # what one test caught is caught, whichever were run later
            out[name] = Result(first, state, found["test"], found.get("cpu_s"))
    return out


def chosen(names: Iterable[str], each: int, seed: int, more: Mapping[str, int | None]) -> list[str]:
    """A seeded sample of each module, a larger one continuing a smaller; all of it where ``more`` says None."""
    modules: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        modules[module_of(name)].append(name)
    picked: list[str] = []
    for module, its in modules.items():
        random.Random(f"{seed} {module}").shuffle(its)
        picked += its[: more.get(module, each)]
    return sorted(picked)


def counts(text: str) -> dict[str, int | None]:
    """``{"analysis.lag": 20, "checks.timing": None}`` of ``analysis.lag:20,checks.timing``."""
    parts = [part.partition(":") for part in text.split(",") if part]
    return {module: int(count) if count else None for module, _, count in parts}


def module_of(name: str) -> str:
    """``analysis.blocks`` of ``tracescope.analysis.blocks.x_taken__mutmut_1``."""
    return ".".join(name.split(".")[1:3])


def difference(folder: Path, name: str) -> str:
    """The lines in which a mutant differs from the function it was made of."""
    path = folder / "mutants" / Path(*name.split(".")[:-1]).with_suffix(".py")
    source = path.read_text(encoding="utf-8")
    lines, short = source.splitlines(), name.rpartition(".")[2]
    wanted = (function_of(short) + "__mutmut_orig", short)
    bodies: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in wanted:
            bodies[node.name] = lines[node.lineno : node.end_lineno]
    both = [
        [line.split("  # type: ignore # mutmut")[0].rstrip() for line in bodies.get(one, ())]
        for one in wanted
    ]
    changed = difflib.unified_diff(*both, n=1, lineterm="")
    return "\n".join(line for line in changed if not line.startswith(("---", "+++")))


def table(
    found: Mapping[str, Result], names: Iterable[str]
) -> list[tuple[str, int, int, int, int]]:
    """Of each module and of ``all``: mutants there are, tried, caught at first, caught now."""
    there = Counter(module_of(name) for name in names)
    lines = []
    for module in sorted({module_of(name) for name in found}):
        its = [one for name, one in found.items() if module_of(name) == module]
        first = sum(one.first in CAUGHT for one in its)
        lines.append(
            (module, there[module], len(its), first, sum(one.state in CAUGHT for one in its))
        )
    total = [sum(column) for column in zip(*(line[1:] for line in lines), strict=True)] or [0] * 4
    return [*lines, ("all", total[0], total[1], total[2], total[3])]


def share(lines: Sequence[tuple[str, int, int, int, int]], column: int) -> float:
    """The caught share of all mutants, each module's weighed by how many mutants it has."""
    modules = [line for line in lines if line[0] != "all" and line[2]]
    every = sum(line[1] for line in modules)
    return sum(line[1] * line[column] / line[2] for line in modules) / every if every else 0.0


def report(found: Mapping[str, Result], names: Mapping[str, str], commit: str, seed: int) -> str:
    """What ``mutation_results.md`` says."""
    lines = table(found, names)
    _, there, tried, first, now = lines[-1]
    known = [one.cpu_s for one in found.values() if one.cpu_s is not None]
    took = ""
    if 2 * len(known) > len(found):  # else they are the hard ones, which were tried again
        took = f"; {sum(known) / len(known):.1f} s of processor time each"
    tools = ", ".join(
        f"{name} {version(name)}" for name in ("mutmut", "pytest", "hypothesis", "numpy")
    )
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    sample = f"{tried} of {there} mutants tried, a seeded sample of every module"
    weighed = "with each module weighed by its mutants"
    at_first = (
        f"{first} ({100 * first / max(tried, 1):.0f} %; {100 * share(lines, 3):.0f} % {weighed})"
    )
    added = f"{now} ({100 * now / max(tried, 1):.0f} %; {100 * share(lines, 4):.0f} %)"
    out = [
        "# What mutation testing measured",
        "",
        f"{day}, `python -m tests.mutation`, seed {seed}, commit {commit}.",
        f"Written by it; what was found of survivors stands in `{LOOKED_AT.name}`.",
        "",
        f"* Python {sys.version.split()[0]}, {tools}",
        f"* {sample}{took}",
        f"* caught at first {at_first}",
        f"* caught by now, by tests added for survivors or not reached at first, {added}",
        "",
        "| module | mutants | tried | caught at first | caught by now |",
        "|---|---|---|---|---|",
        *(f"| {m} | {n} | {t} | {a} | {b} |" for m, n, t, a, b in lines),
        "",
        *survivors(found),
    ]
    return "\n".join(out) + "\n"


def survivors(found: Mapping[str, Result]) -> list[str]:
    """The survivors by name: caught by a test since, or what was found when they were looked at."""
    looked = tomllib.loads(LOOKED_AT.read_text(encoding="utf-8")) if LOOKED_AT.exists() else {}
    kinds: dict[str, list[str]] = defaultdict(list)
    for name, one in sorted(found.items()):
        short = name.removeprefix("tracescope.")
        if one.state in CAUGHT and one.first in SURVIVING:
            kinds["caught since, by a test added or not reached at first"].append(
                f"* `{short}`: {one.test.rpartition('::')[2]}"
            )
        elif one.state in SURVIVING:
            note = looked.get(short, {})
            kind = note.get("kind", "not looked at")
            why = note.get("why", one.state)
            kinds[kind].append(f"* `{short}`: {why}")
    out = []
    for kind, its in sorted(kinds.items()):
        out += [f"## {kind} ({len(its)})", "", *its, ""]
    return out


def attempt(given: argparse.Namespace, wanted: Sequence[str], names: Mapping[str, str]) -> None:
    """Time the tests that are new or changed, then try the mutants."""
    places = json.dumps(PLACES)
    work(given.folder, "time", places, str(given.jobs))
    job = given.folder / "mutants" / "job.json"
    until = time.time() + 60 * given.minutes
    what = {"mutants": list(wanted), "hashes": {function_of(n): names[n] for n in wanted}}
    what |= {"budget_s": given.budget, "until": until, "jobs": given.jobs}
    job.write_text(json.dumps(what), encoding="utf-8")
    work(given.folder, "try", places, str(job))


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--each", type=int, default=3, help="mutants of every module")
    parser.add_argument("--of", type=counts, default={}, help="modules, all of it or :count")
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--budget", type=float, default=60, help="seconds of tests for a mutant")
    parser.add_argument("--minutes", type=float, default=600, help="start no mutant after these")
    parser.add_argument("--jobs", type=int, default=1)
    folder = Path(tempfile.gettempdir()) / "tracescope-mutation"
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--as-it-is", action="store_true", help="leave the clone at its commit")
    parser.add_argument("--again", action="store_true", help="try the survivors again")
    parser.add_argument("--show", action="store_true", help="print how each survivor differs")
    parser.add_argument("--write", action="store_true", help=f"write {WRITTEN.name}")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Try mutants and print what became of them."""
    given = parsed(arguments)
    if not given.as_it_is:
        prepare(given.folder)
    names = made(given.folder)
    found = results(given.folder, names)
    wanted = chosen(names, given.each, given.seed, given.of)
    left = [
        name
        for name in wanted
        if name not in found or (given.again and found[name].state in SURVIVING)
    ]
    if left:
        random.Random(given.seed).shuffle(left)
        attempt(given, left, names)
    found = {name: one for name, one in results(given.folder, names).items() if name in set(wanted)}
    commit = subprocess.run(
        ["git", "-C", str(given.folder), "rev-parse", "--short", "HEAD"],
        text=True,
        capture_output=True,
        check=True,
    ).stdout.strip()
    text = report(found, names, commit, given.seed)
    sys.stdout.write(text)
    if given.write:
        WRITTEN.write_text(text, encoding="utf-8")
    if given.show:
        for name in sorted(name for name, one in found.items() if one.state in SURVIVING):
            sys.stdout.write(f"\n{name}\n{difference(given.folder, name)}\n")


if __name__ == "__main__":
    main()
