"""HDF5 files opened without locking and closed at once, with errors that say what is wrong."""

from __future__ import annotations

import io
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError
from tracescope.readers.base import FileHead
from tracescope.readers.files import HDF5_MAGIC
from tracescope.readers.hdf5_guard import circular
from tracescope.readers.hdf5_marked import unmarked

_USER_BLOCKS = (0, 512, 1024, 2048, 4096, 8192, 16384, 32768)


def is_hdf5(head: FileHead) -> bool:
    """Whether content starts like HDF5 (a user block may stand before it)."""
    return superblock_at(head.head) is not None


def superblock_at(head: bytes) -> int | None:
    """Return where the HDF5 signature stands, or ``None``."""
    return next((at for at in _USER_BLOCKS if head[at : at + 8] == HDF5_MAGIC), None)


def claimed_size(head: bytes) -> int | None:
    """Return the file size that the superblock says, or ``None`` where it cannot be told."""
    at = superblock_at(head)
    if at is None or len(head) < at + 64:
        return None
    version = head[at + 8]
    if version in {0, 1}:
        width, place = head[at + 13], at + (24 if version == 0 else 28)
        base, end = place, place + 2 * width
    elif version in {2, 3}:
        width = head[at + 9]
        base, end = at + 12, at + 12 + 2 * width
    else:
        return None
    if width not in {2, 4, 8}:
        return None
    code = {2: "<H", 4: "<I", 8: "<Q"}[width]
    start = int(struct.unpack_from(code, head, base)[0])
    size = int(struct.unpack_from(code, head, end)[0])
    if size == 2 ** (8 * width) - 1:
        return None
    return size + (at if start == 0 else 0)


def left_open(head: bytes) -> bool:
    """Whether a writer marked the file as open for writing and never took the mark away."""
    at = superblock_at(head)
    return at is not None and len(head) > at + 12 and head[at + 8] == 3 and bool(head[at + 11] & 5)


_ONE_AT_A_TIME = threading.RLock()
"""The HDF5 library is not safe in threads: whoever has a file open holds this."""


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """Open an HDF5 file for reading, without locking; closed when the block ends.

    No two threads have files open at once.

    Raises:
        TraceReadError: where it is truncated, was never closed, or is damaged.
    """
    with _ONE_AT_A_TIME, _opened_file(path) as file:
        yield file


@contextmanager
def _opened_file(path: Path) -> Iterator[Any]:
    import h5py

    _load_filters()
    with path.open("rb") as raw:
        head = raw.read(64 * 1024)
    size = path.stat().st_size
    expected = claimed_size(head)
    circle = circular(path)
    if circle:
        todo = "copy it again, or try h5recover on a copy"
        raise TraceReadError(Problem("the HDF5 file is damaged", str(path), circle, todo))
    try:
        file, shown = _opened(h5py, path, head)
    except OSError as error:
        raise TraceReadError(_why(path, head, size, expected, error)) from error
    try:
        yield file
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, OverflowError) as error:
        # a damaged file makes the library raise any of these from anywhere
        raise TraceReadError(_why(path, head, size, expected, error)) from error
    finally:
        file.close()
        if shown is not None:
            shown.close()


def _opened(h5py: Any, path: Path, head: bytes) -> tuple[Any, io.RawIOBase | None]:
    """Return the open file, and what it is read through where that must be closed as well."""
    if left_open(head):
        shown = unmarked(path, superblock_at(head) or 0)
        if shown is None:
            raise OSError("its first block does not have the checksum it says")
        try:
            return h5py.File(shown, "r"), shown
        except BaseException:
            shown.close()
            raise
    try:
        return h5py.File(path, "r", locking=False), None
    except OSError as error:
        if "locking flag" in str(error):  # this very process has it open with locks
            return h5py.File(path, "r"), None
        raise


def _load_filters() -> None:
    """Register compression filters where the plug-in package is installed."""
    import importlib.util

    if importlib.util.find_spec("hdf5plugin") is not None:
        import hdf5plugin

        del hdf5plugin


