"""What a right click (or the menu key) offers on a pane, a curve and a row of the signals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from tracescope.ui.actions import key_texts
from tracescope.ui.plots.canvas_mouse import Pointed
from tracescope.ui.plots.copied import readout_text
from tracescope.ui.view_model import split_key

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow

PANE_VIEW = ("view.fit_pane", "view.fit_values", "view.fit_everything", "view.residual")
READING = ("match-channels", "import-sim", "import-target")
MOST_NAMED = 4
"""A pane of more signals has no entry for each."""


class ContextMenus(QObject):
    """Builds and shows them; most entries are the window's own actions, so that their keys are shown."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.parts.traces.menu_wanted.connect(self.show_pane)
        window.parts.filled.menu_wanted.connect(self.show_signals)

    # A pane

    def show_pane(self, pointed: Pointed) -> None:
        """Show what can be done with the pane, the curve and the instant pointed at."""
        menu = self._menu(self._title(pointed.keys))
        view = self._window.view
        self._entry(menu, "Cursor &A here\tClick", partial(view.set_cursor_a, pointed.at_s))
        self._entry(menu, "Cursor &B here\tShift+Click", partial(view.set_cursor_b, pointed.at_s))
        for action in ("mark.here", "align.anchor"):
            self._here(menu, action, pointed.at_s)
        menu.addSeparator()
        self._own(menu, *PANE_VIEW)
        menu.addSeparator()
        self._visibility(menu, pointed.keys)
        menu.addSeparator()
        self._entry(menu, "&Copy the values here", partial(self._copy_values, pointed))
        self._own(menu, "cursor.copy")
        menu.addSeparator()
        self._corrections(menu, pointed.keys)
        self._own(menu, *READING)
        menu.popup(pointed.at)

    def _here(self, menu: QMenu, action_id: str, at_s: float) -> None:
        """Offer an action of the cursor at the place pointed at: cursor A goes there first."""
        table, view = self._window.actions_table, self._window.view
        spec = next(spec for spec in table.specs if spec.id == action_id)
        text = {"mark.here": "&Mark here", "align.anchor": "A&nchor here"}[action_id]

        def do() -> None:
            view.set_cursor_b(None)
            view.set_cursor_a(at_s)
            table[action_id].trigger()

        entry = self._entry(menu, f"{text}\t{key_texts(spec)[0]}", do)
        entry.setToolTip(spec.tip)
        entry.setEnabled(table[action_id].isEnabled())

    def _copy_values(self, pointed: Pointed) -> None:
        canvas = self._window.parts.traces.canvas
        frame = canvas.frame()
        if frame is None:
            return
        panes = [pane for pane in canvas.panes if set(pane.keys) & set(pointed.keys)]
        frame = replace(frame, cursor_a_s=pointed.at_s, cursor_b_s=None)
        QGuiApplication.clipboard().setText(readout_text(panes, frame, canvas.data))
        self._window.parts.status.hint(f"copied the values at {pointed.at_s:.6g} s")

    # Rows of the signals

    def show_signals(self, at: QPoint, keys: tuple[str, ...]) -> None:
        """Show what can be done with these signals; none: with all of them."""
        menu = self._menu(self._title(keys) or "Signals")
        if keys:
            self._visibility(menu, keys)
            text = "&Copy the name" if len(keys) == 1 else f"&Copy {len(keys)} names"
            names = "\n".join(split_key(key)[1] for key in keys)
            self._entry(menu, text, partial(QGuiApplication.clipboard().setText, names))
            menu.addSeparator()
            self._corrections(menu, keys)
            menu.addSeparator()
        self._own(menu, *READING, "filter-signals")
        menu.popup(at)

    # Parts of both

    def _menu(self, title: str) -> QMenu:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        menu.setAccessibleName(title)
        menu.setStyleSheet(
            "QMenu { menu-scrollable: 1; }"
        )  # a second column would leave small screens
        heading = menu.addAction(_plain(title))
        heading.setEnabled(False)
        menu.addSeparator()
        return menu

    @staticmethod
    def _entry(menu: QMenu, text: str, do: Callable[[], object]) -> QAction:
        entry = menu.addAction(text)
        entry.triggered.connect(lambda _=False: do())
        return entry

    def _own(self, menu: QMenu, *action_ids: str) -> None:
        for action_id in action_ids:
            action = self._window.actions_table[action_id]
            action.setShortcutVisibleInContextMenu(True)
            menu.addAction(action)

    @staticmethod
    def _title(keys: Sequence[str]) -> str:
        names = [split_key(key)[1] for key in keys]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return ", ".join(names[:MOST_NAMED]) + more

    def _visibility(self, menu: QMenu, keys: tuple[str, ...]) -> None:
        view = self._window.view
        shown = {key for pane in view.shown for key in pane}
        hidden = [key for key in keys if key not in shown]
        if hidden:
            more = tuple((key,) for key in hidden)
            self._entry(
                menu,
                f"&Show {_plain(self._title(hidden))}",
                lambda: view.set_shown((*view.shown, *more)),
            )
        there = [key for key in keys if key in shown]
        each = [[key] for key in there] if len(there) <= MOST_NAMED else [there]
        for some in each if there else ():
            self._entry(
                menu, f"&Hide {_plain(self._title(some))}", partial(self._hide, tuple(some))
            )
        if len(shown) > 1 or hidden:
            alone = tuple(pane for pane in view.shown if set(pane) <= set(keys) and not hidden)
            wanted = alone or tuple((key,) for key in keys)
            self._entry(
                menu, f"Show &only {_plain(self._title(keys))}", partial(view.set_shown, wanted)
            )

    def _hide(self, keys: tuple[str, ...]) -> None:
        view = self._window.view
        view.set_shown(tuple(k for k in pane if k not in keys) for pane in view.shown)

    def _corrections(self, menu: QMenu, keys: Sequence[str]) -> None:
        model = self._window.model
        session = model.session
        if session is None or not model.is_pair:
            return
        named = [(split_key(key)[1], self._target_of(key)) for key in keys[:MOST_NAMED]]
        for name, target in named:
            if target is None:
                continue
            self._entry(
                menu,
                f"Co&rrect {_plain(name)} by hand…",
                partial(self._window.commands.correct_by_hand, target),
            )
            held = session.case.correction_of(target)
            if held is not None:
                text = f"&Take the correction of {_plain(name)} away ({held.in_short})"
                self._entry(menu, text, partial(model.uncorrect, target))

    def _target_of(self, key: str) -> str | None:
        side, name = split_key(key)
        pair = self._window.model.open_session.pair
        return pair.target_of(name) if side == "sim" else name


def _plain(name: str) -> str:
    """Keep a name's own & from underlining the letter behind it."""
    return name.replace("&", "&&")
