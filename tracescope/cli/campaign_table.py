"""The table of a campaign on standard output: pairs, kinds of failure, what could not be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from tracescope.campaign.result_schema import (
    CampaignFile,
    ClusterEntry,
    EpisodeEntry,
)
from tracescope.cli.output import told
from tracescope.cli.table import COLOUR, PLAIN_WIDTH
from tracescope.findings.note.rows import MARKS
from tracescope.model.check import CHECK_IDS

if TYPE_CHECKING:
    from rich.table import Table

GROWING = {"yes": "growing", "no": "not growing", "undecided": "growth undecided"}


def print_campaign(result: CampaignFile, out: TextIO) -> None:
    """Print one line a pair, then each cluster with its lead, then the pairs that failed."""
    from rich.console import Console

    console = Console(file=out, width=None if out.isatty() else PLAIN_WIDTH, highlight=False)
    if result.episodes:
        console.print(_pairs(result))
        signs = ", ".join(f"{mark} {state}" for state, mark in MARKS.items())
        console.print(f"[dim]checks in order: {', '.join(CHECK_IDS)}[/]")
        console.print(f"[dim]{signs}[/]")
    for cluster in result.clusters:
        console.print(_heading(cluster))
        console.print(_said(cluster))
    if result.episodes and not result.clusters:
        console.print("no kind of failure came back often enough to be told apart")
    for one in result.earlier:
        console.print(
            f"earlier {_shown(one.id)}  {_shown(one.name)}: {one.before} of {one.of_before} then,"
            f" {one.now} of {one.of_now} now; shrank: {one.shrank}"
            + (f" ({_shown(one.because)})" if one.because else "")
        )
    for note in result.earlier_notes:
        console.print(f"[dim]{_shown(note)}[/]")
    for failed in result.failed:
        console.print(f"[red]not used[/]  {_shown(failed.id)}: {_shown(failed.problem)}")


def _pairs(result: CampaignFile) -> Table:
    from rich.table import Table

    leads = {cluster.id: cluster.lead for cluster in result.clusters}
    matched = any(episode.matched for episode in result.episodes)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("id", "checks", "kind", "lead"):
        table.add_column(heading, overflow="fold")
    if matched:
        table.add_column("simulator run found", overflow="fold")
    for episode in result.episodes:
        cluster = episode.cluster or episode.of_kind
        row = [_shown(episode.id), strip(episode), cluster, leads.get(episode.cluster or "", "")]
        table.add_row(*row, *([_found(episode)] if matched else []))
    return table


def strip(episode: EpisodeEntry) -> str:
    """Return an episode's states as one sign a check, in their order, coloured."""
    ids = (*CHECK_IDS, *(name for name in episode.states if name not in CHECK_IDS))
    states = [episode.states.get(name, "") for name in ids]
    return "".join(f"[{COLOUR[state]}]{MARKS[state]}[/]" if state else "·" for state in states)


def _found(episode: EpisodeEntry) -> str:
    if not episode.matched:
        return ""
    far = "" if episode.sim_distance is None else f" ({episode.sim_distance:.2g} spreads away)"
    return f"{_shown(episode.sim)}{far}"


def _heading(cluster: ClusterEntry) -> str:
    growth = cluster.growth
    rate = "" if growth.per_week is None else f", {growth.per_week:.3g} a week"
    return (
        f"\n[bold]{cluster.id}[/]  {_shown(cluster.name)}: {cluster.size} pairs, stability"
        f" {cluster.stability:.2f}{rate}, {GROWING.get(growth.growing, growth.growing)}"
    )


def _said(cluster: ClusterEntry) -> Table:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for what, text in (
        ("lead (inferred)", f"{cluster.lead}: {cluster.because}"),
        ("next", cluster.do),
        ("wrong if", cluster.would_be_wrong_if),
    ):
        table.add_row("  ", what, _shown(text))
    return table


def _shown(text: str) -> str:
    """Return a text as rich prints it literally: no markup, no signs that steer a terminal."""
    from rich.markup import escape

    return escape(told(text))
