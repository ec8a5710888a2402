"""What became of the clusters of an earlier campaign: both campaigns counted by one rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tracescope.campaign.clusters import CUT, table_of
from tracescope.campaign.growth import joint, rate_ratio
from tracescope.campaign.result_schema import Answer, CampaignFile, EarlierEntry
from tracescope.campaign.rounding import band, rounded
from tracescope.campaign.signature import Signature

Array = NDArray[np.float64]

REGRESSION = (
    "An earlier kind became one because it came often then: some fall since is expected without any mending "
    "(regression to the mean)."
)
TOLERANCES = (
    "Signatures count in tolerances: both campaigns must have been judged with the same ones, which the files "
    "do not record."
)
COMPARED_ANEW = {"growth", "differs", "earlier"}
"""What the comparison takes from the present method alone, whatever the earlier file says."""


def became_of(
    earlier: CampaignFile,
    signatures: Sequence[Signature],
    cluster_of: Sequence[str | None],
    *,
    alike: bool = True,
) -> list[EarlierEntry]:
    """Compare how often each earlier cluster's shape came then and now.

    An episode counts to the earlier cluster whose mean signature is nearest in cosine distance, where that is
    at most the distance at which clusters stay apart. It shrank where the exact interval of the ratio of rates an
    episode run lies below 1; the intervals of all clusters hold together at 95 %.

    Args:
        earlier: Its result.
        signatures: Of the present episodes.
        cluster_of: Present cluster of each, ``None`` for none.
        alike: Whether both files hold signatures of one method; nothing is said to shrink or grow otherwise.
    """
    if not earlier.clusters:
        return []
    then = [episode.signature for episode in earlier.episodes]
    table = table_of([*then, *signatures])
    row_of = {episode.id: row for row, episode in enumerate(earlier.episodes)}
    filled = table.filled
    centers = np.zeros((len(earlier.clusters), filled.shape[1]))
    for place, cluster in enumerate(earlier.clusters):
        rows = [row_of[e] for e in cluster.episodes if e in row_of]
        if rows:  # a center of zeros is near to nothing
            centers[place] = filled[rows].mean(axis=0)
    nearest = _nearest(filled, table.active, centers)
    was, now = nearest[: len(then)], nearest[len(then) :]
    return [
        _entry(
            earlier,
            place,
            int((was == place).sum()),
            now == place,
            cluster_of,
            _obstacle(centers[place], alike=alike),
        )
        for place in range(len(earlier.clusters))
    ]


def shapes_differ(earlier: CampaignFile, method: Mapping[str, str]) -> bool:
    """Say whether the earlier file's signatures were made by another method."""
    return earlier.method.get("signature") != method["signature"]


def earlier_notes(earlier: CampaignFile, version: str, method: Mapping[str, str]) -> list[str]:
    """Return what a reader of the comparison must know; nothing where the earlier campaign has no clusters.

    Args:
        earlier: The earlier campaign's result.
        version, method: Of the present one.
    """
    if not earlier.clusters:
        return []
    notes = [REGRESSION, TOLERANCES]
    if earlier.tracescope != version:
        notes.append(
            f"The earlier file was written by tracescope {earlier.tracescope}, this one by {version}."
        )
    other = [
        name
        for name in sorted({*earlier.method, *method} - COMPARED_ANEW)
        if earlier.method.get(name) != method.get(name)
    ]
    if other:
        notes.append(f"The earlier file was made by another method in: {', '.join(other)}.")
    return notes


def _obstacle(center: Array, *, alike: bool) -> str:
    """Return why a cluster cannot be compared, ``""`` where it can."""
    if not alike:
        return "its signatures were made by another method"
    return "" if center.any() else "the earlier file holds none of its episodes"


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
    obstacle: str,
) -> EarlierEntry:
    cluster, count = earlier.clusters[place], int(now.sum())
    of_before, of_now = len(earlier.episodes), len(cluster_of)
    confidence = joint(len(earlier.clusters))
    ratio, ends = rate_ratio((before, max(of_before, 1)), (count, max(of_now, 1)), confidence)
    shrank: Answer = "yes" if ends[1] < 1 else "no" if ends[0] > 1 else "undecided"
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
        shrank="undecided" if obstacle else shrank,
        cluster=max(sorted(set(names)), key=names.count) if names else None,
        because=obstacle,
    )
