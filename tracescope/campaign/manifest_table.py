"""From a manifest's bytes to rows of named cells with their line numbers: CSV and TOML alike."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, UsageError

COLUMNS = ("id", "sim", "target", "date", "label", "outcome", "event_time")
NEEDED = ("id", "sim", "target")
PARAM = "param."
SCHEMA = 1
BROKEN_OFF = "cannot be read as CSV"
"""What is said where rows from there on are unknown."""

_HEADING = re.compile(r"^\s*\[\[\s*[\"']?episode[\"']?\s*\]\]")
_TABLES = ("schema", "episode")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a manifest: cells by column, and where it stands.

    ``lines`` holds the line of single cells where it is another than ``line``.
    """

    line: int
    cells: dict[str, object]
    lines: dict[str, int] = field(default_factory=dict)

    def line_of(self, column: str) -> int:
        """Return the line on which a column's cell stands."""
        return self.lines.get(column, self.line)

    def text(self, column: str) -> str:
        """Return a cell as text, without surrounding white space; ``""`` where it has none."""
        value = self.cells.get(column)
        return "" if value is None else str(value).strip()


def at_line(path: Path, line: int) -> str:
    """Say where a problem is."""
    return f"{path}: line {line}" if line else str(path)


def read_rows(path: Path) -> tuple[list[Row], list[Problem]]:
    """Read a manifest's rows, and everything that is wrong with its form.

    Raises:
        UsageError: where nothing of it can be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(Problem(f"cannot be read: {error.strerror}", str(path))) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UsageError(
            Problem(
                "the manifest is not UTF-8",
                at_line(path, line),
                repr(error.object[error.start : error.start + 1]),
                "save it as UTF-8",
            )
        ) from error
    return _toml_rows(path, text) if path.suffix.lower() == ".toml" else _csv_rows(path, text)


def _csv_rows(path: Path, text: str) -> tuple[list[Row], list[Problem]]:
    lines = _records(path, text)
    line, header = next(lines, (0, []))
    names = [name.strip() for name in header]
    if not any(names):
        raise UsageError(
            Problem(
                "the manifest is empty",
                str(path),
                todo=f"its first line names the columns: {', '.join(NEEDED)}",
            )
        )
    problems = _faults_of_names(path, line, names)
    rows: list[Row] = []
    while True:
        try:
            line, cells = next(lines)
        except StopIteration:
            return rows, problems
        except UsageError as error:  # what stands before it is told all the same
            return rows, [*problems, *error.problems]
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) > len(names):
            problems.append(
                Problem(
                    f"has {len(cells)} cells, the header {len(names)}",
                    at_line(path, line),
                    ", ".join(cells[len(names) :])[:80],
                    "put a cell that holds the delimiter in double quotes",
                )
            )
        rows.append(Row(line, dict(zip(names, cells, strict=False))))


def _records(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line of the start, cells); the delimiter is what the first line has most of."""
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            todo = "close the quotation mark"
            raise UsageError(Problem(BROKEN_OFF, at_line(path, line), str(error), todo)) from error
        if cells:
            yield line, cells


def _faults_of_names(path: Path, line: int, names: list[str]) -> list[Problem]:
    where = at_line(path, line)
    problems = [
        Problem(f"the column {name!r} is missing", where, todo=f"needed: {', '.join(NEEDED)}")
        for name in NEEDED
        if name not in names
    ]
    twice = dict.fromkeys(name for name in names if name and names.count(name) > 1)
    problems += [Problem(f"the column {name!r} is there twice", where) for name in twice]
    return problems + [unknown(name, where) for name in names if not known(name)]


def known(name: str) -> bool:
    """Whether a manifest may have a column of that name."""
    return name in COLUMNS or (name.startswith(PARAM) and len(name) > len(PARAM))


def unknown(name: str, where: str) -> Problem:
    """Return the problem of a column that means nothing, with the nearest that do."""
    import difflib

    close = difflib.get_close_matches(name, (*COLUMNS, PARAM + name), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(COLUMNS)}"
    what = f"no column is called {name!r}" if name else "a column has no name"
    return Problem(what, where, todo=f"{hint} A simulation parameter is called param.NAME")


def _toml_rows(path: Path, text: str) -> tuple[list[Row], list[Problem]]:
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(
            Problem("the manifest is not TOML", str(path), str(error), "mend it there")
        ) from error
    problems = []
    if content.get("schema", SCHEMA) != SCHEMA:
        found = repr(content["schema"])
        problems.append(Problem("is no manifest of schema 1", str(path), found, "put schema = 1"))
    problems += [
        Problem(f"{key}: not a part of a manifest", str(path), todo="episodes are [[episode]]")
        for key in content
        if key not in _TABLES
    ]
    tables = content.get("episode", [])
    if not (isinstance(tables, list) and all(isinstance(table, dict) for table in tables)):
        todo = "write [[episode]], with two brackets, once an episode"
        raise UsageError([*problems, Problem("episode is no list of tables", str(path), todo=todo)])
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines, 1) if _HEADING.match(line)]
    if len(heads) != len(tables):
        heads = [0] * len(tables)
    rows = []
    for place, (table, line) in enumerate(zip(tables, heads, strict=True)):
        end = heads[place + 1] - 1 if place + 1 < len(heads) else len(lines)
        row = _toml_row(table, line, lines[line:end] if line else [])
        rows.append(row)
        problems += [
            unknown(name, at_line(path, row.line_of(name))) for name in row.cells if not known(name)
        ]
    return rows, problems


def _toml_row(table: dict[str, Any], line: int, below: list[str]) -> Row:
    """Return a table as a row; ``param.NAME = …``, ``[episode.param]`` and a table in braces are alike."""
    cells: dict[str, object] = {}
    for key, value in table.items():
        if key == "param" and isinstance(value, dict):
            cells |= {f"{PARAM}{name}": number for name, number in value.items()}
        else:
            cells[key] = value
    lines = {}
    for name in cells:
        spelt = re.escape(name.removeprefix(PARAM))
        pattern = re.compile(rf"^\s*(?:{re.escape(PARAM)})?[\"']?{spelt}[\"']?\s*=")
        found = next((n for n, text in enumerate(below, line + 1) if pattern.match(text)), line)
        lines[name] = found
    return Row(line, cells, lines)
