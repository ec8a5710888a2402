"""Groups of episodes whose differences have the same shape, kept only where they come back in subsamples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.campaign.chance import Alike, beyond_chance, mean_cosine
from tracescope.campaign.signature import Signature
from tracescope.model.progress import never

Array = NDArray[np.float64]
Places = NDArray[np.int64]

LEAST_NORM = 0.5
"""Below it an episode shows no difference worth a kind."""

LEAST_ENTRY = 0.4
"""So much must one entry show: a machine of thirty channels would else pass the norm on rounding alone."""

CUT = 0.6
"""Average cosine distance at which groups stay apart."""

LEAST_MEMBERS = 4
LEAST_STABILITY = 0.75
SUBSAMPLES, SUBSAMPLE_SHARE = 40, 0.7
SEED = 20261130
_DECIMALS = 9
"""Distances are rounded, so that another order of summation makes no other tree."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Signatures as a table.

    Attributes:
        entries: Names, sorted, of ``k`` columns.
        value: Shape ``(n, k)``; NaN where an episode does not tell.
    """

    entries: tuple[str, ...]
    value: Array

    @property
    def filled(self) -> Array:
        """The table with 0 for what is missing: for distances alone."""
        return np.nan_to_num(self.value, nan=0.0)

    @property
    def norm(self) -> Array:
        """Length of each signature, shape ``(n,)``."""
        return np.asarray(np.linalg.norm(self.filled, axis=1))

    @property
    def active(self) -> Places:
        """Rows that differ enough to be of some kind."""
        if not self.entries:
            return np.zeros(0, dtype=np.int64)
        largest = np.abs(self.filled).max(axis=1)
        return np.flatnonzero((self.norm > LEAST_NORM) & (largest > LEAST_ENTRY))


@dataclass(frozen=True, slots=True)
class Group:
    """One group that came back.

    Attributes:
        rows: Of the table, ascending.
        stability: Mean Jaccard similarity with its best counterpart over subsamples.
    """

    rows: tuple[int, ...]
    stability: float


def table_of(signatures: Sequence[Signature]) -> Table:
    """Lay signatures under one another, shape ``(n, k)``."""
    entries = tuple(sorted({name for one in signatures for name in one}))
    place = {name: column for column, name in enumerate(entries)}
    value = np.full((len(signatures), len(entries)), np.nan)
    for row, one in enumerate(signatures):
        for name, effect in one.items():
            if effect is not None:
                value[row, place[name]] = effect
    return Table(entries, value)


def cosine_distances(value: Array) -> Array:
    """Return 1 − cosine of every two rows, shape ``(n, n)``, in [0, 2]; rows have a length."""
    unit = value / np.linalg.norm(value, axis=1, keepdims=True)
    apart = np.clip(1.0 - unit @ unit.T, 0.0, 2.0)
    apart = np.round((apart + apart.T) / 2, _DECIMALS)
    np.fill_diagonal(apart, 0.0)
    return np.asarray(apart)


def groups_of(table: Table, pulse: Callable[[], None] = never) -> tuple[Group, ...]:
    """Return the groups that are large, stable and alike enough, the largest first.

    Average linkage on cosine distance, cut at :data:`CUT`. Stability is the mean over subsamples (without
    replacement) of the Jaccard similarity between the group's members in the subsample and their best
    counterpart among the subsample's groups. Random directions give stable groups as well, so that each must
    also be more alike than chance makes any (:mod:`tracescope.campaign.chance`).

    Source:
        Sokal and Michener, A statistical method for evaluating systematic relationships (1958);
        Hennig, Cluster-wise assessment of cluster stability, Comput. Stat. Data Anal. 52 (2007), 258–271.
    """
    rows = table.active
    if rows.size < LEAST_MEMBERS:
        return ()
    filled = table.filled[rows]
    apart = cosine_distances(filled)
    found = _members(apart)
    stability = _stabilities(apart, found, pulse)
    stable = [
        (members, round(float(share), 4))
        for members, share in zip(found, stability, strict=True)
        if share >= LEAST_STABILITY
    ]
    told = beyond_chance(filled, [members for members, _ in stable], _alike, SEED, pulse)
    kept = [
        Group(tuple(int(r) for r in rows[members]), share)
        for (members, share), is_told in zip(stable, told, strict=True)
        if is_told
    ]
    return tuple(sorted(kept, key=lambda group: (-len(group.rows), group.rows)))


def _members(apart: Array) -> list[Places]:
    """Return the rows of every group that is large enough."""
    label = cut_tree(apart)
    found = [np.flatnonzero(label == one) for one in np.unique(label)]
    return [members for members in found if members.size >= LEAST_MEMBERS]


def _alike(value: Array) -> list[Alike]:
    found = _members(cosine_distances(value))
    return [(members, members.size * mean_cosine(value[members])) for members in found]


def cut_tree(apart: Array) -> Places:
    """Return the group of each row, shape ``(n,)``, from the distances ``(n, n)``."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(apart) < 2:
        return np.ones(len(apart), dtype=np.int64)
    tree = linkage(squareform(apart, checks=False), method="average")
    return np.asarray(fcluster(tree, t=CUT, criterion="distance"), dtype=np.int64)


def _stabilities(apart: Array, found: Sequence[Places], pulse: Callable[[], None]) -> Array:
    rng = np.random.default_rng(SEED)
    many = len(apart)
    similar = np.full((SUBSAMPLES, len(found)), np.nan)
    for turn in range(SUBSAMPLES):
        pulse()
        drawn = np.sort(rng.choice(many, max(2, round(SUBSAMPLE_SHARE * many)), replace=False))
        label = cut_tree(apart[np.ix_(drawn, drawn)])
        for place, members in enumerate(found):
            similar[turn, place] = _best_jaccard(np.isin(drawn, members), label)
    told = np.isfinite(similar)
    total = np.where(told, similar, 0.0).sum(axis=0)
    return np.asarray(total / np.maximum(told.sum(axis=0), 1))


def _best_jaccard(inside: NDArray[np.bool_], label: Places) -> float:
    """Return the best Jaccard similarity of a set with one of the groups; NaN where the set is empty."""
    if not inside.any():
        return float("nan")
    best = 0.0
    for one in np.unique(label[inside]):
        group = label == one
        best = max(best, float((group & inside).sum() / (group | inside).sum()))
    return best
