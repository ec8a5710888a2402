"""Judging: every check runs, corrections are applied by name, flips are marked, faults stay small."""

import logging

import pytest

from tests.builders import exercise, pair, trace, wander
from tracescope.checks.base import Check
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.errors import Cancelled
from tracescope.session.judge import judge, judge_corrected, offsets_to_try, pending_corrections
from tracescope.session.session import Session, SideChoices


def session_of(sim, target, alignment):
    return Session(pair(sim, target), SideChoices("a.csv"), SideChoices("b.csv"), alignment)


@pytest.fixture
def session():
    return session_of(*exercise(), Alignment("step", "estimated", 0.01, pivot_s=0.01))


def scale_judge(bench, upstream):
    """A check small enough to see through: the ratio of spreads of obs[0]."""
    rows = bench.rows
    ratio = float(rows.target["obs[0]"].std() / rows.sim["obs[0]"].std())
    inside = Measurement(
        "scale", "obs[0]", ratio, (ratio - 0.02, ratio + 0.02), "", 40, (0.95, 1.05)
    )
    pending = () if inside.state is State.PASS else (Correction("obs[0]", ratio),)
    return CheckResult.from_measurements("scale", "ratio", [inside], pending=pending)


def broken_judge(bench, upstream):
    raise ZeroDivisionError("a bug")


SCALE = Check("scale", "Scale", "?", (), scale_judge)
BROKEN = Check("broken", "Broken", "?", (), broken_judge)


def test_that_results_belong_to_the_revision(session):
    judged = judge(session, checks=[SCALE])
    assert [r.id for r in judged.results] == ["scale"]
    assert judged.results[0].state is State.FAIL
    assert not judged.stale
    assert judged.aligned(Alignment()).stale


def test_that_a_check_that_raises_is_inconclusive_and_the_others_go_on(session, caplog):
    with caplog.at_level(logging.CRITICAL):
        judged = judge(session, checks=[BROKEN, SCALE])
    assert [r.state for r in judged.results] == [State.INCONCLUSIVE, State.FAIL]
    assert "ZeroDivisionError" in judged.results[0].reason


def test_that_corrections_are_applied_by_name_and_judged_again(session):
    judged = judge_corrected(session, checks=[SCALE])
    assert judged.results[0].state is State.PASS
    assert [c.channel for c in judged.corrections] == ["obs[0]"]
    assert judged.corrections[0].scale == pytest.approx(1.5, abs=0.03)


def test_that_a_given_correction_is_never_replaced(session):
    given = session.corrected((Correction("obs[0]", 1.2),))
    judged = judge_corrected(given, checks=[SCALE])
    assert judged.corrections == (Correction("obs[0]", 1.2),)
    assert judged.results[0].state is State.FAIL
    assert pending_corrections(judged) == ()


def test_that_the_person_may_cancel(session):
    def stop(done: float, what: str) -> None:
        if done > 0:
            raise Cancelled(what)

    with pytest.raises(Cancelled):
        judge(session, stop, [SCALE, SCALE])


def test_that_progress_never_goes_back(session):
    seen: list[float] = []
    judge(session, lambda done, _: seen.append(done), [SCALE, BROKEN])
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_that_a_verdict_that_flips_within_the_offset_is_marked():
    def near(bench, upstream):
        offset_s = bench.case.alignment.offset_s
        m = Measurement("offset", "", offset_s, (offset_s, offset_s), "s", 9, (-0.001, 0.001))
        return CheckResult.from_measurements("near", "", [m])

    signal = wander(60, 2, seed=1)
    made = trace(0.02, signal, step=False)
    checks = [Check("near", "Near", "?", (), near), Check("firm", "Firm", "?", (), scale_judge)]
    wide = Alignment("time", "estimated", 0.0, offset_interval_s=(-0.01, 0.01))
    judged = judge(session_of(made, made, wide), checks=checks)
    assert [r.depends_on_alignment for r in judged.results] == [True, False]
    narrow = Alignment("time", "estimated", 0.0, offset_interval_s=(-0.0005, 0.0005))
    judged = judge(session_of(made, made, narrow), checks=checks)
    assert [r.depends_on_alignment for r in judged.results] == [False, False]


@pytest.mark.parametrize(
    "alignment",
    [
        Alignment("step", offset_interval_s=(-0.01, 0.01)),
        Alignment("time"),
        Alignment("time", offset_interval_s=(0.0, 1e-9)),
        Alignment("time", offset_interval_s=(float("-inf"), float("inf"))),
    ],
)
def test_that_offsets_that_change_nothing_are_not_tried(alignment):
    from tracescope.analysis.workbench import Workbench

    made = trace(0.02, wander(60, 1, seed=1))
    assert offsets_to_try(Workbench(session_of(made, made, alignment).case)) == ()
