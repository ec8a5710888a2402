"""Budget files of probing: ``schema = 1`` and a table ``[budgets]`` of ``key = [low, high]``."""

from __future__ import annotations

import math
from pathlib import Path

from tracescope.checks.probing_budgets import BUDGETS, PROBE_ID, Budgets
from tracescope.model.alignment import Interval
from tracescope.model.errors import Problem, UsageError
from tracescope.model.tolerance import checked_tolerances
from tracescope.session.atomic import write_beside
from tracescope.session.tolerances import SCHEMA, read_bands

TABLE = "budgets"
_PREFIX = f"{PROBE_ID}."


def read_budgets(path: Path | str) -> Budgets:
    """Read a budget file; a key reads ``phase-lag``, its unit is the declared one.

    Raises:
        UsageError: with every key that is unknown and every entry that is no pair of numbers, or where it
            is no such file.
    """
    return checked_budgets(read_bands(Path(path), TABLE), str(path))


def budgets_text(budgets: Budgets) -> str:
    """Write every budget in force as a budget file, with its unit and reason as comments."""
    lines = [f"schema = {SCHEMA}", "", f"[{TABLE}]"]
    for tolerance in BUDGETS:
        unit = f", {tolerance.unit}" if tolerance.unit else ""
        lines.append(f"# {tolerance.why}{unit}")
        lines.append(f"{tolerance.key.removeprefix(_PREFIX)} = {_band(budgets[tolerance])}")
    return "\n".join([*lines, ""])


def _band(band: Interval) -> str:
    low, high = (
        "inf" if end == math.inf else "-inf" if end == -math.inf else repr(end) for end in band
    )
    return f"[{low}, {high}]"


def write_budgets(budgets: Budgets, path: Path | str) -> None:
    """Write a budget file, replacing it as a whole.

    Raises:
        UsageError: where it cannot be written.
    """
    write_beside(Path(path), budgets_text(budgets).encode("utf-8"), ())


def checked_budgets(bands: dict[str, Interval], where: str) -> Budgets:
    """Check budgets that a person set by key.

    Raises:
        UsageError: with every key that is unknown and every band out of range.
    """
    named = {_PREFIX + key.removeprefix(_PREFIX): band for key, band in bands.items()}
    try:
        return checked_tolerances(named, BUDGETS, where)
    except UsageError as error:
        raise UsageError([_short(problem) for problem in error.problems]) from error


def _short(problem: Problem) -> Problem:
    return Problem(
        problem.what.replace(_PREFIX, ""),
        problem.where,
        problem.found,
        problem.todo.replace(_PREFIX, ""),
    )
