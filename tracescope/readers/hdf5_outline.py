"""The outline of an HDF5 file: names, shapes and attributes of its first levels, read once for all readers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tracescope.model.errors import TraceReadError
from tracescope.readers.base import FileHead
from tracescope.readers.hdf5_tools import child, is_hdf5, links, open_hdf5

_DEPTH = 5
_ROOT_MEMBERS = 200
_MEMBERS = 60
_EPISODES = 3


@dataclass(frozen=True, slots=True)
class Node:
    """A group or dataset; ``attrs`` holds names of attributes, ``shape`` is ``None`` for groups."""

    is_group: bool
    shape: tuple[int, ...] | None = None
    attrs: frozenset[str] = frozenset()
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """What claims look at: path → node; ``""`` is the root."""

    nodes: dict[str, Node] = field(default_factory=dict)

    def group(self, path: str) -> Node | None:
        node = self.nodes.get(path)
        return node if node is not None and node.is_group else None

    def dataset(self, path: str) -> Node | None:
        node = self.nodes.get(path)
        return None if node is None or node.is_group else node

    def members(self, path: str) -> tuple[str, ...]:
        node = self.nodes.get(path)
        return () if node is None else node.members

    def attrs(self, path: str = "") -> frozenset[str]:
        node = self.nodes.get(path)
        return frozenset() if node is None else node.attrs


def outline(head: FileHead) -> Outline | None:
    """Return the outline of a file, or ``None`` where it is no HDF5 that can be opened."""
    if not is_hdf5(head):
        return None
    stat = head.path.stat()
    return _outline(head, (stat.st_ino, stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=8)
def _outline(head: FileHead, version: tuple[int, int, int]) -> Outline | None:
    del version  # only tells one state of the file from another
    found = Outline()
    try:
        with open_hdf5(head.path) as file:
            _look(file, "", found.nodes, 0)
    except TraceReadError:
        return None
    return found


def _look(group: Any, path: str, nodes: dict[str, Node], depth: int) -> None:
    names = [name for name, key in links(group) if name == key][:_ROOT_MEMBERS]
    nodes[path] = Node(is_group=True, attrs=_attribute_names(group), members=tuple(names))
    if depth >= _DEPTH:
        return
    enough = _EPISODES if _numbered(names) else len(names)
    full = 0
    for name in names if enough < len(names) else names[: _MEMBERS if depth else None]:
        full += _look_at(group, name, path, nodes, depth)
        if full >= enough:
            return


def _look_at(group: Any, name: str, path: str, nodes: dict[str, Node], depth: int) -> bool:
    """Note one member and what is below it; return whether there is anything in it."""
    import h5py

    try:
        node = child(group, name)
    except (KeyError, OSError, RuntimeError):
        return False
    below = f"{path}/{name}".lstrip("/")
    if isinstance(node, h5py.Group):
        _look(node, below, nodes, depth + 1)
        return bool(nodes[below].members)
    if isinstance(node, h5py.Dataset):
        nodes[below] = Node(is_group=False, shape=node.shape, attrs=_attribute_names(node))
        return True
    return False


def _numbered(names: list[str]) -> bool:
    """Whether members are episodes (``demo_0``, ``demo_1``, …): a few with anything in them tell what all are."""
    stems = {name.rstrip("0123456789") for name in names}
    return len(names) > _EPISODES and len(stems) == 1 and all(n[-1:].isdecimal() for n in names)


def _attribute_names(node: Any) -> frozenset[str]:
    try:
        return frozenset(str(key) for key in node.attrs)
    except (OSError, RuntimeError, KeyError):
        return frozenset()
