r"""Bytes of a text table: encoding by content, and blocks of whole lines as UTF-8 with ``\n`` ends."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tracescope.readers.files import hashing

Buffer = bytes | bytearray | memoryview

SAMPLE_BYTES = 64 * 1024
SAMPLE_LINES = 60
SAMPLE_MOST = 32 * 1024 * 1024
BLOCK_BYTES = 2 * 1024 * 1024

_BOMS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_END = re.compile(rb"\r+\n|\r")


@dataclass(frozen=True, slots=True)
class TextSample:
    r"""The start of a text file.

    Attributes:
        text: Decoded, line ends ``\n``, without BOM and NULs; whole lines unless the file ends there.
        encoding: What Python calls it.
        because: Why.
        whole: Whether the sample is the whole file.
        size: Bytes of the file.
    """

    text: str
    encoding: str
    because: str
    whole: bool
    size: int


def detected_encoding(head: bytes) -> tuple[str, str]:
    """Tell the encoding of text from its first bytes; returns (name, why)."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name, "its byte order mark says so"
    even, odd = head[:4096:2].count(0), head[1:4096:2].count(0)
    half = max(1, min(len(head), 4096) // 2)
    if odd > 0.4 * half and even < 0.1 * half:
        return "utf-16-le", "every second byte is zero"
    if even > 0.4 * half and odd < 0.1 * half:
        return "utf-16-be", "every second byte is zero"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _legacy_encoding(head)
    return "utf-8", "it decodes as UTF-8"


def _legacy_encoding(head: bytes) -> tuple[str, str]:
    """Guess a one-byte encoding; Western European where nothing speaks against it."""
    if not any(0x80 <= byte < 0xA0 for byte in head):
        return "latin-1", "it is not UTF-8; read as Western European (latin-1)"
    return "cp1252", "it is not UTF-8; read as Western European (Windows-1252)"


def text_sample(path: Path, encoding: str | None = None) -> TextSample:
    """Read enough of a file to tell its dialect.

    Raises:
        LookupError: where a chosen encoding does not exist.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        head = file.read(SAMPLE_BYTES)
        while (
            len(head) < min(size, SAMPLE_MOST)
            and head.count(b"\n") + head.count(b"\r") < SAMPLE_LINES
        ):
            more = file.read(len(head))
            if not more:
                break
            head += more
    whole = len(head) >= size
    name, because = detected_encoding(head)
    if encoding:
        name, because = encoding, "the encoding was given"
    text = codecs.getincrementaldecoder(name)("replace").decode(head, final=whole)
    text = re.sub("\r+\n|\r", "\n", text.replace("\0", "").lstrip("\ufeff"))
    if not whole:
        text = text[: text.rfind("\n") + 1] or text
    return TextSample(text, name, because, whole, size)


@dataclass(frozen=True, slots=True)
class TextBlock:
    r"""Whole lines as UTF-8.

    Attributes:
        data: The bytes; the last block may lack its final line end where the file does.
        done: Bytes of the file consumed so far.
        nul_bytes: NUL bytes that were taken out.
        last: Whether this is the end of the file.
        room: What ``data`` lies in, where it is no copy; given back, the next block may be read into it.
        is_mended: Whether every line ends in ``\\n``; else also in ``\\r\\n`` or ``\\r``, as the file has it.
    """

    data: Buffer
    done: int
    nul_bytes: int
    last: bool
    room: bytearray | None = None
    is_mended: bool = True

    def lines(self) -> bytes:
        r"""Return a copy whose lines all end in ``\\n``."""
        return bytes(self.data) if self.is_mended else plain_ends(bytes(self.data))


@dataclass(slots=True)
class Rooms:
    """Memory that blocks are read into over and over: fresh memory costs more than reading into it."""

    idle: list[bytearray] = field(default_factory=list)

    def take(self, size: int) -> bytearray:
        """Return a room of at least so many bytes."""
        room = self.idle.pop() if self.idle else bytearray()
        return room if len(room) >= size else bytearray(size + size // 8)

    def give(self, room: bytearray | None) -> None:
        """Take a room back that nobody looks into any more."""
        if room is not None:
            self.idle.append(room)


def text_blocks(
    path: Path, encoding: str, block_bytes: int = BLOCK_BYTES, rooms: Rooms | None = None
) -> Iterator[TextBlock]:
    """Yield a file as blocks of whole lines; a quoted cell that wraps is not cut.

    Memory is bounded by some blocks and the longest line.

    Args:
        path: The file.
        encoding: What Python calls it.
        block_bytes: Bytes read at once.
        rooms: Where they are read to; blocks are to be given back.
    """
    plain = encoding in {"utf-8", "utf-8-sig", "ascii"}
    decoder = None if plain else codecs.getincrementaldecoder(encoding)("replace")
    rooms = Rooms() if rooms is None else rooms
    rest = b""
    done = 0
    with path.open("rb", buffering=0) as file, hashing(path) as hashed:
        while True:
            begin = len(rest)
            room = rooms.take(begin + block_bytes)
            view = memoryview(room)
            view[:begin] = rest
            end = begin + (file.readinto(view[begin : begin + block_bytes]) or 0)
            hashed(view[begin:end])
            first, last = done == 0, end == begin
            done += end - begin
            cut = _cut_as_is(room, begin, end, last=last) if plain else 0
            if cut and not (first and room.startswith(codecs.BOM_UTF8)):
                rest = bytes(view[cut:end])
                is_mended = room.find(b"\r", 0, cut) < 0
                yield TextBlock(view[:cut], done, 0, last, room, is_mended)
            else:
                raw = bytes(view[begin:end])
                rooms.give(room)
                whole, rest, nul = _mended(rest, raw, decoder, first=first, last=last)
                if whole or last or nul:
                    yield TextBlock(whole, done, nul, last)
            if last:
                return


def _cut_as_is(room: bytearray, begin: int, end: int, *, last: bool) -> int:
    """Return where to cut a block that needs no mending, 0 where it does or has no line end outside quotes."""
    if room.find(b"\0", begin, end) >= 0:
        return 0
    cut = end if last else room.rfind(b"\n", begin, end) + 1
    return cut if last or _quotes(room, cut) % 2 == 0 else 0


def _mended(
    rest: bytes,
    raw: bytes,
    decoder: codecs.IncrementalDecoder | None,
    *,
    first: bool,
    last: bool,
) -> tuple[bytes, bytes, int]:
    """Bring bytes to plain UTF-8; return whole lines, what is left over, and how many NULs were taken out."""
    data = raw if decoder is None else decoder.decode(raw, final=last).encode("utf-8", "replace")
    if first:
        data = data.removeprefix(codecs.BOM_UTF8)
    nul = data.count(0) if b"\0" in data else 0
    data = data.replace(b"\0", b"") if nul else data
    return *_parted(rest, data, last=last), nul


def _parted(rest: bytes, data: bytes, *, last: bool) -> tuple[bytes, bytes]:
    """Bring line ends to one spelling and cut behind the last that stands outside quotes."""
    data = rest + data
    if b"\r" in data:
        held = data.endswith(b"\r") and not last
        data = plain_ends(data[:-1] if held else data) + (b"\r" if held else b"")
    cut = len(data) if last else _cut(data)
    return data[:cut], data[cut:]


def _quotes(data: bytes | bytearray, end: int) -> int:
    """Count the quotes of a text up to ``end``."""
    return counted(data, b'"', end) if data.find(b'"', 0, end) >= 0 else 0


_AT_ONCE = 1 << 18


def counted(data: Buffer, sign: bytes, end: int | None = None) -> int:
    """Count a byte that is frequent, up to ``end``: a piece at a time stays in a core's own cache."""
    raw, code = np.frombuffer(data, np.uint8)[:end], ord(sign)
    pieces = (raw[at : at + _AT_ONCE] for at in range(0, raw.size, _AT_ONCE))
    return sum(int(np.count_nonzero(piece == code)) for piece in pieces)


def plain_ends(data: bytes) -> bytes:
    r"""Spell all line ends ``\\n``."""
    data = data.replace(b"\r\n", b"\n")
    return _LINE_END.sub(b"\n", data) if b"\r" in data else data


def _cut(data: bytes) -> int:
    """Return where to cut: behind the last line end outside quotes."""
    end = data.rfind(b"\n") + 1
    if _quotes(data, end) % 2 == 0:
        return end
    while end:
        quote = data.rfind(b'"', 0, end)
        end = data.rfind(b"\n", 0, quote) + 1
        if _quotes(data, end) % 2 == 0:
            return end
    return 0
