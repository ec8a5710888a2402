"""Which evidence of new results stands for what is marked in the panes."""

from __future__ import annotations

from collections.abc import Iterable

from tracescope.model.check import CheckResult, Evidence


def followed(
    shown: Iterable[Evidence], before: Iterable[CheckResult], after: Iterable[CheckResult]
) -> tuple[Evidence, ...]:
    """Put the same check's new evidence on the same channel in the place of what no longer stands.

    What the check does not find any more goes; what came from no check (a place gone to by hand) stays.
    """
    old, new = tuple(before), {result.id: result.evidence for result in after}
    found: dict[Evidence, None] = {}
    for evidence in shown:
        check = next((result.id for result in old if evidence in result.evidence), None)
        successor = evidence if check is None else _successor(evidence, new.get(check, ()))
        if successor is not None:
            found[successor] = None
    return tuple(found)


def _successor(evidence: Evidence, among: tuple[Evidence, ...]) -> Evidence | None:
    if evidence in among:
        return evidence
    alike = [e for e in among if e.channel == evidence.channel]
    return max(alike, key=lambda e: _common_s(e, evidence), default=None)


def _common_s(one: Evidence, other: Evidence) -> float:
    """Return the length of the common part; negative: how far apart two spans are."""
    return min(one.span_s[1], other.span_s[1]) - max(one.span_s[0], other.span_s[0])
