"""Does the simulator's own one-step relation bear out that the target answers later?

The relation is laid over the target's transitions with its actions acting in their own row, and later. Where the
rows fit clearly better without a delay, a later answer is no latency: a single step's answer read off few rows can
be bent by what a policy feeds back, by a bound or by rounding, the relation of whole rows hardly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.analysis.explanations_maps import DELAYS, upstream_candidates
from tracescope.analysis.explanations_scan import floor_of, misfit_of
from tracescope.analysis.one_step import Relation
from tracescope.analysis.transitions import applied_twin
from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel, Role, Samples, Trace

SAME_ROWS = 8
"""Rows in which an applied action repeats an emitted one that just changed: as many tell the lag between them."""


def delay_deviances(relation: Relation, delays_rows: Sequence[float] | Samples) -> Samples:
    """How much worse the target's rows fit the simulator's relation with a delay of its actions than with none.

    Args:
        relation: Both sides.
        delays_rows: Delays tried, rows, shape ``(k,)``; inside the range of :data:`explanations_maps.DELAYS`.

    Returns:
        −2 log likelihood less that without delay, in the noise that the target's own relation leaves,
        dimensionless, shape ``(k,)``: positive where no delay fits better. Zeros where no action drives.
    """
    every = upstream_candidates(relation, ((), ()), 1.0)
    late = next((c for c in every if c.kind == "delay"), None)
    if late is None or not relation.outputs:
        return np.zeros(len(delays_rows))
    scale = misfit_of(relation)
    unit = np.ones(scale.steps.state.shape[1])
    tried = np.clip(delays_rows, DELAYS[0], DELAYS[-1])
    at = np.array([scale.misfit(late.lens(scale.steps, float(d)), unit) for d in tried])
    at_once = scale.misfit(scale.steps, unit)
    noise = max(floor_of(scale), 1e-12)
    return np.asarray(len(scale.steps) * (at - at_once) / noise)


def rows_behind(emitted: Samples, applied: Samples) -> int:
    """Rows by which an applied action's log trails the emitted one's.

    Args:
        emitted, applied: Of one trace, any unit, shape ``(n,)`` each.

    Returns:
        The lag, 0 to 8 rows, at which most rows repeat a value that just changed; where too few do (a gain, an
        offset), the one of the largest correlation. 0 where neither tells.
    """
    same, alike = [], []
    for lag in range(min(int(DELAYS[-1]), emitted.size) + 1):
        x, y = emitted[: emitted.size - lag], applied[lag:]
        both = np.isfinite(x) & np.isfinite(y)
        fresh = both & np.concatenate(([False], np.diff(x) != 0))[: x.size]
        same.append(int(np.sum(fresh & (np.abs(y - x) <= 1e-9 * np.abs(x)))))
        x, y = x[both], y[both]
        moves = x.size > SAME_ROWS and x.std() > 0 and y.std() > 0
        alike.append(abs(float(np.corrcoef(x, y)[0, 1])) if moves else 0.0)
    return int(np.argmax(same if max(same) >= SAME_ROWS else alike))


def applied_behind(pair: TracePair) -> bool:
    """Say whether an applied action is logged rows after the emitted one, and further behind in one trace.

    The relation that applied actions drive then knows nothing of that part of the way.
    """
    return any(
        _behind(pair.sim, a) != _behind(pair.target, b) for a, b in pair.matched(Role.ACTION)
    )


def _behind(trace: Trace, emitted: Channel) -> int:
    applied = applied_twin(trace, emitted)
    if applied is None or applied.time_s.shape != emitted.time_s.shape:
        return 0
    return rows_behind(emitted.as_float(), applied.as_float())
