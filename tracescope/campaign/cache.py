"""Results kept between runs, by what they depend on: file contents, options, and the product itself.

An entry is one small file: the SHA-256 of its body on the first line, then the body as JSON. What does not
read back whole is computed again. Files appear by renaming, so that two runs may share a cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import sys
import time
import uuid
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tracescope.session.atomic import unmade_folder

log = logging.getLogger(__name__)

T = TypeVar("T")

KEPT_S = 90 * 24 * 3600.0
"""Entries that no run has asked for this long are dropped."""

_OURS = re.compile(r"\.?[0-9a-f]{64}\.json(\..+\.tmp)?")
"""Names of entries and of drafts that a run left behind: a person may have named any folder as the cache."""

_NO_MATTER = ("ui/", "cli/", "findings/note/")
_LIBRARIES = ("numpy", "scipy", "pandas", "h5py", "pyarrow")


class Cache:
    """A folder of results.

    A cache that cannot be written costs time and nothing else: it is said once in the log.

    Attributes:
        broken: Whether it could not be written; nothing is kept from then on.
    """

    def __init__(self, folder: Path) -> None:
        """Use a folder; it is made with the first entry."""
        self.folder = folder
        self.broken = False

    def get(self, key: str, kind: type[T]) -> T | None:
        """Return an entry, or ``None`` where there is none or it does not read back whole."""
        path = self._path(key)
        try:
            digest, _, body = path.read_bytes().partition(b"\n")
            if hashlib.sha256(body).hexdigest().encode() != digest:
                log.warning("the cached result %s is damaged and is computed again", path)
                return None
            found = msgspec.json.decode(body, type=kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            log.warning("the cached result %s cannot be used: %s", path, error)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return found

    def put(self, key: str, value: object) -> None:
        """Keep an entry; one that is there is replaced as a whole."""
        if self.broken:
            return
        body = msgspec.json.encode(value)
        path = self._path(key)
        draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")  # hosts may share the folder
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            draft.replace(path)
        except OSError as error:
            self.broken = True
            log.warning("results cannot be kept in %s: %s", self.folder, error)
            with contextlib.suppress(OSError):
                draft.unlink()

    def prune(self, kept_s: float = KEPT_S) -> int:
        """Drop what no run asked for in a long time; return how many entries."""
        oldest = time.time() - kept_s
        dropped = 0
        for path in self.folder.glob("??/*"):
            if not (_OURS.fullmatch(path.name) and path.name.lstrip(".")[:2] == path.parent.name):
                continue
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()
                    dropped += 1
        return dropped

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def default_cache() -> Path:
    """Return where results are kept unless a person says otherwise."""
    from platformdirs import user_cache_path

    return user_cache_path("tracescope") / "campaigns"


def open_cache(folder: Path | None) -> Cache:
    """Return the cache in a folder a person named, or the default one.

    Raises:
        UsageError: where a named folder cannot be made or written.
    """
    if folder is None:
        return Cache(default_cache())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise unmade_folder(folder, error) from error
    return Cache(folder)


def key_of(kind: str, *parts: Any) -> str:
    """Return the key of what depends on these values, and on the product that computed it."""
    plain = msgspec.to_builtins((kind, fingerprint(), parts), str_keys=True)
    text = msgspec.json.encode(_spelt(plain), order="sorted")
    return hashlib.sha256(text).hexdigest()


def _spelt(value: Any) -> Any:
    """Spell numbers out: JSON would write every number that is not finite alike."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: _spelt(inner) for key, inner in value.items()}
    return [_spelt(inner) for inner in value] if isinstance(value, list | tuple) else value


@cache
def fingerprint() -> str:
    """Return what a result depends on besides files and options.

    That is the product's version and code, the numerical libraries and the installed plug-ins.
    """
    import tracescope

    digest = hashlib.sha256(tracescope.__version__.encode())
    root = Path(tracescope.__file__).parent
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(_NO_MATTER):
            digest.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    if getattr(sys, "frozen", False):  # the code lies in the program
        digest.update(hashlib.sha256(Path(sys.executable).read_bytes()).digest())
    for said in _around():
        digest.update(f"{said}\n".encode())
    return digest.hexdigest()


def _around() -> list[str]:
    """Return the versions of libraries and plug-ins."""
    from importlib.metadata import PackageNotFoundError, entry_points, version

    said = []
    for name in _LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            said.append(f"{name} {version(name)}")
    for group in ("tracescope.checks", "tracescope.readers"):
        for point in entry_points(group=group):
            dist = "" if point.dist is None else f"{point.dist.name} {point.dist.version}"
            said.append(f"{group} {point.name} {point.value} {dist}")
    return sorted(said)
