"""Undo steps: each swaps one facet of the session between an old and a new value.

The stack behaves as Qt's ``QUndoStack`` and holds plain Python objects. Qt's own deletes merged, obsolete
and overtaken commands itself; with commands written in Python that ended in memory errors on long sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

Facet = Literal[
    "alignment", "corrections", "tolerances", "marks", "edits", "prediction", "probes", "budgets"
]
Put = Callable[[Facet, object], None]


@dataclass(slots=True, eq=False)
class SwapCommand:
    """Puts ``after`` in force, and ``before`` again on undo.

    Commands that share a gesture number (≥ 0) become one step: the first one's ``before``, the last one's
    ``after``.
    """

    put: Put
    facet: Facet
    before: object
    after: object
    text: str
    gesture: int = -1

    def redo(self) -> None:
        """Put the new value in force."""
        self.put(self.facet, self.after)

    def undo(self) -> None:
        """Put the old value back."""
        self.put(self.facet, self.before)

    def swallows(self, later: SwapCommand) -> bool:
        """Whether a later command belongs to the same step."""
        return self.gesture >= 0 and (self.gesture, self.facet) == (later.gesture, later.facet)


class UndoStack(QObject):
    """The steps done so far, and those undone since; names are those of ``QUndoStack``.

    Signals:
        indexChanged: Something was done, undone or forgotten.
        cleanChanged: What is there is now what was saved, or no longer.
    """

    indexChanged = Signal(int)  # noqa: N815  # Qt's name
    cleanChanged = Signal(bool)  # noqa: N815  # Qt's name

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._commands: list[SwapCommand] = []
        self._index = 0
        self._clean_at: int | None = 0

    def push(self, command: SwapCommand) -> None:
        """Do a command and remember it; what was undone before is forgotten."""
        del self._commands[self._index :]
        was_clean = self.isClean()
        if self._clean_at is not None and self._clean_at > self._index:
            self._clean_at = None
        command.redo()
        last = self._commands[-1] if self._commands else None
        if last is None or was_clean or not last.swallows(command):
            self._commands.append(command)
        else:
            last.after = command.after
            if last.after == last.before:
                self._commands.pop()
        self._at(len(self._commands), was_clean=was_clean)

    def _at(self, index: int, *, was_clean: bool) -> None:
        self._index = index
        self.indexChanged.emit(index)
        if self.isClean() != was_clean:
            self.cleanChanged.emit(self.isClean())

    @Slot()
    def undo(self) -> None:
        """Take the last step back."""
        if self.canUndo():
            self.setIndex(self._index - 1)

    @Slot()
    def redo(self) -> None:
        """Do the step again that was taken back last."""
        if self.canRedo():
            self.setIndex(self._index + 1)

    def setIndex(self, index: int) -> None:  # noqa: N802  # Qt's name
        """Undo or redo until so many steps are done."""
        was_clean = self.isClean()
        wanted = min(max(index, 0), len(self._commands))
        while self._index != wanted:
            if self._index > wanted:
                self._commands[self._index - 1].undo()
                self._index -= 1
            else:
                self._commands[self._index].redo()
                self._index += 1
        self._at(wanted, was_clean=was_clean)

    def clear(self) -> None:
        """Forget every step; what is there counts as saved."""
        was_clean = self.isClean()
        self._commands.clear()
        self._clean_at = 0
        self._at(0, was_clean=was_clean)

    def setClean(self) -> None:  # noqa: N802  # Qt's name
        """Say that what is there was saved."""
        was_clean = self.isClean()
        self._clean_at = self._index
        if not was_clean:
            self.cleanChanged.emit(True)  # noqa: FBT003  # Qt's own signature

    def isClean(self) -> bool:  # noqa: N802  # Qt's name
        """Whether what is there was saved."""
        return self._clean_at == self._index

    def count(self) -> int:
        """Return how many steps are remembered, done or undone."""
        return len(self._commands)

    def canUndo(self) -> bool:  # noqa: N802  # Qt's name
        """Whether there is a step to take back."""
        return self._index > 0

    def canRedo(self) -> bool:  # noqa: N802  # Qt's name
        """Whether there is a step to do again."""
        return self._index < len(self._commands)

    def undoText(self) -> str:  # noqa: N802  # Qt's name
        """Return what the next undo takes back."""
        return self._commands[self._index - 1].text if self.canUndo() else ""

    def redoText(self) -> str:  # noqa: N802  # Qt's name
        """Return what the next redo does."""
        return self._commands[self._index].text if self.canRedo() else ""
