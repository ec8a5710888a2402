"""What ``tests.mutation`` starts inside the folder of mutants: make them, time the tests, try the mutants.

``python -m tests.mutation_worker make | time PLACES JOBS | try PLACES JOB.json``

All tests are collected once. Every mutant is then tried in a fork of that process which has run no test
yet, so that nothing a test left in memory hides the mutant, and neither collecting nor importing is paid
again. The tests that run through the changed function run one after another until the first that fails:
first those that caught an earlier mutant of the same function, then those of files named like the module,
then the others, quickest first each.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest
from _pytest.runner import runtestprotocol

TIMES = Path("times")
TRIED = Path("tried.jsonl")
KILLED, SURVIVED, UNTESTED = "killed", "survived", "no test runs it"
UNFINISHED, TIMEOUT = "survived what was run", "too slow"
CAUGHT_CODE, SURVIVED_CODE, UNFINISHED_CODE = 1, 0, 77
SLACK, SPARE_S = 4.0, 5.0
"""A test that needs this many times its usual processor time, and this much more, hangs."""
WAITING = 20.0
"""So many times that by the clock: the machine may be busy with other work."""
HANGS = (signal.SIGPROF, signal.SIGALRM)
HEAVY = ("numpy", "scipy", "pandas", "h5py", "pyarrow", "hypothesis")
"""Imported before the forks, so that none of them pays for it."""
MEMORY_BYTES = 6 << 30


def function_of(mutant: str) -> str:
    """``tracescope.analysis.a.x_f`` of ``tracescope.analysis.a.x_f__mutmut_1``."""
    return mutant.partition("__mutmut_")[0]


def file_of(test: str) -> str:
    return test.partition("::")[0]


class Active:
    """Which mutant is active: mutmut's switch without its look at the environment at every call."""

    name = ""
    hits: ClassVar[set[str]] = set()

    @classmethod
    def set(cls, name: str) -> None:
        cls.name = os.environ["MUTANT_UNDER_TEST"] = name

    @classmethod
    def install(cls) -> None:
        """Take mutmut's place in asking which mutant is active and in noting what a test ran through."""
        from mutmut.mutation import trampoline

        trampoline.get_mutant_under_test = lambda: cls.name
        trampoline.record_trampoline_hit = cls._note

    @classmethod
    def _note(cls, name: str, caller: str | None = None) -> None:  # noqa: ARG003  # as mutmut calls it
        cls.hits.add(name)


@dataclass
class Times:
    """Of each test: its processor time and the functions it runs through; kept by test file."""

    digest: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    functions: dict[str, list[str]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, file: str) -> Times:
        """What is known of the tests of one file, empty where it is new or changed since."""
        path, now = cls._path(file), digest(file)
        known = cls(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else cls()
        return known if known.digest == now else cls(now)

    @classmethod
    def of_all(cls, files: Iterable[str]) -> Times:
        out = cls()
        for known in map(cls.of, files):
            out.seconds |= known.seconds
            out.functions |= known.functions
            out.failed += known.failed
            out.modules += known.modules
        return out

    def save(self, file: str) -> None:
        path = self._path(file)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(vars(self)), encoding="utf-8")

    @staticmethod
    def _path(file: str) -> Path:
        return TIMES / (file.replace("/", ".") + ".json")


def digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


def run(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Run one test; whether it passed or was skipped."""
    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


class Timer:
    """Runs every test that is new or whose file changed, a file a fork, and notes what each runs through."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        files: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in session.items:
            files[file_of(item.nodeid)].append(item)
        running: set[int] = set()
        for file, items in files.items():
            if Times.of(file).seconds:
                continue
            if len(running) >= self.jobs:
                running.discard(os.wait()[0])
            pid = os.fork()
            if pid == 0:
                self._time(items, file)
            running.add(pid)
        while running:
            running.discard(os.wait()[0])
        return True

    @staticmethod
    def _time(items: list[pytest.Item], file: str) -> None:
        """In the fork: run the tests of one file."""
        code, times = 1, Times.of(file)
        try:
            Active.set("stats")
            for item, following in zip(items, [*items[1:], None], strict=True):
                Active.hits.clear()
                began = time.process_time()
                if not run(item, following):
                    times.failed.append(item.nodeid)
                times.seconds[item.nodeid] = time.process_time() - began
                times.functions[item.nodeid] = sorted(Active.hits)
            Timer._share_fixtures(items, times)
            times.modules = sorted(name for name in sys.modules if name.startswith(HEAVY))
            times.save(file)
            code = 0
        finally:
            os._exit(code)

    @staticmethod
    def _share_fixtures(items: Iterable[pytest.Item], times: Times) -> None:
        """What a fixture of a whole module ran through, all tests that ask for it rest on."""
        users: dict[str, list[str]] = defaultdict(list)
        for item in items:
            known = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]  # noqa: SLF001
            for name, definitions in known.items():
                if definitions[-1].scope in ("module", "class"):
                    users[name].append(item.nodeid)
        for first, *others in users.values():
            for name in others:
                times.functions[name] = sorted({*times.functions[name], *times.functions[first]})


@dataclass
class Child:
    """A fork that tries one mutant."""

    mutant: str
    names: list[str]
    pipe: int


