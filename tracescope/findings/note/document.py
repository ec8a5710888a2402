"""A note as a plain value: every sentence and number that any format shows, already as text.

Numbers come from the result file's value alone, so that a note and the JSON cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tracescope.findings.follow_up import Factors, FollowUp
from tracescope.findings.note.figure import NoteFigure
from tracescope.findings.result_schema import ResultFile


@dataclass(frozen=True, slots=True)
class NoteOptions:
    """What a person may put on a note.

    ``figure_folder``: where Markdown finds the figures, relative to itself; ``""`` leaves them out.
    """

    title: str = ""
    author: str = ""
    policy: str = ""
    command: str = ""
    paper: str = "a4"
    figure_folder: str = ""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One recording."""

    side: str
    path: str
    sha256: str
    layout: str
    episode: str
    rows: str
    duration: str
    interval: str
    health: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check in the table: its state and the measurement nearest to deciding it.

    ``covers`` is ``coverage`` cut to what a table's column holds.
    """

    id: str
    title: str
    state: str
    mark: str
    key: str
    interval: str
    tolerance: str
    n: str
    coverage: str
    reason: str
    would: str
    settle: str
    flags: tuple[str, ...] = ()
    covers: str = ""


@dataclass(frozen=True, slots=True)
class MeasurementRow:
    """One measurement in the appendix."""

    check: str
    quantity: str
    channel: str
    estimate: str
    interval: str
    tolerance: str
    n: str
    state: str


@dataclass(frozen=True, slots=True)
class Item:
    """One finding. ``by_hand`` text was typed by a person and is never trusted as markup.

    ``details`` are (label, text) pairs under it; ``figures`` the ids of figures that show it.
    """

    text: str
    by_hand: bool = False
    details: tuple[tuple[str, str], ...] = ()
    figures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Items under one check."""

    title: str
    items: tuple[Item, ...]
    figures: tuple[NoteFigure, ...] = ()


@dataclass(frozen=True, slots=True)
class HypothesisRow:
    """One ranked hypothesis."""

    rank: str
    family: str
    text: str
    channels: str
    explains: str


@dataclass(frozen=True, slots=True)
class ToleranceRow:
    """One tolerance in force."""

    key: str
    band: str
    is_default: bool
    why: str


@dataclass(frozen=True, slots=True)
class SupportedRow:
    """A range in which a check passed."""

    channel: str
    range: str
    check: str
    corrected: bool


@dataclass(frozen=True, slots=True)
class OpenRow:
    """A difference that is not closed."""

    check: str
    subject: str
    measured: str
    budget: str
    status: str
    mechanism: str


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """One predicted interval."""

    subject: str
    interval: str


@dataclass(frozen=True, slots=True)
class NextTestText:
    """The next test, in words."""

    do: str
    falsifies: str
    predicted: tuple[PredictedRow, ...]


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One predicted interval and what became of it."""

    subject: str
    predicted: str
    measured: str
    outcome: str


@dataclass(frozen=True, slots=True)
class FollowUpText:
    """What became of an earlier note's prediction, in words."""

    lines: tuple[str, ...]
    outcomes: tuple[OutcomeRow, ...]


@dataclass(frozen=True, slots=True)
class NoteDocument:
    """Everything a note shows, in the order in which it shows it.

    ``no_test`` says why there is no next test, where there is none.
    """

    title: str
    date: str
    author: str
    policy: str
    paper: str
    version: str
    summary: tuple[str, ...]
    sources: tuple[SourceRow, ...]
    alignment: tuple[str, ...]
    corrections: tuple[str, ...]
    checks: tuple[CheckRow, ...]
    probes: tuple[CheckRow, ...]
    observed: tuple[Group, ...]
    inferred: tuple[Item, ...]
    untested: tuple[Item, ...]
    hypotheses: tuple[HypothesisRow, ...]
    next_test: NextTestText | None
    supported: tuple[SupportedRow, ...]
    mismatches: tuple[OpenRow, ...]
    measurements: tuple[MeasurementRow, ...]
    tolerances: tuple[ToleranceRow, ...]
    versions: tuple[tuple[str, str], ...]
    command: str
    figure_folder: str
    follow_up: FollowUpText | None
    factors: Factors
    follow_up_value: FollowUp | None = field(repr=False)
    result: ResultFile = field(repr=False)
    no_test: str = ""

    def figures(self) -> tuple[NoteFigure, ...]:
        """Return every figure in the order of the note."""
        return tuple(figure for group in self.observed for figure in group.figures)


def figures_by_check(figures: Sequence[NoteFigure]) -> Mapping[str, tuple[NoteFigure, ...]]:
    """Group figures by the check they belong to."""
    found: dict[str, tuple[NoteFigure, ...]] = {}
    for figure in figures:
        found[figure.check] = (*found.get(figure.check, ()), figure)
    return found
