"""The report's pictures: the cluster map and the timeline. Light, and legible in grey: shapes tell kinds apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracescope.campaign.result_schema import CampaignFile
from tracescope.findings.note.figure import FigureSpec, NoteFigure, drawn, embeddable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#C46A00", "#00795A", "#A8447E", "#5D4FB3", "#8A6D00", "#3C3C3C", "#1C8CA8")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
GREY = "#8A8A8A"

MAP_CAPTION = (
    "Episodes laid into the plane so that their distances (1 − cosine of signatures) are kept as well as a "
    "plane can. A picture of distances only: the axes mean nothing, and clusters were found without it."
)
WEEKS_CAPTION = "Episodes of each kind by calendar week, in grey all episodes run that week."


def report_figures(result: CampaignFile) -> tuple[NoteFigure, ...]:
    """Draw the pictures that have something to show."""
    specs = []
    if any(episode.map for episode in result.episodes):
        specs.append(FigureSpec("map", "", MAP_CAPTION, lambda f: _draw_map(f, result), (6.6, 4.2)))
    if result.timeline and result.clusters:
        height = 0.8 + 0.75 * len(result.clusters)
        specs.append(
            FigureSpec("weeks", "", WEEKS_CAPTION, lambda f: _draw_weeks(f, result), (6.6, height))
        )
    return tuple(
        NoteFigure(spec.id, "", spec.caption, embeddable(drawn(spec), f"campaign-{spec.id}"))
        for spec in specs
    )


def style_of(place: int) -> tuple[str, str]:
    """Return the colour and marker of the kind at a place; both repeat at different lengths never before 56."""
    return COLOURS[place % len(COLOURS)], MARKERS[(place + place // len(COLOURS)) % len(MARKERS)]


def _draw_map(figure: Figure, result: CampaignFile) -> None:
    axes = figure.add_subplot()
    alone = [e.map for e in result.episodes if e.map and e.cluster is None]
    if alone:
        x, y = zip(*alone, strict=True)
        axes.scatter(x, y, s=26, marker="x", color=GREY, linewidths=1.1, label="unclustered")
    for place, cluster in enumerate(result.clusters):
        at = [e.map for e in result.episodes if e.map and e.cluster == cluster.id]
        if not at:
            continue
        colour, marker = style_of(place)
        x, y = zip(*at, strict=True)
        label = f"{cluster.id} ({cluster.size})"
        axes.scatter(x, y, s=26, marker=marker, color=colour, alpha=0.75, linewidths=0, label=label)
        center = (sum(x) / len(x), sum(y) / len(y))
        axes.annotate(cluster.id, center, (9, 9), textcoords="offset points", fontweight="bold")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color="#BBBBBB", linewidth=0.6)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    figure.legend(loc="outside right upper")


def _draw_weeks(figure: Figure, result: CampaignFile) -> None:
    weeks = [week.week for week in result.timeline]
    run = [week.episodes for week in result.timeline]
    gaps = [at for at, week in enumerate(result.timeline) if week.empty_before]
    panels = figure.subplots(len(result.clusters), 1, sharex=True, sharey=True, squeeze=False)
    for place, (cluster, row) in enumerate(zip(result.clusters, panels, strict=True)):
        axes = row[0]
        axes.bar(range(len(weeks)), run, width=0.86, color="#E4E4E4")
        counts = [week.clusters.get(cluster.id, 0) for week in result.timeline]
        axes.bar(range(len(weeks)), counts, width=0.6, color=style_of(place)[0])
        for at in gaps:
            axes.axvline(at - 0.5, color=GREY, linewidth=0.8, linestyle="--")
        axes.set_ylabel(cluster.id, rotation=0, labelpad=12, va="center", fontweight="bold")
        axes.yaxis.get_major_locator().set_params(integer=True, nbins=3)
    last = panels[-1][0]
    one_year = weeks[0][:4] == weeks[-1][:4]
    step = max(1, -(-len(weeks) // (10 if one_year else 6)))
    shown = [week[5:] if one_year else week for week in weeks[::step]]
    last.set_xticks(range(0, len(weeks), step), shown)
    gap = "; at a dashed line, weeks without episodes are left out" if gaps else ""
    last.set_xlabel((f"week of ({weeks[0][:4]})" if one_year else "week of") + gap)
