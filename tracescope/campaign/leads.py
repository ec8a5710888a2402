"""What a group of episodes points to, and what speaks for and against it: leads, never verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tracescope.campaign.clusters import Table
from tracescope.campaign.model import EpisodeResult
from tracescope.campaign.signature import (
    ACTION,
    DEPLOYMENT,
    DYNAMICS,
    NOT_ESTABLISHED,
    PERCEPTION,
    PLANT,
    TASK,
    Part,
    family_of,
)
from tracescope.findings.numbers import number, share_text

UNDECIDED = "undecided"
LEADS = (PERCEPTION, DYNAMICS, TASK, DEPLOYMENT)
"""What a group may be mapped to, besides ``undecided``."""

CLOSE_SHARES = 0.2
"""Two shares nearer than this do not decide."""

_SHOWN = 0.25
_WORTH_NAMING = 0.01
_MOST_ENTRIES = 3
_TWO_SIDED = {
    "scale", "level", "kinematic scale ratio", "applied gain", "following gain", "slope",
    "mean interval ratio", "mean ratio", "difference", "end difference", "remaining lag",
    "start offset", "response latency, target less sim",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One signature entry within a group: its mean effect, and in how many members it shows."""

    name: str
    mean: float
    shown: int
    told: int
    share: float

    @property
    def words(self) -> str:
        """The entry as a person reads it."""
        return entry_words(self.name, self.mean)


@dataclass(frozen=True, slots=True)
class GroupLead:
    """Where a group points.

    Attributes:
        lead: One of :data:`LEADS` or ``undecided``.
        points_to: The family with the largest share, whatever it is (also the action path, the reward or
            the end of the episode).
        name: What distinguishes the group, in words.
        because: One sentence.
        shares: (family, share of the squared signature), the largest first. Shares of one group's
            signature; they say nothing about how bad anything is.
        evidence_for, evidence_against: Sentences.
        entries: The entries with the largest shares.
    """

    lead: str
    points_to: str
    name: str
    because: str
    shares: tuple[tuple[str, float], ...]
    evidence_for: tuple[str, ...]
    evidence_against: tuple[str, ...]
    entries: tuple[Entry, ...]


def entry_words(name: str, mean: float) -> str:
    """Return an entry in words, with its direction where it has two."""
    if name == NOT_ESTABLISHED:
        return "alignment not established"
    part = Part.of(name)
    if part.quantity.startswith(PLANT):
        kind = part.quantity.removeprefix(PLANT)
        size = "larger" if mean > 0 else "smaller"
        answer, _, cause = part.channel.partition(", ")
        if kind == "coefficient" and cause:
            return f"{size} effect of {cause} on {answer}"
        return f"{size} {kind} of {part.channel}"
    if part.quantity in _TWO_SIDED:
        return f"{'high' if mean > 0 else 'low'} {part.words}"
    return part.words


def lead_of(table: Table, rows: Sequence[int], results: Sequence[EpisodeResult]) -> GroupLead:
    """Map a group to a lead by the shares of its squared signature.

    Args:
        table: All signatures.
        rows: The group's.
        results: All episodes, in the table's order.
    """
    entries = _entries(table, rows)
    shares = _shares(entries)
    top, share = shares[0]
    second = shares[1][1] if len(shares) > 1 else 0.0
    members = [results[row] for row in rows]
    close = share - second < CLOSE_SHARES
    lead = top if top in LEADS and not close else UNDECIDED
    shown = tuple(entries[:_MOST_ENTRIES])
    return GroupLead(
        lead,
        top,
        _name(entries),
        _because(lead, shares, close=close),
        shares,
        _for(top, entries, members),
        _against(top, shares, entries, members),
        shown,
    )


