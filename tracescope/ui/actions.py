"""One table of everything a person can ask for: menus, shortcuts, the sheet and the palette read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from tracescope.ui.look import Look

Needs = Literal["", "session", "pair"]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One entry.

    Attributes:
        id: Stable name.
        menu: The menu it stands in; ``""`` for the palette alone.
        text: What menus call it; ``&`` marks its letter.
        tip: One sentence on what it is for.
        do: Called without arguments (checkable ones with their new state).
        keys: Shortcuts; the first is shown.
        icon: A name of the icon set.
        needs: ``session``: something is open; ``pair``: both traces are.
        checked: For checkable entries: whether it is on now.
        local: Its keys act only while the panes have the focus (arrows, Space).
        separated: A line stands above it.
        also: Another menu that has it at its end.
    """

    id: str
    menu: str
    text: str
    tip: str
    do: Callable[..., object]
    keys: tuple[str, ...] = ()
    icon: str = ""
    needs: Needs = ""
    checked: Callable[[], bool] | None = None
    local: bool = False
    separated: bool = False
    also: str = ""

    @property
    def plain_text(self) -> str:
        """The text without its mnemonic and dots."""
        return self.text.replace("&", "").removesuffix("…")


def key_texts(spec: ActionSpec) -> list[str]:
    """Return an entry's shortcuts as the platform writes them."""
    native = QKeySequence.SequenceFormat.NativeText
    return [QKeySequence(key).toString(native) for key in spec.keys]


class Actions:
    """The table made into Qt actions of one window."""

    def __init__(
        self, specs: Iterable[ActionSpec], window: QWidget, panes: QWidget, look: Look
    ) -> None:
        self.specs = tuple(specs)
        self._look = look
        self._made: dict[str, QAction] = {}
        for spec in self.specs:
            if spec.id in self._made:
                raise ValueError(f"two actions are called {spec.id}")
            self._made[spec.id] = self._make(spec, window, panes)
        look.changed.connect(self._paint)
        self._paint()

    def _make(self, spec: ActionSpec, window: QWidget, panes: QWidget) -> QAction:
        action = QAction(spec.text, window)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        keys = ", ".join(key_texts(spec))
        tip = f"{spec.tip} ({keys})" if keys else spec.tip
        action.setToolTip(tip)
        action.setStatusTip(spec.tip)
        if spec.checked is not None:
            action.setCheckable(True)
            action.triggered.connect(spec.do)
        else:
            action.triggered.connect(lambda _=False, do=spec.do: do())
        if spec.local:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            panes.addAction(action)
        else:
            window.addAction(action)
        return action

    def __getitem__(self, action_id: str) -> QAction:
        return self._made[action_id]

    def _paint(self) -> None:
        for spec in self.specs:
            if spec.icon:
                self._made[spec.id].setIcon(self._look.icon(spec.icon))

    def refresh(self, *, has_session: bool, is_pair: bool) -> None:
        """Enable what can be done now and tick what is on."""
        allowed = {"": True, "session": has_session, "pair": is_pair}
        for spec in self.specs:
            action = self._made[spec.id]
            action.setEnabled(allowed[spec.needs])
            if spec.checked is not None:
                action.setChecked(spec.checked())
