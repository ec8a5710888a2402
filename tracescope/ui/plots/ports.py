"""What the plots need of the session model and the theme, and nothing more.

The real ones live in ``ui/session_model.py`` and ``ui/theme.py``; tests pass small ones of their own.
Signals carry no payload: whoever hears one reads the model.
"""

from __future__ import annotations

from typing import Any, Protocol

from tracescope.model.alignment import Alignment, Anchor
from tracescope.session.session import Mark, Session


class SessionPort(Protocol):
    """The session as the plots see it.

    ``session`` is ``None`` before a pair is open. A lone trace is a pair whose other side has no rows
    and no channels. While a drag goes on, ``session.alignment`` is the previewed one.

    Every signal is a payload-free ``Signal()``: ``pair_changed`` (another pair or mapping: everything
    is read anew), ``alignment_changed`` (also on each preview), ``corrections_changed``,
    ``results_changed`` and ``marks_changed``.
    """

    pair_changed: Any
    alignment_changed: Any
    corrections_changed: Any
    results_changed: Any
    marks_changed: Any

    @property
    def session(self) -> Session | None:
        """The present state, at the previewed alignment while there is one."""

    @property
    def previewing(self) -> bool:
        """Whether a preview is shown that is neither committed nor cancelled."""

    def align(self, alignment: Alignment, gesture: int = -1) -> None:
        """Realign, undoably; calls sharing a gesture number (not −1) are one undo step."""

    def preview_alignment(self, alignment: Alignment) -> None:
        """Show an alignment without an undo step. Emits ``alignment_changed``."""

    def commit_preview(self) -> None:
        """Make the shown preview one undo step. Nothing where there is no preview."""

    def cancel_preview(self) -> None:
        """Go back to the alignment before the preview. Emits ``alignment_changed``."""

    def align_by_anchors(self, anchors: tuple[Anchor, ...]) -> None:
        """Fit offset and drift to these events (undoably) and keep them in ``alignment.anchors``."""

    def set_locked(self, locked: bool) -> None:  # noqa: FBT001 - what a check box hands over
        """Forbid or allow moving the target. The plots ask ``session.locked`` before they move it."""

    def add_mark(self, mark: Mark) -> None:
        """Add a person's mark, undoably. Emits ``marks_changed``."""


class ThemePort(Protocol):
    """Colours as ``#rrggbb`` text, read when painting.

    ``line_width`` is 1 except in the demo mode; ``font_scale`` is 1 likewise.
    """

    @property
    def sim(self) -> str:
        """The simulator's curves."""

    @property
    def target(self) -> str:
        """The target's curves."""

    @property
    def residual(self) -> str:
        """Target less simulator."""

    @property
    def text(self) -> str:
        """Ordinary text."""

    @property
    def muted(self) -> str:
        """Axis numbers, secondary text."""

    @property
    def background(self) -> str:
        """Behind the curves."""

    @property
    def grid(self) -> str:
        """Grid lines."""

    @property
    def border(self) -> str:
        """Frames of panes and boxes."""

    @property
    def accent(self) -> str:
        """The active pane, the visible box of the overview."""

    @property
    def evidence(self) -> str:
        """Spans a check points at; painted as a tint."""

    @property
    def line_width(self) -> int:
        """Pixels a curve is wide."""

    @property
    def font_scale(self) -> float:
        """What sizes of type are multiplied by."""


# What the rest of the window calls here:
#
# ``ViewModel(session_model)`` (ui/view_model.py): ``range_s`` and ``set_range(low_s, high_s)``,
# ``fit_all()``, ``cursor_a_s`` / ``cursor_b_s`` and ``set_cursor_a(t)`` / ``set_cursor_b(t)``,
# ``shown`` and ``set_shown(panes)``, ``active`` (pane number), ``evidence`` and
# ``show_evidence(evidence)`` (goes there and marks it), ``back()`` / ``forward()``; signals
# ``range_changed``, ``cursor_changed``, ``shown_changed``, ``evidence_changed``, ``active_changed``.
# A key of ``shown`` is ``"sim:NAME"`` (the sim channel with its matched target channel) or
# ``"target:NAME"`` (a target channel that has no counterpart); ``channel_key`` and ``split_key`` there.
#
# ``TraceView(session_model, view_model, theme)``: ``set_theme(theme)``; signal ``hinted(str)`` (one
# sentence for the status bar); ``commands`` (ui/plots/commands.py): the table of every key of the plots
# (id, words, keys, what it does), for menus, the shortcut sheet and the palette.
