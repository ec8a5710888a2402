"""What is installed: built-in checks and those that plug-ins add."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from tracescope.checks.base import Check
from tracescope.checks.registry import BUILT_IN
from tracescope.findings.note.formats import BUILT_IN as NOTE_FORMATS
from tracescope.findings.note.formats import NoteFormat
from tracescope.model.tolerance import Tolerance
from tracescope.readers.base import Reader

log = logging.getLogger(__name__)

CHECK_GROUP = "tracescope.checks"
NOTE_GROUP = "tracescope.notes"
READER_GROUP = "tracescope.readers"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point: what it added, or the one sentence on why it could not."""

    group: str
    name: str
    origin: str
    problem: str = ""


@cache
def _loaded_checks() -> tuple[tuple[Check, ...], tuple[Plugin, ...]]:
    checks = list(BUILT_IN)
    plugins = _load(CHECK_GROUP, Check, checks, lambda check: check.id, _fault_of_check)
    return tuple(checks), plugins


@cache
def _loaded_formats() -> tuple[tuple[NoteFormat, ...], tuple[Plugin, ...]]:
    formats = list(NOTE_FORMATS)
    plugins = _load(NOTE_GROUP, NoteFormat, formats, lambda fmt: fmt.name)
    return tuple(formats), plugins


def _fault_of_check(check: Check) -> str:
    """Say what keeps a check from being used; ``""`` where nothing does."""
    if not (isinstance(check.id, str) and check.id.strip()):
        return f"its id is {check.id!r}, not a name"
    if not callable(check.judge):
        return "its judge cannot be called"
    foreign = [t for t in check.tolerances if not isinstance(t, Tolerance)]
    if foreign:
        return f"declares {foreign[0]!r} as a tolerance"
    strays = [t.key for t in check.tolerances if not t.key.startswith(f"{check.id}.")]
    if strays:
        return f"the tolerance {strays[0]!r} does not begin with {check.id + '.'!r}"
    return ""


def _sound(_: object) -> str:
    return ""


def _load(
    group: str,
    kind: type[T],
    known: list[T],
    name_of: Callable[[T], str],
    fault_of: Callable[[T], str] = _sound,
) -> tuple[Plugin, ...]:
    """Add what a group's entry points bring to the known ones; say of each what became of it."""
    plugins = []
    for point in _points(group):
        try:
            loaded = point.load()
            problem = _problem_of(loaded, kind, known, name_of, fault_of)
        except Exception as error:  # a broken plug-in is a sentence, never a crash
            log.warning("plug-in %s could not be loaded", point.value, exc_info=True)
            problem = _said(error)
        if not problem:
            known.append(loaded)
        plugins.append(Plugin(group, point.name, _origin(point), problem))
    return tuple(plugins)


def _points(group: str) -> list[EntryPoint]:
    """Return a group's entry points in an order that does not hang on how they were installed."""
    return sorted(entry_points(group=group), key=lambda point: (point.name, point.value))


def _problem_of(
    loaded: object,
    kind: type[T],
    known: list[T],
    name_of: Callable[[T], str],
    fault_of: Callable[[T], str],
) -> str:
    if not isinstance(loaded, kind):
        return f"is a {type(loaded).__name__}, not a {kind.__name__}"
    if any(name_of(other) == name_of(loaded) for other in known):
        return f"{name_of(loaded)!r} exists already"
    return fault_of(loaded)


def _said(error: Exception) -> str:
    """Return an error on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _origin(point: EntryPoint) -> str:
    if point.dist is None:
        return point.value
    return f"{point.dist.name} {point.dist.version} ({point.value})"


def all_checks() -> tuple[Check, ...]:
    """Return the built-in checks in their order, then those of plug-ins."""
    return _loaded_checks()[0]


def check_of(check_id: str) -> Check | None:
    """Return the check of that id, or ``None``."""
    return next((check for check in all_checks() if check.id == check_id), None)


def all_formats() -> tuple[NoteFormat, ...]:
    """Return the built-in note formats, then those of plug-ins."""
    return _loaded_formats()[0]


def broken_checks() -> tuple[Plugin, ...]:
    """Return the check plug-ins that could not be used, each with its one sentence."""
    return tuple(plugin for plugin in _loaded_checks()[1] if plugin.problem)


def plugins() -> Iterator[Plugin]:
    """Yield every entry point of the three groups with what became of it."""
    yield from _loaded_checks()[1]
    yield from _loaded_formats()[1]
    for point in _points(READER_GROUP):
        problem = ""
        try:
            loaded = point.load()
            if not isinstance(loaded, Reader):
                problem = f"is a {type(loaded).__name__}, not a Reader"
        except Exception as error:  # noqa: BLE001  # told in one sentence to who asked
            problem = _said(error)
        yield Plugin(READER_GROUP, point.name, _origin(point), problem)
