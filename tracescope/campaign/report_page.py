"""What a campaign's report says, as rows of text: HTML and Markdown lay out the same page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracescope.campaign.leads import entry_words
from tracescope.campaign.result_schema import (
    NO_DIFFERENCE,
    UNTOLD,
    Band,
    CampaignFile,
    ClusterEntry,
    DifferenceEntry,
    EarlierEntry,
    EpisodeEntry,
    GrowthEntry,
    WeekEntry,
)
from tracescope.findings.numbers import interval_text, number, share_text, value_text

TITLE = "Campaign report"
MOST_ROWS = 8
JOINT = "95 % interval, all kinds together:"
SIGNALS_DESCRIBE = (
    "The kind was made by these entries: they describe it and test nothing; no p stands here."
)
NO_SCORE = (
    "The kinds stand in the order in which to look at them: what grows, then what came most often of late. "
    "Nothing here adds them up."
)


@dataclass(frozen=True, slots=True)
class PriorityRow:
    """One kind in the list of what to do first."""

    id: str
    name: str
    lead: str
    size: int
    rate: str
    growing: str
    do: str


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One thing that differs between a kind and the other episodes.

    ``p`` and ``told`` are ``""`` for signals: the kind was made by them, so that they cannot test it.
    """

    what: str
    effect: str
    interval: str
    here: str
    elsewhere: str
    p: str
    told: str


@dataclass(frozen=True, slots=True)
class ClusterPage:
    """One kind of failure."""

    id: str
    name: str
    lead: str
    lines: tuple[str, ...]
    evidence_for: tuple[str, ...]
    evidence_against: tuple[str, ...]
    shares: str
    parameters: tuple[DifferenceRow, ...]
    signals: tuple[DifferenceRow, ...]
    left_out: str
    exemplars: str
    do: str
    would_be_wrong_if: str
    episodes: str


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One episode in the list of all."""

    id: str
    date: str
    label: str
    outcome: str
    cluster: str
    states: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The whole report."""

    title: str
    meta: str
    summary: tuple[str, ...]
    priorities: tuple[PriorityRow, ...]
    clusters: tuple[ClusterPage, ...]
    earlier: tuple[str, ...]
    earlier_notes: tuple[str, ...]
    weeks: tuple[tuple[str, ...], ...]
    week_head: tuple[str, ...]
    unclustered: tuple[str, ...]
    untold: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    checks: tuple[str, ...]
    episodes: tuple[EpisodeRow, ...]
    method: tuple[tuple[str, str], ...]
    signals_describe: str = SIGNALS_DESCRIBE


def page_of(result: CampaignFile, created: str = "") -> ReportPage:
    """Put a result into words.

    Args:
        result: The campaign's result.
        created: Date to show, as given; ``""`` for none.
    """
    meta = " · ".join(filter(None, (created, f"tracescope {result.tracescope}", result.folder)))
    return ReportPage(
        title=TITLE,
        meta=meta,
        summary=tuple(_summary(result)),
        priorities=tuple(_priority(cluster) for cluster in result.clusters),
        clusters=tuple(_cluster(cluster, result) for cluster in result.clusters),
        earlier=tuple(earlier_text(one) for one in result.earlier),
        earlier_notes=tuple(result.earlier_notes),
        weeks=tuple(row for week in result.timeline for row in _week(week, result)),
        week_head=("week of", "episodes", *(c.id for c in result.clusters), "unclustered"),
        unclustered=tuple(_unclustered(e) for e in result.episodes if e.of_kind == "unclustered"),
        untold=tuple(_untold(e) for e in result.episodes if e.of_kind == UNTOLD),
        failed=tuple((one.id, one.problem) for one in result.failed),
        checks=checks_of(result),
        episodes=tuple(_episode(episode) for episode in result.episodes),
        method=tuple(result.method.items()),
    )


def checks_of(result: CampaignFile) -> tuple[str, ...]:
    """Return the ids of all checks that any episode was judged by, in their order."""
    return tuple(dict.fromkeys(check for e in result.episodes for check in e.states))


