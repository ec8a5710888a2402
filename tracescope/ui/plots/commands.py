"""Every key of the plots in one table: for key presses, menus, the shortcut sheet and the palette."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeySequence

from tracescope.ui.plots.align_verbs import AlignVerbs
from tracescope.ui.plots.canvas_mouse import CanvasMouse
from tracescope.ui.plots.verbs import CursorVerbs, PaneVerbs
from tracescope.ui.view_model import ViewModel

ZOOM_A_KEY = 1.5
MILLISECOND_S = 1e-3


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a key does.

    Attributes:
        id: Stable name.
        words: What menus and the shortcut sheet say.
        keys: Key sequences as Qt writes them; the first is the one to show.
        run: Does it.
        group: Heading in the shortcut sheet.
    """

    id: str
    words: str
    keys: tuple[str, ...]
    run: Callable[[], None]
    group: str


@dataclass(frozen=True, slots=True)
class Others:
    """What only the view as a whole can do."""

    escape: Callable[[], None]
    snap: Callable[[], None]
    side_by_side: Callable[[], None]
    go_to: Callable[[], None]
    blink: Callable[[], None]
    blink_speed: Callable[[int], None]


def commands(
    cursor: CursorVerbs,
    panes: PaneVerbs,
    align: AlignVerbs,
    mouse: CanvasMouse,
    view: ViewModel,
    others: Others,
) -> tuple[Command, ...]:
    """Return the table, in the order of the shortcut sheet."""
    return (
        *_cursor_commands(cursor, panes, others),
        *_view_commands(panes, mouse, view, others),
        *_align_commands(align, others),
    )


def _cursor_commands(cursor: CursorVerbs, panes: PaneVerbs, others: Others) -> tuple[Command, ...]:
    step = cursor.step_cursor
    rows: tuple[tuple[str, str, tuple[str, ...], Callable[[], None]], ...] = (
        ("cursor.next", "Next sample", ("Right",), partial(step, 1)),
        ("cursor.previous", "Previous sample", ("Left",), partial(step, -1)),
        ("cursor.next10", "Ten samples on", ("Shift+Right",), partial(step, 10)),
        ("cursor.previous10", "Ten samples back", ("Shift+Left",), partial(step, -10)),
        ("cursor.next_page", "Next page", ("Ctrl+Right",), partial(cursor.page, 1)),
        ("cursor.previous_page", "Previous page", ("Ctrl+Left",), partial(cursor.page, -1)),
        ("cursor.first", "First sample", ("Home",), partial(cursor.to_end, last=False)),
        ("cursor.last", "Last sample", ("End",), partial(cursor.to_end, last=True)),
        ("cursor.go_to", "Go to time or step", ("Ctrl+G",), others.go_to),
        ("cursor.a", "Cursor A into view", ("A",), partial(cursor.place_cursor, "A")),
        ("cursor.b", "Cursor B into view", ("B",), partial(cursor.place_cursor, "B")),
        ("cursor.copy", "Copy what the cursors read", ("Ctrl+Shift+C",), panes.copy_readout),
        ("cursor.clear", "Cancel; clear cursors", ("Esc",), others.escape),
        ("cursor.play", "Play or pause the cursor", ("Space",), cursor.play),
        (
            "cursor.next_difference",
            "Next difference beyond tolerance",
            ("N",),
            partial(panes.next_difference, 1),
        ),
        (
            "cursor.previous_difference",
            "Previous difference beyond tolerance",
            ("P",),
            partial(panes.next_difference, -1),
        ),
    )
    return tuple(Command(*row, "Cursor") for row in rows)


def _view_commands(
    panes: PaneVerbs, mouse: CanvasMouse, view: ViewModel, others: Others
) -> tuple[Command, ...]:
    rows: tuple[tuple[str, str, tuple[str, ...], Callable[[], None]], ...] = (
        ("view.pane_up", "Pane above", ("Up",), partial(panes.step_pane, -1)),
        ("view.pane_down", "Pane below", ("Down",), partial(panes.step_pane, 1)),
        ("view.zoom_in", "Zoom in", ("+", "Shift++", "="), partial(panes.zoom, ZOOM_A_KEY)),
        ("view.zoom_out", "Zoom out", ("-", "_"), partial(panes.zoom, 1 / ZOOM_A_KEY)),
        ("view.box_zoom", "Draw a box to zoom into", ("Z",), mouse.arm_box_zoom),
        ("view.fit_pane", "Fit this pane", ("F",), panes.fit_pane),
        ("view.fit_values", "Fit all values", ("Shift+F",), panes.fit_values),
        ("view.fit_everything", "Fit everything", ("H",), panes.fit_everything),
        ("view.residual", "Show or hide residuals", ("R",), panes.toggle_residual),
        ("view.side_by_side", "Side by side, or laid over each other", ("V",), others.side_by_side),
        ("frames.blink", "Blink sim and target camera images", ("D",), others.blink),
        ("frames.slower", "Blink slower", ("[",), partial(others.blink_speed, -1)),
        ("frames.faster", "Blink faster", ("]",), partial(others.blink_speed, 1)),
        ("view.back", "View back", ("Alt+Left",), view.back),
        ("view.forward", "View forward", ("Alt+Right",), view.forward),
    )
    return tuple(Command(*row, "View") for row in rows)


def _align_commands(align: AlignVerbs, others: Others) -> tuple[Command, ...]:
    nudge = align.nudge
    rows: tuple[tuple[str, str, tuple[str, ...], Callable[[], None]], ...] = (
        ("align.left", "Target one sample left", (",",), partial(nudge, samples=-1)),
        ("align.right", "Target one sample right", (".",), partial(nudge, samples=1)),
        (
            "align.left10",
            "Target ten samples left",
            ("Shift+,", "<", "Shift+<"),
            partial(nudge, samples=-10),
        ),
        (
            "align.right10",
            "Target ten samples right",
            ("Shift+.", ">", "Shift+>"),
            partial(nudge, samples=10),
        ),
        ("align.left_ms", "Target 1 ms left", ("Alt+,",), partial(nudge, -MILLISECOND_S)),
        ("align.right_ms", "Target 1 ms right", ("Alt+.",), partial(nudge, MILLISECOND_S)),
        ("align.anchor", "Anchor: the same event in both traces", ("K",), align.anchor),
        (
            "align.anchor_target",
            "Anchor, begun in the target",
            ("Shift+K",),
            partial(align.anchor, "target"),
        ),
        ("align.snap", "Snap the dragged target, or not", ("S",), others.snap),
        ("align.lock", "Lock or unlock the alignment", ("L",), align.toggle_lock),
        ("mark.here", "Mark here", ("M",), align.mark),
    )
    return tuple(Command(*row, "Align and mark") for row in rows)


def command_of(pressed: QKeyCombination, table: tuple[Command, ...]) -> Command | None:
    """Return what a key press does; the number pad counts as the keys it stands for."""
    modifiers = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
    sequence = QKeySequence(QKeyCombination(modifiers, pressed.key()))
    for command in table:
        if any(QKeySequence(key) == sequence for key in command.keys):
            return command
    return None
