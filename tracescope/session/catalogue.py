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
    plugins = _load(CHECK_GROUP, Check, checks, lambda check: check.id)
    return tuple(checks), plugins


@cache
def _loaded_formats() -> tuple[tuple[NoteFormat, ...], tuple[Plugin, ...]]:
    formats = list(NOTE_FORMATS)
    plugins = _load(NOTE_GROUP, NoteFormat, formats, lambda fmt: fmt.name)
    return tuple(formats), plugins


def _load(
    group: str, kind: type[T], known: list[T], name_of: Callable[[T], str]
) -> tuple[Plugin, ...]:
    """Add what a group's entry points bring to the known ones; say of each what became of it."""
    plugins = []
    for point in entry_points(group=group):
        try:
            loaded = point.load()
        except Exception as error:  # a broken plug-in is a sentence, never a crash
            log.warning("plug-in %s could not be loaded", point.value, exc_info=True)
            problem = f"{type(error).__name__}: {error}"
        else:
            problem = ""
            if not isinstance(loaded, kind):
                problem = f"is a {type(loaded).__name__}, not a {kind.__name__}"
            elif any(name_of(other) == name_of(loaded) for other in known):
                problem = f"{name_of(loaded)!r} exists already"
            else:
                known.append(loaded)
        plugins.append(Plugin(group, point.name, _origin(point), problem))
    return tuple(plugins)


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


def plugins() -> Iterator[Plugin]:
    """Yield every entry point of the three groups with what became of it."""
    yield from _loaded_checks()[1]
    yield from _loaded_formats()[1]
    for point in entry_points(group=READER_GROUP):
        problem = ""
        try:
            point.load()
        except Exception as error:  # noqa: BLE001  # told in one sentence to who asked
            problem = f"{type(error).__name__}: {error}"
        yield Plugin(READER_GROUP, point.name, _origin(point), problem)
