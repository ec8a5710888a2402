"""Findings: what was observed, what is inferred from it, what stays untested, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from tracescope.model.alignment import Interval
from tracescope.model.check import Evidence


@dataclass(frozen=True, slots=True)
class Observed:
    """A measurement in words: quantity, value, interval, effective n, range. Nothing about causes.

    ``by_hand`` marks what a person wrote (a mark or an edited sentence).
    """

    text: str
    check: str
    id: str = ""
    evidence: tuple[Evidence, ...] = ()
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Inferred:
    """An explanation. Cannot be built without the observations it rests on and a way to be wrong.

    ``gap_channel`` is dynamics, sensing, appearance or timing; ``safeguard`` the class of safeguard usually
    considered for it, a lead.

    Raises:
        ValueError: if ``rests_on`` or ``would_be_wrong_if`` is empty.
    """

    text: str
    rests_on: tuple[str, ...]
    would_be_wrong_if: str
    family: str
    not_told_apart: tuple[str, ...] = ()
    id: str = ""
    by_hand: bool = False
    gap_channel: str = ""
    safeguard: str = ""

    def __post_init__(self) -> None:
        if not self.rests_on or not all(self.rests_on):
            raise ValueError("an inference rests on at least one observation")
        if not self.would_be_wrong_if:
            raise ValueError("an inference says what would show it wrong")


@dataclass(frozen=True, slots=True)
class Untested:
    """Something nobody knows yet, and what it would need.

    Raises:
        ValueError: if ``would_need`` is empty.
    """

    text: str
    would_need: str
    check: str = ""
    id: str = ""
    by_hand: bool = False

    def __post_init__(self) -> None:
        if not self.would_need:
            raise ValueError("an untested item says what it would need")


Finding = Observed | Inferred | Untested


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One family of explanation, ranked.

    Attributes:
        family: A check id.
        channels: The target channels it concerns.
        explains: Share of the aligned residual energy that this family's correction alone removes;
            not additive, never summed. ``None`` where no correction of the family can be applied.
        rank: 1 is the leader; hypotheses that this pair does not tell apart share one.
        text: One sentence.
        explains_of: What ``explains`` is a share of: ``residual`` (aligned residual energy), or
            ``one-step misfit`` where the correction acts inside the loop and only a model of it can be tried.
        undecided: Whether nothing but undecided numbers point to it; ``text`` says why.
        not_told_apart: The other families of its rank.
    """

    family: str
    channels: tuple[str, ...]
    explains: float | None
    rank: int
    text: str = ""
    explains_of: str = "residual"
    undecided: bool = False
    not_told_apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """An interval that a named measurement is predicted to lie in after the next test."""

    quantity: str
    channel: str
    interval: Interval
    unit: str = ""


@dataclass(frozen=True, slots=True)
class NextTest:
    """The one test to do next: one factor changed, able to falsify the leading hypothesis."""

    family: str
    do: str
    falsifies: str
    predicted: tuple[Prediction, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of one case."""

    observed: tuple[Observed, ...] = ()
    inferred: tuple[Inferred, ...] = ()
    untested: tuple[Untested, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    next_test: NextTest | None = None
