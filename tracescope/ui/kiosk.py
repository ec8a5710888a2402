"""The demo loop: one bundled pair after another, in large type, until somebody touches anything."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QVBoxLayout

from tracescope.model.check import CheckResult, State
from tracescope.ui.panels.gallery import Sample, bundled_samples
from tracescope.ui.panels.parts import words
from tracescope.ui.tour import Tour
from tracescope.ui.view_model import first_panes
from tracescope.ui.words import STATE_WORDS

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow

TOUCHES = {
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.Wheel,
    QEvent.Type.TouchBegin,
}
PUT_AWAY = ("signals", "findings", "details")
"""Docks that the loop does without, for room."""

Phase = Literal["opening", "question", "answer"]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long each thing stands, milliseconds.

    Attributes:
        question_ms: The curves with the cursor running and the question, once the checks are in.
        answer_ms: The evidence and what was wrong.
        patience_ms: A pair whose checks are not in by then is left out.
    """

    question_ms: int = 9_000
    answer_ms: int = 9_000
    patience_ms: int = 60_000


class Banner(QFrame):
    """What is asked and answered, below the panes."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("banner", True)  # noqa: FBT003  # Qt's own signature
        self.setAccessibleName("demo loop")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        head = QHBoxLayout()
        self.title = words("", "big")
        self.count = words("", "muted", wrap=False)
        head.addWidget(self.title, 1)
        head.addWidget(self.count)
        column.addLayout(head)
        self.text = words("", "title")
        column.addWidget(self.text)
        self.found = words("", "muted")
        column.addWidget(self.found)

    def say(self, title: str, count: str, text: str, found: str) -> None:
        """Show a pair's title, its place in the loop, a sentence and what the checks say."""
        self.title.setText(title)
        self.count.setText(count)
        self.text.setText(text)
        self.found.setText(found)


class Kiosk(QObject):
    """Runs the loop in one window. What stood before (look, docks, full screen) comes back when it stops.

    Attributes:
        sample: The pair shown.
        phase: ``opening``, ``question`` or ``answer``.
        shown: How many pairs have been opened so far.
    """

    def __init__(self, window: MainWindow, pace: Pace) -> None:
        super().__init__(window)
        self._window, self._pace = window, pace
        self._samples = bundled_samples()
        self._following = cycle(self._samples)
        self.sample: Sample = self._samples[0]
        self.phase: Phase = "opening"
        self.shown = 0
        self._was_demo = window.look.demo
        self._was_full = window.isFullScreen()
        self._had = {name: not dock.isHidden() for name, dock in window.parts.docks.items()}
        self.banner = Banner()
        self._due = QTimer(self, singleShot=True)
        self._due.timeout.connect(self.go_on)
        window.model.results_changed.connect(self._results_changed)
        window.model.pair_changed.connect(self._put_away)

    @classmethod
    def begin(cls, window: MainWindow, pace: Pace | None = None) -> Kiosk | None:
        """Begin with the first pair; a loop under way goes on as it is. ``None`` where no pair is bundled."""
        for tour in window.findChildren(Tour):
            tour.close()
        for running in window.findChildren(cls):
            return running
        if not bundled_samples():
            return None
        kiosk = cls(window, pace or Pace())
        window.look.choose(window.look.choice, demo=True)
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        kiosk.place(kiosk.banner)
        window.refresh_actions()
        _application().installEventFilter(kiosk)
        kiosk._open_next()
        return kiosk

    def place(self, banner: Banner) -> None:
        """Put the banner below the panes, where it takes its room from them and covers nothing."""
        centre = self._window.centralWidget()
        column = None if centre is None else centre.layout()
        assert column is not None
        column.addWidget(banner)

    # Going

    @Slot()
    def go_on(self) -> None:
        """Go to what comes next: from the question to the answer, from there to the next pair."""
        if self.phase == "question":
            self._answer()
        else:
            self._open_next()

    @Slot()
    def stop(self) -> None:
        """End the loop; the pair that is shown stays open."""
        _application().removeEventFilter(self)
        self._due.stop()
        if self.phase == "question":
            self._command("cursor.clear")  # whoever took over looks at a picture that stands still
        window = self._window
        window.model.results_changed.disconnect(self._results_changed)
        window.model.pair_changed.disconnect(self._put_away)
        self.banner.hide()
        self.banner.deleteLater()
        window.look.choose(window.look.choice, demo=self._was_demo)
        if not self._was_full:
            window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
        is_open = window.model.session is not None
        for name, dock in window.parts.docks.items():
            dock.setVisible(is_open and (self._had[name] or not any(self._had.values())))
        window.refresh_actions()
        window.parts.status.hint("the demo loop stopped; Help › Demo loop begins it again")
        self.setParent(None)
        self.deleteLater()

    def _open_next(self) -> None:
        self.sample = next(self._following)
        self.shown += 1
        self.phase = "opening"
        self._window.commands.open_recent(str(self.sample.sim), str(self.sample.target))
        self._say(self.sample.question)
        self._due.start(self._pace.patience_ms)

    @Slot()
    def _put_away(self) -> None:
        """Do without some docks from the first moment of a pair, so that nothing moves once its checks are in."""
        for name in PUT_AWAY:
            self._window.parts.docks[name].hide()

    @Slot()
    def _results_changed(self) -> None:
        if self.phase == "opening" and self._is_judged():
            self._ask()
        elif self.phase != "opening":
            self.banner.found.setText(self._found())

    def _is_judged(self) -> bool:
        session = self._window.model.session
        return (
            session is not None
            and session.sim.path == str(self.sample.sim)
            and bool(session.results)
            and not session.stale
        )

    def _ask(self) -> None:
        self.phase = "question"
        self._say(self.sample.question)
        self._window.parts.status.hint("")
        self._window.view.set_shown(first_panes(self._window.model.session))
        self._command("view.fit_everything")
        self._window.view.set_cursor_a(self._window.view.range_s[0])
        self._command("cursor.play")
        self._due.start(self._pace.question_ms)

    def _answer(self) -> None:
        self.phase = "answer"
        self._say(self.sample.what)
        self._command("cursor.clear")
        cards = self._window.parts.checks.cards
        for number, card in enumerate(cards):
            result = self._window.model.result_of(card.check.id)
            if result is not None and result.state is State.FAIL:
                self._window.parts.checks.bring_into_view(number)
                self._window.view.show_evidence(result.evidence[:1])
                break
        self._due.start(self._pace.answer_ms)

    def _say(self, text: str) -> None:
        place = (self.shown - 1) % len(self._samples) + 1
        count = f"{place} of {len(self._samples)} · any key stops"
        self.banner.say(self.sample.title, count, text, self._found())

    def _found(self) -> str:
        return found_text(self._window.model.session.results) if self._is_judged() else "checking …"  # type: ignore[union-attr]

    def _command(self, name: str) -> None:
        next(c for c in self._window.parts.traces.commands if c.id == name).run()

    # Hearing

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Stop at the first touch, and let it do nothing else."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            event.accept()
            return True
        if event.type() not in TOUCHES:
            return False
        self.stop()
        return True


def found_text(results: tuple[CheckResult, ...]) -> str:
    """Say in one line which checks fail, which cannot tell, and which pass."""
    parts = []
    for state in (State.FAIL, State.INCONCLUSIVE, State.PASS):
        names = [result.id.replace("-", " ") for result in results if result.state is state]
        if names:
            parts.append(f"{STATE_WORDS[state]}: {', '.join(names)}")
    return " · ".join(parts)


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
