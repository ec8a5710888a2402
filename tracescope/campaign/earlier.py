"""What became of the clusters of an earlier campaign: both campaigns counted by one rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tracescope.campaign.clusters import CUT, table_of
from tracescope.campaign.growth import rate_ratio
from tracescope.campaign.result_schema import CampaignFile, EarlierEntry
from tracescope.campaign.rounding import band, rounded
from tracescope.campaign.signature import Signature

Array = NDArray[np.float64]


def became_of(
    earlier: CampaignFile,
    signatures: Sequence[Signature],
    cluster_of: Sequence[str | None],
) -> list[EarlierEntry]:
    """Compare how often each earlier cluster's shape came then and now.

    An episode counts to the earlier cluster whose mean signature is nearest in cosine distance, where that is
    at most the distance at which clusters stay apart. It shrank where the exact interval of the ratio of rates an
    episode run lies below 1.

    Args:
        earlier: Its result.
        signatures: Of the present episodes.
        cluster_of: Present cluster of each, ``None`` for none.
    """
    if not earlier.clusters:
        return []
    then = [episode.signature for episode in earlier.episodes]
    table = table_of([*then, *signatures])
    row_of = {episode.id: row for row, episode in enumerate(earlier.episodes)}
    filled = table.filled
    centers = np.stack(
        [
            filled[[row_of[e] for e in c.episodes if e in row_of]].mean(axis=0)
            for c in earlier.clusters
        ]
    )
    nearest = _nearest(filled, table.active, centers)
    was, now = nearest[: len(then)], nearest[len(then) :]
    return [
        _entry(earlier, place, int((was == place).sum()), now == place, cluster_of)
        for place in range(len(earlier.clusters))
    ]


def _nearest(filled: Array, active: NDArray[np.int64], centers: Array) -> NDArray[np.int64]:
    """Return the nearest center of each row, −1 where none is near or the row shows no difference."""
    nearest = np.full(len(filled), -1, dtype=np.int64)
    if not active.size:
        return nearest
    unit = filled[active] / np.linalg.norm(filled[active], axis=1, keepdims=True)
    length = np.maximum(np.linalg.norm(centers, axis=1, keepdims=True), 1e-300)
    apart = 1.0 - unit @ (centers / length).T
    best = apart.argmin(axis=1)
    near = apart[np.arange(len(best)), best] <= CUT
    nearest[active[near]] = best[near]
    return nearest


def _entry(
    earlier: CampaignFile,
    place: int,
    before: int,
    now: NDArray[np.bool_],
    cluster_of: Sequence[str | None],
) -> EarlierEntry:
    cluster, count = earlier.clusters[place], int(now.sum())
    of_before, of_now = len(earlier.episodes), len(cluster_of)
    ratio, ends = rate_ratio((before, max(of_before, 1)), (count, max(of_now, 1)))
    shrank = "yes" if ends[1] < 1 else "no" if ends[0] > 1 else "undecided"
    names = [one for one, inside in zip(cluster_of, now, strict=True) if inside and one]
    return EarlierEntry(
        id=cluster.id,
        name=cluster.name,
        before=before,
        of_before=of_before,
        now=count,
        of_now=of_now,
        ratio=rounded(ratio),
        ratio_interval=band(ends),
        shrank=shrank,
        cluster=max(sorted(set(names)), key=names.count) if names else None,
    )
