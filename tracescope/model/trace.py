"""One recording of one episode, as the file had it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]
"""Float64 samples, shape ``(n,)``."""


class Role(StrEnum):
    """What a channel is in the episode. The values are the words of map and result files."""

    OBSERVATION = "observation"
    OBSERVATION_RAW = "observation_raw"
    ACTION = "action"
    ACTION_APPLIED = "action_applied"
    REWARD = "reward"
    DONE = "done"
    TERMINATED = "terminated"
    TRUNCATED = "truncated"
    LATENCY = "latency"
    FRAME = "frame"
    OTHER = "other"


END_ROLES = (Role.DONE, Role.TERMINATED, Role.TRUNCATED)
"""Roles whose channels are flags that end an episode."""

STEP_DRAWN_ROLES = (Role.ACTION, Role.ACTION_APPLIED, *END_ROLES)
"""Roles whose value holds until the next sample: drawn as steps, resampled by the previous value."""


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return ``array`` (or a view of it) that refuses writes."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One scalar signal on its recorder's clock.

    Attributes:
        name: Unique in its trace, as the file spelt it, e.g. ``"obs[0]"``.
        role: What it is in the episode.
        time_s: Seconds on the trace's clock, shape ``(n,)``, float64, finite, never decreasing.
            Equal neighbours are rows the recorder stamped twice. Channels of one clock share one array.
        value: Shape ``(n,)``, real numbers or booleans in the file's own dtype; NaN marks a dropped sample.
        unit: As the file says, or ``""`` (never guessed).
        column: The file's column or dataset; several channels of one vector share it.
        index: Place inside that vector, or ``None`` for a scalar column.
        dtype: The dtype as the file had it.
        labels: For text columns, the texts that the codes in ``value`` stand for.
        role_because: Why the role was chosen.

    Raises:
        ValueError: if shapes differ, a stamp is not finite or time decreases.
    """

    name: str
    role: Role
    time_s: Samples
    value: NDArray[Any]
    unit: str = ""
    column: str = ""
    index: int | None = None
    dtype: str = ""
    labels: tuple[str, ...] = ()
    role_because: str = ""

    def __post_init__(self) -> None:
        if self.time_s.shape != self.value.shape or self.time_s.ndim != 1:
            raise ValueError(
                f"{self.name}: time {self.time_s.shape} and value {self.value.shape} differ"
            )
        object.__setattr__(self, "time_s", read_only(self.time_s))
        object.__setattr__(self, "value", read_only(self.value))
        if not self.column:
            object.__setattr__(self, "column", self.name)
        if not self.dtype:
            object.__setattr__(self, "dtype", str(self.value.dtype))

    def as_float(self) -> Samples:
        """Return the values as float64, shape ``(n,)``; no copy where they are already."""
        return self.value.astype(np.float64, copy=False)

    @property
    def is_step(self) -> bool:
        """Whether a sample holds until the next one (actions, flags, text)."""
        return self.role in STEP_DRAWN_ROLES or bool(self.labels) or self.value.dtype.kind == "b"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a trace came from. ``path`` may be a folder where a recording spans several files."""

    path: str
    sha256: str = ""
    layout: str = ""
    layout_because: str = ""
    episode: str | None = None
    rows_in_file: int | None = None


ClockKind = Literal["stamped", "nominal", "rows"]


@dataclass(frozen=True, slots=True)
class Clock:
    """How rows got their time.

    Attributes:
        kind: ``stamped``: a column of the file; ``nominal``: row number over a rate that file or person
            gave; ``rows``: no clock at all, ``time_s`` counts rows and seconds mean nothing.
        column: The column in use, ``""`` where there is none.
        unit: Unit of that column in the file (``s``, ``ms``, ``us``, ``ns``), or ``step``.
        origin_ns: What was subtracted from the file's stamps, exactly, in integer nanoseconds.
            0 where the file counts from (near) zero, so that small stamps stay as the file has them.
        is_epoch: Whether stamps count from 1970 (comparable between machines).
        rate_hz: The nominal rate where the file, its metadata or the person gave one.
        others: Other columns that look like clocks.
        because: Why this column and unit.
    """

    kind: ClockKind = "stamped"
    column: str = ""
    unit: str = "s"
    origin_ns: int = 0
    is_epoch: bool = False
    rate_hz: float | None = None
    others: tuple[str, ...] = ()
    because: str = ""


Severity = Literal["info", "repaired", "warning"]


@dataclass(frozen=True, slots=True)
class HealthNote:
    """Something the reader noticed or repaired.

    Attributes:
        what: What was noticed, with the number in words.
        where: Line, row, column or dataset (the first few, where many).
        count: How many rows, cells or channels it concerns.
        done: What was done about it; ``""`` where nothing was.
        severity: ``info`` (noticed, harmless), ``repaired`` (the data shown differ from the file) or
            ``warning`` (not repaired, may matter).
        key: Short stable name of the kind (``"stale-rows"``), for tests and for grouping.
    """

    what: str
    where: str = ""
    count: int = 1
    done: str = ""
    severity: Severity = "info"
    key: str = ""

    @property
    def placed(self) -> str:
        """What was noticed, and where in brackets."""
        return placed(self.what, self.where)


def placed(what: str, where: str) -> str:
    """Write where something was noticed behind it, in brackets, unless its words name the place already."""
    named = re.search(rf"(?<!\w){re.escape(where)}(?!\w)", what)
    return what if not where or named else f"{what} ({where})"


@dataclass(frozen=True, slots=True, eq=False)
class FrameStack:
    """Camera images of a trace, left in the file until one is looked at.

    Attributes:
        name: As the file spelt it.
        path, dataset: Where the images lie.
        time_s: Stamp of each frame, shape ``(n,)``.
        encoding: ``raw`` (n, h, w[, c]) uint8, or ``jpeg``/``png`` bytes a frame.
        rows: Row of ``dataset`` for each frame, shape ``(n,)``, int64.
        lengths: True byte count of each encoded frame where rows are zero-padded, else ``None``.
    """

    name: str
    path: str
    dataset: str
    time_s: Samples
    encoding: Literal["raw", "jpeg", "png"]
    rows: NDArray[np.int64]
    lengths: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A recording of one episode. Never changes: alignment and corrections are laid over it.

    Attributes:
        source: File, hash, layout and episode.
        clock: How rows got their time.
        time_s: The row clock, seconds, shape ``(n,)``, never decreasing.
        channels: Every signal of the file, in the file's order, names unique.
        step: The recorder's own step counter, shape ``(n,)``, or ``None``.
        health: What the reader noticed and repaired.
        metadata: Attributes of the file worth showing, as text.
        frames: Camera images.
    """

    source: Source
    clock: Clock
    time_s: Samples
    channels: tuple[Channel, ...]
    step: NDArray[np.int64] | None = None
    health: tuple[HealthNote, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    frames: tuple[FrameStack, ...] = ()
    _by_name: dict[str, Channel] = field(init=False, repr=False, compare=False)
    _interval_s: float | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_interval_s", None)
        time_s = np.asarray(self.time_s, dtype=np.float64)
        if time_s.ndim != 1 or not np.isfinite(time_s).all():
            raise ValueError("row times must be one-dimensional and finite")
        if time_s.size > 1 and (np.diff(time_s) < 0).any():
            raise ValueError("row times must not decrease")
        object.__setattr__(self, "time_s", read_only(time_s))
        if self.step is not None:
            if self.step.shape != time_s.shape:
                raise ValueError("step counter and row times differ in length")
            object.__setattr__(self, "step", read_only(self.step))
        by_name = {channel.name: channel for channel in self.channels}
        if len(by_name) != len(self.channels):
            raise ValueError("channel names are not unique")
        object.__setattr__(self, "_by_name", by_name)

    def __len__(self) -> int:
        return int(self.time_s.size)

    def __iter__(self) -> Iterator[Channel]:
        return iter(self.channels)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Channel:
        return self._by_name[name]

    def get(self, name: str) -> Channel | None:
        """Return the channel of that name, or ``None``."""
        return self._by_name.get(name)

    def of_role(self, *roles: Role) -> tuple[Channel, ...]:
        """Return the channels of these roles, in the file's order."""
        return tuple(channel for channel in self.channels if channel.role in roles)

    @property
    def duration_s(self) -> float:
        """Last row time less the first, seconds; 0 for an empty trace."""
        return float(self.time_s[-1] - self.time_s[0]) if self.time_s.size else 0.0

    @property
    def interval_s(self) -> float:
        """Median of the positive intervals between rows, seconds; NaN where there is none.

        Computed once: it is read often and scans every row.
        """
        if self._interval_s is None:
            steps = np.diff(self.time_s)
            if not steps.size or steps.min() <= 0:
                steps = steps[steps > 0]
            known = bool(steps.size)
            median_s = float(np.median(steps, overwrite_input=True)) if known else float("nan")
            object.__setattr__(self, "_interval_s", median_s)
            return median_s
        return self._interval_s

    @property
    def t_first_s(self) -> float:
        """First row time, seconds; 0 for an empty trace."""
        return float(self.time_s[0]) if self.time_s.size else 0.0

    def rebased(self, origin_ns: int) -> Trace:
        """Return the same recording with its seconds counted from another origin.

        The shift between the origins is computed in integers, so only the sum rounds.
        """
        if origin_ns == self.clock.origin_ns:
            return self
        shift_s = (self.clock.origin_ns - origin_ns) / 1e9
        shifted: dict[int, Samples] = {}

        def moved(time_s: Samples) -> Samples:
            if id(time_s) not in shifted:
                shifted[id(time_s)] = read_only(time_s + shift_s)
            return shifted[id(time_s)]

        return replace(
            self,
            clock=replace(self.clock, origin_ns=origin_ns),
            time_s=moved(self.time_s),
            channels=tuple(replace(c, time_s=moved(c.time_s)) for c in self.channels),
            frames=tuple(replace(f, time_s=moved(f.time_s)) for f in self.frames),
        )

    def with_health(self, notes: Iterable[HealthNote]) -> Trace:
        """Return the same recording with more health notes behind those it has."""
        return replace(self, health=(*self.health, *notes))
