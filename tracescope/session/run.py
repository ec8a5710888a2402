"""Run checks in order: one generator serves the command line, campaigns and the window."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.model.errors import Cancelled

log = logging.getLogger(__name__)


def run_checks(
    case: Case, checks: Sequence[Check], bench: Workbench | None = None
) -> Iterator[CheckResult]:
    """Yield one result a check, in order. To cancel, stop iterating, or let the bench's pulse raise.

    A check that raises, or answers anything but a result of its own, is inconclusive and logged; it never
    ends the run. ``bench`` may be handed in to share what the checks compute with what follows.
    """
    bench = Workbench(case) if bench is None else bench
    upstream: dict[str, CheckResult] = {}
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
