"""What the guided tour says and points at: one walk through the sample ``exercise``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.panels.gallery import Sample, bundled_samples

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow

SAMPLE = "exercise"
Done = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """One stop.

    Attributes:
        id: Stable name.
        title, text: What the callout says; ``text`` may end with what to do.
        at: The control that it points at.
        ready: Makes the control visible.
        watch: Called on arrival; what it returns says whether the person did the thing. ``None``: there is
            nothing to do but read.
        part: Which part of the control is meant, in its own coordinates; ``None`` is all of it.
        do: What Next does where the rest of the tour needs it.
        beside: What the words must not cover, where that is more than the control.
    """

    id: str
    title: str
    text: str
    at: Callable[[MainWindow], QWidget]
    ready: Callable[[MainWindow], None] = lambda _: None
    watch: Callable[[MainWindow], Done] | None = None
    part: Callable[[MainWindow], QRect] | None = None
    do: Callable[[MainWindow], None] | None = None
    beside: Callable[[MainWindow], QWidget] | None = None


def tour_sample() -> Sample:
    """Return the pair that the tour walks through."""
    return next(sample for sample in bundled_samples() if sample.name == SAMPLE)


def is_open(window: MainWindow) -> bool:
    """Whether the tour's pair is open."""
    session = window.model.session
    return session is not None and session.sim.path == str(tour_sample().sim)


def steps() -> tuple[Step, ...]:
    """Return the walk, from the start page to where to go on."""
    return (*_looking(), *_moving(), *_judging(), *_telling())


def _open_sample(window: MainWindow) -> None:
    sample = tour_sample()
    window.commands.open_recent(str(sample.sim), str(sample.target))


def _card_of_sample(window: MainWindow) -> QWidget:
    start = window.parts.start
    if not start.isVisible():
        return window.parts.header
    return next(card for card in start.gallery.cards if card.sample.name == SAMPLE)


def _looking() -> tuple[Step, ...]:
    return (
        Step(
            "open",
            "Open a pair",
            "Two logs of one episode, the simulator's and the target's, and something went wrong. Press Next "
            "to open a sample, or click its card. With your own files you would drop both on the window. "
            "(Unsaved work on another pair is kept and offered.)",
            _card_of_sample,
            watch=lambda window: lambda: is_open(window),
            do=_open_sample,
        ),
        Step(
            "header",
            "What was read",
            "One line a trace: file, rate, rows and the clock in use. What was repaired while reading would "
            "stand here as a chip. Click a line for everything known about it.",
            lambda window: window.parts.header,
        ),
        Step(
            "zoom",
            "Look",
            "Simulator in blue, target in orange, what is left between them in violet below. Turn the wheel "
            "over the curves to zoom in time; drag to pan.",
            lambda window: window.parts.traces.canvas,
            watch=_range_changed,
        ),
        Step(
            "cursor",
            "Read a value",
            "Click into a pane to put cursor A there; Shift+click puts cursor B. Both traces are read from "
            "their own samples. ← and → go from sample to sample.",
            lambda window: window.parts.traces.canvas,
            watch=lambda window: lambda: window.view.cursor_a_s is not None,
        ),
    )


def _moving() -> tuple[Step, ...]:
    return (
        Step(
            "align",
            "Are the clocks alike?",
            "Both logs count their steps, so rows are paired by counter. The target's stamps are 10 ms late, "
            "and that was taken out. Without counters, Estimate would say clear, ambiguous or not possible.",
            lambda window: window.parts.align,
        ),
        Step(
            "drag",
            "Move the target",
            "Drag this bar to and fro: the target's whole recording moves, and the checks follow. "
            "Nothing in the files changes.",
            lambda window: window.parts.traces.strip,
            watch=_alignment_changed,
        ),
        Step(
            "undo",
            "Take it back",
            "Every change of the data can be undone: press Ctrl+Z, or this button.",
            lambda window: window.parts.bar.widgetForAction(window.actions_table["undo"]),
            watch=_something_undone,
            do=_undo_all,
        ),
    )


