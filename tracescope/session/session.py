"""The session: what the window shows, the command line computes and a file saves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tracescope.checks.probing import DEFAULTS, Budgets, Probe
from tracescope.findings.follow_up import Frozen
from tracescope.model.alignment import Alignment, Interval
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.model.correction import Correction
from tracescope.model.finding import Report
from tracescope.model.pair import TracePair
from tracescope.model.tolerance import Tolerances
from tracescope.readers.base import ImportChoices


@dataclass(frozen=True, slots=True)
class Mark:
    """Something a person marked: an instant (equal ends) or a span.

    Attributes:
        span_s: Seconds on the simulator's clock; on the target's own where ``side`` is ``target``, so that
            the mark stays on its samples when the target is realigned.
        text: What the person wrote.
        side: ``both``, ``sim`` or ``target``: which trace it speaks of.
        channel: What was looked at when it was made, by either side's name; ``""`` where nothing was.
    """

    span_s: Interval
    text: str
    side: str = "both"
    channel: str = ""

    def on_sim(self, alignment: Alignment) -> Interval:
        """Return the span on the simulator's clock."""
        if self.side != "target":
            return self.span_s
        return (alignment.to_sim_one(self.span_s[0]), alignment.to_sim_one(self.span_s[1]))

    def moved_to(self, side: str, alignment: Alignment) -> Mark:
        """Return the mark on another trace, at the same place on the screen."""
        span_s = self.on_sim(alignment)
        if side == "target":
            span_s = (alignment.to_target_one(span_s[0]), alignment.to_target_one(span_s[1]))
        return replace(self, span_s=span_s, side=side)


@dataclass(frozen=True, slots=True)
class FindingEdit:
    """What a person did to the finding ``id``: other words, another place, hidden, demoted or added.

    ``kind`` is the heading it stands under after the edit: ``observed``, ``inferred``, ``untested``.
    """

    id: str
    kind: str
    text: str | None = None
    would_need: str | None = None
    place: int | None = None
    hidden: bool = False
    added: bool = False


@dataclass(frozen=True, slots=True)
class SideChoices:
    """How one side was opened: the path as given, the episode and the import choices."""

    path: str
    episode: str | None = None
    choices: ImportChoices = field(default_factory=ImportChoices)


@dataclass(frozen=True, slots=True)
class View:
    """How the window showed the pair: restored with the session, of no meaning to any check."""

    shown: tuple[tuple[str, ...], ...] = ()
    range_s: Interval | None = None
    layout: str = ""


@dataclass(frozen=True, slots=True)
class Session:
    """One immutable state of the work on a pair. Every change makes a new one with a higher revision.

    ``prediction`` is what an earlier note predicted for this pair, where it is a follow-up.
    ``probes`` are what a person marked for probing, ``budgets`` what they are held to.
    ``results`` belong to ``results_revision``; where that differs from ``revision`` they are stale.
    """

    pair: TracePair
    sim: SideChoices
    target: SideChoices
    alignment: Alignment
    corrections: tuple[Correction, ...] = ()
    tolerances: Tolerances = Tolerances()
    confidence: float = 0.99
    proposal: Alignment | None = None
    results: tuple[CheckResult, ...] = ()
    results_revision: int = -1
    report: Report = Report()
    marks: tuple[Mark, ...] = ()
    edits: tuple[FindingEdit, ...] = ()
    view: View = View()
    revision: int = 0
    locked: bool = False
    prediction: Frozen | None = None
    probes: tuple[Probe, ...] = ()
    budgets: Budgets = DEFAULTS

    @property
    def case(self) -> Case:
        """What the checks look at."""
        return Case(self.pair, self.alignment, self.corrections, self.tolerances, self.confidence)

    @property
    def stale(self) -> bool:
        """Whether results belong to an older revision."""
        return self.results_revision != self.revision

    def aligned(self, alignment: Alignment) -> Session:
        """Return the session at another alignment; results become stale."""
        return self._changed(alignment=alignment)

    def corrected(self, corrections: tuple[Correction, ...]) -> Session:
        """Return the session with these corrections instead; results become stale."""
        return self._changed(corrections=corrections)

    def tolerated(self, tolerances: Tolerances) -> Session:
        """Return the session with these tolerances instead; results become stale."""
        return self._changed(tolerances=tolerances)

    def judged(self, results: tuple[CheckResult, ...], report: Report, revision: int) -> Session:
        """Take in results and findings, unless the session has moved on: then return itself."""
        if revision != self.revision:
            return self
        return replace(self, results=results, report=report, results_revision=revision)

    def _changed(self, **what: object) -> Session:
        return replace(self, revision=self.revision + 1, **what)  # type: ignore[arg-type]
