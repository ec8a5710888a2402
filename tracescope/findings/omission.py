"""What a note supports and what it leaves open, as tables and as a fragment that a manifest can cite."""

from __future__ import annotations

import json

import msgspec

from tracescope.findings.observe import title_of
from tracescope.findings.result_schema import (
    Band,
    CheckEntry,
    EvidenceEntry,
    MeasurementEntry,
    Number,
    ResultFile,
)
from tracescope.findings.wording import entry, say

SCHEMA = 1


class SourceDigest(msgspec.Struct, frozen=True):
    """One recording, by its hash."""

    side: str
    path: str
    sha256: str
    episode: str | None


class Supported(msgspec.Struct, frozen=True):
    """A range of one signal in which a check passed: beyond it nothing is said."""

    channel: str
    range: Band
    check: str
    corrected: bool


class Discrepancy(msgspec.Struct, frozen=True):
    """A measured quantity and the budget it is held against."""

    quantity: str
    estimate: Number
    interval: Band | None
    confidence: float
    unit: str
    n: Number


class Omission(msgspec.Struct, frozen=True):
    """One difference between the two systems that is not closed.

    ``status`` is ``shown`` where the whole interval lies outside the budget and ``open`` where the estimate
    does and the interval does not decide.
    """

    mechanism: str
    check: str
    status: str
    states_affected: list[str]
    measured: Discrepancy
    budget: Band
    evidence: list[EvidenceEntry]


class OmissionLog(msgspec.Struct, frozen=True):
    """The fragment: every difference not closed, with the sources it was measured on."""

    schema: int
    tracescope: str
    created: str
    sources: list[SourceDigest]
    omissions: list[Omission]
    supported: list[Supported]


def omission_log(result: ResultFile) -> OmissionLog:
    """Collect what a result supports and what it leaves open."""
    sides = (("simulator", result.pair.sim), ("target", result.pair.target))
    return OmissionLog(
        SCHEMA,
        result.tracescope,
        result.created,
        [SourceDigest(name, side.path, side.sha256, side.episode) for name, side in sides],
        [
            _omission(result, check, m)
            for check in (*result.checks, *result.probes)
            for m in check.measurements
            if status_of(m)
        ],
        _supported(result),
    )


def status_of(m: MeasurementEntry) -> str:
    """Return ``shown``, ``open`` or ``""`` where a measurement shows no difference left open."""
    if m.tolerance is None or m.blocked:
        return ""
    if m.state == "fail":
        return "shown"
    if m.state != "inconclusive" or m.estimate is None:
        return ""
    low, high = m.tolerance
    outside = (low is not None and m.estimate < low) or (high is not None and m.estimate > high)
    return "open" if outside else ""


def _omission(result: ResultFile, check: CheckEntry, m: MeasurementEntry) -> Omission:
    evidence = [e for e in check.evidence if not m.channel or e.channel == m.channel]
    return Omission(
        _mechanism(result, check, m),
        check.id,
        status_of(m),
        [m.channel] if m.channel else [],
        Discrepancy(m.quantity, m.estimate, m.interval, m.confidence, m.unit, m.n),
        m.tolerance or (None, None),
        evidence or list(check.evidence),
    )


def _mechanism(result: ResultFile, check: CheckEntry, m: MeasurementEntry) -> str:
    """Name the leading explanation of a measurement, else what the check's family means; always a lead."""
    named = entry("mechanism", m.quantity)
    explained = _explained(result, check, m)
    return f"{named}: {explained[:1].lower()}{explained[1:]}" if named else explained


def _explained(result: ResultFile, check: CheckEntry, m: MeasurementEntry) -> str:
    own = [i for i in result.findings.inferred if i.family == check.id and not i.by_hand]
    for inferred in own:
        if any(rest.startswith(_begins(m)) for rest in inferred.rests_on):
            return inferred.text
    for inferred in own:
        if m.channel and m.channel in inferred.text:
            return inferred.text
    if entry("hypothesis", check.id):
        return say("hypothesis", check.id)
    return say("hypothesis", "other", family=title_of(check.id))


def _begins(m: MeasurementEntry) -> str:
    """Return how a measurement begins among what an inference rests on."""
    return f"{m.quantity} of {m.channel} " if m.channel else f"{m.quantity} "


def _supported(result: ResultFile) -> list[Supported]:
    corrected = {c.channel for c in result.corrections}
    return [
        Supported(c.channel, c.range, check.id, c.channel in corrected)
        for check in result.checks
        if check.state == "pass"
        for c in check.coverage
        if c.channel and c.range is not None
    ]


def omission_schema_text() -> str:
    """Return the fragment's JSON schema (2020-12) as text, ending in a newline."""
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tracescope omission log, schema 1",
        **msgspec.json.schema(OmissionLog),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
