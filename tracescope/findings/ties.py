"""Hypotheses that this pair does not tell apart: they share a rank, and the next test separates them.

Some changes are one and the same in a log. Where the action that reached the plant is not logged, an action
scaled on its way and an actuator that is stronger move everything alike; on a linear plant one scale of all
sensors does too, and a bias of the action is a constant force. To put one of them first would be chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tracescope.analysis.explanations import CLOSE, MIN_SHARE, Explanation, told_apart
from tracescope.findings.observe import title_of
from tracescope.model.check import CHECK_IDS, CheckResult, Lead, State
from tracescope.model.finding import Hypothesis


def explained_by(
    explanations: Sequence[Explanation], results: Sequence[CheckResult]
) -> dict[str, Explanation]:
    """Return the best explanation of each undecided family that a lead names, by family.

    Args:
        explanations: Of the one-step gap, best first.
        results: Of the checks: a family whose check failed is decided and in no tie.
    """
    failed = {result.id for result in results if result.state is State.FAIL}
    named = {
        (lead.family, lead.kind, lead.channels)
        for result in results
        for lead in result.leads
        if not lead.undecided
    }
    found: dict[str, Explanation] = {}
    for e in explanations:
        if e.family not in failed and (e.family, e.kind, e.channels) in named:
            found.setdefault(e.family, e)
    return found


def tie_groups(
    ordered: Sequence[str],
    explained: Mapping[str, Explanation],
    suspects: Mapping[str, Lead],
) -> list[list[str]]:
    """Split ranked families into groups of one rank each; most groups hold one family.

    Families tie where no check decided on any of them and their explanations of the one-step gap are not told
    apart from that of the first of them; they follow it. Suspects tie where both explain what is left of that gap
    once what stands before it is settled.

    Args:
        ordered: Families, the leader first.
        explained: Of families that only leads name, their best explanation.
        suspects: Of families that only undecided numbers point to, the lead.
    """
    groups: list[list[str]] = []
    for family in ordered:
        like = (g for g in groups if _alike(g[0], family, explained, suspects))
        group = next(like, None)
        if group is None:
            groups.append([family])
        else:
            group.append(family)
    return groups


def _alike(
    first: str, other: str, explained: Mapping[str, Explanation], suspects: Mapping[str, Lead]
) -> bool:
    if first in suspects or other in suspects:
        both = first in suspects and other in suspects
        return both and _name_each_other(suspects[first], suspects[other])
    if first not in explained or other not in explained:
        return False
    return not _beaten(explained[first], explained[other])


def _name_each_other(one: Lead, other: Lead) -> bool:
    """Whether two suspects' explanations are those that each says it is not told apart from."""

    def names(lead: Lead, another: Lead) -> bool:
        rivals = [words for words in lead.not_told_apart if words not in CHECK_IDS]
        return any(words in another.text for words in rivals)

    return names(one, other) and names(other, one)


def _beaten(first: Explanation, other: Explanation) -> bool:
    """Whether the first leaves the other behind. The plant leaves no open explanation upstream of it behind.

    How sure the simulator's own relation is stands in no likelihood; what would explain the gap as well keeps the
    dynamics check from deciding, and keeps the plant from leading alone.
    """
    if not first.upstream and other.upstream:
        return other.share < max(MIN_SHARE, first.share - CLOSE)
    return told_apart(first, other)


def leaders(hypotheses: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of the first rank: more than one where this pair does not tell them apart."""
    return tuple(h for h in hypotheses if h.rank == hypotheses[0].rank)


def tied_words(hypotheses: Sequence[Hypothesis]) -> str:
    """Name the families that share the first rank, ``""`` where one leads alone."""
    first = leaders(hypotheses)
    return " or ".join(title_of(h.family).lower() for h in first) if len(first) > 1 else ""
