"""Run checks in order: one generator serves the command line, campaigns and the window."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.model.errors import Cancelled

log = logging.getLogger(__name__)

QUICK_FIRST = ("alignment", "timing")
"""What a quick look asks whatever it takes: both follow the offset itself."""

_NOTHING: Mapping[str, CheckResult] = MappingProxyType({})


def run_checks(
    case: Case,
    checks: Sequence[Check],
    bench: Workbench | None = None,
    known: Mapping[str, CheckResult] = _NOTHING,
) -> Iterator[CheckResult]:
    """Yield one result a check, in order. To cancel, stop iterating, or let the bench's pulse raise.

    A check that raises, or answers anything but a result of its own, is inconclusive and logged; it never
    ends the run. ``bench`` may be handed in to share what the checks compute with what follows; ``known``
    are earlier results of checks that are not run now, for those that read them.
    """
    bench = Workbench(case) if bench is None else bench
    upstream: dict[str, CheckResult] = dict(known)
    for check in checks:
        try:
            result = check.judge(bench, upstream)
            if not isinstance(result, CheckResult) or result.id != check.id:
                raise TypeError(f"it answered {result!r:.80}, not a result of its own")
        except Cancelled:
            raise
        except Exception as error:  # a plug-in's bug must not take the other checks with it
            log.exception("check %s raised", check.id)
            result = CheckResult.inconclusive(
                check.id,
                f"the check itself failed: {type(error).__name__}: {error}; the log file holds the"
                " traceback, please report it",
            )
        upstream[check.id] = result
        yield result


def quick_checks(
    checks: Sequence[Check], took_s: Mapping[str, float], budget_s: float
) -> tuple[Check, ...]:
    """Return the checks that a quick look asks, in their order.

    Those of :data:`QUICK_FIRST`, then as many of the others as their last known durations leave room for
    in the budget. A check never timed before counts as too long.
    """
    left_s = budget_s - sum(
        took_s.get(check.id, 0.0) for check in checks if check.id in QUICK_FIRST
    )
    chosen = set(QUICK_FIRST)
    for check in checks:
        needed_s = took_s.get(check.id, float("inf"))
        if check.id not in chosen and needed_s <= left_s:
            chosen.add(check.id)
            left_s -= needed_s
    return tuple(check for check in checks if check.id in chosen)


def quick_look(
    case: Case,
    checks: Sequence[Check],
    known: Mapping[str, CheckResult],
    bench: Workbench | None = None,
) -> Iterator[CheckResult]:
    """Yield results of a few checks, marked as provisional.

    What they need of the checks left out is taken from ``known``: the last full answers, which may be of
    another alignment. Only a full run over all checks decides.
    """
    asked = {check.id for check in checks}
    others = {name: result for name, result in known.items() if name not in asked}
    for result in run_checks(case, checks, bench, others):
        yield replace(result, tier="interactive")
