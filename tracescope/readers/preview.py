"""A first look at a long recording: blocks of its rows from all over it, read in a fraction of a second.

What stands between the blocks was not read. A preview is there to be looked at until the recording itself
is there: it has no hash, no health, and nothing is ever judged, saved or exported from it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tracescope.model.errors import ProblemsError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Samples, Source, Trace, read_only
from tracescope.readers.assemble import placed, trace_of
from tracescope.readers.base import NO_CHOICES, Claim, ImportChoices, Reader
from tracescope.readers.csv_preview import gathered_lines
from tracescope.readers.files import file_head
from tracescope.readers.gathered import Gathered
from tracescope.readers.hdf5_preview import LAST_HALVINGS, gathered_table

log = logging.getLogger(__name__)

LEAST_VALUES = 8_000_000
"""A recording of fewer values is read whole before a person could look at a preview of it."""

LEAST_BYTES = 2_000_000
"""A file of fewer bytes is not even asked how many values it holds."""

BUDGET_S = 0.3
"""How long reading blocks may take; the fewest take as long as they take."""

_NOT_UNDERSTOOD = (
    ProblemsError,
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    MemoryError,
)


@dataclass(frozen=True, slots=True, eq=False)
class Preview:
    """Some rows of a recording.

    Attributes:
        trace: Those rows on the recording's clock, without hash and health. Only to be looked at.
        rows_in_file: How many rows the recording has.
        halvings: Rows were read in ``2^halvings`` places, irregularly spread; ``None`` where all were.
    """

    trace: Trace
    rows_in_file: int
    halvings: int | None = None

    @property
    def one_in(self) -> float:
        """Of how many rows one was read."""
        return self.rows_in_file / max(len(self.trace), 1)


def preview_trace(
    path: str | Path,
    episode: str | None = None,
    choices: ImportChoices = NO_CHOICES,
    progress: Progress = silent,
    *,
    least_values: int | None = None,
    budget_s: float = BUDGET_S,
    most_halvings: int = LAST_HALVINGS,
) -> Preview | None:
    """Read some rows of a long recording, or return ``None`` where it is short or not plainly laid out.

    Nothing is raised for what cannot be previewed: reading it says what is wrong.

    Args:
        path: A file; one episode of several is not previewed.
        episode: As asked for.
        choices: What a person said about it.
        progress: Raises Cancelled to stop.
        least_values: Shorter recordings have no preview; ``None``: ``LEAST_VALUES``.
        budget_s: No more blocks are begun that would take longer.
        most_halvings: Read no denser than this: what stands side by side is read alike.

    Raises:
        Cancelled: where ``progress`` asked for it.
    """
    if episode is not None:
        return None
    file = Path(path)
    least_values = LEAST_VALUES if least_values is None else least_values
    try:
        if not file.is_file() or file.stat().st_size < min(LEAST_BYTES, least_values):
            return None
        reader, claim = reader_of(file)
        if reader.name == "hdf5":
            found = gathered_table(file, progress, least_values, budget_s, most_halvings)
        elif reader.name == "csv":
            found = gathered_lines(file, choices, progress, least_values, most_halvings)
        else:
            return None
        if found is None:
            return None
        source = Source(str(file), layout=reader.name, layout_because=claim.because)
        return _previewed(found, choices, source)
    except _NOT_UNDERSTOOD as error:
        log.info("no preview of %s: %s", file, error)
        return None


def reader_of(file: Path) -> tuple[Reader, Claim]:
    """Return the reader of a file, and why it is that one."""
    from tracescope.readers.registry import reader_for

    return reader_for(file_head(file))


def _previewed(found: Gathered, choices: ImportChoices, source: Source) -> Preview | None:
    where = placed(found.table, choices)
    if len(where.episodes) != 1:
        return None
    kept = where.episodes[0][1]
    if (np.diff(kept) <= 0).any():  # sorting what has holes says nothing about the whole
        return None
    trace = trace_of(where, choices)
    if trace.clock.kind != "stamped":
        rate_hz = (trace.clock.rate_hz if trace.clock.kind == "nominal" else None) or 1.0
        trace = _on_rows(trace, found.rows[kept] / rate_hz)
    trace = replace(trace, source=replace(source, rows_in_file=found.rows_in_file), health=())
    return Preview(trace, found.rows_in_file, found.halvings)


def _on_rows(trace: Trace, time_s: Samples) -> Trace:
    """Lay rows without stamps where they stand in the file."""
    time_s = read_only(time_s)
    channels = tuple(
        replace(channel, time_s=time_s)
        for channel in trace.channels
        if channel.value.shape == time_s.shape
    )
    return replace(trace, time_s=time_s, channels=channels)
