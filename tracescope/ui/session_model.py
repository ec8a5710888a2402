"""The window's one holder of state, with the verbs that change it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tracescope.checks.probing import Budgets, Probe
from tracescope.findings.follow_up import Frozen
from tracescope.model.alignment import Alignment, Anchor, Interval
from tracescope.model.correction import Correction
from tracescope.model.tolerance import Tolerances
from tracescope.session.probe import with_probe, without_probe
from tracescope.session.session import FindingEdit, Mark, View
from tracescope.ui.session_state import SessionState
from tracescope.ui.undo import SwapCommand

LOCKED = "the alignment is locked: unlock it with L or the padlock in the toolbar"


class SessionModel(SessionState):
    """Changes the session, undoably, and says which part changed.

    Widgets read it, keep no copy, ask for changes by method and never call one another. Before a pair is
    opened ``session`` is ``None`` and only :meth:`open` may be called.
    """

    # Alignment

    def align(self, alignment: Alignment, gesture: int = -1) -> None:
        """Realign, undoably. Calls sharing a gesture number (≥ 0) become one undo step."""
        if not self._may_align():
            return
        self._push("alignment", alignment, "alignment", gesture)

    def preview_alignment(self, alignment: Alignment) -> None:
        """Move the target while a hand drags it: everything follows, nothing enters undo yet."""
        if not self._may_align():
            return
        if self._before_preview is None:
            self._before_preview = self.open_session.alignment
        if alignment != self.open_session.alignment:
            self._put("alignment", alignment)

    def commit_preview(self) -> None:
        """End a drag where it is, as one undo step."""
        before, self._before_preview = self._before_preview, None
        after = self.open_session.alignment
        if before is None or before == after:
            return
        self.undo_stack.push(SwapCommand(self._put, "alignment", before, after, "drag"))

    def cancel_preview(self) -> None:
        """End a drag where it began; nothing enters undo."""
        before, self._before_preview = self._before_preview, None
        if before is not None and before != self.open_session.alignment:
            self._put("alignment", before)

    def set_locked(self, locked: bool) -> None:  # noqa: FBT001  # a slot of a checkable action
        """Lock or unlock the alignment against slips of the hand; not an undo step."""
        if self._session is not None and locked != self._session.locked:
            self._session = replace(self._session, locked=locked)
            self.lock_changed.emit()

    def propose(self, alignment: Alignment | None) -> None:
        """Offer an alignment (or withdraw the offer); it moves nothing until a person takes it."""
        if self._session is not None and alignment != self._session.proposal:
            self._session = replace(self._session, proposal=alignment)
            self.proposal_changed.emit()

    def take_proposal(self) -> None:
        """Put the offered alignment in force, undoably."""
        proposal = self.open_session.proposal
        if proposal is not None and self._may_align():
            self._push("alignment", proposal, "estimated alignment")
            self.propose(None)

    def align_by_anchors(self, anchors: tuple[Anchor, ...]) -> None:
        """Fit offset and drift to events marked in both traces, and keep them with the alignment."""
        if not self._may_align():
            return
        if not anchors:
            self._push("alignment", self.open_session.alignment.by_hand(), "anchors")
            return
        from tracescope.analysis.estimate import alignment_from_anchors

        alignment, _, _ = alignment_from_anchors(self.open_session.pair, anchors)
        self._push("alignment", alignment, "anchors")

    # Corrections and tolerances

    def correct(self, *corrections: Correction) -> None:
        """Lay corrections over target channels, each replacing an earlier one of its channel."""
        changed = {c.channel for c in corrections}
        kept = tuple(c for c in self.open_session.corrections if c.channel not in changed)
        words = ", ".join(str(c) for c in corrections)
        self._push("corrections", (*kept, *corrections), f"correction {words}")

    def set_corrections(self, corrections: tuple[Correction, ...]) -> None:
        """Put exactly these corrections in force."""
        self._push("corrections", corrections, "corrections")

    def uncorrect(self, channel: str) -> None:
        """Take the correction of a target channel away."""
        kept = tuple(c for c in self.open_session.corrections if c.channel != channel)
        self._push("corrections", kept, f"removal of the correction of {channel}")

    def set_tolerance(self, key: str, band: Interval | None) -> None:
        """Set a tolerance, or put it back at its default where ``band`` is ``None``."""
        self.set_tolerances(self.open_session.tolerances.with_band(key, band), f"tolerance {key}")

    def set_tolerances(self, tolerances: Tolerances, text: str = "tolerances") -> None:
        """Put these tolerances in force."""
        self._push("tolerances", tolerances, text)

    # Marks and findings

    def set_marks(self, marks: Iterable[Mark], text: str = "mark") -> None:
        """Replace the marks a person made."""
        self._push("marks", tuple(marks), text)

    def add_mark(self, mark: Mark) -> None:
        """Add a mark."""
        self.set_marks((*self.open_session.marks, mark))

    def edit_finding(self, *edits: FindingEdit) -> None:
        """Take in what a person did to findings; a later edit of the same finding replaces the earlier."""
        changed = {edit.id for edit in edits}
        kept = tuple(edit for edit in self.open_session.edits if edit.id not in changed)
        self._push("edits", (*kept, *edits), "edit of a finding")

    def restore_finding(self, finding_id: str) -> None:
        """Undo every edit of one finding (as a new undo step)."""
        kept = tuple(e for e in self.open_session.edits if e.id != finding_id)
        self._push("edits", kept, "original wording")

    # Probing

    def add_probe(self, probe: Probe) -> None:
        """Measure one more place.

        Raises:
            UsageError: where it names a channel that one side does not have.
        """
        self._push("probes", with_probe(self.open_session, probe).probes, "probe")

    def remove_probe(self, place: int) -> None:
        """Measure one place no more."""
        after = without_probe(self.open_session, place).probes
        self._push("probes", after, "removal of a probe")

    def set_budgets(self, budgets: Budgets) -> None:
        """Hold probes to these budgets."""
        self._push("budgets", budgets, "budgets")

    def follow(self, prediction: Frozen | None) -> None:
        """Make the pair the follow-up of an earlier note's prediction, or of none."""
        self._push("prediction", prediction, "follow-up of a note")

    def remember_view(self, view: View) -> None:
        """Store how the pair is shown, for the next save; changes nothing else."""
        if self._session is not None:
            self._session = replace(self._session, view=view)

    def _may_align(self) -> bool:
        if not self.open_session.locked:
            return True
        self.refused.emit(LOCKED)
        return False