def counted(count: int, one: str, many: str = "") -> str:
    """Return ``1 pair``, ``2 pairs``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def _summary(result: CampaignFile) -> list[str]:
    of_kind = [episode.of_kind for episode in result.episodes]
    found, unclear = of_kind.count("cluster"), of_kind.count("unclustered")
    lines = [
        f"{counted(len(of_kind), 'pair')} judged, {len(result.failed)} could not be used"
        + (", interrupted before the end." if result.interrupted else "."),
    ]
    kinds = f"{counted(len(result.clusters), 'kind')} of failure in {counted(found, 'episode')}; "
    if unclear:
        kinds += f"{counted(unclear, 'episode')} unclustered: alike too few others to be a kind; "
    untold = of_kind.count(UNTOLD)
    if untold:
        kinds += (
            f"{counted(untold, 'episode')} in which something differs that no check can place; "
        )
    quiet = [e for e in result.episodes if e.of_kind == NO_DIFFERENCE]
    open_ones = sum("inconclusive" in e.states.values() for e in quiet)
    sound = f"{counted(len(quiet), 'episode')} with no difference measured beyond noise"
    lines.append(f"{kinds}{sound}; in {open_ones} of them some check could not tell.")
    growing = [c for c in result.clusters if c.growth.growing == "yes"]
    lines += [f"Growing: {c.id}, {c.name}. {growth_text(c.growth)}" for c in growing]
    if result.clusters and result.windows is None:
        lines.append(
            "Whether a kind grows cannot be told: fewer than two different dates are known."
        )
    elif result.clusters and not growing:
        lines.append("No kind is distinguishable from not growing.")
    lines += [
        f"No episode ran in the {counted(week.empty_before, 'week')} before the week of {week.week}; rates count "
        "them. Where a year was mistyped, mend the date and run again."
        for week in result.timeline
        if week.empty_before
    ]
    if result.clusters:
        lines.append(NO_SCORE)
    return lines


def growth_text(growth: GrowthEntry) -> str:
    """Say how often a kind came and whether that is told apart from no growth."""
    if growth.ratio_interval is None:
        return f"Growth undecided: {growth.because}."
    ratio = "from none before" if growth.ratio is None else f"ratio {number(growth.ratio)}"
    said = {
        "yes": "the rate grew",
        "no": "the rate fell",
        "undecided": "not told apart from a constant rate",
    }[growth.growing]
    return f"{growth.because}: {said}, {ratio} ({JOINT} {ratio_text(growth.ratio_interval)})."


def ratio_text(interval: Band) -> str:
    """Return a ratio's interval with digits enough to see on which side of 1 its ends lie."""
    low, high = interval
    if high is None:
        return f"at least {number(low or 0.0)}"
    if low is None:
        return f"at most {number(high)}"
    return f"{number(low)} to {number(high)}"


def rate_text(growth: GrowthEntry) -> str:
    """Return the rate a week in the later window with its interval."""
    if growth.per_week is None or growth.interval is None:
        return "no rate"
    return f"{value_text(growth.per_week, growth.interval)} ({interval_text(growth.interval)})"


def rate_line(growth: GrowthEntry, result: CampaignFile) -> str:
    """Say how often a kind came a week, or why no rate is given."""
    if growth.per_week is not None:
        return f"Rate in the later window: {rate_text(growth)} a week."
    if result.windows is None or growth.ratio_interval is None:
        return "No rate a week."
    return "No rate a week: the later window is shorter than a day."


def lead_text(cluster: ClusterEntry) -> str:
    """Return the lead; an undecided one names where the largest share lies."""
    if cluster.lead == "undecided":
        return f"undecided ({cluster.points_to})"
    return cluster.lead


def earlier_text(one: EarlierEntry) -> str:
    """Say what became of a cluster of the earlier campaign."""
    said = {
        "yes": "it shrank",
        "no": "it grew",
        "undecided": "not told apart from a constant rate",
    }[one.shrank]
    if one.because:
        said = f"whether it shrank cannot be told, {one.because}"
    ratio = "" if one.ratio is None else f"ratio {number(one.ratio)}, "
    now = f"; now {one.cluster}" if one.cluster else ""
    return (
        f"{one.id}, {one.name}: {one.before} of {one.of_before} episodes then, {one.now} of {one.of_now} "
        f"now: {said} ({ratio}{JOINT} {ratio_text(one.ratio_interval)}){now}."
    )


