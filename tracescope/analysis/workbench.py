"""What several checks need of one case, computed at most once and shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from tracescope.analysis.rows import PairedRows, moves, names_of, paired_rows
from tracescope.model.case import Case
from tracescope.model.correction import Correction
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Role

if TYPE_CHECKING:
    from tracescope.analysis.excerpt import Excerpt
    from tracescope.analysis.explanations import Explanation
    from tracescope.analysis.one_step import Relation
    from tracescope.analysis.one_step_gap import Gap

T = TypeVar("T")


class Workbench:
    """One case and what was derived from it. Nothing here changes after it was computed.

    ``pulse`` is called before and between the long computations; it raises
    :class:`~tracescope.model.errors.Cancelled` to end them.
    """

    def __init__(self, case: Case, pulse: Pulse = never, whole: Workbench | None = None) -> None:
        self.case = case
        self.pulse = pulse
        self._whole = whole
        self._live: dict[str, bool] = {}
        self._of_recordings: dict[object, object] = {}

    @cached_property
    def _chosen(self) -> Excerpt | None:
        self.pulse()
        from tracescope.analysis.excerpt import excerpt_of

        return excerpt_of(self.case)

    @cached_property
    def excerpt(self) -> Workbench:
        """What regressions look at: stretches of a long pair, itself where the pair is not long.

        Rare events lie between them: whatever looks for those looks at :attr:`rows` here.
        """
        if self._chosen is None:
            return self
        return Workbench(self._chosen.case, self.pulse, whole=self)

    @property
    def is_excerpt(self) -> bool:
        """Whether this holds stretches of a long pair."""
        return self._whole is not None

    @cached_property
    def moving_elsewhere(self) -> tuple[str, ...]:
        """Observations that move in both traces, but in none of the stretches that this workbench holds."""
        if self._whole is None:
            return ()
        here = set(self.live_in_both(self.observations))
        return tuple(n for n in self._whole.live_in_both(self.observations) if n not in here)

    @property
    def excerpt_words(self) -> str:
        """How many rows regressions look at; empty where they look at all."""
        return "" if self._chosen is None else str(self._chosen)

    @cached_property
    def rows(self) -> PairedRows:
        """Both traces on common rows, corrections applied."""
        self.pulse()
        return paired_rows(self.case)

    @cached_property
    def observations(self) -> tuple[str, ...]:
        """Sim names of the matched observation channels."""
        return names_of(self.rows, self.case, Role.OBSERVATION)

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """Sim names of the matched emitted-action channels."""
        return names_of(self.rows, self.case, Role.ACTION)

    @cached_property
    def relation(self) -> Relation | None:
        """The one-step relations of both traces, ``None`` where there is too little to fit."""
        self.pulse()
        if self.excerpt is not self:
            return self.excerpt.relation
        from tracescope.analysis.one_step import relation

        return relation(self)

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """The one-step gap of every output that the simulator's relation predicts."""
        self.pulse()
        if self.excerpt is not self:
            return self.excerpt.gaps
        from tracescope.analysis.one_step_gap import gaps

        return (
            ()
            if self.relation is None
            else gaps(self.relation, self.case.confidence, pulse=self.pulse)
        )

    @cached_property
    def explanations(self) -> tuple[Explanation, ...]:
        """One-parameter explanations of the one-step gap, best first."""
        self.pulse()
        if self.excerpt is not self:
            return self.excerpt.explanations
        from tracescope.analysis.explanations import explanations

        return explanations(self)

    def live_in_both(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those channels that move in both traces on the common rows."""
        self.pulse()
        return tuple(n for n in names if self._lives(n))

    def _lives(self, name: str) -> bool:
        known = self._live.get(name)
        if known is None:
            self.pulse()
            known = moves(self.rows.sim, name) and moves(self.rows.target, name)
            self._live[name] = known
        return known

    def corrected(self, corrections: Iterable[Correction]) -> Workbench:
        """Return a workbench of the same case with these corrections laid over it as well."""
        case = self.case
        for correction in corrections:
            case = case.with_correction(correction)
        return Workbench(case, self.pulse)

    def at(self, offset_s: float) -> Workbench:
        """Return a workbench of the same case at another clock offset, all else equal."""
        case = replace(self.case, alignment=replace(self.case.alignment, offset_s=offset_s))
        moved = Workbench(case, self.pulse)
        moved._of_recordings = self._of_recordings
        return moved

    def of_recordings(self, key: object, compute: Callable[[], T]) -> T:
        """Return what depends on the recordings, corrections and tolerances alone, whatever the offset.

        Computed once for this workbench and those made of it by :meth:`at`: on long pairs that is most of what
        judging again at another offset would cost.
        """
        if key not in self._of_recordings:
            self._of_recordings[key] = compute()
        return cast("T", self._of_recordings[key])
