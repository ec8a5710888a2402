"""The difference blink: the sim's image and the target's in one place, one after the other.

What differs jumps, what agrees stands still. Images are looked at, never scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QStyle, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from tracescope.ui.view_model import Side

PERIODS_S = (2.0, 1.0, 0.5, 0.35)
"""How long each image stays. The fastest is below three changes a second, which nobody's eyes are hurt by."""

FIRST_PERIOD = 2

OWN_KEYS = {Qt.Key.Key_Space, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End}
"""Keys that a focused control needs itself, though the panes around it have a use for them."""


def motion_is_reduced() -> bool:
    """Whether the desktop asks for no animations."""
    style = QApplication.style()
    return style.styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0


class Blink(QObject):
    """Which of the two images is seen now.

    Signals:
        changed: On or off, the other image, or another speed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_on = False
        self.side: Side = "sim"
        self._place = FIRST_PERIOD
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._turn)

    @property
    def period_s(self) -> float:
        """How long each image stays."""
        return PERIODS_S[self._place]

    @property
    def by_itself(self) -> bool:
        """Whether the images change without a hand."""
        return self._timer.isActive()

    def start(self) -> None:
        """Show one image in the place of two; it changes by itself unless the desktop wants no motion."""
        self.is_on, self.side = True, "sim"
        if not motion_is_reduced():
            self._timer.start(round(1000 * self.period_s))
        self.changed.emit()

    def stop(self) -> None:
        """Show both images beside each other again."""
        if self.is_on:
            self.is_on = False
            self._timer.stop()
            self.changed.emit()

    def toggle(self) -> None:
        """Start or stop; without motion, first the one image, then the other, then stop."""
        if not self.is_on:
            self.start()
        elif not self.by_itself and self.side == "sim":
            self._turn()
        else:
            self.stop()

    def set_speed(self, place: int) -> None:
        """Choose a speed by its place in :data:`PERIODS_S`, as far as there is one."""
        self._place = min(max(place, 0), len(PERIODS_S) - 1)
        if self.by_itself:
            self._timer.start(round(1000 * self.period_s))
        self.changed.emit()

    def speed_up(self, by: int) -> None:
        """Go to a faster speed, or to a slower where negative."""
        self.set_speed(self._place + by)

    @property
    def speed(self) -> int:
        """Which speed it is, by its place in :data:`PERIODS_S`."""
        return self._place

    @Slot()
    def _turn(self) -> None:
        self.side = "target" if self.side == "sim" else "sim"
        self.changed.emit()


class BlinkControls(QWidget):
    """Start, stop and speed, beside the images; what the button does is its owner's."""

    def __init__(self, blink: Blink, parent: QWidget) -> None:
        super().__init__(parent)
        self._blink = blink
        self.button = QPushButton("Blink")
        self.button.setCheckable(True)
        self.button.setAccessibleName("blink sim and target images")
        self.button.setToolTip(
            "Show the sim's image and the target's in one place by turns: what differs jumps (D)"
        )
        self.speed = QComboBox()
        self.speed.addItems([f"{period:g} s" for period in PERIODS_S])
        self.speed.setAccessibleName("how long each image stays")
        self.speed.setToolTip("How long each image stays while blinking ([ slower, ] faster)")
        self.speed.activated.connect(blink.set_speed)
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 2)
        column.setSpacing(4)
        for control in (self.button, self.speed):
            control.setMinimumHeight(24)
            control.installEventFilter(self)
            column.addWidget(control)
        column.addStretch(1)
        blink.changed.connect(self.refresh)
        self.refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep a focused control's keys from the panes."""
        asked = event.type() == QEvent.Type.ShortcutOverride
        if asked and isinstance(event, QKeyEvent) and event.key() in OWN_KEYS:
            event.accept()
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def refresh(self) -> None:
        """Show what is on."""
        self.button.setChecked(self._blink.is_on)
        self.button.setText("Stop" if self._blink.is_on else "Blink")
        self.speed.setCurrentIndex(self._blink.speed)
