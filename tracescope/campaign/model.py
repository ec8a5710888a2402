"""What a campaign is made of: entries of a manifest, and what judging each of them gave.

Everything here is flat, frozen and made of plain values: it crosses processes and machines, lies in the
cache as JSON, and holds no host, no time of day and no order of completion.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

Param = tuple[str, float | str]
"""Name and value of one simulation parameter."""

EPISODE_MARK = "::"


def split_episode(folder: Path, text: str) -> tuple[Path, str]:
    """Split a manifest's path into the file, from ``folder``, and the episode inside (``""``: none named)."""
    path, mark, episode = text.rpartition(EPISODE_MARK)
    if not mark or _is_there(folder / text):
        return folder / text, ""
    return folder / path, episode


def _is_there(path: Path) -> bool:
    """Say whether a path can be seen; one that is too long or behind a closed door cannot."""
    try:
        return path.exists()
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a manifest.

    Attributes:
        id: Unique in the campaign.
        sim: As the manifest spells it, with ``::episode`` where it names one; ``None``: the nearest
            simulator rollout of the same label.
        target: As the manifest spells it.
        date: When the target ran; with zone (UTC where the manifest gives none).
        event_time_s: When the outcome happened, seconds after the target's first row.
        label: Which task it was; ``""`` where nothing is said.
        outcome: How it ended in the words of the manifest.
        params: Simulation parameters, in the order of the manifest's columns.
        line: Line of the manifest (from 1), 0 where there is none.
    """

    id: str
    sim: str | None
    target: str
    date: datetime | None = None
    event_time_s: float | None = None
    label: str = ""
    outcome: str = ""
    params: tuple[Param, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Campaign:
    """Entries in the manifest's order, the folder their paths are relative to, and the manifest if any.

    The folder is a path from the root: workers elsewhere have another working directory.
    """

    entries: tuple[Entry, ...]
    folder: Path
    manifest: Path | None = None

    def located(self, text: str) -> str:
        """Return a manifest's path from the root, ``::episode`` kept: what opens the pair."""
        file, episode = split_episode(self.folder, text)
        return f"{file}{EPISODE_MARK}{episode}" if episode else str(file)


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement of a check, flat. Numbers are finite or ``None``.

    ``state`` is that of the measurement alone; ``tolerance_low`` and ``tolerance_high`` are ``None`` for an
    open end. ``judged`` tells an open band from none at all, ``covered`` whether the precondition was met,
    ``blocked`` why it may not speak.
    """

    quantity: str
    channel: str
    check: str
    estimate: float | None
    low: float | None
    high: float | None
    tolerance_low: float | None
    tolerance_high: float | None
    unit: str
    state: str
    n: float | None = None
    judged: bool = True
    covered: bool = True
    blocked: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """One ranked family of explanation: the share it explains (``None``: unknown) and of what."""

    family: str
    explains: float | None
    channels: tuple[str, ...]
    explains_of: str = "residual"


@dataclass(frozen=True, slots=True)
class LeadSeen:
    """What a check's own numbers suggest; ``kind`` is for instance ``scale``, ``clip`` or ``delay``."""

    check: str
    family: str
    kind: str
    channels: tuple[str, ...]
    value: float | None
    not_told_apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Aligned:
    """The alignment in force. ``established`` is whether the alignment check passed."""

    mode: str
    how: str
    offset_s: float
    drift_ppm: float
    step_shift: int
    overlap_steps: int
    established: bool


@dataclass(frozen=True, slots=True)
class ChannelSeen:
    """A matched channel under its sim name: role and unit as the simulator's file has them."""

    name: str
    role: str
    unit: str


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """One judged pair: what the manifest says about it, and what the checks measured.

    Attributes:
        id, target, date, event_time_s, label, outcome, params: As the entry has them.
        sim: The entry's simulator run, or the one it was matched with; as the manifest spells it.
        matched: Whether ``sim`` was found by matching.
        sim_distance: Where matched, how far that rollout starts from where the target does; in spreads of
            the simulator's own channels (:mod:`tracescope.campaign.matching`).
        states: Check id → ``pass``, ``fail`` or ``inconclusive``, in the order of the checks.
        reasons: Check id → its one sentence.
        measurements: Of every check, in order.
        hypotheses: Ranked, the leader first.
        leads: What the checks' numbers suggest, in order.
        scope: Share of the target's rows outside the simulator's supported region, ``None`` where unknown.
        scope_said: How ``scope`` was measured, one clause.
        alignment: What the checks rested on.
        corrections: In words, those laid over the target.
        channels: Matched channels.
        sim_sha256, target_sha256: Digests of the files.
        steps: Rows of the simulator's and of the target's trace.
        action_distance: Where matched, how far its actions lie from the target's, in spreads.
        flips: Checks whose verdict depends on where in its interval the clock offset lies.
    """

    id: str
    sim: str
    target: str
    sim_distance: float | None
    matched: bool
    date: datetime | None
    event_time_s: float | None
    label: str
    outcome: str
    params: tuple[Param, ...]
    states: dict[str, str]
    reasons: dict[str, str]
    measurements: tuple[Measured, ...]
    hypotheses: tuple[Explained, ...]
    leads: tuple[LeadSeen, ...]
    scope: float | None
    scope_said: str
    alignment: Aligned
    corrections: tuple[str, ...]
    channels: tuple[ChannelSeen, ...]
    sim_sha256: str
    target_sha256: str
    steps: tuple[int, int]
    flips: tuple[str, ...] = ()
    action_distance: float | None = None

    @property
    def leader(self) -> str:
        """Family of the leading hypothesis, ``""`` where there is none."""
        return self.hypotheses[0].family if self.hypotheses else ""


@dataclass(frozen=True, slots=True)
class FailedEpisode:
    """A pair that could not be judged, and why: what, where, and what to do."""

    id: str
    problem: str


@dataclass(frozen=True, slots=True)
class CampaignRun:
    """What a run gave, in the manifest's order whatever the order of completion.

    Attributes:
        results: Judged pairs.
        failed: Pairs that could not be.
        interrupted: Whether it was stopped; what was judged until then is here and in the cache.
        reused: How many results came from the cache.
    """

    results: tuple[EpisodeResult, ...]
    failed: tuple[FailedEpisode, ...] = ()
    interrupted: bool = False
    reused: int = 0
