"""Says when the two traces lie beside each other in time, where each is, and offers the way out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from tracescope.session.session import Session
from tracescope.ui.notices import Notices, Offer
from tracescope.ui.session_model import SessionModel

KEY = "overlap"


def apart(session: Session) -> str:
    """Say where both traces are if no instant is common to them; ``""`` where they overlap."""
    sim, target = session.pair.sim, session.pair.target
    if not (len(sim) and len(target)):
        return ""
    sim_s = (float(sim.time_s[0]), float(sim.time_s[-1]))
    first, last = float(target.time_s[0]), float(target.time_s[-1])
    target_s = (session.alignment.to_sim_one(first), session.alignment.to_sim_one(last))
    if max(sim_s[0], target_s[0]) <= min(sim_s[1], target_s[1]):
        return ""
    return (
        f"The traces do not overlap: simulator {sim_s[0]:.6g} s to {sim_s[1]:.6g} s, "
        f"target {target_s[0]:.6g} s to {target_s[1]:.6g} s on the simulator's clock"
    )


class OverlapWatch(QObject):
    """Keeps the notice while it is true."""

    def __init__(
        self,
        model: SessionModel,
        notices: Notices,
        start_together: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._model, self._notices, self._start = model, notices, start_together
        for changed in (model.pair_changed, model.alignment_changed):
            changed.connect(self._look)
        model.undo_stack.indexChanged.connect(self._look)  # also tells that a drag has ended

    @Slot()
    def _look(self) -> None:
        session = self._model.session
        if self._model.previewing:
            return
        text = "" if session is None else apart(session)
        standing = next((n.text for n in self._notices.standing if n.key == KEY), "")
        if text == standing:
            return
        self._notices.withdraw(KEY)
        if text:
            offer = Offer("Start both together", self._start)
            detail = "Nothing can be compared; the stamps may count from different days or in different units"
            self._notices.tell("error", text, detail, offers=[offer], key=KEY)
