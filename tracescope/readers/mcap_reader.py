"""MCAP recordings: messages in JSON, ROS 1 or ROS 2 (CDR) encoding."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError, TracescopeError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.assemble import pick_episode
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.extras import library
from tracescope.readers.messages import Topic, message_trace
from tracescope.readers.notes import repaired, warned

MAGIC = b"\x89MCAP0\r\n"

Decoder = Callable[[bytes], Any]


def claims(head: FileHead) -> Claim | None:
    """Claim MCAP files."""
    return Claim(0.9, "it is MCAP") if head.head.startswith(MAGIC) else None


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
    library("mcap", "ros", path, "an MCAP recording")
    topics, notes = _topics(path, progress)
    return message_trace(str(path), topics, choices, notes)


def _topics(path: Path, progress: Progress) -> tuple[list[Topic], list[HealthNote]]:
    from mcap.records import Channel, Message, Schema
    from mcap.stream_reader import StreamReader

    schemas: dict[int, Any] = {}
    channels: dict[int, Any] = {}
    decoders: dict[int, Decoder | None] = {}
    topics: dict[str, Topic] = {}
    notes: list[HealthNote] = []
    size, count = max(path.stat().st_size, 1), 0
    try:
        with path.open("rb") as file:
            for record in StreamReader(file, record_size_limit=size + 1024).records:
                if isinstance(record, Schema):
                    schemas[record.id] = record
                elif isinstance(record, Channel):
                    channels[record.id] = record
                elif isinstance(record, Message) and record.channel_id in channels:
                    channel = channels[record.channel_id]
                    if record.channel_id not in decoders:
                        schema = schemas.get(channel.schema_id)
                        decoders[record.channel_id] = _decoder(channel, schema, path, notes)
                    _take(topics, channel.topic, decoders[record.channel_id], record)
                    count += 1
                    if count % 2000 == 0:
                        progress(min(file.tell() / size, 1.0), "reading messages")
    except TracescopeError:
        raise
    except (
        Exception
    ) as error:  # damage makes the library raise anything; what was read before it is kept
        if not count:
            todo = "copy it again, or try: mcap recover"
            problem = Problem("the MCAP file is damaged", str(path), str(error)[:200], todo)
            raise TraceReadError(problem) from error
        what = f"the recording breaks off after {count} messages: {error}"[:200]
        notes.append(repaired("truncated", what, "", 1, "what was read before is kept"))
    return list(topics.values()), notes


def _take(topics: dict[str, Topic], name: str, decode: Decoder | None, record: Any) -> None:
    if decode is None:
        return
    topic = topics.setdefault(name, Topic(name))
    try:
        message = decode(record.data)
    except Exception:  # noqa: BLE001  # a decoder of untrusted bytes: the message is counted as broken
        topic.broken += 1
        return
    topic.add(int(record.log_time), message)


def _decoder(channel: Any, schema: Any, path: Path, notes: list[HealthNote]) -> Decoder | None:
    """Return what decodes the messages of a channel; ``None``, with a note, where nothing does."""
    coding = channel.message_encoding
    if coding == "json":
        return json.loads
    if coding in {"cdr", "ros1"} and schema is not None and schema.data:
        library("rosbags", "ros", path, "an MCAP recording of ROS messages")
        try:
            return _ros_decoder(coding, schema)
        except Exception as error:  # noqa: BLE001  # a definition is text that anybody may have written
            reason = f"its definition cannot be read: {error}"
    else:
        reason = f"messages in {coding!r} are not read (json, cdr and ros1 are)"
    what = f"{channel.topic}: {reason}"[:300]
    notes.append(warned("topic-left-out", what, channel.topic, 1, "left out"))
    return None


def _ros_decoder(coding: str, schema: Any) -> Decoder:
    from rosbags.typesys import Stores, get_types_from_idl, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    name = schema.name if schema.name.count("/") == 2 else schema.name.replace("/", "/msg/", 1)
    text = schema.data.decode("utf-8")
    if schema.encoding == "ros2idl":
        parts = [part for part in text.split("=" * 80 + "\n") if part.strip()]
        types: dict[str, Any] = {}
        for part in parts:
            types.update(
                get_types_from_idl(part.partition("\n")[2] if part.startswith("IDL:") else part)
            )
    else:
        types = dict(get_types_from_msg(text, name))
    store.register(types)
    decode = store.deserialize_cdr if coding == "cdr" else store.deserialize_ros1
    return lambda data: decode(data, name)


READER = Reader("mcap", "MCAP recording", claims, episodes, read)
