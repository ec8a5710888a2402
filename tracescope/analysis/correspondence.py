"""Which channels might belong together where neither name nor place says so: a suggestion, never a match."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.resample import resampled
from tracescope.analysis.rows import live
from tracescope.analysis.units import unit_factor
from tracescope.model.alignment import Alignment
from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel, Samples

LEAST_CORRELATION = 0.9
MOST_ROWS = 4000
MOST_CHANNELS = 300


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One possible correspondence.

    Attributes:
        sim, target: Channel names.
        correlation: Pearson's r over the common rows; negative where the sign differs.
        scale: Target over sim, by the ratio of spreads, with the sign of r.
        unit: What factor between units that is, or ``""``.
    """

    sim: str
    target: str
    correlation: float
    scale: float
    unit: str = ""


def suggested_matches(pair: TracePair, alignment: Alignment) -> tuple[Suggestion, ...]:
    """Suggest partners for channels that nothing matched, by the closed assignment that correlates best.

    Channels with the same role are compared, on the simulator's rows under the given alignment. Every
    channel is used at most once; pairs below the size of r = 0.9 are not suggested.

    Returns:
        Suggestions in the simulator's channel order.

    Source:
        Linear assignment on the negative size of r (Crouse 2016, as in ``scipy.optimize.linear_sum_assignment``).
    """
    from scipy.optimize import linear_sum_assignment

    sims = _free(pair.sim.channels, {m.sim for m in pair.matches})
    targets = _free(pair.target.channels, {m.target for m in pair.matches})
    if not (sims and targets and len(pair.sim)):
        return ()
    every = max(1, len(pair.sim) // MOST_ROWS)
    at_s = pair.sim.time_s[::every]
    left = np.array([_values(c, at_s) for c in sims])
    right = np.array([_values(c, alignment.to_target(at_s)) for c in targets])
    r = np.array([[_correlation(a, b) for b in right] for a in left])
    same_role = np.array([[a.role is b.role for b in targets] for a in sims])
    r[~same_role] = 0.0
    found = []
    for i, k in zip(*linear_sum_assignment(-np.abs(r)), strict=True):
        if abs(r[i, k]) >= LEAST_CORRELATION:
            found.append(_suggestion(sims[i], targets[k], left[i], right[k], float(r[i, k])))
    return tuple(found)


def _free(channels: tuple[Channel, ...], used: set[str]) -> list[Channel]:
    """Return channels without a partner that move."""
    free = [c for c in channels if c.name not in used and not c.labels and live(c.as_float())]
    return free[:MOST_CHANNELS]


def _values(channel: Channel, at_s: Samples) -> Samples:
    return resampled(channel, channel.as_float(), at_s, gap_length_s(channel.time_s))


def _correlation(a: Samples, b: Samples) -> float:
    both = np.isfinite(a) & np.isfinite(b)
    if int(both.sum()) < 20 or not (live(a[both]) and live(b[both])):
        return 0.0
    return float(np.corrcoef(a[both], b[both])[0, 1])


def _suggestion(a: Channel, b: Channel, x: Samples, y: Samples, r: float) -> Suggestion:
    both = np.isfinite(x) & np.isfinite(y)
    size = float(np.std(y[both]) / np.std(x[both]))
    half = size * 0.02
    factor = unit_factor(size, (size - half, size + half))
    unit = f"{factor.name}: {factor.meaning}" if factor else ""
    return Suggestion(a.name, b.name, r, float(np.sign(r)) * size, unit)
