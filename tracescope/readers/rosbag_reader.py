"""ROS bags: version 1 files, version 2 folders, and single SQLite files of version 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError, TracescopeError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.assemble import pick_episode
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.extras import library
from tracescope.readers.messages import Topic, message_trace
from tracescope.readers.notes import noticed, warned

_MAGIC = b"#ROSBAG V2.0"
_SQLITE = b"SQLite format 3\x00"


def claims(head: FileHead) -> Claim | None:
    """Claim bags by their magic, their description, or the tables of their database."""
    if head.path.is_dir():
        about = head.path / "metadata.yaml"
        if about.is_file() and b"rosbag2_bagfile_information" in _start(about):
            return Claim(0.9, "its metadata.yaml describes a ROS 2 bag")
        return None
    if head.head.startswith(_MAGIC):
        return Claim(0.9, "it is a ROS 1 bag")
    if head.head.startswith(_SQLITE) and b"CREATE TABLE messages" in head.head:
        return Claim(0.9, "it is an SQLite database with the tables of a ROS 2 bag")
    return None


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4096)


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """Return the one episode."""
    return (EpisodeInfo("", len(read(path, None, choices))),)


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read all topics.

    Raises:
        TraceReadError: where the library is missing, or nothing can be read.
    """
    if episode:
        pick_episode([""], episode, str(path))
    library("rosbags", "ros", path, "a ROS bag")
    notes: list[HealthNote] = []
    try:
        topics = _topics(path, notes, progress)
    except TracescopeError:
        raise
    except Exception as error:  # damage makes the library raise anything
        todo = "copy it again; for a ROS 1 bag that was never closed: rosbag reindex on a copy"
        problem = Problem("the ROS bag cannot be read", str(path), str(error)[:200], todo)
        raise TraceReadError(problem) from error
    return message_trace(str(path), topics, choices, notes)


def _topics(path: Path, notes: list[HealthNote], progress: Progress) -> list[Topic]:
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    topics: dict[str, Topic] = {}
    unknown: set[str] = set()
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as bag:
        if bag.connections and all(not c.msgdef.data for c in bag.connections):
            what = "the bag holds no message definitions: those of ROS 2 Humble are used"
            notes.append(noticed("assumed-types", what))
        total = max(bag.message_count, 1)
        for at, (connection, log_ns, raw) in enumerate(bag.messages()):
            topic = topics.setdefault(connection.topic, Topic(connection.topic))
            _take(bag, topic, connection, int(log_ns), raw)
            if connection.msgtype not in bag.typestore.types:
                unknown.add(f"{connection.topic} ({connection.msgtype})")
            if at % 2000 == 0:
                progress(min(at / total, 1.0), "reading messages")
    if unknown:
        what = f"{len(unknown)} topics have types that are not defined: {', '.join(sorted(unknown)[:5])}"
        notes.append(warned("topic-left-out", what, "", len(unknown), "left out"))
    return [topic for topic in topics.values() if topic.rows]


def _take(bag: Any, topic: Topic, connection: Any, log_ns: int, raw: bytes) -> None:
    try:
        message = bag.deserialize(raw, connection.msgtype)
    except Exception:  # noqa: BLE001  # a decoder of untrusted bytes: the message is counted as broken
        topic.broken += 1
        return
    topic.add(log_ns, message)


READER = Reader("rosbag", "ROS bag", claims, episodes, read)
