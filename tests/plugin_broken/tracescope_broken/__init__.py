"""Checks that are none: each entry point is wrong in a way of its own."""

from tracescope.checks.base import Check
from tracescope.model.check import CheckResult
from tracescope.model.tolerance import Tolerance

TEXT = "no check"


def _raises(bench, upstream):
    raise ZeroDivisionError("by design")


def _answers(bench, upstream):
    return "pass"


def _inconclusive(bench, upstream):
    return CheckResult.inconclusive("own", "never asked")


RAISING = Check("raising", "Raising", "Does it raise?", (), _raises)
ANSWERING = Check("answering", "Answering", "Does it answer with a word?", (), _answers)
TWIN = Check("timing", "Timing again", "Is there another?", (), _inconclusive)
UNPREFIXED = Check(
    "unprefixed", "Unprefixed", "Whose?", (Tolerance("limit", 0.0, 1.0, "", "none"),), _inconclusive
)
NAMELESS = Check(None, "Nameless", "Who?", (), _inconclusive)