def _week(week: WeekEntry, result: CampaignFile) -> Iterator[tuple[str, ...]]:
    """Yield a week's row of the timeline, before it what is left out."""
    if week.empty_before:
        empty = f"({counted(week.empty_before, 'week')} without episodes)"
        yield (empty, "0", *("0" for _ in result.clusters), "0")
    counts = (week.clusters.get(cluster.id, 0) for cluster in result.clusters)
    yield (week.week, str(week.episodes), *map(str, counts), str(week.unclustered))


def _priority(cluster: ClusterEntry) -> PriorityRow:
    return PriorityRow(
        cluster.id,
        cluster.name,
        lead_text(cluster),
        cluster.size,
        rate_text(cluster.growth),
        cluster.growth.growing,
        cluster.do,
    )


def _cluster(cluster: ClusterEntry, result: CampaignFile) -> ClusterPage:
    parameters = [d for d in cluster.differs if d.kind == "parameter"]
    signals = [d for d in cluster.differs if d.kind == "signal" and d.distinguishable]
    everywhere = sorted({name for d in cluster.differs for name in d.without})
    return ClusterPage(
        id=cluster.id,
        name=cluster.name,
        lead=lead_text(cluster),
        lines=(
            (
                f"{counted(cluster.size, 'episode')} of {len(result.episodes)}; came back in subsamples with a "
                f"mean Jaccard similarity of {number(cluster.stability)}."
            ),
            f"{rate_line(cluster.growth, result)} {growth_text(cluster.growth)}",
            f"Lead: {lead_text(cluster)}; {cluster.because}.",
        ),
        evidence_for=tuple(cluster.evidence_for),
        evidence_against=tuple(cluster.evidence_against),
        shares=", ".join(
            f"{s.family} {share_text(s.share)}" for s in cluster.shares if s.share > 0.0005
        ),
        parameters=tuple(difference_row(d) for d in parameters[:MOST_ROWS]),
        signals=tuple(difference_row(d) for d in signals[:MOST_ROWS]),
        left_out=", ".join(everywhere),
        exemplars=", ".join(cluster.exemplars),
        do=cluster.do,
        would_be_wrong_if=cluster.would_be_wrong_if,
        episodes=", ".join(cluster.episodes),
    )


def difference_row(d: DifferenceEntry) -> DifferenceRow:
    """Return one difference as text."""
    share = "=" in d.what and d.kind == "parameter"
    return DifferenceRow(
        d.what.removeprefix("param.") if d.kind == "parameter" else entry_name(d),
        value_text(d.effect, d.interval),
        interval_text(d.interval),
        _typical(d.members, share=share),
        _typical(d.others, share=share),
        *_tested(d),
    )


def _tested(d: DifferenceEntry) -> tuple[str, str]:
    """Return p and whether it is told apart; nothing of a signal: what made a kind cannot test it."""
    if d.kind == "signal":
        return "", ""
    return "under 0.001" if d.p < 0.001 else number(d.p), "yes" if d.distinguishable else "no"


def entry_name(d: DifferenceEntry) -> str:
    """Return a signature entry's name as a person reads it."""
    return entry_words(d.what, d.effect)


def _typical(value: float | None, *, share: bool) -> str:
    if value is None:
        return ""
    return f"{number(value * 100)} %" if share else number(value)


def largest_entries(episode: EpisodeEntry, most: int = 3) -> Sequence[str]:
    """Return an episode's largest signature entries in words."""
    told = [(name, value) for name, value in episode.signature.items() if value]
    told.sort(key=lambda item: (-abs(item[1]), item[0]))
    return [entry_words(name, value) for name, value in told[:most]]


def _unclustered(episode: EpisodeEntry) -> str:
    return f"{episode.id}: {', '.join(largest_entries(episode))}"


def _untold(episode: EpisodeEntry) -> str:
    """Name what could not be told: the reasons of the checks that are inconclusive."""
    reasons = [
        f"{check}: {episode.reasons[check]}"
        for check, state in episode.states.items()
        if state == "inconclusive" and episode.reasons.get(check)
    ]
    return f"{episode.id}: {'; '.join(reasons)}"


def _episode(episode: EpisodeEntry) -> EpisodeRow:
    date = "" if episode.date is None else episode.date[:16].replace("T", " ")
    cluster = episode.cluster or episode.of_kind
    states = tuple(episode.states.items())
    return EpisodeRow(episode.id, date, episode.label, episode.outcome, cluster, states)
