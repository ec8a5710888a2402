"""Repairs that a person may want otherwise: a bar for each, with the choice in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from tracescope.readers.base import RowOrder
from tracescope.session.session import Session, SideChoices
from tracescope.ui.notices import Notice, Offer

if TYPE_CHECKING:
    from tracescope.ui.commands import Commands
    from tracescope.ui.opener import SideName

OUT_OF_ORDER = "out-of-order"
ORDERS: tuple[tuple[RowOrder, str], ...] = (
    ("sort", "Sort by time"),
    ("rows", "Keep row order"),
    ("split", "Split there"),
)


def repair_key(side: SideName) -> str:
    """Return the subject under which a side's repair stands."""
    return f"repair-{side}"


def with_order(side: SideChoices, order: RowOrder) -> SideChoices:
    """Return how to open a side with its rows in another order."""
    return replace(side, choices=replace(side.choices, order=order))


def repair_notices(session: Session, commands: Commands) -> Iterator[Notice]:
    """Yield a bar for each side whose rows ran back in time, offering what was not done."""
    sides: tuple[tuple[SideName, SideChoices], ...] = (
        ("sim", session.sim),
        ("target", session.target),
    )
    for side, choices in sides:
        trace = session.pair.sim if side == "sim" else session.pair.target
        for note in trace.health:
            if note.key != OUT_OF_ORDER:
                continue
            offers = [Offer("Show", lambda side=side: commands.show_properties(side))]  # type: ignore[misc]
            for order, label in ORDERS:
                if order != choices.choices.order:
                    again = with_order(choices, order)
                    offers.append(
                        Offer(label, lambda side=side, again=again: commands.reopen(side, again))  # type: ignore[misc]
                    )
            done = f": {note.done}" if note.done else ""
            text = f"{side}: {note.placed}{done}"
            yield Notice("repair", text, "", tuple(offers), repair_key(side))
