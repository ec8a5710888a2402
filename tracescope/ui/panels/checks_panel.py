"""The dock of check cards, in the order in which the checks run."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from tracescope.checks.base import Check
from tracescope.ui.look import Look
from tracescope.ui.panels.check_card import CheckCard
from tracescope.ui.panels.health_card import HealthCard
from tracescope.ui.panels.parts import scrolled
from tracescope.ui.panels.soon import Soon
from tracescope.ui.session_model import SessionModel

LEAST_PX = 290
"""A card this wide holds the longest title's widest word, the way to the guide and the widest state in a line."""


class ChecksPanel(QWidget):
    """Data health on top, then a card a check.

    Signals:
        evidence_wanted: A card wants the panes to show its evidence; carries the Evidence.
        guide_wanted: A card's number, to show what the guide says about its check.
    """

    evidence_wanted = Signal(object)
    guide_wanted = Signal(int)

    def __init__(
        self,
        checks: tuple[Check, ...],
        model: SessionModel,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(8, 2, 8, 8)
        column.setSpacing(8)
        self.health = HealthCard(model, look)
        column.addWidget(self.health)
        self.cards = [CheckCard(place, check, model, look) for place, check in enumerate(checks)]
        for one in self.cards:
            column.addWidget(one)
            one.evidence_wanted.connect(self.evidence_wanted)
            one.guide_wanted.connect(self.guide_wanted)
        column.addStretch(1)
        self._area = scrolled(content, "checks")
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._area)
        self._look = look
        self._keep_readable()
        self._model = model
        self._paths = ("", "")
        model.pair_changed.connect(self._to_the_top)
        self._soon = Soon(self.refresh, model, self)
        for changed in (
            model.pair_changed,
            model.results_changed,
            model.corrections_changed,
            model.tolerances_changed,
        ):
            changed.connect(self._soon.ask)
        look.changed.connect(self._soon.ask)

    def refresh(self) -> None:
        """Draw every card anew."""
        self._keep_readable()
        self.health.refresh()
        for one in self.cards:
            one.refresh()

    def _keep_readable(self) -> None:
        self.setMinimumWidth(round(LEAST_PX * self._look.theme.font_scale))

    @Slot()
    def _to_the_top(self) -> None:
        """Begin a new pair at its first card; the same files read anew stay where they were looked at."""
        session = self._model.session
        paths = ("", "") if session is None else (session.sim.path, session.target.path)
        if paths != self._paths:
            self._paths = paths
            self._area.verticalScrollBar().setValue(0)

    def go_to(self, number: int) -> None:
        """Scroll to a card by its number and give it the focus."""
        if 0 <= number < len(self.cards):
            one = self.cards[number]
            self._area.ensureWidgetVisible(one)
            first = next(
                (b for b in (one.details, one.tolerances, one.guide) if not b.isHidden()), one
            )
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def bring_into_view(self, number: int) -> None:
        """Scroll to a card by its number; the focus stays where it is."""
        self._area.ensureWidgetVisible(self.cards[number])

    def card_of(self, check_id: str) -> CheckCard | None:
        """Return the card of a check, or ``None``."""
        return next((one for one in self.cards if one.check.id == check_id), None)
