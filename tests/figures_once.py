"""Figures of a note drawn once for commands that judge the same pair again and again.

That drawing gives the same bytes every time is tried on each figure by itself and on whole notes.
"""

from __future__ import annotations

from tracescope.findings.note.figure import FigureSpec
from tracescope.session.export import Drawings
from tracescope.session.session import Session

_drawn: dict[tuple[str, ...], bytes] = {}


class DrawnOnce(Drawings):
    """Drawings that are shared by all sessions with the same results of the same content."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        sides = (session.pair.sim, session.pair.target)
        self._of = (
            repr([(c.name, c.value.tobytes(), c.time_s.tobytes()) for s in sides for c in s]),
            repr((session.case.corrections, session.results, session.marks, session.probes)),
        )

    def drawn(self, spec: FigureSpec, fmt: str) -> bytes:
        key = (*self._of, spec.id, spec.caption, fmt)
        if key not in _drawn:
            _drawn[key] = super().drawn(spec, fmt)
        return _drawn[key]
