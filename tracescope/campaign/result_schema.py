"""The campaign's result file, schema 1: what scripts read. Numbers are finite or null.

Change it only with a new schema number. There is no overall score in it.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

SCHEMA = 1

UNCLUSTERED: Final = "unclustered"
NO_DIFFERENCE: Final = "no difference measured"
UNTOLD: Final = "cannot tell"
"""What an episode is that is of no cluster; that nothing was measured is not that nothing is there."""

StateName = Literal["pass", "fail", "inconclusive"]
OfKind = Literal["cluster", "unclustered", "cannot tell", "no difference measured"]
Answer = Literal["yes", "no", "undecided"]
DifferenceKind = Literal["signal", "parameter"]
Lead = Literal[
    "perception drift", "dynamics mismatch", "task-scope overflow", "deployment-system noise",
    "undecided",
]  # fmt: skip
"""Closed lists: a file that says anything else is refused, with its place."""

Number = float | None
Band = tuple[float | None, float | None]
Point = tuple[float, float]


class EpisodeEntry(msgspec.Struct, frozen=True):
    """One judged pair.

    ``of_kind`` is ``cluster``, ``unclustered`` (differs, in a way that did not come back), ``cannot tell``
    (something differs, and no check can say what) or ``no difference measured``. ``map`` is its place in a
    picture of distances, ``null`` where it has none.
    """

    id: str
    sim: str
    target: str
    date: str | None
    states: dict[str, StateName]
    signature: dict[str, Number]
    cluster: str | None
    of_kind: OfKind
    label: str
    outcome: str
    params: dict[str, float | str]
    matched: bool
    sim_distance: Number
    scope: Number
    reasons: dict[str, str]
    map: Point | None = None


class GrowthEntry(msgspec.Struct, frozen=True):
    """How often a cluster came: rate in the later window, and its ratio to the earlier one."""

    per_week: Number
    interval: Band | None
    growing: Answer
    before: int
    after: int
    ratio: Number
    ratio_interval: Band | None
    because: str


class DifferenceEntry(msgspec.Struct, frozen=True):
    """What differs between a cluster and the other episodes; ``effect`` lies in [−1, 1].

    ``without`` names the clusters left out of the others, because they differ in it more clearly. Of a
    ``signal`` the cluster was made by: there ``p`` and ``distinguishable`` describe, they test nothing.
    """

    what: str
    effect: float
    interval: Band
    kind: DifferenceKind
    p: float
    distinguishable: bool
    members: Number
    others: Number
    without: list[str]


class ShareEntry(msgspec.Struct, frozen=True):
    """Share of a cluster's squared signature in one family."""

    family: str
    share: float


class ClusterEntry(msgspec.Struct, frozen=True):
    """One kind of failure, in the order of priority."""

    id: str
    name: str
    lead: Lead
    because: str
    episodes: list[str]
    stability: float
    growth: GrowthEntry
    differs: list[DifferenceEntry]
    do: str
    would_be_wrong_if: str
    size: int
    points_to: str
    exemplars: list[str]
    shares: list[ShareEntry]
    evidence_for: list[str]
    evidence_against: list[str]


class EarlierEntry(msgspec.Struct, frozen=True):
    """What became of a cluster of an earlier campaign, both campaigns counted by one rule.

    ``because`` says why ``shrank`` is undecided where the two files cannot be compared.
    """

    id: str
    name: str
    before: int
    of_before: int
    now: int
    of_now: int
    ratio: Number
    ratio_interval: Band
    shrank: Answer
    cluster: str | None
    because: str = ""


class WindowsEntry(msgspec.Struct, frozen=True):
    """The two windows that growth compares."""

    start: str
    split: str
    end: str
    before: int
    after: int


class WeekEntry(msgspec.Struct, frozen=True):
    """One calendar week: episodes run, and how many of each cluster.

    ``empty_before``: weeks without episodes that are left out between the week listed before and this one.
    """

    week: str
    episodes: int
    clusters: dict[str, int]
    unclustered: int
    empty_before: int = 0


class FailedEntry(msgspec.Struct, frozen=True):
    """A pair that could not be judged."""

    id: str
    problem: str


class CampaignFile(msgspec.Struct, frozen=True):
    """The whole result. ``folder`` is what the episodes' paths are relative to.

    ``earlier_notes`` says what to keep in mind where the earlier campaign is compared.
    """

    schema: int
    episodes: list[EpisodeEntry]
    clusters: list[ClusterEntry]
    failed: list[FailedEntry]
    interrupted: bool
    tracescope: str
    folder: str
    method: dict[str, str]
    windows: WindowsEntry | None
    timeline: list[WeekEntry]
    earlier: list[EarlierEntry]
    earlier_notes: list[str] = []  # msgspec gives every value its own
