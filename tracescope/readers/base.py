"""What a reader is, and what a person may choose about reading a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tracescope.model.progress import Progress
from tracescope.model.trace import HealthNote, Trace

TimeUnit = Literal["s", "ms", "us", "ns"]
RowOrder = Literal["sort", "rows", "split"]


@dataclass(frozen=True, slots=True)
class CsvChoices:
    """What a person said about a text table; ``None`` is "as detected".

    ``header_line`` counts from 1; 0 says that there is no header.
    """

    delimiter: str | None = None
    decimal: Literal[".", ","] | None = None
    header_line: int | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """What a map file or the import dialog says about one side. Empty means: guess.

    Attributes:
        time_column, time_unit: The clock.
        rate_hz: Rows a second, where the file has no clock.
        step_column: The step counter.
        roles: (role value, names or globs as the file spells them) pairs; what no pair names is *other*
            once any role is given.
        units: (channel name or glob, unit) pairs.
        order: What to do with rows that run back in time.
        csv: Dialect.
        row_type: Value of a row-type column to keep (``STATE_MOTOR``).
    """

    time_column: str | None = None
    time_unit: TimeUnit | None = None
    rate_hz: float | None = None
    step_column: str | None = None
    roles: tuple[tuple[str, tuple[str, ...]], ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    order: RowOrder = "sort"
    csv: CsvChoices = field(default_factory=CsvChoices)
    row_type: str | None = None


NO_CHOICES = ImportChoices()
"""Guess everything."""


@dataclass(frozen=True, slots=True)
class FileHead:
    """What a reader sees before it claims a file.

    Attributes:
        path: File or folder.
        head: The first 64 KiB; empty for a folder.
        size: Bytes.
    """

    path: Path
    head: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Claim:
    """``confidence`` 0 to 1: the reader with the highest reads the file. ``because``: one sentence."""

    confidence: float
    because: str


@dataclass(frozen=True, slots=True)
class EpisodeInfo:
    """An episode of a file: ``key`` is what stands after ``::``; ``""`` where the file is one episode."""

    key: str
    steps: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """One layout. Built-ins and plug-ins (entry point ``tracescope.readers``) are alike.

    Attributes:
        name: The layout's name in ``inspect`` and result files.
        title: What a person calls it.
        claims: ``FileHead -> Claim | None``; looks at content, never only at the ending.
        episodes: ``(path, choices) -> episodes`` in natural order, without reading them whole.
        read: ``(path, episode key or None for the first, choices, progress) -> Trace``. Source hash and
            layout are filled in by the registry. Raises TraceReadError with every problem.
        read_many: ``(path, episode keys, choices, progress) -> traces``, where several episodes of a file
            are cheaper to read together; ``None`` where they are not.
    """

    name: str
    title: str
    claims: Callable[[FileHead], Claim | None]
    episodes: Callable[[Path, ImportChoices], tuple[EpisodeInfo, ...]]
    read: Callable[[Path, str | None, ImportChoices, Progress], Trace]
    read_many: (
        Callable[[Path, tuple[str, ...], ImportChoices, Progress], tuple[Trace, ...]] | None
    ) = None


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is in a file, for ``inspect``, the episode picker and the import dialog."""

    path: str
    sha256: str
    layout: str
    layout_because: str
    episodes: tuple[EpisodeInfo, ...]
    traces: tuple[Trace, ...]
    health: tuple[HealthNote, ...] = ()
