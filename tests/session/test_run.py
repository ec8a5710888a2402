"""Running checks: what a quick look asks, and how its answers are marked."""

from __future__ import annotations

import pytest

from tests.builders import exercise, pair
from tracescope.checks.base import Check
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.session.run import quick_checks, quick_look, run_checks


def named(name: str, heard: dict[str, tuple[str, ...]] | None = None) -> Check:
    def judge(bench, upstream):
        if heard is not None:
            heard[name] = tuple(upstream)
        return CheckResult.inconclusive(name, "nothing")

    return Check(name, name.title(), "?", (), judge)


@pytest.fixture
def case():
    return Case(pair(*exercise()), Alignment())


NAMES = ("alignment", "scaling", "action", "timing", "slow", "plug-in")
CHECKS = tuple(named(name) for name in NAMES)


def ids(checks):
    return [check.id for check in checks]


def test_that_alignment_and_timing_are_asked_whatever_they_take():
    took_s = dict.fromkeys(NAMES, 9.0)
    assert ids(quick_checks(CHECKS, took_s, 0.1)) == ["alignment", "timing"]


def test_that_a_check_never_timed_is_not_quick():
    assert ids(quick_checks(CHECKS, {}, 0.1)) == ["alignment", "timing"]


def test_that_what_fits_the_budget_is_asked_in_order():
    took_s = dict(zip(NAMES, (0.02, 0.03, 0.06, 0.01, 4.0, 0.005), strict=True))
    assert ids(quick_checks(CHECKS, took_s, 0.1)) == ["alignment", "scaling", "timing", "plug-in"]


def test_that_all_are_asked_where_all_are_quick():
    assert quick_checks(CHECKS, dict.fromkeys(NAMES, 0.001), 0.1) == CHECKS


def test_that_a_quick_look_is_provisional_and_takes_the_rest_from_what_is_known(case):
    heard: dict[str, tuple[str, ...]] = {}
    checks = (named("alignment", heard), named("timing", heard))
    known = {n: CheckResult.inconclusive(n, "before") for n in ("alignment", "action")}
    found = list(quick_look(case, checks, known))
    assert [(r.id, r.tier) for r in found] == [
        ("alignment", "interactive"),
        ("timing", "interactive"),
    ]
    assert heard["alignment"] == ("action",), "never its own answer of before"
    assert set(heard["timing"]) == {"action", "alignment"}


def test_that_a_full_run_asks_all_and_is_not_provisional(case):
    assert [(r.id, r.tier) for r in run_checks(case, CHECKS)] == [(n, "full") for n in NAMES]
