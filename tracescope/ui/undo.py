"""Undo steps: each swaps one facet of the session between an old and a new value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtGui import QUndoCommand

Facet = Literal["alignment", "corrections", "tolerances", "marks", "edits", "prediction"]
Put = Callable[[Facet, object], None]


class SwapCommand(QUndoCommand):
    """Puts ``after`` in force, and ``before`` again on undo.

    Commands that share a gesture number become one step: the first one's ``before``, the last one's
    ``after``.
    """

    def __init__(
        self, put: Put, facet: Facet, before: object, after: object, text: str, gesture: int = -1
    ) -> None:
        super().__init__(text)
        self._put = put
        self.facet: Facet = facet
        self.before = before
        self.after = after
        self._gesture = gesture

    def redo(self) -> None:
        """Put the new value in force."""
        self._put(self.facet, self.after)

    def undo(self) -> None:
        """Put the old value back."""
        self._put(self.facet, self.before)

    def id(self) -> int:
        """Return the gesture number; Qt asks only commands of equal numbers to merge."""
        return self._gesture

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Swallow a later command of the same gesture and facet."""
        if not isinstance(other, SwapCommand) or other.facet != self.facet:
            return False
        self.after = other.after
        self.setObsolete(self.after == self.before)
        return True
