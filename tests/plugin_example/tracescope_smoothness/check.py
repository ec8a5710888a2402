"""A check as a plug-in: declared tolerances, a pure function, intervals that hold under autocorrelation."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.intervals import bonferroni, covered, mean_interval
from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check, Upstream
from tracescope.model.check import CheckResult, Evidence, Measurement
from tracescope.model.tolerance import Tolerance

ROUGHNESS = Tolerance(
    "smoothness.roughness",
    -0.1,
    0.1,
    "",
    "a command a tenth rougher than in training wears what it drives",
)
LARGEST = Tolerance(
    "smoothness.largest-step",
    0.0,
    1.5,
    "",
    "one jump half as large again as any in the simulator is a jerk nobody trained for",
    allowed=(0.0, float("inf")),
)


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Compare the steps of every live action on the paired rows."""
    del upstream
    names = bench.live_in_both(bench.actions)
    if not names:
        return CheckResult.inconclusive(
            "smoothness", "no action moves on both sides", settle="a pair that logs its actions"
        )
    rows, case = bench.rows, bench.case
    measurements = []
    for name in names:
        ours, theirs = (
            np.abs(np.diff(side[name]))[rows.consecutive] for side in (rows.sim, rows.target)
        )
        known = np.isfinite(ours) & np.isfinite(theirs)
        ours, theirs = ours[known], theirs[known]
        scale = float(ours.mean())
        found = mean_interval((theirs - ours) / scale, bonferroni(case.confidence, len(names)))
        band = case.tolerances[ROUGHNESS]
        measurements.append(
            Measurement(
                "roughness",
                name,
                found.estimate,
                found.interval,
                n=found.n_eff,
                tolerance=band,
                tolerance_key=ROUGHNESS.key,
                covered=covered(found.interval, found.n_eff, band),
                note="mean step of the target over the sim's, less one",
            )
        )
        largest = float(theirs.max() / ours.max())
        measurements.append(
            Measurement(
                "largest step",
                name,
                largest,
                (largest, largest),
                n=theirs.size,
                tolerance=case.tolerances[LARGEST],
                tolerance_key=LARGEST.key,
            )
        )
    span = (float(rows.time_s[0]), float(rows.time_s[-1]))
    return CheckResult.from_measurements(
        "smoothness",
        f"compared the steps of {len(names)} actions",
        measurements,
        evidence=tuple(Evidence(name, span) for name in names),
    )


CHECK = Check(
    "smoothness",
    "Smoothness",
    "Is the target commanded as smoothly as the simulator?",
    (ROUGHNESS, LARGEST),
    judge,
)
