"""Map files (``--map``, TOML, schema 1): what a person says about both sides, remembered.

``[both]`` applies to both sides, in the simulator's names where ``pairs`` gives the target's another;
``[sim]`` and ``[target]`` override it key by key.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, UsageError
from tracescope.model.trace import Role
from tracescope.readers.base import CsvChoices, ImportChoices
from tracescope.readers.mapnames import in_target_names
from tracescope.readers.toml_text import toml_key, toml_quoted, toml_value

SCHEMA = 1

_ROLES = tuple(str(role) for role in Role if role is not Role.OTHER)
_TEXT = (str,)
_NUMBER = (int, float)
_SIDE: dict[str, dict[str, tuple[type, ...]] | tuple[type, ...]] = {
    "time": {"column": _TEXT, "unit": _TEXT, "rate_hz": _NUMBER},
    "step": {"column": _TEXT},
    "roles": dict.fromkeys(_ROLES, (list,)),
    "units": {},
    "csv": {"delimiter": _TEXT, "decimal": _TEXT, "header_line": (int,), "encoding": _TEXT},
    "order": _TEXT,
    "row_type": _TEXT,
}
_WORDS = {
    "time.unit": ("s", "ms", "us", "ns"),
    "csv.decimal": (".", ","),
    "order": ("sort", "rows", "split"),
}


@dataclass(frozen=True, slots=True)
class MapFile:
    """Which channels belong together, and how to read each side.

    Attributes:
        pairs: (sim channel, target channel).
        sim, target: Import choices of the sides.
    """

    pairs: tuple[tuple[str, str], ...] = ()
    sim: ImportChoices = field(default_factory=ImportChoices)
    target: ImportChoices = field(default_factory=ImportChoices)


def read_map(path: str | Path) -> MapFile:
    """Read a map file.

    Raises:
        UsageError: with every fault of the file: unknown keys (with the closest known ones), wrong types.
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(
            Problem("the map file cannot be read", str(path), error.strerror or "")
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        todo = (
            'lines read like: schema = 1, [both.roles], observation = ["position"]; see the README'
        )
        raise UsageError(
            Problem("the map file is no TOML", str(path), str(error)[:200], todo)
        ) from None
    return map_of(content, str(path))


def map_of(content: Mapping[str, Any], where: str = "map") -> MapFile:
    """Turn the content of a map file into choices.

    Raises:
        UsageError: with every fault.
    """
    problems: list[Problem] = []
    if content.get("schema", SCHEMA) != SCHEMA:
        found = repr(content.get("schema"))
        problems.append(Problem(f"schema must be {SCHEMA}", where, found, "update tracescope"))
    known = ("schema", "pairs", "both", "sim", "target")
    problems += [_unknown(key, known, where, "") for key in content if key not in known]
    pairs = _pairs(content.get("pairs", []), where, problems)
    both = _side(content.get("both", {}), "both", where, problems)
    sides = []
    for name in ("sim", "target"):
        own = _side(content.get(name, {}), name, where, problems)
        said = in_target_names(both, pairs) if name == "target" and not problems else both
        sides.append(_choices(_merged(said, own)))
    if problems:
        raise UsageError(problems)
    return MapFile(pairs, *sides)


def _unknown(
    key: str, known: tuple[str, ...] | Mapping[str, Any], where: str, table: str
) -> Problem:
    from rapidfuzz import process

    close = [name for name, _, _ in process.extract(key, list(known), limit=3, score_cutoff=60)]
    todo = f"did you mean {', '.join(close)}?" if close else f"known: {', '.join(known)}"
    return Problem(f"unknown key {f'{table}.' if table else ''}{key}", where, todo=todo)


def _pairs(value: Any, where: str, problems: list[Problem]) -> tuple[tuple[str, str], ...]:
    good = isinstance(value, list) and all(
        isinstance(p, list) and len(p) == 2 and all(isinstance(n, str) for n in p) for p in value
    )
    if not good:
        todo = 'pairs = [["sim channel", "target channel"]]'
        problems.append(
            Problem("pairs must be a list of pairs of names", where, str(value)[:80], todo)
        )
        return ()
    return tuple((p[0], p[1]) for p in value)


def _side(value: Any, name: str, where: str, problems: list[Problem]) -> dict[str, Any]:
    """Check one side's table; return what of it is good."""
    if not isinstance(value, dict):
        problems.append(Problem(f"[{name}] must be a table", where, str(value)[:80]))
        return {}
    good: dict[str, Any] = {}
    for key, entry in value.items():
        expected = _SIDE.get(key)
        if expected is None:
            problems.append(_unknown(key, _SIDE, where, name))
        elif isinstance(expected, tuple):
            if _fits(entry, expected, key, f"{name}.{key}", where, problems):
                good[key] = entry
        elif not isinstance(entry, dict):
            problems.append(Problem(f"[{name}.{key}] must be a table", where, str(entry)[:80]))
        else:
            good[key] = _table(entry, expected, key, name, where, problems)
    return good


def _table(
    entry: dict[str, Any],
    expected: dict[str, tuple[type, ...]],
    table: str,
    side: str,
    where: str,
    problems: list[Problem],
) -> dict[str, Any]:
    good = {}
    for key, value in entry.items():
        path = f"{side}.{table}.{key}"
        if table == "units":
            fits = _fits(value, _TEXT, "", path, where, problems)
        elif key not in expected:
            problems.append(_unknown(key, expected, where, f"{side}.{table}"))
            continue
        else:
            fits = _fits(value, expected[key], f"{table}.{key}", path, where, problems)
        if fits:
            good[key] = value
    return good


def _fits(
    value: Any, types: tuple[type, ...], word: str, path: str, where: str, problems: list[Problem]
) -> bool:
    """Check type and, where there is a list of them, the allowed words."""
    if not isinstance(value, types) or isinstance(value, bool):
        names = " or ".join(t.__name__ for t in types)
        problems.append(Problem(f"{path} must be {names}", where, repr(value)[:80]))
        return False
    if isinstance(value, list) and not all(isinstance(v, str) for v in value):
        problems.append(Problem(f"{path} must be a list of names", where, repr(value)[:80]))
        return False
    if word in _WORDS and value not in _WORDS[word]:
        problems.append(
            Problem(f"{path} must be one of {', '.join(_WORDS[word])}", where, repr(value))
        )
        return False
    if word == "time.rate_hz" and not (isinstance(value, int | float) and 0 < value < 1e9):
        problems.append(Problem(f"{path} must be positive", where, repr(value)))
        return False
    return True


def _merged(both: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    out = dict(both)
    for key, value in own.items():
        out[key] = {**out.get(key, {}), **value} if isinstance(value, dict) else value
    return out


def _choices(side: dict[str, Any]) -> ImportChoices:
    time, roles = side.get("time", {}), side.get("roles", {})
    rate = time.get("rate_hz")
    return ImportChoices(
        time_column=time.get("column"),
        time_unit=time.get("unit"),
        rate_hz=None if rate is None else float(rate),
        step_column=side.get("step", {}).get("column"),
        roles=tuple((role, tuple(roles[role])) for role in _ROLES if role in roles),
        units=tuple(sorted(side.get("units", {}).items())),
        order=side.get("order", "sort"),
        csv=CsvChoices(**side.get("csv", {})),
        row_type=side.get("row_type"),
    )


def write_map(mapfile: MapFile, path: str | Path) -> None:
    """Write a map file; what both sides share stands under ``[both]``."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(map_text(mapfile), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def map_text(mapfile: MapFile) -> str:
    """Return the text of a map file; reading it gives an equal value."""
    sim, target = _plain(mapfile.sim), _plain(mapfile.target)
    both: dict[str, Any] = {}
    for key in set(sim) & set(target):
        if isinstance(sim[key], dict):
            shared = {
                k: v
                for k, v in sim[key].items()
                if target[key].get(k) == v and _unmoved({key: {k: v}}, mapfile.pairs)
            }
            both[key] = shared
            sim[key] = {k: v for k, v in sim[key].items() if k not in shared}
            target[key] = {k: v for k, v in target[key].items() if k not in shared}
        elif sim[key] == target[key]:
            both[key] = sim.pop(key)
            target.pop(key)
    pairs = ", ".join(f"[{toml_quoted(a)}, {toml_quoted(b)}]" for a, b in mapfile.pairs)
    parts = [f"schema = {SCHEMA}\npairs = [{pairs}]\n"]
    parts += [
        _side_text(name, side) for name, side in (("both", both), ("sim", sim), ("target", target))
    ]
    return "".join(parts)


def _unmoved(said: dict[str, Any], pairs: tuple[tuple[str, str], ...]) -> bool:
    return in_target_names(said, pairs) == said


def _plain(choices: ImportChoices) -> dict[str, Any]:
    """Return what was chosen as nested tables, nothing that is as detected."""
    csv = choices.csv
    tables: dict[str, dict[str, Any]] = {
        "time": {
            "column": choices.time_column,
            "unit": choices.time_unit,
            "rate_hz": choices.rate_hz,
        },
        "step": {"column": choices.step_column},
        "roles": {role: list(names) for role, names in choices.roles},
        "units": dict(choices.units),
        "csv": {
            "delimiter": csv.delimiter,
            "decimal": csv.decimal,
            "header_line": csv.header_line,
            "encoding": csv.encoding,
        },
    }
    out: dict[str, Any] = {}
    if choices.order != "sort":
        out["order"] = choices.order
    if choices.row_type is not None:
        out["row_type"] = choices.row_type
    for key, table in tables.items():
        kept = {k: v for k, v in table.items() if v is not None}
        if kept:
            out[key] = kept
    return out


def _side_text(name: str, side: dict[str, Any]) -> str:
    scalars = [f"{key} = {toml_value(v)}" for key, v in side.items() if not isinstance(v, dict)]
    lines = [f"\n[{name}]", *scalars] if scalars else []
    for key in ("time", "step", "roles", "units", "csv"):
        table = side.get(key)
        if table:
            lines.append(f"\n[{name}.{key}]")
            lines += [f"{toml_key(k)} = {toml_value(v)}" for k, v in table.items()]
    return "".join(f"{line}\n" for line in lines)
