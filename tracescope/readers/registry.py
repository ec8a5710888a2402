"""Which reader reads a file: built-ins and plug-ins, chosen by content."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, part_of, silent
from tracescope.model.trace import Trace
from tracescope.readers import (
    csv_reader,
    folder_reader,
    hdf5_aloha,
    hdf5_d4rl,
    hdf5_droid,
    hdf5_general,
    hdf5_isaaclab,
    hdf5_libero,
    hdf5_maniskill,
    hdf5_matlab,
    hdf5_minari,
    hdf5_native,
    hdf5_robomimic,
    hdf5_robosuite,
    json_reader,
    lerobot_folder,
    mcap_reader,
    npz_reader,
    parquet_reader,
    poses_reader,
    rosbag_reader,
)
from tracescope.readers.base import (
    NO_CHOICES,
    Claim,
    EpisodeInfo,
    FileHead,
    ImportChoices,
    Inspection,
    Reader,
)
from tracescope.readers.files import (
    file_head,
    folder_looks_like,
    hashes_kept,
    looks_like,
    sha256_of,
)
from tracescope.readers.growing import read_steadily

log = logging.getLogger(__name__)

READERS: tuple[Reader, ...] = (
    hdf5_native.READER,
    hdf5_matlab.READER,
    hdf5_libero.READER,
    hdf5_isaaclab.READER,
    hdf5_robosuite.READER,
    hdf5_robomimic.READER,
    hdf5_aloha.READER,
    hdf5_d4rl.READER,
    hdf5_droid.READER,
    hdf5_maniskill.READER,
    hdf5_maniskill.FOLDER_READER,
    hdf5_minari.READER,
    hdf5_minari.FOLDER_READER,
    hdf5_general.READER,
    lerobot_folder.READER,
    parquet_reader.READER,
    npz_reader.READER,
    json_reader.READER,
    poses_reader.READER,
    mcap_reader.READER,
    rosbag_reader.READER,
    folder_reader.READER,
    csv_reader.READER,
)
"""The built-in readers. The one with the highest claim reads; order decides between equals."""

HDF5_SUFFIXES = (".h5", ".hdf5", ".hdf", ".he5")

MOST_EPISODES_INSPECTED = 200
"""``inspect`` reads no more episodes of a file than this whole; the others are listed."""


@cache
def plugin_readers() -> tuple[Reader, ...]:
    """Return readers of installed plug-ins; one that cannot be loaded is logged and left out."""
    found = []
    for entry in entry_points(group="tracescope.readers"):
        try:
            reader = entry.load()
        except Exception:  # a plug-in may fail in any way; it must not take the application with it
            log.exception("reader plug-in %s cannot be loaded", entry.name)
            continue
        if isinstance(reader, Reader):
            found.append(reader)
        else:
            log.error("reader plug-in %s is no Reader", entry.name)
    return tuple(found)


def all_readers() -> Iterator[Reader]:
    """Yield plug-ins first, so that they can win between equal claims, then built-ins."""
    yield from plugin_readers()
    yield from READERS


def reader_for(head: FileHead) -> tuple[Reader, Claim]:
    """Return the reader with the highest claim.

    Raises:
        TraceReadError: where none claims the file; says what it looks like.
    """
    best: tuple[Reader, Claim] | None = None
    for reader in all_readers():
        claim = _claim(reader, head)
        if claim is not None and (best is None or claim.confidence > best[1].confidence):
            best = (reader, claim)
    if best is None:
        raise TraceReadError(_unclaimed(head))
    return best


def _claim(reader: Reader, head: FileHead) -> Claim | None:
    if reader in READERS:
        return reader.claims(head)
    try:
        return reader.claims(head)
    except Exception:  # see plugin_readers
        log.exception("reader plug-in %s failed on %s", reader.name, head.path)
        return None


def _unclaimed(head: FileHead) -> Problem:
    where = str(head.path)
    if head.path.is_dir():
        what, todo = folder_looks_like([entry.name for entry in head.path.iterdir()])
        if what:
            return Problem(f"this is {what}", where, todo=todo)
        return Problem(
            "the folder holds no step trace",
            where,
            _entries(head.path),
            "name a file, or the folder of one recording",
        )
    what, todo = looks_like(head.head)
    if what:
        return Problem(f"this is {what}", where, todo=todo or "tracescope reads CSV and HDF5")
    start = head.head[:16]
    known = ", ".join(dict.fromkeys(reader.title for reader in all_readers()))
    return Problem(
        "the content is of no known format",
        where,
        f"it starts with {start!r}",
        f"export CSV or HDF5; what is read: {known}",
    )


def _entries(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir())[:8]
    return ", ".join(names) or "nothing"


def split_episode(path: str | Path) -> tuple[Path, str | None]:
    """Split ``file.h5::data/demo_3``; a file whose own name holds ``::`` is left whole."""
    text = str(path)
    if "::" not in text or _is_there(text):
        return Path(text), None
    head, _, tail = text.rpartition("::")
    return Path(head), tail or None


def _is_there(text: str) -> bool:
    """Say whether a file bears the whole text as its name; with the episode it may be too long for one."""
    try:
        return Path(text).exists()
    except OSError:
        return False


def open_trace(
    path: str | Path,
    episode: str | None = None,
    choices: ImportChoices = NO_CHOICES,
    progress: Progress = silent,
) -> Trace:
    """Open one episode of a file or folder.

    Args:
        path: File or folder; ``file.h5::data/demo_3`` names an episode inside.
        episode: Its key, the number its key ends with, or its place; ``None`` is the first.
        choices: What a person said about it.
        progress: Called with the share done; raises Cancelled to stop.

    Raises:
        TraceReadError: with every problem, where it cannot be read.
        Cancelled: where ``progress`` asked for it.
    """
    file, inside = split_episode(path)
    head = file_head(file)
    reader, claim = reader_for(head)
    wanted = episode if episode is not None else inside
    reading, hashing = part_of(progress, 0.0, 0.7), part_of(progress, 0.7, 1.0)
    with _told(file, reader):
        trace, notes = read_steadily(file, lambda: reader.read(file, wanted, choices, reading))
        digest = sha256_of(file, hashing)
    return _signed(trace.with_health(notes) if notes else trace, file, digest, reader, claim)


def _signed(trace: Trace, file: Path, digest: str, reader: Reader, claim: Claim) -> Trace:
    """Fill in what every trace says about its source."""
    source = replace(
        trace.source,
        path=str(file),
        sha256=digest,
        layout=trace.source.layout or reader.name,
        layout_because=trace.source.layout_because or claim.because,
    )
    return replace(trace, source=source)


@contextmanager
def _told(path: Path, reader: Reader) -> Iterator[None]:
    """Turn what the operating system says into a problem with a place; say where a name misleads.

    What a reader hashed on its way is known inside.
    """
    try:
        with hashes_kept():
            yield
    except TraceReadError as error:
        if path.suffix.lower() not in HDF5_SUFFIXES or reader.name != "csv":
            raise
        todo = "export the recording again, or give a table a name that ends in .csv"
        named = Problem("the name says HDF5, the content is text", str(path), todo=todo)
        raise TraceReadError([named, *error.problems]) from error
    except OSError as error:
        found = error.strerror or str(error)
        problem = Problem("reading failed", str(path), found, "check the disk, or copy it again")
        raise TraceReadError(problem) from error
    except MemoryError:
        todo = "cut it, or convert it to HDF5"
        raise TraceReadError(Problem("it does not fit into memory", str(path), todo=todo)) from None


def inspect_file(
    path: str | Path,
    choices: ImportChoices = NO_CHOICES,
    progress: Progress = silent,
) -> Inspection:
    """Say what is in a file: layout, episodes, and their traces (of one episode where ``::`` names it).

    Raises:
        TraceReadError: where it cannot be read.
    """
    file, inside = split_episode(path)
    head = file_head(file)
    reader, claim = reader_for(head)
    with _told(file, reader):

        def look() -> tuple[tuple[EpisodeInfo, ...], tuple[Trace, ...]]:
            infos = reader.episodes(file, choices)
            all_keys = tuple(info.key for info in infos[:MOST_EPISODES_INSPECTED])
            keys = all_keys if inside is None else (inside,)
            return infos, _traces(reader, file, keys, choices, progress)

        (infos, traces), notes = read_steadily(file, look)
        digest = sha256_of(file, progress)
    signed = tuple(_signed(t.with_health(notes), file, digest, reader, claim) for t in traces)
    health = tuple(dict.fromkeys(note for trace in signed for note in trace.health))
    layout = signed[0].source.layout if signed else reader.name
    because = signed[0].source.layout_because if signed else claim.because
    return Inspection(str(file), digest, layout, because, infos, signed, health)


def _traces(
    reader: Reader, file: Path, keys: tuple[str, ...], choices: ImportChoices, progress: Progress
) -> tuple[Trace, ...]:
    if reader.read_many is not None:
        return reader.read_many(file, keys, choices, progress)
    traces = []
    for place, key in enumerate(keys):
        traces.append(reader.read(file, key or None, choices, silent))
        progress((place + 1) / len(keys), "reading episodes")
    return tuple(traces)
