"""Rows of a note's tables, from the result file's value."""

from __future__ import annotations

from pathlib import PurePath
from typing import Protocol

from tracescope.findings.follow_up import FollowUp, Outcome
from tracescope.findings.note.document import (
    CheckRow,
    FollowUpText,
    MeasurementRow,
    OpenRow,
    OutcomeRow,
    SourceRow,
    SupportedRow,
)
from tracescope.findings.note.key import key_measurement
from tracescope.findings.numbers import (
    COUNTED,
    DUST,
    UNKNOWN,
    UNTOLD,
    band_text,
    clipped,
    count_text,
    estimate_text,
    interval_text,
    is_counted,
    listed,
    measured_texts,
    number,
    range_text,
    unit_of,
    value_text,
    with_minus,
)
from tracescope.findings.observe import capitalised, title_of
from tracescope.findings.omission import Omission, Supported
from tracescope.findings.result_schema import CheckEntry, MeasurementEntry, ResultFile, SideEntry
from tracescope.model.case import Case
from tracescope.model.trace import placed
from tracescope.model.words import counted

MOST_COVERS = 110
"""The column of what a check covers holds so many characters; the section of checks has it whole."""

NOTHING = "nothing measured"
NOT_JUDGED = "not judged"

SHOWN_PPM = 1e-3
"""A smaller drift is rounding: a microsecond in a quarter of an hour."""

STAMPS = 1e-9
"""Half an interval below this share of an offset is the rounding of its computation."""

MARKS = {"pass": "✓", "fail": "✕", "inconclusive": "?"}
HOW = {
    "assumed": "assumed, nothing was estimated",
    "estimated": "estimated",
    "given": "given by a person",
    "hand": "set by hand",
    "anchors": "from events marked in both traces",
}


def sentence(text: str) -> str:
    """Return a clause as a sentence: a capital first letter and a full stop."""
    text = with_minus(capitalised(text.strip()))
    return text if not text or text[-1] in ".!?" else f"{text}."


def file_name(path: str) -> str:
    """Return a path's last part."""
    return PurePath(path).name or path


def source_row(side: str, entry: SideEntry) -> SourceRow:
    """Return the row of one recording."""
    health = [placed(h.what, h.where) + (f": {h.done}" if h.done else "") for h in entry.health]
    return SourceRow(
        side,
        entry.path,
        entry.sha256,
        entry.layout or "not known",
        entry.episode or "the file is one episode",
        str(entry.steps),
        value_text(entry.duration_s, None, "s"),
        value_text(entry.interval_s, None, "s"),
        tuple(health),
    )


def alignment_lines(case: Case, result: ResultFile) -> tuple[str, ...]:
    """Say how the target was laid on the simulator's clock, one sentence a line."""
    alignment, entry = case.alignment, result.alignment
    pairing = "step counter" if alignment.mode == "step" else "time"
    words = alignment.in_words(case.pair.target.interval_s)
    lines = [
        f"Rows are paired by {pairing}; {_paired(entry.overlap_steps)}.",
        f"The target was {words} ({_how(alignment.how, alignment.note)}).",
        _offset_line(entry.offset_s, entry.offset_interval_s),
    ]
    if abs(alignment.drift_ppm) >= SHOWN_PPM:
        interval = interval_text(entry.drift_interval_ppm, "ppm") or "no interval is claimed"
        lines.append(f"Drift {number(entry.drift_ppm)} ppm ({interval}).")
    if entry.rivals:
        rivals = ", ".join(
            f"{value_text(r.offset_s, None, 's')} (score {number(r.score)})" for r in entry.rivals
        )
        lines.append(f"Offsets that cannot be excluded: {rivals}.")
    lines.append(
        "A positive offset says that the target's stamps are late; taking it out moves the target left."
    )
    return tuple(lines)


def _paired(rows: int) -> str:
    return f"{counted(rows, 'row')} {'is' if rows == 1 else 'are'} paired"


def _how(how: str, note: str) -> str:
    """Say how an alignment came about; a note that begins with the same word is enough."""
    words = HOW[how]
    if not note:
        return words
    return note if note.startswith(words.split(",")[0]) else f"{words}: {note}"


def _offset_line(offset_s: float | None, interval: tuple[float | None, float | None] | None) -> str:
    value, text = estimate_text(offset_s, interval, "s")
    if interval is not None:
        half_s = ((interval[1] or 0.0) - (interval[0] or 0.0)) / 2
        if half_s <= STAMPS * abs(offset_s or 0.0) or half_s < DUST["s"]:
            text = "to the stamps' last digit"
    return f"Clock offset {value} ({text or 'no interval is claimed'})."


