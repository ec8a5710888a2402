"""The window's own entries of the action table; the panes add theirs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from tracescope.ui.actions import ActionSpec
from tracescope.ui.campaign_commands import campaign_actions
from tracescope.ui.detail_actions import detail_actions, export_actions
from tracescope.ui.help_commands import help_actions
from tracescope.ui.note_commands import note_actions

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow
    from tracescope.ui.opener import SideName
    from tracescope.ui.theme import ThemeChoice


def window_actions(window: MainWindow) -> Iterator[ActionSpec]:
    """Yield every entry that is not the panes' business, in menu order."""
    yield from _open(window)
    yield from _save(window)
    yield from export_actions(window)
    yield from _leave(window)
    yield from _edit(window)
    yield from _view(window)
    yield from detail_actions(window)
    yield from _align(window)
    yield from _checks(window)
    yield from _findings(window)
    yield from _help(window)


def _open(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands
    yield ActionSpec(
        "open-pair",
        "File",
        "&Open pair…",
        "Open a simulator's and a target's trace",
        do.open_pair,
        ("Ctrl+O",),
        "open",
    )
    yield ActionSpec(
        "open-session",
        "File",
        "Open &session…",
        "Open a saved session",
        do.open_session_file,
        ("Ctrl+Shift+O",),
    )
    yield from campaign_actions(window)
    yield from note_actions(window)
    sides: tuple[tuple[SideName, str], ...] = (("sim", "simulator"), ("target", "target"))
    for side, words in sides:
        yield ActionSpec(
            f"import-{side}",
            "File",
            f"How the {words} file is &read…",
            f"Clock, units, order, dialect and roles of the {words} file",
            partial(do.change_import, side),
            needs="session",
        )
    yield ActionSpec(
        "match-channels",
        "File",
        "Which &channel belongs to which…",
        "Correspondence of simulator and target channels, with suggestions to accept",
        do.change_matches,
        needs="pair",
    )
    yield ActionSpec(
        "swap-sides",
        "File",
        "S&wap simulator and target",
        "Open the same two files the other way round",
        do.swap_sides,
        (),
        "swap",
        "session",
    )


def _save(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands
    yield ActionSpec(
        "save-session",
        "File",
        "&Save session",
        "Save alignment, corrections, marks and findings",
        do.save,
        ("Ctrl+S",),
        "save",
        "pair",
        separated=True,
    )
    yield ActionSpec(
        "save-session-as",
        "File",
        "Save session &as…",
        "Save to another file",
        do.save_as,
        ("Ctrl+Shift+S",),
        "",
        "pair",
    )
    yield ActionSpec(
        "export-note",
        "File",
        "&Export note…",
        "Write the dated findings note",
        do.export_note,
        ("Ctrl+E",),
        "export",
        "pair",
        separated=True,
        also="Findings",
    )


def _leave(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands
    yield ActionSpec(
        "new-window",
        "File",
        "&New window",
        "Look at another pair beside this one",
        window.new_window,
        ("Ctrl+N",),
        separated=True,
    )
    yield ActionSpec(
        "close-pair",
        "File",
        "&Close pair",
        "Go back to the start page: recent pairs and samples",
        do.close_pair,
        ("Ctrl+W",),
        "close",
        "session",
    )
    yield ActionSpec("quit", "File", "&Quit", "Close this window", window.close, ("Ctrl+Q",))


def _edit(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands
    yield ActionSpec(
        "undo",
        "Edit",
        "&Undo",
        "Take the last change back",
        do.undo,
        ("Ctrl+Z",),
        "undo",
        "session",
    )
    yield ActionSpec(
        "redo",
        "Edit",
        "&Redo",
        "Do again what was taken back",
        do.redo,
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "redo",
        "session",
    )
    yield ActionSpec(
        "filter-signals",
        "Edit",
        "&Filter signals",
        "Find a signal by a part of its name",
        partial(_filter_signals, window),
        ("Ctrl+F",),
        "search",
        "session",
        separated=True,
    )


def _view(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands

    def themed(choice: ThemeChoice, *, separated: bool) -> ActionSpec:
        return ActionSpec(
            f"theme-{choice}", "View", f"{choice.capitalize()} theme", f"Use the {choice} theme",
            lambda: do.choose_theme(choice), checked=lambda: window.look.choice == choice,
            separated=separated,
        )  # fmt: skip

    yield themed("system", separated=False)
    yield themed("light", separated=False)
    yield themed("dark", separated=False)
    yield ActionSpec(
        "demo-mode",
        "View",
        "&Demo mode",
        "Larger type and thicker lines, for a projector",
        do.toggle_demo,
        checked=lambda: window.look.demo,
        separated=True,
    )
    yield ActionSpec(
        "full-screen",
        "View",
        "&Full screen",
        "Use the whole screen",
        do.toggle_full_screen,
        ("F11",),
        checked=window.isFullScreen,
    )


def _align(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands
    yield ActionSpec(
        "estimate",
        "Align",
        "&Estimate…",
        "Estimate offset and drift; show the score over the lag",
        do.estimate,
        ("Ctrl+I",),
        "estimate",
        "pair",
    )
    yield ActionSpec(
        "take-proposal",
        "Align",
        "&Apply the estimate",
        "Put the offered alignment in force",
        window.model.take_proposal,
        ("Ctrl+Shift+I",),
        "",
        "pair",
    )
    yield ActionSpec(
        "assume",
        "Align",
        "As &assumed at opening",
        "First samples together, or by the common absolute clock",
        do.assume,
        (),
        "",
        "pair",
        separated=True,
    )
    yield ActionSpec(
        "as-recorded",
        "Align",
        "Stamps as &recorded",
        "Offset 0, drift 0",
        do.as_recorded,
        (),
        "",
        "pair",
    )


def _checks(window: MainWindow) -> Iterator[ActionSpec]:
    for number, check in enumerate(window.checks):
        keys = (str(number),) if number < 10 else ()
        yield ActionSpec(
            f"check-{number}",
            "Checks",
            f"{number} {check.title}",
            check.question,
            partial(_go_to_card, window, number),
            keys,
            "",
            "session",
        )
    yield ActionSpec(
        "run-checks",
        "Checks",
        "Run the checks a&gain",
        "Ask every check again, for example after Cancel",
        window.judge.run,
        ("F5",),
        "",
        "pair",
        separated=True,
    )
    yield ActionSpec(
        "apply-pending",
        "Checks",
        "&Apply all corrections",
        "Apply every correction that a check fitted and failed on",
        window.commands.apply_pending,
        (),
        "",
        "pair",
    )
    yield ActionSpec(
        "correct-by-hand",
        "Checks",
        "Correct a channel by &hand…",
        "Give a scale, an offset or both for a target channel; named in the note as given by hand",
        window.commands.correct_by_hand,
        (),
        "",
        "pair",
    )
    yield ActionSpec(
        "remove-corrections",
        "Checks",
        "&Remove all corrections",
        "Show the target as it was recorded",
        window.commands.remove_corrections,
        (),
        "",
        "pair",
    )


def _go_to_card(window: MainWindow, number: int) -> None:
    window.parts.filled.show_card(number)


def _filter_signals(window: MainWindow) -> None:
    window.parts.filled.bring("signals")
    window.parts.signals.focus_filter()


def _add_finding(window: MainWindow, kind: str) -> None:
    window.parts.findings.columns[kind].add.click()


def _findings(window: MainWindow) -> Iterator[ActionSpec]:
    yield ActionSpec(
        "add-observed",
        "Findings",
        "Add an &observation",
        "Write down what you saw yourself",
        partial(_add_finding, window, "observed"),
        (),
        "plus",
        "pair",
    )
    yield ActionSpec(
        "add-untested",
        "Findings",
        "Add an &untested item",
        "Write down what nobody knows yet",
        partial(_add_finding, window, "untested"),
        (),
        "plus",
        "pair",
    )


def _help(window: MainWindow) -> Iterator[ActionSpec]:
    do = window.commands
    yield from help_actions(window)
    yield ActionSpec(
        "shortcuts",
        "Help",
        "&Shortcuts",
        "Every key and what it does",
        do.show_shortcuts,
        ("F1", "?"),
        "help",
    )
    yield ActionSpec(
        "palette",
        "Help",
        "&Command palette…",
        "Find anything by a part of its name",
        do.show_palette,
        ("Ctrl+Shift+P",),
        "search",
    )
    yield ActionSpec(
        "messages",
        "Help",
        "&Message log",
        "Every message of this window",
        do.show_messages,
        (),
        "messages",
    )
    yield ActionSpec("about", "Help", "&About tracescope", "Which release this is", do.show_about)
