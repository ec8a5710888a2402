"""Whether an episode that ended earlier did so where the other one went clearly further and on."""

from __future__ import annotations

import math

from tracescope.analysis.ends import EpisodeEnd, end_places, episode_end
from tracescope.analysis.ends_motion import motion_at
from tracescope.analysis.workbench import Workbench
from tracescope.findings.wording import say
from tracescope.model.check import CheckResult, State

END = "end difference"
NEAR_SD = 0.3
"""Twice the distance at which ends are compared; further apart the motions have nothing to do with each other."""


def ended_early(bench: Workbench, termination: CheckResult) -> str:
    """Say how the ends differ where no threshold on one observation can lie between them, else ``""``.

    An end that follows from different motion comes where a threshold is crossed: the episode that goes on
    has not been beyond it. Where it went clearly beyond in every observation that moved, and did not end,
    the same rule would have ended it too.
    """
    apart = [
        m for m in termination.measurements if m.quantity == END and m.state is State.INCONCLUSIVE
    ]
    if not apart or apart[0].interval is None or apart[0].tolerance is None:
        return ""
    (low, high), (least, most) = apart[0].interval, apart[0].tolerance
    if least <= high and low <= most:
        return ""
    case = bench.case
    sim, target = episode_end(case.pair.sim), episode_end(case.pair.target)
    if sim.row is None or target.row is None:
        return ""
    places = end_places(case, sim, target)
    if places.sim is None or places.target is None:
        return ""
    shorter = "sim" if places.sim <= places.target else "target"
    first: EpisodeEnd = sim if shorter == "sim" else target
    motion = motion_at(case, shorter, first)
    if motion.held_back or not math.isfinite(motion.gap_sd) or motion.gap_sd > NEAR_SD:
        return ""
    rows = abs(round(apart[0].estimate))
    return say("undecided", "ends", shorter=shorter, rows=rows, gap=f"{motion.gap_sd:.2g}")