def check_row(check: CheckEntry) -> CheckRow:
    """Return the row of one check."""
    key = key_measurement(check)
    value, interval, tolerance, n = (NOTHING, "", "", "")
    if key is not None:
        estimate, interval = measured_texts(key)
        subject = f"{key.quantity} of {key.channel}" if key.channel else key.quantity
        value = f"{subject}: {estimate}{_others(check)}"
        unit = unit_of(key.quantity, key.unit)
        tolerance = band_text(key.tolerance, unit) if key.tolerance else NOT_JUDGED
        interval = interval if interval or estimate in (UNKNOWN, UNTOLD) else UNKNOWN
        interval = COUNTED if is_counted(key.estimate, key.interval) else interval
        n = count_text(key.n)
    flags = ("depends on the alignment",) if check.depends_on_alignment else ()
    coverage = _coverage(check)
    return CheckRow(
        check.id,
        title_of(check.id),
        check.state,
        MARKS.get(check.state, "?"),
        value,
        interval,
        tolerance,
        n,
        coverage,
        sentence(check.reason),
        would_text(check),
        check.settle.rstrip(".") if check.state == "inconclusive" else "",
        flags,
        clipped(coverage, MOST_COVERS),
    )


def _others(check: CheckEntry) -> str:
    """Say how many measurements lie outside besides the one that the table shows."""
    failed = sum(m.state == "fail" and m.tolerance is not None for m in check.measurements)
    return f" (and {counted(failed - 1, 'more measurement')} outside)" if failed > 1 else ""


class Said(Protocol):
    """A state with its reason: of a check, or of what it would be."""

    @property
    def state(self) -> str: ...

    @property
    def reason(self) -> str: ...


def says_the_same(check: Said, would: Said) -> bool:
    """Whether a correction would change neither the state nor the words: nothing to say twice."""
    words = would.reason.partition(": ")[2] if would.reason.startswith("with ") else would.reason
    return would.state == check.state and words.rstrip(".") in check.reason


def would_text(check: CheckEntry) -> str:
    """Return what the check would be with pending corrections: ``pass with obs[0] ÷ 1.5: …``."""
    if check.would is None or says_the_same(check, check.would):
        return ""
    reason = check.would.reason.rstrip(".")
    if not reason.startswith("with "):
        reason = f"with {', '.join(check.would.corrections)}: {reason}"
    return f"{check.would.state} {reason}"


def _coverage(check: CheckEntry) -> str:
    parts = [c.statement or f"{c.channel} {range_text(c.range)}".strip() for c in check.coverage]
    text, more = listed(tuple(dict.fromkeys(map(with_minus, parts))), 4)
    return f"{text} and {more} more" if more else text


def measurement_row(check_id: str, m: MeasurementEntry) -> MeasurementRow:
    """Return the row of one measurement."""
    estimate, interval = measured_texts(m)
    interval = COUNTED if is_counted(m.estimate, m.interval) else interval
    return MeasurementRow(
        title_of(check_id),
        m.quantity,
        m.channel,
        estimate,
        interval,
        band_text(m.tolerance, unit_of(m.quantity, m.unit)) if m.tolerance else "",
        count_text(m.n),
        m.state if m.tolerance else NOT_JUDGED,
    )


def supported_row(supported: Supported) -> SupportedRow:
    """Return the row of one supported range."""
    return SupportedRow(
        supported.channel,
        range_text(supported.range),
        title_of(supported.check),
        supported.corrected,
    )


def open_row(omission: Omission) -> OpenRow:
    """Return the row of one difference that is not closed."""
    m = omission.measured
    unit = unit_of(m.quantity, m.unit)
    estimate, interval = estimate_text(m.estimate, m.interval, unit, omission.budget)
    interval = "" if is_counted(m.estimate, m.interval) else interval
    return OpenRow(
        title_of(omission.check),
        f"{m.quantity} of {omission.states_affected[0]}"
        if omission.states_affected
        else m.quantity,
        f"{estimate} ({interval})" if interval else estimate,
        band_text(omission.budget, unit),
        omission.status,
        omission.mechanism,
    )


def follow_up_text(follow: FollowUp) -> FollowUpText:
    """Say what became of an earlier note's prediction."""
    before = follow.prediction
    first = (
        f'This pair follows up "{before.title}" of {before.date} (SHA-256 {before.sha256[:16]}…),'
    )
    test = f"which predicted for the family {title_of(before.family).lower()}: {before.do}"
    lines = [f"{first} {test}", f"The prediction is {follow.outcome}."]
    if follow.surviving:
        families = ", ".join(title_of(f).lower() for f in follow.surviving)
        lines.append(f"Hypotheses that survive: {families}.")
    else:
        lines.append("No hypothesis of that note survives.")
    if len(follow.changed) > 1:
        lines.append(
            "More than one factor changed between the two pairs, so the outcome cannot be put down to"
            f" one of them: {'; '.join(follow.changed)}."
        )
    elif follow.changed:
        lines.append(f"Changed between the two pairs: {follow.changed[0]}.")
    lines += [f'Earlier: "{link.title}" of {link.date}, {link.outcome}.' for link in before.chain]
    return FollowUpText(tuple(lines), tuple(_outcome_row(o) for o in follow.outcomes))


def _outcome_row(outcome: Outcome) -> OutcomeRow:
    unit = unit_of(outcome.quantity, outcome.unit)
    estimate, interval = estimate_text(outcome.estimate, outcome.measured, unit, outcome.predicted)
    interval = "" if is_counted(outcome.estimate, outcome.measured) else interval
    name = f"{outcome.quantity} of {outcome.channel}" if outcome.channel else outcome.quantity
    return OutcomeRow(
        name,
        band_text(outcome.predicted, unit),
        f"{estimate} ({interval})" if interval else estimate,
        outcome.outcome,
    )
