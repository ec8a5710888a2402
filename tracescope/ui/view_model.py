"""What of the pair is looked at: one range for all panes, cursors, shown signals, and their history."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult, Evidence
from tracescope.model.pair import TracePair
from tracescope.model.trace import END_ROLES, Role
from tracescope.session.session import Session, View
from tracescope.ui.followed import followed
from tracescope.ui.plots.history import History
from tracescope.ui.plots.rebind import rebound
from tracescope.ui.plots.view_range import Limits, clamped, least_interval_s, limits_of, zoomed
from tracescope.ui.session_model import SessionModel

Side = Literal["sim", "target"]

SETTLE_MS = 400
"""A view that stays this long becomes a step of the history."""

FIRST_PANES = 6
"""Panes shown of a pair nobody has looked at yet."""


def channel_key(side: Side, name: str) -> str:
    """Return the key of a channel: ``sim:NAME`` draws it and its counterpart, ``target:NAME`` only itself."""
    return f"{side}:{name}"


def split_key(key: str) -> tuple[Side, str]:
    """Return side and name of a channel key."""
    side, _, name = key.partition(":")
    return ("target" if side == "target" else "sim"), name


class ViewModel(QObject):
    """View state, apart from the session: changing it changes no number and enters no undo.

    Signals carry nothing; whoever hears one reads the properties.
    """

    range_changed = Signal()
    cursor_changed = Signal()
    shown_changed = Signal()
    evidence_changed = Signal()
    evidence_gone_to = Signal()
    active_changed = Signal()

    def __init__(self, session_model: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = session_model
        self._range: Interval = (0.0, 1.0)
        self._interval_s = 1e-3
        self._limits = Limits((0.0, 1.0), 1e-3)
        self._cursor_a: float | None = None
        self._cursor_b: float | None = None
        self._shown: tuple[tuple[str, ...], ...] = ()
        self._active = 0
        self._evidence: tuple[Evidence, ...] = ()
        self._evidence_of: tuple[CheckResult, ...] = ()
        self._wanted: tuple[str, ...] = ()
        self._pending_anchor: float | None = None
        self._pending_side: Side = "sim"
        self._history = History()
        self.unmatched: tuple[str, ...] = ()
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.remember)
        session_model.pair_changed.connect(self._take_pair)
        session_model.alignment_changed.connect(self._take_alignment)
        session_model.results_changed.connect(self._take_results)
        self._take_pair()

    # The range

    @property
    def range_s(self) -> Interval:
        """Seconds on the sim's clock that every pane shows."""
        return self._range

    @property
    def extent_s(self) -> Interval:
        """First and last instant of either trace, as aligned now."""
        return self._limits.extent_s

    def set_range(self, low_s: float, high_s: float) -> None:
        """Show a range, clamped: never under two samples, never over three times the pair."""
        wanted = clamped((low_s, high_s), self._limits)
        if wanted is not None and wanted != self._range:
            self._range = wanted
            self._settle.start()
            self.range_changed.emit()

    def set_low(self, low_s: float) -> None:
        """Move the range's start; its end stays, at least two samples away."""
        high = self._range[1]
        self.set_range(min(low_s, high - self._limits.least_s), high)

    def set_high(self, high_s: float) -> None:
        """Move the range's end; its start stays, at least two samples away."""
        low = self._range[0]
        self.set_range(low, max(high_s, low + self._limits.least_s))

    def zoom(self, factor: float, about_s: float | None = None) -> None:
        """Zoom in by a factor (out below 1) about an instant that stays in place."""
        low, high = self._range
        about_s = (low + high) / 2 if about_s is None else about_s
        wanted = zoomed(self._range, self._limits, factor, about_s)
        self.set_range(*wanted)

    def pan(self, by_s: float) -> None:
        """Move the range, keeping its span."""
        self.set_range(self._range[0] + by_s, self._range[1] + by_s)

    def fit_all(self) -> None:
        """Show the whole pair."""
        self.set_range(*self._limits.extent_s)

    def reveal(self, at_s: float) -> None:
        """Move the range, where needed, so that an instant is inside it."""
        low, high = self._range
        if not low <= at_s <= high:
            half = (high - low) / 2
            self.set_range(at_s - half, at_s + half)

    # Cursors

    @property
    def cursor_a_s(self) -> float | None:
        """Cursor A, seconds on the sim's clock, or ``None``."""
        return self._cursor_a

    @property
    def cursor_b_s(self) -> float | None:
        """Cursor B, seconds on the sim's clock, or ``None``."""
        return self._cursor_b

    def set_cursor_a(self, at_s: float | None) -> None:
        """Place or remove cursor A."""
        if at_s != self._cursor_a:
            self._cursor_a = at_s
            self.cursor_changed.emit()

    def set_cursor_b(self, at_s: float | None) -> None:
        """Place or remove cursor B."""
        if at_s != self._cursor_b:
            self._cursor_b = at_s
            self.cursor_changed.emit()

    @property
    def pending_anchor_s(self) -> float | None:
        """An event marked in one trace, on that trace's own clock; its counterpart is still to be marked."""
        return self._pending_anchor

    @property
    def pending_anchor_side(self) -> Side:
        """The trace that the first half of an anchor stands in."""
        return self._pending_side

    def set_pending_anchor(self, at_s: float | None, side: Side = "sim") -> None:
        """Hold, or forget, the first half of an anchor."""
        if (at_s, side) != (self._pending_anchor, self._pending_side):
            self._pending_anchor, self._pending_side = at_s, side
            self.cursor_changed.emit()

    # Shown signals

    @property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The panes from top to bottom, each with the keys of its channels."""
        return self._shown

    def set_shown(self, panes: Iterable[Iterable[str]]) -> None:
        """Show these panes; empty ones are dropped."""
        wanted = tuple(tuple(dict.fromkeys(pane)) for pane in panes)
        wanted = tuple(pane for pane in wanted if pane)
        if wanted != self._shown:
            self._shown = wanted
            self._settle.start()
            self.shown_changed.emit()
            self.set_active(self._active)

    @property
    def active(self) -> int:
        """Number of the pane that keys act on; 0 where there is none."""
        return self._active

    def set_active(self, pane: int) -> None:
        """Let keys act on a pane, the nearest there is."""
        pane = max(0, min(pane, len(self._shown) - 1))
        if pane != self._active:
            self._active = pane
            self.active_changed.emit()

    # Evidence

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Spans marked in the panes."""
        return self._evidence

    def show_evidence(self, evidence: Evidence | Iterable[Evidence]) -> None:
        """Go to evidence and mark it; its channels are shown where they are not yet."""
        spans = (evidence,) if isinstance(evidence, Evidence) else tuple(evidence)
        self._evidence, self._evidence_of = spans, self._model.shown_results
        self.evidence_changed.emit()
        if not spans:
            return
        self.remember()  # what was looked at until now is one step back
        self._show_channels(spans)
        low = min(e.span_s[0] for e in spans)
        high = max(e.span_s[1] for e in spans)
        around = max((high - low) * 0.5, 20 * self._limits.least_s)
        first, last = self._limits.extent_s  # beyond it nothing was recorded
        self.set_range(max(low - around, min(low, first)), min(high + around, max(high, last)))
        self.evidence_gone_to.emit()

    def _show_channels(self, spans: tuple[Evidence, ...]) -> None:
        session = self._model.session
        if session is None:
            return
        shown = {key for pane in self._shown for key in pane}
        named = (name for e in spans for name in e.channels)
        keys = dict.fromkeys(key_of(session.pair, name) for name in named)
        wanted = [key for key in keys if key]
        missing = [(key,) for key in wanted if key not in shown]
        if missing:
            self.set_shown((*self._shown, *missing))
        self._wanted = tuple(wanted)
        if wanted:
            self._activate(wanted[0])

    def _activate(self, key: str) -> None:
        self.set_active(next((n for n, pane in enumerate(self._shown) if key in pane), 0))

    @property
    def evidence_keys(self) -> tuple[str, ...]:
        """The channels that the evidence gone to last names, the one it speaks of first."""
        return self._wanted

    def gather_evidence(self) -> bool:
        """Put the panes that the evidence names under one another; return whether any had to move.

        A step of the view's history: going back puts them where they were.
        """
        named = [pane for pane in self._shown if set(pane) & set(self._wanted)]
        named.sort(key=lambda pane: min(self._wanted.index(k) for k in pane if k in self._wanted))
        first = self._shown.index(named[0]) if named else 0
        before = [pane for pane in self._shown[:first] if pane not in named]
        after = [pane for pane in self._shown[first:] if pane not in named]
        order = (*before, *named, *after)
        if order == self._shown:
            return False
        self.set_shown(order)
        self._activate(self._wanted[0])
        return True

    # History

    def remember(self) -> None:
        """Make the present view a step of the history."""
        self._settle.stop()
        self._history.remember(View(self._shown, self._range))

    def back(self) -> None:
        """Go to the view before."""
        self._go(-1)

    def forward(self) -> None:
        """Go to the view after."""
        self._go(+1)

    def _go(self, by: int) -> None:
        self.remember()
        view = self._history.step(by)
        if view is not None:
            self.set_shown(view.shown)
            if view.range_s is not None:
                self.set_range(*view.range_s)
            self._settle.stop()

    # What the session tells

    def _take_pair(self) -> None:
        session = self._model.session
        self._history.clear()
        self._evidence = self._wanted = ()
        self._interval_s = least_interval_s(session)
        self._limits = limits_of(session, self._interval_s)
        self._cursor_a = self._cursor_b = self._pending_anchor = None
        self._active = 0
        view = View() if session is None else session.view
        held, self.unmatched = rebound(self._shown, session)
        self._shown = view.shown or held or first_panes(session)
        self._range = clamped(view.range_s or self._limits.extent_s, self._limits) or (0.0, 1.0)
        self.shown_changed.emit()
        self.range_changed.emit()
        self.cursor_changed.emit()
        self.evidence_changed.emit()
        self.remember()

    def _take_alignment(self) -> None:
        self._limits = limits_of(self._model.session, self._interval_s)

    def _take_results(self) -> None:
        """Keep no evidence in the panes that the cards no longer name."""
        session = self._model.session
        if session is None or session.stale or not self._evidence:
            return
        now = followed(self._evidence, self._evidence_of, session.results)
        self._evidence_of = session.results
        if now != self._evidence:
            self._evidence = now
            self.evidence_changed.emit()


def key_of(pair: TracePair, name: str) -> str:
    """Return the key that draws a channel named by a check (either side's name); ``""`` for none."""
    if name in pair.sim:
        return channel_key("sim", name)
    twin = pair.sim_of(name)
    if twin is not None:
        return channel_key("sim", twin)
    return channel_key("target", name) if name in pair.target else ""


def first_panes(session: Session | None) -> tuple[tuple[str, ...], ...]:
    """Choose what to show of a pair nobody has looked at: some of each role that moves a robot."""
    if session is None:
        return ()
    sim, target = session.pair.sim, session.pair.target
    side: Side = "sim" if sim.channels else "target"
    trace = sim if sim.channels else target
    keys: list[str] = []
    for role, most in ((Role.OBSERVATION, 3), (Role.ACTION, 1), (Role.ACTION_APPLIED, 1)):
        keys += [channel_key(side, c.name) for c in trace.of_role(role)[:most]]
    keys += [channel_key(side, c.name) for c in trace.of_role(Role.REWARD, *END_ROLES)[:1]]
    if not keys:
        keys = [channel_key(side, c.name) for c in trace.channels[:FIRST_PANES]]
    return tuple((key,) for key in keys[:FIRST_PANES])
