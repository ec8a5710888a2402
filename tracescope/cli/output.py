"""Where a command's output goes: standard output, a file, and progress on a terminal."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tracescope.model.progress import Progress, silent
from tracescope.session.atomic import write_beside

TURNING = frozenset(
    map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
)
"""Unicode's bidirectional controls: they show a text in another order than it has."""


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


def told(text: str) -> str:
    """Return a text for a terminal: signs that would steer it, or turn the reading order, as escapes.

    A file's names are another's words: no column may colour, clear or reorder what is printed.
    """
    return "".join(_escaped(sign) if _steers(sign) else sign for sign in text)


def _steers(sign: str) -> bool:
    return sign not in "\n\t" and (unicodedata.category(sign) == "Cc" or sign in TURNING)


def _escaped(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 0x100 else f"\\u{ord(sign):04x}"


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
