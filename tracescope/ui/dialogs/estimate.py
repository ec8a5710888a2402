"""What the contents say about the clock offset: verdict, score over the offset, the pick and its rivals."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget

from tracescope.analysis.estimate import AlignmentEstimate
from tracescope.findings.numbers import value_text, with_minus
from tracescope.model.alignment import Alignment
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.dialogs.score_plot import ScorePlot
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import words
from tracescope.ui.session_model import SessionModel
from tracescope.ui.words import spread_text

RIVALS_NAMED = 3


def headline(estimate: AlignmentEstimate) -> str:
    """Write the verdict with the number it can defend, and no other."""
    pick = estimate.alignment
    if pick is None:
        return "Not possible"
    if estimate.verdict == "clear":
        offset = spread_text(pick.offset_s, pick.offset_interval_s, "s")
        return f"Clear: {offset}, {_moves(pick)}"
    named = [value_text(r.offset_s, None, "s") for r in estimate.rivals[:RIVALS_NAMED]]
    left = len(estimate.rivals) - RIVALS_NAMED
    text = " / ".join([value_text(pick.offset_s, None, "s"), *named])
    return f"Ambiguous: {text}" + (f" and {left} more" if left > 0 else "")


def _moves(pick: Alignment) -> str:
    """Say which way a pick moves the target, where its interval says so."""
    within = pick.offset_interval_s
    if not pick.offset_s or (within is not None and within[0] <= 0 <= within[1]):
        return "leaves the target where its stamps put it"
    return f"moves the target {'left' if pick.offset_s > 0 else 'right'}"


class EstimateDialog(Dialog):
    """Shows the curve; Apply puts the marked peak in force."""

    def __init__(
        self, estimate: AlignmentEstimate, model: SessionModel, look: Look, parent: QWidget
    ) -> None:
        super().__init__("Estimate", parent)
        self._estimate, self._model = estimate, model
        self.column.addWidget(words(headline(estimate), "title"))
        self.column.addWidget(words(with_minus(estimate.because), "muted"))
        picks: tuple[float, ...] = ()
        if estimate.alignment is not None:
            picks = (estimate.alignment.offset_s, *(r.offset_s for r in estimate.rivals))
        self.plot = ScorePlot(estimate.lag_s, estimate.score, picks, look)
        self.column.addWidget(self.plot, 1)
        self.plot.setVisible(estimate.lag_s.size > 1)
        apply = "Apply" if picks else ""
        self.add_buttons(apply, "Put the marked offset in force (Ctrl+Z takes it back)")
        model.pair_changed.connect(self.reject)
        self.resize(620, 380)

    def accept(self) -> None:
        """Align by the marked peak."""
        self._model.align(self.marked())
        self._model.propose(None)
        super().accept()

    def marked(self) -> Alignment:
        """Return the alignment of the marked peak: the estimate's own, or a rival chosen by hand."""
        pick = self._estimate.alignment
        assert pick is not None
        if self.plot.current == 0:
            return pick
        offset_s = self.plot.peaks_s[self.plot.current]
        return replace(pick.by_hand(offset_s=offset_s), note="a rival peak, picked by hand")
