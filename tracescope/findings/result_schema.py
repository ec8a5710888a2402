"""The result file, schema 1: what scripts read. Numbers are finite or null.

Change it only with a new schema number.
"""

from __future__ import annotations

import msgspec

Number = float | None
Band = tuple[float | None, float | None]


class ChannelEntry(msgspec.Struct, frozen=True):
    """One signal of a recording."""

    name: str
    role: str
    unit: str


class HealthEntry(msgspec.Struct, frozen=True):
    """Something the reader noticed or repaired."""

    what: str
    where: str
    count: int
    done: str


class SideEntry(msgspec.Struct, frozen=True):
    """One recording of the pair."""

    path: str
    sha256: str
    layout: str
    episode: str | None
    steps: int
    duration_s: Number
    interval_s: Number
    channels: list[ChannelEntry]
    health: list[HealthEntry]


class PairEntry(msgspec.Struct, frozen=True):
    """Both recordings."""

    sim: SideEntry
    target: SideEntry


class RivalEntry(msgspec.Struct, frozen=True):
    """An offset that cannot be excluded."""

    offset_s: Number
    score: Number


class AlignmentEntry(msgspec.Struct, frozen=True):
    """How the target was laid on the simulator's clock."""

    mode: str
    how: str
    offset_s: Number
    offset_interval_s: Band | None
    drift_ppm: Number
    drift_interval_ppm: Band | None
    step_shift: int
    overlap_steps: int
    rivals: list[RivalEntry]


class CorrectionEntry(msgspec.Struct, frozen=True):
    """A corrected value is ``(target − offset) / scale``."""

    channel: str
    scale: float
    offset: float
    source: str | None = None


class MeasurementEntry(msgspec.Struct, frozen=True):
    """One measured quantity; ``n`` is the effective sample size, ``blocked`` why it may not speak."""

    quantity: str
    channel: str
    estimate: Number
    interval: Band | None
    confidence: float
    unit: str
    n: Number
    tolerance: Band | None
    state: str
    note: str
    blocked: str = ""


class CoverageEntry(msgspec.Struct, frozen=True):
    """The range a verdict speaks for."""

    channel: str
    range: Band | None
    statement: str


class WouldEntry(msgspec.Struct, frozen=True):
    """What the check would say with pending corrections applied."""

    corrections: list[str]
    state: str
    reason: str


class EvidenceEntry(msgspec.Struct, frozen=True):
    """Where to look, seconds on the simulator's clock."""

    channel: str
    span_s: Band


class CheckEntry(msgspec.Struct, frozen=True):
    """What one check says."""

    id: str
    state: str
    reason: str
    measurements: list[MeasurementEntry]
    coverage: list[CoverageEntry]
    applied: list[str]
    would: WouldEntry | None
    evidence: list[EvidenceEntry]
    counts: dict[str, int]
    pending: list[CorrectionEntry]
    settle: str
    depends_on_alignment: bool


class ObservedEntry(msgspec.Struct, frozen=True):
    """A measurement in words."""

    text: str
    check: str


class InferredEntry(msgspec.Struct, frozen=True):
    """An explanation."""

    text: str
    rests_on: list[str]
    would_be_wrong_if: str
    family: str
    not_told_apart: list[str]
    gap_channel: str = ""
    safeguard: str = ""
    by_hand: bool = False


class UntestedEntry(msgspec.Struct, frozen=True):
    """What nobody knows yet."""

    text: str
    would_need: str


class FindingsEntry(msgspec.Struct, frozen=True):
    """The three headings."""

    observed: list[ObservedEntry]
    inferred: list[InferredEntry]
    untested: list[UntestedEntry]


class HypothesisEntry(msgspec.Struct, frozen=True):
    """A family of explanation; shares are not additive. Families not told apart share a rank."""

    family: str
    channels: list[str]
    explains: Number
    rank: int
    text: str
    explains_of: str
    not_told_apart: list[str] = []


class PredictedEntry(msgspec.Struct, frozen=True):
    """An interval predicted for a named measurement."""

    quantity: str
    channel: str
    interval: Band
    unit: str


class NextTestEntry(msgspec.Struct, frozen=True):
    """The one test to do next."""

    family: str
    do: str
    falsifies: str
    predicted: list[PredictedEntry]


class ResultFile(msgspec.Struct, frozen=True):
    """The whole file."""

    schema: int
    tracescope: str
    created: str
    pair: PairEntry
    alignment: AlignmentEntry
    corrections: list[CorrectionEntry]
    checks: list[CheckEntry]
    findings: FindingsEntry
    hypotheses: list[HypothesisEntry]
    next_test: NextTestEntry | None
    probes: list[CheckEntry] = []
