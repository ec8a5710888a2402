"""From judged pairs to kinds of failure: the whole head of a campaign, one value out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import numpy as np

from tracescope.campaign.actions import Facts, advice
from tracescope.campaign.chance import REPLICATES
from tracescope.campaign.clusters import (
    CUT,
    LEAST_ENTRY,
    LEAST_MEMBERS,
    LEAST_NORM,
    LEAST_STABILITY,
    SUBSAMPLE_SHARE,
    SUBSAMPLES,
    Group,
    Table,
    cosine_distances,
    groups_of,
    table_of,
)
from tracescope.campaign.differences import Difference, differences
from tracescope.campaign.earlier import became_of, earlier_notes, shapes_differ
from tracescope.campaign.growth import (
    Growth,
    Windows,
    comparable,
    growth_of,
    week_of,
    weeks_of,
    windows_of,
)
from tracescope.campaign.leads import GroupLead, lead_of
from tracescope.campaign.model import CampaignRun, EpisodeResult
from tracescope.campaign.picture import places
from tracescope.campaign.result_schema import (
    NO_DIFFERENCE,
    SCHEMA,
    UNCLUSTERED,
    UNTOLD,
    CampaignFile,
    ClusterEntry,
    DifferenceEntry,
    DifferenceKind,
    EpisodeEntry,
    FailedEntry,
    GrowthEntry,
    Lead,
    OfKind,
    ShareEntry,
    StateName,
    WeekEntry,
    WindowsEntry,
)
from tracescope.campaign.rounding import band, rounded
from tracescope.campaign.signature import Signature, is_untold, signature_of
from tracescope.model.progress import never

MOST_EXEMPLARS = 3
MOST_SIGNALS = 12

METHOD = {
    "signature": "one entry a judged measurement: near end of its interval less the nominal value, in "
    "tolerances, through asinh; shape findings constant; one-step gaps half; what is missing counts 0 in "
    "distances only",
    "clusters": f"average linkage on cosine distance, cut at {CUT:g}, of episodes with a signature longer "
    f"than {LEAST_NORM:g} and an entry beyond {LEAST_ENTRY:g}; kept with at least {LEAST_MEMBERS} members, a "
    f"mean Jaccard similarity of at least {LEAST_STABILITY:g} over {SUBSAMPLES} subsamples of "
    f"{SUBSAMPLE_SHARE:.0%}, and where more alike than any group of {REPLICATES} tables in which the same "
    "effects fall on random entries",
    "scope": "share of the target's rows outside the simulator's supported region: Mahalanobis distance over "
    "observations, goals and commands that are read alike, beyond 1.5 times the 99% distance of the "
    "simulator's own rows",
    "growth": "ratio of rates an episode run in two windows of nearly equal exposure, exact conditional "
    "(Clopper–Pearson) intervals that hold for all kinds together at 95% (Bonferroni); rate a week with its "
    "exact Poisson interval, 95% for each alone, over whole calendar days (UTC), none where the later window "
    "is shorter than a day",
    "differs": "Cliff's delta (numbers) or difference of shares (texts), intervals that hold together at "
    "95%, p after Holm over all clusters; the entries that made the clusters describe them, they test nothing: "
    "their p is descriptive",
    "earlier": "an episode of either campaign counts to the earlier cluster whose mean signature is nearest in "
    f"cosine distance, where that is at most {CUT:g}; ratio of rates an episode run as for growth, intervals "
    "that hold together at 95%",
}


@dataclass(frozen=True, slots=True)
class _Kind:
    """One group with everything that is said about it; ids come with the order."""

    place: int
    group: Group
    lead: GroupLead
    growth: Growth
    signals: tuple[Difference, ...]
    parameters: tuple[Difference, ...]
    exemplars: tuple[str, ...]


def analysed(
    run: CampaignRun,
    folder: str = "",
    earlier: CampaignFile | None = None,
    pulse: Callable[[], None] = never,
) -> CampaignFile:
    """Group a campaign's failures by the shape of their differences and say what is known of each group.

    Args:
        run: Judged and failed pairs, in the manifest's order.
        folder: What the episodes' paths are relative to, as the reader of the file can find it.
        earlier: The result of an earlier campaign, to say whether its clusters shrank.
        pulse: Called every now and then; what it raises ends the work.

    Returns:
        The result file's value; the same run gives the same value.
    """
    from tracescope import __version__

    results = run.results
    signatures = [signature_of(result) for result in results]
    table = table_of(signatures)
    groups = groups_of(table, pulse)
    windows = windows_of([result.date for result in results])
    kinds = sorted(_kinds(table, groups, results, windows), key=_priority)
    names = [cluster_id(place) for place in range(len(kinds))]
    id_of = {kind.place: name for name, kind in zip(names, kinds, strict=True)}
    cluster_of: list[str | None] = [None] * len(results)
    for name, kind in zip(names, kinds, strict=True):
        for row in kind.group.rows:
            cluster_of[row] = name
    return CampaignFile(
        schema=SCHEMA,
        episodes=_episodes(results, signatures, table, cluster_of, pulse),
        clusters=[_cluster(kind, results, id_of) for kind in kinds],
        failed=[FailedEntry(one.id, one.problem) for one in run.failed],
        interrupted=run.interrupted,
        tracescope=__version__,
        folder=folder,
        method=METHOD,
        windows=None if windows is None else _windows(windows),
        timeline=_timeline(results, table, cluster_of, names, windows),
        earlier=[]
        if earlier is None
        else became_of(earlier, signatures, cluster_of, alike=not shapes_differ(earlier, METHOD)),
        earlier_notes=[] if earlier is None else earlier_notes(earlier, __version__, METHOD),
    )


def cluster_id(place: int) -> str:
    """Return A, B … Z, AA, AB … for places from 0."""
    name = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def _priority(kind: _Kind) -> tuple[bool, float, int, tuple[int, ...]]:
    """Order by what grows, then by how often it came of late, then by size."""
    rate = kind.growth.per_week or 0.0
    return (kind.growth.growing != "yes", -rate, -len(kind.group.rows), kind.group.rows)


def _kinds(
    table: Table,
    groups: Sequence[Group],
    results: Sequence[EpisodeResult],
    windows: Windows | None,
) -> list[_Kind]:
    rows = [group.rows for group in groups]
    signals = differences(_signal_columns(table), rows, "signal")
    parameters = differences(_parameter_columns(results), rows, "parameter")
    return [
        _Kind(
            place,
            group,
            lead_of(table, group.rows, results),
            growth_of([results[row].date for row in group.rows], windows, len(groups)),
            signals[place],
            parameters[place],
            tuple(results[row].id for row in exemplars(table, group.rows)),
        )
        for place, group in enumerate(groups)
    ]


def exemplars(table: Table, rows: Sequence[int]) -> tuple[int, ...]:
    """Return the rows nearest to all others of their group (medoids), the most typical first."""
    apart = cosine_distances(table.filled[list(rows)]).mean(axis=1)
    order = np.lexsort((np.arange(len(rows)), np.round(apart, 9)))
    return tuple(rows[int(place)] for place in order[:MOST_EXEMPLARS])


def _signal_columns(table: Table) -> dict[str, list[float | str | None]]:
    out: dict[str, list[float | str | None]] = {}
    for column, name in enumerate(table.entries):
        told = table.value[:, column]
        if np.nanmax(np.abs(np.nan_to_num(told)), initial=0.0) > 0:
            out[name] = [float(v) if np.isfinite(v) else None for v in told]
    return out


def _parameter_columns(results: Sequence[EpisodeResult]) -> dict[str, list[float | str | None]]:
    names = dict.fromkeys(name for result in results for name, _ in result.params)
    given = [dict(result.params) for result in results]
    return {f"param.{name}": [one.get(name) for one in given] for name in names}


def _cluster(
    kind: _Kind, results: Sequence[EpisodeResult], id_of: Mapping[int, str]
) -> ClusterEntry:
    parameter = next((d for d in kind.parameters if d.distinguishable), None)
    members = [results[row] for row in kind.group.rows]
    do, wrong = advice(Facts(kind.lead, members, kind.exemplars, parameter))
    return ClusterEntry(
        id=id_of[kind.place],
        name=kind.lead.name,
        lead=cast("Lead", kind.lead.lead),
        because=kind.lead.because,
        episodes=[member.id for member in members],
        stability=kind.group.stability,
        growth=_growth(kind.growth),
        differs=[_difference(d, id_of) for d in (*kind.parameters, *kind.signals[:MOST_SIGNALS])],
        do=do,
        would_be_wrong_if=wrong,
        size=len(members),
        points_to=kind.lead.points_to,
        exemplars=list(kind.exemplars),
        shares=[ShareEntry(family, share) for family, share in kind.lead.shares],
        evidence_for=list(kind.lead.evidence_for),
        evidence_against=list(kind.lead.evidence_against),
    )


def _growth(growth: Growth) -> GrowthEntry:
    return GrowthEntry(
        per_week=rounded(growth.per_week),
        interval=None if growth.interval is None else band(growth.interval),
        growing=growth.growing,
        before=growth.before,
        after=growth.after,
        ratio=rounded(growth.ratio),
        ratio_interval=None if growth.ratio_interval is None else band(growth.ratio_interval),
        because=growth.because,
    )


def _difference(one: Difference, id_of: Mapping[int, str]) -> DifferenceEntry:
    return DifferenceEntry(
        what=one.what,
        effect=rounded(one.effect) or 0.0,
        interval=band(one.interval),
        kind=cast("DifferenceKind", one.kind),
        p=rounded(one.p) or 0.0,
        distinguishable=one.distinguishable,
        members=rounded(one.members),
        others=rounded(one.others),
        without=sorted(id_of[place] for place in one.without),
    )


def _episodes(
    results: Sequence[EpisodeResult],
    signatures: Sequence[Signature],
    table: Table,
    cluster_of: Sequence[str | None],
    pulse: Callable[[], None],
) -> list[EpisodeEntry]:
    active = table.active
    at, _ = places(cosine_distances(table.filled[active]), pulse)
    place = {int(row): (float(x), float(y)) for row, (x, y) in zip(active, at, strict=True)}
    entries = []
    for row, result in enumerate(results):
        of_kind = _of_kind(result, cluster_of[row], differs=row in place)
        entries.append(
            EpisodeEntry(
                id=result.id,
                sim=result.sim,
                target=result.target,
                date=None if result.date is None else comparable(result.date).isoformat(),
                states=cast("dict[str, StateName]", dict(result.states)),
                signature={name: rounded(value) for name, value in signatures[row].items()},
                cluster=cluster_of[row],
                of_kind=of_kind,
                label=result.label,
                outcome=result.outcome,
                params=dict(result.params),
                matched=result.matched,
                sim_distance=rounded(result.sim_distance),
                scope=rounded(result.scope),
                reasons=dict(result.reasons),
                map=place.get(row),
            )
        )
    return entries


def _of_kind(result: EpisodeResult, cluster: str | None, *, differs: bool) -> OfKind:
    if cluster is not None:
        return "cluster"
    if differs:
        return UNCLUSTERED
    return UNTOLD if is_untold(result) else NO_DIFFERENCE


def _windows(windows: Windows) -> WindowsEntry:
    return WindowsEntry(
        start=windows.start.isoformat(),
        split=windows.split.isoformat(),
        end=windows.end.isoformat(),
        before=windows.before,
        after=windows.after,
    )


def _timeline(
    results: Sequence[EpisodeResult],
    table: Table,
    cluster_of: Sequence[str | None],
    names: Sequence[str],
    windows: Windows | None,
) -> list[WeekEntry]:
    """Count clusters week by week (Mondays, UTC); empty where fewer than two dates are known."""
    if windows is None:
        return []
    rows_of: dict[datetime, list[int]] = {}
    for row, result in enumerate(results):
        if result.date is not None:
            rows_of.setdefault(week_of(result.date), []).append(row)
    active = set(table.active.tolist())
    weeks = []
    for start, left_out in weeks_of(list(rows_of)):
        rows = rows_of.get(start, [])
        counts = Counter(cluster_of[row] for row in rows)
        weeks.append(
            WeekEntry(
                week=start.date().isoformat(),
                episodes=len(rows),
                clusters={name: counts[name] for name in names},
                unclustered=sum(cluster_of[r] is None and r in active for r in rows),
                empty_before=left_out,
            )
        )
    return weeks
