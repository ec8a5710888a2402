"""Write a file as a whole or not at all, and never onto a recording."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from tracescope.model.errors import Problem, UsageError


def write_beside(
    path: Path, content: bytes, sources: Iterable[str], *, backup: bool = False
) -> None:
    """Write a temporary file beside ``path`` and rename it over; keep the old one as ``.bak`` if asked.

    A link is followed and stays a link. A device or a pipe takes the bytes as they are: renaming over
    it would put a file in its place, ``/dev/null`` first of all.

    Raises:
        UsageError: where ``path`` is one of the ``sources`` or the folder does not take it.
    """
    refuse_source(path, sources)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        path = path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads back to itself
        raise _unwritable(path, error) from error
    draft = path.absolute().parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, draft)
            if backup:
                shutil.copy2(path, path.with_name(path.name + ".bak"))
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise _unwritable(path, error) from error


def refuse_source(path: Path, sources: Iterable[str]) -> None:
    """Raise UsageError where ``path`` is one of the recordings."""
    for source in sources:
        same = path.exists() and Path(source).exists() and path.samefile(source)
        if same or path.absolute() == Path(source).absolute():
            raise UsageError(
                Problem(
                    "is one of the recordings; recordings are never written",
                    str(path),
                    todo="choose another name",
                )
            )


def refuse_unwritable(path: Path) -> None:
    """Raise UsageError where a file could not be written, without writing it.

    A disk that is full, or a folder taken away meanwhile, is only told when the file is written.
    """
    try:
        path = path.resolve() if path.is_symlink() else path.absolute()
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            _need_access(path, os.W_OK)
            return
        path.parent.lstat()
        _need_folder(path.parent)
    except (OSError, RuntimeError) as error:
        raise _unwritable(path, error) from error


def refuse_unwritable_folder(folder: Path) -> None:
    """Raise UsageError where a folder could not be made or filled, without making it."""
    there = folder.absolute()
    try:
        while not (there.exists() or there.is_symlink()):
            there = there.parent
        _need_folder(there)
    except OSError as error:
        raise unmade_folder(folder, error) from error


def unmade_folder(folder: Path, error: OSError) -> UsageError:
    """Return the error of a folder that cannot be made or filled, with what to do about it."""
    what = f"the folder cannot be made or written: {error.strerror}"
    in_the_way = isinstance(error, (NotADirectoryError, FileExistsError))
    todo = "a file is in its way: choose another name" if in_the_way else "choose another place"
    return UsageError(Problem(what, str(folder), todo=todo))


def _need_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    _need_access(folder, os.W_OK | os.X_OK)


def _need_access(path: Path, mode: int) -> None:
    if not os.access(path, mode):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _unwritable(path: Path, error: OSError | RuntimeError) -> UsageError:
    folder = path.absolute().parent
    todo = f"the folder {folder} does not exist" if not folder.exists() else "choose another place"
    said = getattr(error, "strerror", None) or str(error)
    return UsageError(Problem(f"cannot be written: {said}", str(path), todo=todo))