def _judging() -> tuple[Step, ...]:
    return (
        Step(
            "scaling",
            "A check that fails",
            "The dots are estimates, the lines their intervals, the green band the tolerance. Both intervals "
            "lie wholly outside, near 1.5: the target reads its observations too large. Show evidence goes "
            "to the samples behind it; press it.",
            lambda window: window.parts.checks.cards[1],
            ready=lambda window: _card(window, 1),
            watch=_evidence_shown,
        ),
        Step(
            "dynamics",
            "A check that declines",
            "The differences grow with the observation. Is that the machine's dynamics? This check will not "
            "say: only 5 of 39 transitions can be compared while the scale is wrong. It says what would "
            "settle it.",
            lambda window: window.parts.checks.cards[4],
            ready=lambda window: _card(window, 4),
        ),
        Step(
            "apply",
            "Take the fault out",
            "Apply divides the target's observations by what was measured and judges again. The recordings "
            "stay as they are; the corrections are named in every result.",
            lambda window: window.parts.checks.cards[1].apply,
            ready=lambda window: _card(window, 1),
            watch=lambda window: lambda: bool(window.model.open_session.corrections),
            do=lambda window: window.commands.apply_pending(),
            beside=lambda window: window.parts.checks.cards[1],
        ),
        Step(
            "again",
            "Look again",
            "With the scale taken out, 33 of 39 transitions are comparable, and the curves lie on each other. "
            "40 rows are still too few for a verdict on the dynamics: inconclusive is an honest answer.",
            lambda window: window.parts.checks.cards[4],
            ready=lambda window: _card(window, 4),
        ),
        Step(
            "action",
            "The other fault",
            "The target's action never passes ±0.5, while the simulator used up to 0.9. No correction can "
            "bring back what was never commanded: this one needs another run.",
            lambda window: window.parts.checks.cards[2],
            ready=lambda window: _card(window, 2),
        ),
    )


def _telling() -> tuple[Step, ...]:
    return (
        Step(
            "findings",
            "What may be said",
            "Observed is what was measured. Inferred is what it suggests, with what would show it wrong. "
            "Untested is what this pair could not show. Edit, reorder and hide here; certainty only goes down.",
            lambda window: window.parts.findings,
            ready=_findings,
        ),
        Step(
            "next-test",
            "What to do next",
            "One factor changed, with the outcome predicted before the test. When you open the next pair as "
            "the follow-up of this note, each prediction is held, refuted or not decided.",
            lambda window: window.parts.findings.next_test,
            ready=_findings,
        ),
        Step(
            "export",
            "Write it down",
            "The note: Markdown, HTML, PDF or JSON, dated, with figures. Press it to see what can be chosen, "
            "or go on.",
            lambda window: window.parts.export,
            watch=_export_asked,
        ),
        Step(
            "on",
            "From here",
            "Help holds the user guide (what each check can and cannot tell), every key on one sheet (F1), and "
            "this tour. Close pair in the File menu leads back to the other samples.",
            lambda window: window.menuBar(),
            part=lambda window: window.menuBar().actionGeometry(_help_menu(window)),
        ),
    )


def _help_menu(window: MainWindow) -> QAction:
    return next(a for a in window.menuBar().actions() if a.text().replace("&", "") == "Help")


def _range_changed(window: MainWindow) -> Done:
    before = window.view.range_s
    return lambda: window.view.range_s != before


def _alignment_changed(window: MainWindow) -> Done:
    before = window.model.open_session.alignment
    return lambda: window.model.open_session.alignment != before and not window.model.previewing


def _something_undone(window: MainWindow) -> Done:
    before = window.model.open_session.alignment
    return lambda: window.model.open_session.alignment != before


def _undo_all(window: MainWindow) -> None:
    while window.model.undo_stack.canUndo():
        window.model.undo_stack.undo()


def _evidence_shown(window: MainWindow) -> Done:
    window.view.show_evidence(())
    return lambda: bool(window.view.evidence)


def _export_asked(window: MainWindow) -> Done:
    return lambda: any(dialog.isVisible() for dialog in window.findChildren(ExportDialog))


def _card(window: MainWindow, number: int) -> None:
    dock = window.parts.docks["checks"]
    dock.show()
    window.parts.checks.bring_into_view(number)


def _findings(window: MainWindow) -> None:
    dock = window.parts.docks["findings"]
    dock.show()
    dock.raise_()