def _why(path: Path, head: bytes, size: int, expected: int | None, error: Exception) -> Problem:
    where = str(path)
    if expected is not None and size < expected:
        return Problem(
            f"the file is shorter than it says: {size} of {expected} bytes",
            where,
            f"{size} bytes, expected {expected}",
            "the recorder crashed or the copy is incomplete: copy it again, or try h5recover on a copy",
        )
    if left_open(head):
        return Problem(
            "the file was never closed by its writer (or is being written now)",
            where,
            "marked as open for writing",
            "let the writer finish; if it crashed, run h5clear -s on a copy and open that",
        )
    text = str(error).strip("'\"")
    return Problem(
        "the HDF5 file is damaged", where, text[:200], "copy it again, or check it with h5debug"
    )


def links(group: Any) -> list[tuple[str, Any]]:
    """Return (name as text, name as h5py wants it) of a group's links, in natural order."""
    from natsort import natsorted

    names = [
        (key if isinstance(key, str) else key.decode("utf-8", "replace"), key) for key in group
    ]
    return list(natsorted(names, key=lambda pair: pair[0]))


_MOST_HOPS = 16


def child(group: Any, key: Any, hops: int = 0) -> Any:
    """Return a member of a group, or ``None`` where its link leads nowhere or into another file."""
    import h5py

    link = group.get(key, getlink=True)
    if isinstance(link, h5py.ExternalLink) or hops > _MOST_HOPS:
        return None
    if isinstance(link, h5py.SoftLink):
        start = group.file if link.path.startswith("/") else group
        return own_node(start, link.path, hops + 1)
    return group[key]


def own_node(group: Any, path: str, hops: int = 0) -> Any:
    """Return the node of that path inside the same file, or ``None``; external links are not followed."""
    import h5py

    node = group
    for part in path.strip("/").split("/"):
        if part in {"", "."}:
            continue
        if not isinstance(node, h5py.Group) or node.get(part, getlink=True) is None:
            return None
        node = child(node, part, hops)
    return node


def elsewhere(dataset: Any) -> bool:
    """Whether a dataset's values lie in another file: no file beside the given one is ever read."""
    if dataset.external:
        return True
    if not dataset.is_virtual:
        return False
    return any(source.file_name != "." for source in dataset.virtual_sources())


SMALL = 64 * 1024 * 1024
_MOST_PACKED = 1200
"""No filter packs better than about 1,000 to 1: a dataset that claims to be larger is damaged."""


def claims_too_much(dataset: Any) -> bool:
    """Whether a dataset claims more bytes than its file can hold (read whole, it would fill the memory)."""
    claimed = int(dataset.size or 0) * dataset.dtype.itemsize
    if claimed <= SMALL:
        return False
    stored = min(dataset.id.get_storage_size(), dataset.file.id.get_filesize())
    return bool(claimed > stored * (_MOST_PACKED if dataset.chunks else 1))


def values_of(group: Any, path: str) -> Any:
    """Return the values of a dataset of this file, or ``None`` where there is none.

    Raises:
        ValueError: where its values lie in another file.
    """
    node = own_node(group, path)
    if node is None or not hasattr(node, "dtype"):
        return None
    if elsewhere(node):
        raise ValueError(f"the values of {path} lie in another file")
    if claims_too_much(node):
        raise ValueError(f"{path} claims more values than the file holds")
    return node[()]


def text_of(value: Any) -> str:
    """Return an attribute or scalar as text."""
    import numpy as np

    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "SO":
            return ", ".join(text_of(v) for v in value.ravel()[:50].tolist())
        return np.array2string(value, threshold=20)
    return str(value)


def _attribute(node: Any, key: Any) -> str:
    import h5py

    raw = key.encode("utf-8", "surrogateescape") if isinstance(key, str) else key
    if h5py.h5a.open(node.id, raw).get_storage_size() > SMALL:
        return "(too long to show)"
    return text_of(node.attrs[key])


def attributes(node: Any, most: int = 2000) -> tuple[tuple[str, str], ...]:
    """Return a node's attributes as texts, long ones cut; those that cannot be read are named."""
    out = []
    for key in node.attrs:
        try:
            text = _attribute(node, key)
        except (OSError, TypeError, ValueError, KeyError, RuntimeError) as error:
            text = f"(cannot be read: {error})"
        name = key if isinstance(key, str) else key.decode("utf-8", "replace")
        out.append((name, text if len(text) <= most else text[:most] + " …"))
    return tuple(out)
