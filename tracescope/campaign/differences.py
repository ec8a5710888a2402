"""What differs most between a group of episodes and the rest: effects with intervals, corrected for many looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Interval = tuple[float, float]

CONFIDENCE = 0.95
LEAST_A_SIDE = 2
_EXACT_BELOW = 9
_ROOT_STEPS = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """One compared thing.

    Attributes:
        what: A signature entry, or ``param.NAME`` (``param.NAME=level`` for a text).
        kind: ``signal`` or ``parameter``.
        effect: In [−1, 1]. Numbers: Cliff's delta, the chance that a member's value lies above another
            episode's less the chance that it lies below. Texts: share with that text among the members less
            the share among the others.
        interval: Of the effect; all intervals of a kind hold together at 95 %.
        p: Adjusted after Holm over everything of that kind that the report compares.
        members, others: Typical value (median, or share of the text) on both sides.
        counts: How many episodes told it on both sides.
        without: Groups left out of the others, because they differ in it more clearly.
    """

    what: str
    kind: str
    effect: float
    interval: Interval
    p: float
    members: float
    others: float
    counts: tuple[int, int]
    without: tuple[int, ...] = ()

    @property
    def distinguishable(self) -> bool:
        """Whether it differs by both accounts of all looks: the adjusted p and the joint interval."""
        return self.p <= 1 - CONFIDENCE and self.near > 0

    @property
    def near(self) -> float:
        """The interval's end nearest to no effect, as a size; 0 where it reaches that."""
        low, high = self.interval
        return max(low, -high, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One compared column as numbers, NaN where an episode does not tell; of a text, whether it has it."""

    what: str
    value: Array
    is_share: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    column: _Column
    group: int
    p: float
    members: Array
    others: Array
    without: tuple[int, ...]


def differences(
    columns: Mapping[str, Sequence[float | str | None]],
    groups: Sequence[Sequence[int]],
    kind: str,
) -> tuple[tuple[Difference, ...], ...]:
    """Compare every group with the other episodes in every column.

    A group that clearly differs in a column is left out of the others when the next group is compared in it:
    else every group would seem to differ in what is special about one of them.

    Args:
        columns: Name → one value an episode; ``None`` where it does not tell. A column with any text is
            compared text by text.
        groups: Rows of each group.
        kind: What the columns are, see :class:`Difference`.

    Returns:
        For each group its differences, the clearest first.

    Source:
        Cliff, Dominance statistics, Psychol. Bull. 114 (1993), 494–509; Mann and Whitney, Ann. Math. Stat. 18
        (1947), 50–60; Holm, Scand. J. Stat. 6 (1979), 65–70; intervals: Newcombe, Stat. Med. 25 (2006),
        559–573 (method 5) for deltas and Stat. Med. 17 (1998), 873–890 (method 10) for shares.
    """
    expanded = [one for what, column in columns.items() for one in _expanded(what, column)]
    clear = (1 - CONFIDENCE) / max(1, len(expanded) * len(groups))
    looks = [look for column in expanded for look in _stepwise(column, groups, clear)]
    adjusted = holm([look.p for look in looks])
    z = _quantile(len(looks))
    found: list[list[Difference]] = [[] for _ in groups]
    for look, p in zip(looks, adjusted, strict=True):
        found[look.group].append(_measured(look, kind, z, p))
    return tuple(
        tuple(sorted(one, key=lambda d: (not d.distinguishable, -d.near, -abs(d.effect), d.what)))
        for one in found
    )


def _expanded(what: str, column: Sequence[float | str | None]) -> list[_Column]:
    told = {value for value in column if value is not None}
    if len(told) < 2:
        return []
    if not any(isinstance(value, str) for value in told):
        value = np.array([np.nan if v is None else float(v) for v in column])
        return [_Column(what, value, is_share=False)]
    return [
        _Column(
            f"{what}={level}",
            np.array([np.nan if v is None else float(str(v) == level) for v in column]),
            is_share=True,
        )
        for level in sorted({str(value) for value in told})
    ]


def _stepwise(column: _Column, groups: Sequence[Sequence[int]], clear: float) -> list[_Look]:
    """Look at the clearest group first, then at the next without it, until none is clear."""
    left = list(range(len(groups)))
    without: tuple[int, ...] = ()
    looks: list[_Look] = []
    taken = np.zeros(column.value.size, dtype=np.bool_)
    while left:
        tried = [_look(column, g, groups[g], taken, without) for g in left]
        told = [look for look in tried if look is not None]
        first = min(told, key=lambda look: (look.p, look.group), default=None)
        if first is None or first.p > clear:
            return looks + told
        looks.append(first)
        taken[list(groups[first.group])] = True
        without = (*without, first.group)
        left.remove(first.group)
    return looks


def _look(
    column: _Column,
    group: int,
    rows: Sequence[int],
    taken: NDArray[np.bool_],
    without: tuple[int, ...],
) -> _Look | None:
    inside = np.zeros(taken.size, dtype=np.bool_)
    inside[list(rows)] = True
    told = np.isfinite(column.value)
    a, b = column.value[told & inside], column.value[told & ~inside & ~taken]
    if min(a.size, b.size) < LEAST_A_SIDE:
        return None
    p = _share_p(a, b) if column.is_share else _rank_p(a, b)
    return _Look(column, group, p, a, b, without)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's step-down adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    adjusted, worst = [1.0] * len(p_values), 0.0
    for place, k in enumerate(order):
        worst = max(worst, min(1.0, (len(p_values) - place) * p_values[k]))
        adjusted[k] = worst
    return adjusted


def _share_p(a: Array, b: Array) -> float:
    from scipy.stats import fisher_exact

    counts = np.array([[a.sum(), (1 - a).sum()], [b.sum(), (1 - b).sum()]]).astype(np.int64)
    return float(fisher_exact(counts)[1])


def _rank_p(a: Array, b: Array) -> float:
    from scipy.stats import mannwhitneyu

    if np.ptp(np.concatenate((a, b))) == 0:
        return 1.0
    tied = np.unique(np.concatenate((a, b))).size < a.size + b.size
    exact = min(a.size, b.size) < _EXACT_BELOW and not tied
    found = mannwhitneyu(a, b, alternative="two-sided", method="exact" if exact else "asymptotic")
    return float(found.pvalue)


def _measured(look: _Look, kind: str, z: float, p: float) -> Difference:
    a, b = look.members, look.others
    if look.column.is_share:
        typical = (float(a.mean()), float(b.mean()))
        effect = typical[0] - typical[1]
        interval = share_interval((typical[0], a.size), (typical[1], b.size), z)
    else:
        typical = (float(np.median(a)), float(np.median(b)))
        effect = cliffs_delta(a, b)
        interval = delta_interval(effect, a.size, b.size, z)
    counts = (a.size, b.size)
    return Difference(look.column.what, kind, effect, interval, p, *typical, counts, look.without)


def cliffs_delta(a: Array, b: Array) -> float:
    """Return the chance that a value of ``a`` lies above one of ``b`` less the chance that it lies below."""
    ordered = np.sort(b)
    below = np.searchsorted(ordered, a, side="left")
    above = b.size - np.searchsorted(ordered, a, side="right")
    return float((below - above).sum() / (a.size * b.size))


def delta_interval(delta: float, m: int, n: int, z: float) -> Interval:
    """Return the interval of Cliff's delta of ``m`` and ``n`` values at ``z`` standard errors.

    The error is that of the ends, not of the estimate: a complete separation keeps an interval with a width.
    """
    theta = (1 + delta) / 2

    def end(sign: float) -> float:
        inner, outer = theta, (1.0 if sign > 0 else 0.0)
        for _ in range(_ROOT_STEPS):
            middle = (inner + outer) / 2
            if abs(middle - theta) <= z * _theta_error(middle, m, n):
                inner = middle
            else:
                outer = middle
        return 2 * inner - 1

    return end(-1.0), end(1.0)


def _theta_error(theta: float, m: int, n: int) -> float:
    """Standard error of the Mann–Whitney statistic over ``mn``, by Hanley and McNeil as Newcombe evens it."""
    half = (m + n) / 2 - 1
    inner = 1 + half * (1 - theta) / (2 - theta) + half * theta / (1 + theta)
    return math.sqrt(max(0.0, theta * (1 - theta) * inner / (m * n)))


def share_interval(first: tuple[float, int], second: tuple[float, int], z: float) -> Interval:
    """Return the interval of a difference of two shares, each given with its count."""
    (p, m), (q, n) = first, second
    (p_low, p_high), (q_low, q_high) = _wilson(p, m, z), _wilson(q, n, z)
    low = p - q - math.hypot(p - p_low, q_high - q)
    high = p - q + math.hypot(p_high - p, q - q_low)
    return max(-1.0, low), min(1.0, high)


def _wilson(share: float, n: int, z: float) -> Interval:
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, center - half), min(1.0, center + half)


def _quantile(looks: int) -> float:
    """Return the standard errors at which that many intervals hold together."""
    from scipy.stats import norm

    return float(norm.ppf(1 - (1 - CONFIDENCE) / 2 / max(looks, 1)))
