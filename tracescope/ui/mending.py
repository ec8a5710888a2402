"""What a person can do at once about files that could not be read: buttons in the red bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from tracescope.model.errors import Problem
from tracescope.model.trace import Clock, Source, Trace
from tracescope.session.session import SideChoices
from tracescope.ui.notices import Offer

HEAD = 4096
NO_TABLES = (b"<html", b"<!doctype", b"<?xml", b"{", b"version https://git-lfs")
"""How texts begin that no delimiter makes a table of."""


def is_text(path: str) -> bool:
    """Say whether a file may be a table that was read with the wrong delimiter, header or encoding."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    plain = bool(head.strip()) and (utf16 or b"\0" not in head)
    return plain and not head.lstrip().lower().startswith(NO_TABLES)


def unread(path: str) -> Trace:
    """Return what is known of a text that could not be read: its place, and no rows."""
    return Trace(Source(path, layout="csv"), Clock(kind="rows"), np.zeros(0), ())


def offers_for(
    problems: Iterable[Problem],
    sides: Iterable[tuple[str, SideChoices]],
    read_otherwise: Callable[[str], None],
    choose: Callable[[], None],
) -> tuple[Offer, ...]:
    """Return the buttons of the bar that names these problems.

    Args:
        problems: Why nothing was opened.
        sides: What was to be opened, with its side.
        read_otherwise: Shows how a side's file is read, to change it.
        choose: Shows the dialog for other files.
    """
    wrong = [problem.where for problem in problems]
    offers = []
    other = False
    for side, choices in sides:
        if not any(where.startswith(choices.path) for where in wrong):
            continue
        if is_text(choices.path):
            name = Path(choices.path).name
            offers.append(
                Offer(f"How {name} is read…", lambda side=side: read_otherwise(side))  # type: ignore[misc]
            )
        else:
            other = True
    if other:
        offers.append(Offer("Other files…", choose))
    return tuple(offers)
