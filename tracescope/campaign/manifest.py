"""Read a campaign: a manifest (CSV or TOML) or a folder; every fault is told at once.

A manifest has one row an episode: ``id``, ``sim`` (may be empty: the nearest simulator rollout of the same
label is taken), ``target``, and optionally ``date`` (ISO 8601, UTC where no zone is given), ``label`` (the
task), ``outcome``, ``event_time`` (seconds after the target's first row) and ``param.NAME`` (one column a
simulation parameter). Paths are relative to the manifest and take ``::episode``. In TOML an episode is an
``[[episode]]`` with the same keys.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from tracescope.campaign.folder import MANIFESTS, folder_campaign
from tracescope.campaign.manifest_table import BROKEN_OFF, PARAM, Row, at_line, read_rows
from tracescope.campaign.model import Campaign, Entry, Param, split_episode
from tracescope.model.errors import Problem, UsageError

YEARS = range(1980, 2101)
"""When targets ran: a machine whose clock was not set says 1970, or the year 1."""


def read_campaign(path: Path | str) -> Campaign:
    """Read a manifest or a folder; a folder that holds ``manifest.csv`` or ``manifest.toml`` is read by it.

    Raises:
        UsageError: with every fault of it, line by line.
    """
    path = Path(path)
    if path.is_dir():
        inside = [path / name for name in MANIFESTS if (path / name).is_file()]
        if len(inside) > 1:
            names = " and ".join(file.name for file in inside)
            raise UsageError(Problem(f"the folder holds {names}", str(path), todo="name one"))
        if not inside:
            return folder_campaign(path)
        path = inside[0]
    rows, problems = read_rows(path)
    maker = _Maker(path, _text_parameters(rows))
    entries = tuple(maker.entry(row) for row in rows)
    problems += maker.problems
    problems += _mixed_parameters(path, rows)
    whole = not any(problem.what == BROKEN_OFF for problem in problems)
    problems += _unmatchable(path, entries) if whole else []
    if whole and not rows:
        problems.append(Problem("the manifest names no episode", str(path)))
    if problems:
        raise UsageError(problems)
    return Campaign(entries, path.absolute().parent, path)


class _Maker:
    """Turns rows into entries and collects what is wrong with them."""

    def __init__(self, path: Path, texts: frozenset[str]) -> None:
        self._path = path
        self._texts = texts
        self._seen: dict[str, int] = {}
        self.problems: list[Problem] = []

    def _told(self, row: Row, column: str, what: str, todo: str = "") -> None:
        found = row.text(column)
        where = at_line(self._path, row.line_of(column))
        self.problems.append(Problem(what, where, found, todo))

    def entry(self, row: Row) -> Entry:
        return Entry(
            id=self._id(row),
            sim=self._file(row, "sim"),
            target=self._file(row, "target") or "",
            date=self._date(row),
            event_time_s=self._number(row, "event_time"),
            label=row.text("label"),
            outcome=row.text("outcome"),
            params=self._params(row),
            line=row.line,
        )

    def _id(self, row: Row) -> str:
        name = row.text("id")
        if not name:
            self._told(row, "id", "the episode has no id")
        elif name in self._seen:
            self._told(row, "id", f"the id is that of line {self._seen[name]} already")
        self._seen.setdefault(name, row.line)
        return name

    def _file(self, row: Row, column: str) -> str | None:
        text = row.text(column)
        if not text:
            if column == "target":
                self._told(row, column, "the episode names no target")
            return None
        file, _ = split_episode(self._path.parent, text)
        try:
            if not file.exists():
                self._told(row, column, f"the {column} file does not exist", nearest_file(file))
        except OSError as error:
            what = f"the {column} file cannot be looked at: {error.strerror}"
            self._told(row, column, what, "check its name and the permissions of its folder")
        return text

    def _date(self, row: Row) -> datetime | None:
        value = row.cells.get("date")
        if isinstance(value, datetime):
            moment = value
        elif isinstance(value, date):
            moment = datetime(value.year, value.month, value.day, tzinfo=UTC)
        elif not row.text("date"):
            return None
        else:
            try:
                moment = datetime.fromisoformat(row.text("date"))
            except ValueError:
                todo = "for example 2026-11-30 or 2026-11-30T09:12:44+01:00"
                self._told(row, "date", "is not an ISO 8601 date", todo)
                return None
        if moment.year not in YEARS:
            what = f"lies before {YEARS.start} or after {YEARS.stop - 1}, as of a clock that was not set"
            self._told(row, "date", what, "leave it empty where unknown")
            return None
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)

    def _number(self, row: Row, column: str) -> float | None:
        text = row.text(column)
        if not text:
            return None
        number = _as_number(row.cells[column])
        if number is None or not math.isfinite(number):
            self._told(row, column, f"{column} is not a finite number")
            return None
        return number

    def _params(self, row: Row) -> tuple[Param, ...]:
        params: list[Param] = []
        for column, value in row.cells.items():
            if not column.startswith(PARAM) or not row.text(column):
                continue
            number = None if column in self._texts else _as_number(value)
            if isinstance(value, dict | list):
                self._told(row, column, f"{column} is neither a number nor a text")
            elif number is not None and not math.isfinite(number):
                self._told(row, column, f"{column} is not finite", "leave it empty where unknown")
            else:
                shown = row.text(column) if number is None else number
                params.append((column.removeprefix(PARAM), shown))
        return tuple(params)


def _as_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and "_" in value:  # Python reads 1_2 as 12
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _odd_cells(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row], bool]]:
    """Yield every parameter column that holds texts, their rows, and whether numbers are the rule in it."""
    columns = dict.fromkeys(c for row in rows for c in row.cells if c.startswith(PARAM))
    for column in columns:
        filled = [row for row in rows if row.text(column)]
        odd = [row for row in filled if _as_number(row.cells[column]) is None]
        if odd:
            yield column, odd, len(odd) < len(filled) / 2


def _text_parameters(rows: Sequence[Row]) -> frozenset[str]:
    """Return the parameter columns of texts: what looks like a number there is one text of many."""
    return frozenset(column for column, _, numbers in _odd_cells(rows) if not numbers)


def _mixed_parameters(path: Path, rows: Sequence[Row]) -> list[Problem]:
    """Return the cells that are no number in parameter columns where most are."""
    return [
        Problem(
            f"{column} is not a number, as it is in other rows",
            at_line(path, row.line_of(column)),
            row.text(column),
        )
        for column, odd, numbers in _odd_cells(rows)
        if numbers
        for row in odd
    ]


def _unmatchable(path: Path, entries: Sequence[Entry]) -> list[Problem]:
    """Return the episodes without a simulator run whose label no other row has one for."""
    labels = {entry.label for entry in entries if entry.sim}
    return [
        Problem(
            f"names no simulator run, and no row of the label {entry.label!r} does",
            at_line(path, entry.line),
            todo="name one, or give the row the label of a task that was simulated",
        )
        for entry in entries
        if entry.sim is None and entry.label not in labels
    ]


def nearest_file(file: Path) -> str:
    """Say what lies where a file was looked for: the folder that is missing, or the nearest names."""
    import difflib

    if not file.parent.is_dir():
        return f"there is no folder {file.parent}"
    names = sorted(entry.name for entry in file.parent.iterdir())
    close = difflib.get_close_matches(file.name, names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(close)}?" if close else "paths are relative to the manifest"