def _entries(table: Table, rows: Sequence[int]) -> list[Entry]:
    """Return the group's entries by their share of its squared signature, the largest first."""
    value = table.value[list(rows)]
    filled = np.nan_to_num(value, nan=0.0)
    energy = (filled**2).sum(axis=0)
    total = max(float(energy.sum()), 1e-300)
    found = []
    for column, name in enumerate(table.entries):
        told = value[np.isfinite(value[:, column]), column]
        if energy[column] <= 0:
            continue
        shown = int((np.abs(told) > _SHOWN).sum())
        found.append(
            Entry(name, float(told.mean()), shown, told.size, float(energy[column]) / total)
        )
    return sorted(found, key=lambda entry: (-round(entry.share, 9), entry.name))


def _shares(entries: Sequence[Entry]) -> tuple[tuple[str, float], ...]:
    shares: dict[str, float] = {}
    for entry in entries:
        family = family_of(entry.name)
        shares[family] = shares.get(family, 0.0) + entry.share
    ordered = sorted(shares.items(), key=lambda item: (-round(item[1], 9), item[0]))
    return tuple((family, round(share, 6)) for family, share in ordered)


def _name(entries: Sequence[Entry]) -> str:
    """Name a group by its largest entry, and by the next where it is nearly as large."""
    first = entries[0]
    beside = [e for e in entries[1:3] if e.share > 0.5 * first.share]
    return ", ".join(entry.words for entry in (first, *beside[:1]))


def _because(lead: str, shares: Sequence[tuple[str, float]], *, close: bool) -> str:
    (top, share), rest = shares[0], shares[1:]
    said = f"{share_text(share)} of the squared signature lies in {top}"
    if rest and rest[0][1] >= _WORTH_NAMING:
        said += f", {share_text(rest[0][1])} in {rest[0][0]}"
    if lead != UNDECIDED:
        return said
    if close:
        return f"{said}: too close to tell which comes first"
    return f"{said}, which none of the four leads names"


def _for(top: str, entries: Sequence[Entry], members: Sequence[EpisodeResult]) -> tuple[str, ...]:
    said = [
        f"{entry.words}: shown by {entry.shown} of {len(members)} members, mean effect "
        f"{number(entry.mean)} (asinh of tolerances)"
        for entry in entries
        if family_of(entry.name) == top and entry.shown
    ][:_MOST_ENTRIES]
    agree = Counter(f for f in map(_explained, members) if f)
    if agree.get(top):
        said.append(
            f"the leading explanation within the pair agrees in {agree[top]} of {len(members)} members"
        )
    return tuple(said)


def _against(
    top: str,
    shares: Sequence[tuple[str, float]],
    entries: Sequence[Entry],
    members: Sequence[EpisodeResult],
) -> tuple[str, ...]:
    said = []
    for family, share in shares[1:3]:
        if share >= _WORTH_NAMING:
            first = next(e for e in entries if family_of(e.name) == family)
            said.append(
                f"{share_text(share)} of the squared signature lies in {family}: {first.words}"
            )
    other = Counter(f for f in map(_explained, members) if f and f != top)
    for family, count in sorted(other.items(), key=lambda item: (-item[1], item[0]))[:2]:
        said.append(
            f"the leading explanation within the pair is {family} in {count} of {len(members)} members"
        )
    silent = len(members) - entries[0].told
    if silent:
        said.append(f"{entries[0].words}: not measured in {silent} of {len(members)} members")
    if not said:
        said.append("nothing measured speaks against it; what was not measured cannot")
    return tuple(said)


def _explained(result: EpisodeResult) -> str:
    """Return which lead the pair's own leading hypothesis belongs to, ``""`` where its check did not fail."""
    leader = result.leader
    if result.states.get(leader) != "fail":
        return ""
    if leader == "timing":
        kinds = {seen.kind for seen in result.leads if seen.family == "timing"}
        return DYNAMICS if kinds & {"delay", "observation-age"} else DEPLOYMENT
    return {
        "observation-scaling": PERCEPTION,
        "dynamics": DYNAMICS,
        "alignment": DEPLOYMENT,
        "action": ACTION,
    }.get(leader, leader)
