"""Tolerances: where they are declared, and how a file or an option sets them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from tracescope.model.alignment import Interval
from tracescope.model.errors import Problem, UsageError
from tracescope.model.tolerance import Tolerance, Tolerances, checked_tolerances
from tracescope.session.catalogue import all_checks

SCHEMA = 1


def all_tolerances() -> tuple[Tolerance, ...]:
    """Return every declared tolerance, in the order of the checks."""
    return tuple(tolerance for check in all_checks() for tolerance in check.tolerances)


def tolerance_of(key: str) -> Tolerance | None:
    """Return the declared tolerance of that key, or ``None``."""
    return next((tolerance for tolerance in all_tolerances() if tolerance.key == key), None)


def parse_tolerance(text: str) -> tuple[str, Interval]:
    """Read ``KEY=LOW,HIGH``; an empty end is unbounded.

    Raises:
        UsageError: where it does not read like that.
    """
    key, equals, band = text.partition("=")
    ends = [end.strip() for end in band.split(",")]
    try:
        if not (equals and key.strip() and len(ends) == 2):
            raise ValueError(text)
        low = float(ends[0]) if ends[0] else float("-inf")
        high = float(ends[1]) if ends[1] else float("inf")
    except ValueError:
        raise UsageError(
            Problem(
                "a tolerance reads KEY=LOW,HIGH",
                "--tolerance",
                found=text,
                todo="for example: --tolerance observation-scaling.scale=0.9,1.1",
            )
        ) from None
    return key.strip(), (low, high)


def read_tolerances(path: Path) -> dict[str, Interval]:
    """Read a tolerance file: ``schema = 1`` and a table ``[tolerances]`` of ``key = [low, high]``.

    Raises:
        UsageError: with every entry that is not a pair of numbers, or where it is no such file.
    """
    return read_bands(path, "tolerances")


def read_bands(path: Path, name: str) -> dict[str, Interval]:
    """Read a TOML file of schema 1 that holds one table of ``key = [low, high]``.

    Raises:
        UsageError: with every entry that is not a pair of numbers, or where it is no such file.
    """
    where, kind = str(path), name.removesuffix("s")
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(Problem(f"cannot be read: {error.strerror}", where)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(Problem("is not a TOML file", where, found=str(error))) from error
    if content.get("schema") != SCHEMA:
        found = repr(content.get("schema", "no schema"))
        raise UsageError(
            Problem(f"is not a {kind} file of schema 1", where, found, "put schema = 1 on top")
        )
    table = content.get(name, {})
    entries = _flat(table) if isinstance(table, dict) else {}
    problems = [
        Problem(f"{key}: a {kind} is [low, high]", where, found=repr(value))
        for key, value in entries.items()
        if not _is_band(value)
    ]
    problems += [
        Problem(f"{key}: not a part of a {kind} file", where, todo=f"only schema and [{name}]")
        for key in sorted(content.keys() - {"schema", name})
    ]
    if problems:
        raise UsageError(problems)
    return {key: (float(band[0]), float(band[1])) for key, band in entries.items()}  # type: ignore[index]


def _flat(table: dict[str, object], prefix: str = "") -> dict[str, object]:
    """Join nested tables with dots: TOML reads an unquoted ``a.b = …`` as a table in a table."""
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _is_band(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(end, int | float) and not isinstance(end, bool) for end in value)
    )


def tolerances_text(tolerances: Tolerances) -> str:
    """Write what a person set as a tolerance file, keys in order."""
    lines = [f'"{key}" = [{low!r}, {high!r}]' for key, (low, high) in tolerances.chosen]
    return "\n".join([f"schema = {SCHEMA}", "", "[tolerances]", *lines, ""])


def chosen_tolerances(path: Path | None, texts: Iterable[str]) -> Tolerances:
    """Put a file's tolerances and those of options together; options win.

    Raises:
        UsageError: with everything that is wrong with either.
    """
    problems: list[Problem] = []
    chosen = Tolerances()
    declared = all_tolerances()
    for where, bands in _sources(path, texts, problems):
        try:
            checked = checked_tolerances(bands, declared, where)
        except UsageError as error:
            problems += error.problems
            continue
        for key, band in checked.chosen:
            chosen = chosen.with_band(key, band)
    if problems:
        raise UsageError(problems)
    return chosen


def _sources(
    path: Path | None, texts: Iterable[str], problems: list[Problem]
) -> list[tuple[str, dict[str, Interval]]]:
    sources: list[tuple[str, dict[str, Interval]]] = []
    if path is not None:
        try:
            sources.append((str(path), read_tolerances(path)))
        except UsageError as error:
            problems += error.problems
    options: dict[str, Interval] = {}
    for text in texts:
        try:
            key, band = parse_tolerance(text)
        except UsageError as error:
            problems += error.problems
        else:
            options[key] = band
    return [*sources, ("--tolerance", options)]
