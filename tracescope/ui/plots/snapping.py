"""Where the target snaps to while a hand moves it: events of both traces, else the grid of samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from tracescope.model.alignment import Alignment
from tracescope.model.trace import END_ROLES, Channel, Samples
from tracescope.session.session import Session
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.view_model import ViewModel

SNAP_PX = 8.0
"""An event this near to its counterpart catches it."""

MOTION_SHARE = 0.1
"""A signal has begun to move once it is this share of its whole span away from its first value."""

MOST_CHANNELS = 8
MOST_MARKS = 100
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in one trace. Events of one ``kind`` belong together; marks fit any."""

    at_s: float
    kind: str
    words: str

    @property
    def is_mark(self) -> bool:
        """Whether a person set it."""
        return self.kind == "mark"


@dataclass(frozen=True, slots=True)
class Catch:
    """An offset that lays two events over each other, and where that is on the sim's clock."""

    offset_s: float
    at_s: float
    words: str


class Snapping(QObject):
    """The toggle, and what has caught the target at the moment.

    ``changed`` says that either is another one.
    """

    changed = Signal()

    def __init__(self, canvas: PaneCanvas, view: ViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._view = view
        self.is_on = False
        self.caught: Catch | None = None

    def toggle(self) -> None:
        """Snap in every drag, or only while Alt is held."""
        self.is_on = not self.is_on
        self.changed.emit()

    def hold(self, caught: Catch | None) -> None:
        """Show what caught the target; ``None`` shows nothing."""
        if caught != self.caught:
            self.caught = caught
            self._canvas.set_snap_line(None if caught is None else caught.at_s)
            self.changed.emit()

    def drag(self, session: Session, press_s: float) -> SnapDrag:
        """Gather the events for one drag that begins at an instant of the sim's clock."""
        return SnapDrag(self, session, press_s, self._catches(session))

    def _catches(self, session: Session) -> tuple[Catch, ...]:
        sim, target = self._events(session)
        out = []
        for ours in sim:
            for theirs in target:
                if ours.kind == theirs.kind or ours.is_mark or theirs.is_mark:
                    words = ours.words if ours.is_mark or not theirs.is_mark else theirs.words
                    out.append(Catch(_offset(session.alignment, ours, theirs), ours.at_s, words))
        return tuple(out)

    def _events(self, session: Session) -> tuple[list[Event], list[Event]]:
        sim: list[Event] = []
        target: list[Event] = []
        couples = [c for pane in self._canvas.panes for c in pane.couples if not c.sim.is_flag]
        for couple in couples[:MOST_CHANNELS]:
            name = couple.sim.channel.name
            ends = [self._first_motion(s.channel) for s in (couple.sim, couple.target)]
            if all(math.isfinite(end) for end in ends):
                kind, words = f"motion {name}", f"first motion of {name}"
                sim.append(Event(ends[0], kind, words))
                target.append(Event(ends[1], kind, words))
        for ours, theirs in session.pair.matched(*END_ROLES):
            ends = [first_true_s(channel) for channel in (ours, theirs)]
            if all(math.isfinite(end) for end in ends):
                sim.append(Event(ends[0], ours.name, ours.name))
                target.append(Event(ends[1], ours.name, ours.name))
        low, high = self._view.range_s
        for mark in session.marks[:MOST_MARKS]:
            inside = mark.on_sim(session.alignment)
            if inside[1] < low or inside[0] > high:
                continue
            events = target if mark.side == "target" else sim
            events += [Event(at_s, "mark", f"mark “{mark.text}”") for at_s in set(mark.span_s)]
        return sim, target

    def _first_motion(self, channel: Channel) -> float:
        pyramid = self._canvas.data.pyramid(channel)
        return first_motion_s(channel, pyramid.high - pyramid.low)


def first_motion_s(channel: Channel, span: float) -> float:
    """Return when a signal has left its first value by a share of its span; NaN where it never does."""
    limit = MOTION_SHARE * span
    if not (math.isfinite(limit) and limit > 0):
        return math.nan
    first: float | None = None
    for start in range(0, channel.value.size, BLOCK):
        block = channel.value[start : start + BLOCK].astype(np.float64)
        finite = np.isfinite(block)
        if first is None:
            if not finite.any():
                continue
            first = float(block[finite.argmax()])
        moved = finite & (np.abs(block - first) > limit)
        if moved.any():
            return float(channel.time_s[start + int(moved.argmax())])
    return math.nan


def first_true_s(channel: Channel) -> float:
    """Return when a flag is first true; NaN where it never is."""
    true = channel.value > 0.5
    return float(channel.time_s[int(true.argmax())]) if true.any() else math.nan


def _offset(alignment: Alignment, ours: Event, theirs: Event) -> float:
    """Return the offset that lays the target's event on the sim's."""
    since_s = theirs.at_s - alignment.pivot_s
    return theirs.at_s - alignment.drift * since_s - ours.at_s


def nearest(time_s: Samples, at_s: float) -> float:
    """Return the stamp nearest to an instant, NaN where there is none."""
    if not time_s.size:
        return math.nan
    right = int(np.searchsorted(time_s, at_s))
    near = [float(time_s[row]) for row in (right - 1, right) if 0 <= row < time_s.size]
    return min(near, key=lambda stamp: abs(stamp - at_s))


class SnapDrag:
    """What can catch the target during one drag."""

    def __init__(
        self, snapping: Snapping, session: Session, press_s: float, catches: tuple[Catch, ...]
    ) -> None:
        self._snapping = snapping
        self._pair = session.pair
        self._catches = catches
        held_s = session.alignment.to_target_one(press_s)
        self._held_s = nearest(session.pair.target.time_s, held_s)

    def caught(self, wanted: Alignment, px_per_s: float) -> Alignment:
        """Return the alignment that an event near enough, or else the sample grid, makes of this one."""
        near = [c for c in self._catches if abs(c.offset_s - wanted.offset_s) * px_per_s <= SNAP_PX]
        catch = min(near, key=lambda c: abs(c.offset_s - wanted.offset_s), default=None)
        if catch is None:
            catch = self._on_grid(wanted)
        self._snapping.hold(catch)
        return wanted if catch is None else wanted.by_hand(offset_s=catch.offset_s)

    def free(self) -> None:
        """Say that nothing holds the target."""
        self._snapping.hold(None)

    @property
    def is_on(self) -> bool:
        """Whether drags snap without a key held."""
        return self._snapping.is_on

    def _on_grid(self, wanted: Alignment) -> Catch | None:
        """Lay the target's sample under the hand on the sim's nearest sample."""
        at_s = wanted.to_sim_one(self._held_s)
        stamp = nearest(self._pair.sim.time_s, at_s)
        if not math.isfinite(at_s - stamp):
            return None
        return Catch(wanted.offset_s + at_s - stamp, stamp, "the sample grid")
