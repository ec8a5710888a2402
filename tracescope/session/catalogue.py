"""What is installed: built-in checks and those that plug-ins add."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from tracescope.checks.base import Check
from tracescope.checks.registry import BUILT_IN

log = logging.getLogger(__name__)

CHECK_GROUP = "tracescope.checks"
NOTE_GROUP = "tracescope.notes"
READER_GROUP = "tracescope.readers"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point: what it added, or the one sentence on why it could not."""

    group: str
    name: str
    origin: str
    problem: str = ""


@cache
def _loaded_checks() -> tuple[tuple[Check, ...], tuple[Plugin, ...]]:
    checks: list[Check] = list(BUILT_IN)
    plugins = []
    for point in entry_points(group=CHECK_GROUP):
        problem = ""
        try:
            problem = _taken(point.load(), checks)
        except Exception as error:  # a broken plug-in is a sentence, never a crash
            log.warning("plug-in %s could not be loaded", point.value, exc_info=True)
            problem = f"{type(error).__name__}: {error}"
        plugins.append(Plugin(CHECK_GROUP, point.name, _origin(point), problem))
    return tuple(checks), tuple(plugins)


def _taken(loaded: object, checks: list[Check]) -> str:
    """Add a plug-in's check to the list, or say why not."""
    if not isinstance(loaded, Check):
        return f"is a {type(loaded).__name__}, not a Check"
    if any(check.id == loaded.id for check in checks):
        return f"a check called {loaded.id!r} exists already"
    checks.append(loaded)
    return ""


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


def plugins() -> Iterator[Plugin]:
    """Yield every entry point of the three groups with what became of it."""
    yield from _loaded_checks()[1]
    for group in (READER_GROUP, NOTE_GROUP):
        for point in entry_points(group=group):
            problem = ""
            try:
                point.load()
            except Exception as error:  # noqa: BLE001  # told in one sentence to who asked
                problem = f"{type(error).__name__}: {error}"
            yield Plugin(group, point.name, _origin(point), problem)
