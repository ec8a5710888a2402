"""Results built by hand, with everything a note can show."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import exercise, pair
from tracescope.findings.build import build_report
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import (
    CheckResult,
    Coverage,
    Evidence,
    Lead,
    Measurement,
    Untold,
    Would,
)
from tracescope.model.correction import Correction
from tracescope.session.session import Session, SideChoices

DATE = "2026-11-30T09:12:44+01:00"
INFINITE = float("inf")


def scaling() -> CheckResult:
    measurements = [
        Measurement(
            "scale",
            f"obs[{i}]",
            1.5 + 0.003 * i,
            (1.473, 1.528),
            "",
            588.0,
            (0.95, 1.05),
            note="route A",
        )
        for i in range(2)
    ]
    return CheckResult.from_measurements(
        "observation-scaling",
        "two of two observations are on another scale",
        measurements,
        pending=tuple(Correction(f"obs[{i}]", 1.5) for i in range(2)),
        evidence=(Evidence("obs[0]", (0.3, 1.2), "largest difference"),),
        coverage=(Coverage("obs[0]", (-0.3, 0.42), ""),),
        leads=(
            Lead(
                "consistent with the observation being read on another scale",
                "observation-scaling",
                ("obs[0]", "obs[1]"),
                "replaying with the corrected normalisation leaves the scale outside 0.95 to 1.05",
                ("dynamics",),
                "scale",
                1.5,
            ),
        ),
    )


def action() -> CheckResult:
    return CheckResult.from_measurements(
        "action",
        "the target's emitted action is bounded at ±0.5",
        [Measurement("bound ratio", "action[0]", 0.555, (0.55, 0.56), "", 9.0, (0.95, INFINITE))],
        leads=(
            Lead(
                "consistent with a clip at ±0.5 before the log",
                "action",
                ("action[0]",),
                "the target logs an action above 0.5",
                (),
                "clip",
                0.5,
            ),
        ),
        evidence=(Evidence("action[0]", (0.5, 1.0)),),
        counts=(("rows bounded", 9), ("rows", 40)),
    )


def timing() -> CheckResult:
    return CheckResult.inconclusive(
        "timing",
        "the observation does not respond to the action, so latency cannot be measured",
        settle="an action step that the observation answers",
        untested=(
            Untold("action → response latency", "an action step that the observation answers"),
        ),
        measurements=(
            Measurement("mean interval ratio", "", 1.0, (0.9999, 1.0001), "", 39.0, (0.99, 1.01)),
            Measurement("jitter", "", 0.0001, (0.0, 0.0002), "s", 39.0, (-INFINITE, 0.002)),
            Measurement("latency", "action[0]", float("nan"), None, "s", 0.0, (-0.025, 0.025)),
        ),
    )


def dynamics() -> CheckResult:
    return CheckResult.from_measurements(
        "dynamics",
        "an upstream finding is not corrected",
        [
            Measurement(
                "one-step gap",
                "obs[0]",
                0.31,
                (0.2, 0.4),
                "",
                39.0,
                (0.0, 0.1),
                blocked="observation scaling is not corrected",
            )
        ],
        would=Would(("obs[0] ÷ 1.5",), scaling().state, "33 of 39 transitions comparable"),
        counts=(("comparable transitions", 33), ("transitions", 39)),
    )


RESULTS = (scaling(), action(), timing(), dynamics())


def case() -> Case:
    sim, target = exercise()
    alignment = Alignment(
        "step",
        "estimated",
        0.01,
        pivot_s=0.01,
        offset_interval_s=(0.00998, 0.01002),
        note="counted",
    )
    return Case(pair(sim, target), alignment)


def judged_session(results: tuple[CheckResult, ...] = RESULTS) -> Session:
    made = case()
    session = Session(made.pair, SideChoices("sim.csv"), SideChoices("target.csv"), made.alignment)
    return session.judged(results, build_report(made, results), session.revision)


def with_text(session: Session, text: str) -> Session:
    """Write a text over the first inferred finding and add it as an observation by hand."""
    from tracescope.session.session import FindingEdit

    first = session.report.inferred[0]
    return replace(
        session,
        edits=(
            FindingEdit(first.id, "inferred", text=text),
            FindingEdit("mine", "observed", text=text, added=True),
        ),
    )
