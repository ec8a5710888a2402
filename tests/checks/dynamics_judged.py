"""Transition dynamics judged where nothing before the plant is wrong."""

from __future__ import annotations

from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction

STEP = Alignment(mode="step")
PLANTS = ("spring", "pendulum", "thruster")
EXERCISE_SCALES = (Correction("obs[0]", 1.4973), Correction("obs[1]", 1.4986))


def passed(check: str, *measured: Measurement) -> CheckResult:
    return CheckResult(check, State.PASS, "", measured)


def sound_upstream() -> dict[str, CheckResult]:
    """What the earlier checks say where nothing before the plant is wrong."""
    scales = [
        Measurement("scale", f"obs[{i}]", 1.0, (0.98, 1.02), tolerance=(0.95, 1.05))
        for i in range(2)
    ]
    late = Measurement("response latency", "", 0.0, (-0.1, 0.1), "rows", tolerance=(-0.5, 0.5))
    return {
        "alignment": passed("alignment"),
        "observation-scaling": passed("observation-scaling", *scales),
        "action": passed("action"),
        "timing": passed("timing", late),
    }


def judged(bench: Workbench, upstream: dict[str, CheckResult] | None = None) -> CheckResult:
    return CHECK.judge(bench, sound_upstream() if upstream is None else upstream)
