"""Turn a judged case into the result file's value: the numbers every note and script shares."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracescope.findings import result_schema as schema
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement
from tracescope.model.correction import Correction
from tracescope.model.finding import NextTest, Report
from tracescope.model.trace import Trace

SCHEMA = 1


def finite(value: float | None) -> float | None:
    """Return the number, or ``None`` where it is not finite: JSON never holds NaN."""
    return float(value) if value is not None and math.isfinite(value) else None


def band(interval: Interval | None, factor: float = 1.0) -> schema.Band | None:
    """Return an interval with unbounded ends as ``None``."""
    if interval is None:
        return None
    return finite(interval[0] * factor), finite(interval[1] * factor)


def result_value(
    case: Case,
    results: Sequence[CheckResult],
    report: Report,
    overlap_steps: int,
    created: str,
    probes: Sequence[CheckResult] = (),
) -> schema.ResultFile:
    """Build the result file's value.

    Args:
        case: What was judged.
        results: In the order of the checks.
        report: Findings as the person left them.
        overlap_steps: Paired rows.
        created: ISO 8601 with zone.
        probes: Results of what a person probed.
    """
    from tracescope import __version__

    return schema.ResultFile(
        schema=SCHEMA,
        tracescope=__version__,
        created=created,
        pair=schema.PairEntry(_side(case.pair.sim), _side(case.pair.target)),
        alignment=_alignment(case, overlap_steps),
        corrections=[_correction(c) for c in case.corrections],
        checks=[_check(result) for result in results],
        findings=_findings(report),
        hypotheses=[
            schema.HypothesisEntry(
                h.family,
                list(h.channels),
                finite(h.explains),
                h.rank,
                h.text,
                h.explains_of,
                list(h.not_told_apart),
            )
            for h in report.hypotheses
        ],
        next_test=_next_test(report.next_test),
        probes=[_check(result) for result in probes],
    )


def _side(trace: Trace) -> schema.SideEntry:
    source = trace.source
    return schema.SideEntry(
        path=source.path,
        sha256=source.sha256,
        layout=source.layout,
        episode=source.episode,
        steps=len(trace),
        duration_s=finite(trace.duration_s),
        interval_s=finite(trace.interval_s),
        channels=[schema.ChannelEntry(c.name, str(c.role), c.unit) for c in trace],
        health=[schema.HealthEntry(h.what, h.where, int(h.count), h.done) for h in trace.health],
    )


def _alignment(case: Case, overlap_steps: int) -> schema.AlignmentEntry:
    alignment = case.alignment
    return schema.AlignmentEntry(
        mode=alignment.mode,
        how="given" if alignment.how == "hand" else alignment.how,
        offset_s=finite(alignment.offset_s),
        offset_interval_s=band(alignment.offset_interval_s),
        drift_ppm=finite(alignment.drift_ppm),
        drift_interval_ppm=band(alignment.drift_interval, 1e6),
        step_shift=alignment.step_shift,
        overlap_steps=overlap_steps,
        rivals=[schema.RivalEntry(finite(r.offset_s), finite(r.score)) for r in alignment.rivals],
    )


def _correction(correction: Correction) -> schema.CorrectionEntry:
    return schema.CorrectionEntry(
        correction.channel, float(correction.scale), float(correction.offset), correction.source
    )


def _check(result: CheckResult) -> schema.CheckEntry:
    would = result.would
    return schema.CheckEntry(
        id=result.id,
        state=str(result.state),
        reason=result.reason,
        measurements=[_measurement(m) for m in result.measurements],
        coverage=[
            schema.CoverageEntry(c.channel, band(c.range), c.statement) for c in result.coverage
        ],
        applied=list(result.applied),
        would=None
        if would is None
        else schema.WouldEntry(list(would.corrections), str(would.state), would.reason),
        evidence=[
            schema.EvidenceEntry(e.channel, (finite(e.span_s[0]), finite(e.span_s[1])))
            for e in result.evidence
        ],
        counts={name: int(count) for name, count in result.counts},
        pending=[_correction(c) for c in result.pending],
        settle=result.settle,
        depends_on_alignment=result.depends_on_alignment,
    )


def _measurement(m: Measurement) -> schema.MeasurementEntry:
    return schema.MeasurementEntry(
        quantity=m.quantity,
        channel=m.channel,
        estimate=finite(m.estimate),
        interval=band(m.interval),
        confidence=m.confidence,
        unit=m.unit,
        n=finite(m.n),
        tolerance=band(m.tolerance),
        state=str(m.state),
        note=m.note,
        blocked=m.blocked,
    )


def _findings(report: Report) -> schema.FindingsEntry:
    return schema.FindingsEntry(
        [schema.ObservedEntry(o.text, o.check) for o in report.observed],
        [
            schema.InferredEntry(
                i.text,
                list(i.rests_on),
                i.would_be_wrong_if,
                i.family,
                list(i.not_told_apart),
                i.gap_channel,
                i.safeguard,
                i.by_hand,
            )
            for i in report.inferred
        ],
        [schema.UntestedEntry(u.text, u.would_need) for u in report.untested],
    )


def _next_test(test: NextTest | None) -> schema.NextTestEntry | None:
    if test is None:
        return None
    predicted = [
        schema.PredictedEntry(
            p.quantity, p.channel, (finite(p.interval[0]), finite(p.interval[1])), p.unit
        )
        for p in test.predicted
    ]
    return schema.NextTestEntry(test.family, test.do, test.falsifies, predicted)
