"""Where a command's output goes: standard output, a file, and progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tracescope.model.progress import Progress, silent
from tracescope.session.atomic import write_beside


def write_out(where: str, content: bytes, sources: Iterable[str] = ()) -> None:
    """Write bytes to a file, or to standard output where it is ``-``.

    Raises:
        UsageError: where the file cannot be written or is one of the ``sources``.
    """
    if where == "-":
        sys.stdout.flush()
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:  # a captured stream that takes text alone
            sys.stdout.write(content.decode("utf-8"))
        else:
            buffer.write(content)
            buffer.flush()
        return
    write_beside(Path(where), content, sources)


@contextmanager
def progress_for(*, quiet: bool) -> Iterator[Progress]:
    """Give a progress line on a terminal's stderr, and silence anywhere else."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console

    with Console(stderr=True).status("reading …") as status:

        def tell(done: float, what: str) -> None:
            status.update(f"{what} … {done:.0%}")

        yield tell
