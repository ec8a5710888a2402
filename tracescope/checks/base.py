"""What a check is: a declaration and a pure function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tracescope.analysis.workbench import Workbench
from tracescope.model.check import CheckResult, Coverage
from tracescope.model.tolerance import Tolerance

Upstream = Mapping[str, CheckResult]
"""Results of the checks that already ran, by id."""

Judge = Callable[[Workbench, Upstream], CheckResult]


def of_stretches(result: CheckResult, bench: Workbench, what: str) -> CheckResult:
    """Say in a result's coverage that ``what`` was read off stretches of a long pair; nothing of a short one."""
    words = bench.excerpt_words
    if not words:
        return result
    return replace(result, coverage=(*result.coverage, Coverage("", None, f"{what}: {words}")))


@dataclass(frozen=True, slots=True)
class Check:
    """One question to a pair. Built-ins and plug-ins (entry point ``tracescope.checks``) are alike.

    Attributes:
        id: Stable name in options, files and results.
        title: What the card is called.
        question: What it asks, one sentence.
        tolerances: Declared here, edited in the window, set by ``--tolerance``.
        judge: ``(workbench, upstream) -> CheckResult``; pure and deterministic. May raise: the runner
            turns that into inconclusive.
        needs: Ids of the checks whose results it reads.
    """

    id: str
    title: str
    question: str
    tolerances: tuple[Tolerance, ...]
    judge: Judge
    needs: tuple[str, ...] = ()
