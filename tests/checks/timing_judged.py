"""Timing judged on a pair that is aligned as the product does on its own."""

from collections.abc import Mapping

from tests.builders import pair
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks.timing import CHECK
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.model.trace import Trace

RESPONSE = "response latency, target less sim"


def judged(
    sim: Trace, target: Trace, upstream: Mapping[str, CheckResult] | None = None
) -> CheckResult:
    both = pair(sim, target)
    return CHECK.judge(Workbench(Case(both, initial_alignment(both)[0])), upstream or {})


def one(result: CheckResult, quantity: str):
    (found,) = result.measured(quantity)
    return found
