"""How each joint follows its command, fitted in each trace by itself: reported, never judged.

That a position stands at 0.9 of its command in one trace and at 1.0 in the other is a fact of the two; whether
the actuator, the plant or the sensor makes it is for the other checks to say.
"""

from __future__ import annotations

import numpy as np

from tracescope.analysis.action_map_follow import best_following, following
from tracescope.analysis.workbench import Workbench
from tracescope.model.check import Measurement

SIMILAR = 0.05
OFFSET = 0.1


def follow_measurements(bench: Workbench) -> list[Measurement]:
    """Return gain, offset and lag of every observation that follows an action in the simulator."""
    rows, actions = bench.rows, bench.live_in_both(bench.actions)
    names = bench.live_in_both(bench.observations)
    if not (actions and names):
        return []
    sides = (rows.sim, rows.target)
    kept = np.logical_and.reduce([np.isfinite(s[n]) for s in sides for n in (*actions, *names)])
    command, state = (np.stack([rows.sim[n][kept] for n in some]) for some in (actions, names))
    found = []
    for a, (j, sim) in following(command, state).items():
        target = best_following(rows.target[actions[a]][kept], rows.target[names[j]][kept])
        ratio = target.gain / sim.gain if sim.gain else float("nan")
        differs = [
            word
            for word, apart in (
                ("gain", abs(ratio - 1) > SIMILAR),
                ("offset", abs(target.offset - sim.offset) > OFFSET * float(state[j].std())),
                ("lag", target.lag != sim.lag),
            )
            if apart
        ]
        found.append(
            Measurement(
                "following gain",
                actions[a],
                ratio,
                None,
                n=float(kept.sum()),
                confidence=bench.case.confidence,
                note=f"{names[j]} is {actions[a]} {sim} in the simulator, {target} in the target; "
                + (f"{' and '.join(differs)} differ" if differs else "the same"),
            )
        )
    return found