class Trier:
    """Tries mutants, each in a fork."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.mutants: list[str] = job["mutants"]
        self.hashes: dict[str, str] = job["hashes"]
        self.budget_s: float = job["budget_s"]
        self.until: float = job["until"]
        self.jobs: int = job["jobs"]
        self.times = Times()
        self.caught: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.children: dict[int, Child] = {}
        self.items: dict[str, pytest.Item] = {}
        self.tests: dict[str, list[str]] = defaultdict(list)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.times = Times.of_all({file_of(name) for name in self.items})
        for name, functions in self.times.functions.items():
            if name in self.items and name not in self.times.failed:
                for function in functions:
                    self.tests[function].append(name)
        for module in sorted(set(self.times.modules)):
            with suppress(Exception):
                importlib.import_module(module)
        for mutant in self.mutants:
            if time.time() > self.until:
                break
            while len(self.children) >= self.jobs:
                self.wait()
            self.start(mutant)
        while self.children:
            self.wait()
        return True

    def ordered(self, mutant: str) -> list[str]:
        """The tests that run through the function, those likely to notice a change first."""
        function = function_of(mutant)
        module = function.split(".")[2]
        caught = self.caught[function]

        def likely(name: str) -> tuple[int, bool, float]:
            stem = Path(file_of(name)).stem.removeprefix("test_")
            own = module.startswith(stem) or stem.startswith(module)
            return -caught.get(name, 0), not own, self.times.seconds[name]

        return sorted(self.tests[function], key=likely)

    def start(self, mutant: str) -> None:
        names = self.ordered(mutant)
        if not names:
            self.note(mutant, UNTESTED, "", 0.0)
            return
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            self.attempt(mutant, names, write)
        os.close(write)
        self.children[pid] = Child(mutant, names, read)

    def attempt(self, mutant: str, names: list[str], pipe: int) -> None:
        """In the fork: run the tests until one fails, tell which one, and end."""
        code = CAUGHT_CODE
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            for number in HANGS:
                signal.signal(number, signal.SIG_DFL)
            Active.set(mutant)
            code = self._attempt(names, pipe)
        finally:
            os._exit(code)

    def _attempt(self, names: list[str], pipe: int) -> int:
        spent = 0.0
        for place, name in enumerate(names):
            if spent > self.budget_s:
                return UNFINISHED_CODE
            usual = self.times.seconds[name]
            signal.setitimer(signal.ITIMER_PROF, usual * SLACK + SPARE_S)
            signal.setitimer(signal.ITIMER_REAL, WAITING * (usual * SLACK + SPARE_S))
            os.write(pipe, b"%d\n" % place)
            following = self.items[names[place + 1]] if place + 1 < len(names) else None
            if not run(self.items[name], following):
                return CAUGHT_CODE
            spent += usual
        return SURVIVED_CODE

    def wait(self) -> None:
        pid, status, used = os.wait4(-1, 0)
        child = self.children.pop(pid)
        with os.fdopen(child.pipe, encoding="utf-8") as pipe:
            reached = pipe.read().split()
        code = os.waitstatus_to_exitcode(status)
        states = {SURVIVED_CODE: SURVIVED, UNFINISHED_CODE: UNFINISHED}
        states |= {-number: TIMEOUT for number in HANGS}
        state = states.get(code, KILLED)
        last = child.names[int(reached[-1])] if reached else ""
        if state in (KILLED, TIMEOUT):
            self.caught[function_of(child.mutant)][last] += 1
        self.note(child.mutant, state, last, used.ru_utime + used.ru_stime)

    def note(self, mutant: str, state: str, test: str, seconds: float) -> None:
        line = {"mutant": mutant, "state": state, "test": test, "cpu_s": round(seconds, 3)}
        line["of"] = self.hashes.get(function_of(mutant), "")
        with TRIED.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def collected(plugin: object, places: Iterable[str]) -> int:
    """Collect the tests as pytest does and let the plugin run them."""
    from hypothesis import Phase, settings

    quick = settings(
        settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate), deadline=None
    )
    settings.register_profile("mutation", quick)
    settings.load_profile("mutation")
    Active.install()
    without = ("cacheprovider", "xdist", "randomly")
    arguments = ["-q", "--tb=no", "--assert=plain", "--rootdir=."]
    arguments += [part for name in without for part in ("-p", f"no:{name}")]
    return int(pytest.main([*arguments, *places], plugins=[plugin]))


def make() -> None:
    """Write every mutant of the clone around this folder, without trying any."""
    from mutmut.__main__ import (
        copy_also_copy_files,
        copy_src_dir,
        create_mutants,
        setup_source_paths,
    )

    copy_src_dir()
    copy_also_copy_files()
    setup_source_paths()
    create_mutants(os.cpu_count() or 1)


def main() -> None:
    what, *rest = sys.argv[1:]
    if what == "make":
        make()
        return
    import tracescope

    if not Path(tracescope.__file__).is_relative_to(Path.cwd()):
        sys.exit(f"{tracescope.__file__} is not the mutated copy")
    places = json.loads(rest[0])
    if what == "time":
        sys.exit(collected(Timer(int(rest[1])), places))
    sys.exit(collected(Trier(json.loads(Path(rest[1]).read_text(encoding="utf-8"))), places))


if __name__ == "__main__":
    main()
