"""Observed: measurements in words. Quantity, value, unit, interval, effective n, range; no causes."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Sequence

from tracescope.analysis.intervals import MIN_EFFECTIVE
from tracescope.findings.numbers import (
    band_text,
    count_text,
    is_counted,
    is_untold,
    listed,
    measured_texts,
    percent,
    range_text,
    unit_of,
    with_minus,
)
from tracescope.findings.wording import entry, say
from tracescope.model.check import CheckResult, Evidence, Measurement, State
from tracescope.model.finding import Observed

NAME = re.compile(r"[^\W\d]\S*[_/\[\d]|[a-z]+[A-Z]|[A-Za-z]{2,}[.][A-Za-z]")
"""What a channel's name begins with and no word of a sentence does."""

GROUPED_FROM = 2
"""From so many channels on, quantities inside one tolerance are told in one sentence."""

UNALIGNED = "alignment not established"
"""How a measurement begins to say that it waits for the alignment."""


def title_of(check_id: str) -> str:
    """Return a check's id as a title: ``Observation scaling``."""
    return check_id.replace("-", " ").replace("_", " ").capitalize()


def needed_by(result: CheckResult) -> str:
    """Return what would settle a check: its own word, what stands before it set right, or more to see."""
    if result.settle:
        return result.settle
    if result.would is not None and result.would.corrections:
        names, more = listed(result.would.corrections, 4)
        corrections = f"{names} and {more} more" if more else names
        return say("untested", "corrected_needs", corrections=corrections)
    own = entry("untested", "needs", result.id) is not None
    return say("untested", "needs", result.id) if own else say("untested", "check_needs")


def subject_of(measurement: Measurement) -> str:
    """Return ``Scale of obs[0]``."""
    quantity = _capital(measurement.quantity)
    return f"{quantity} of {measurement.channel}" if measurement.channel else quantity


def capitalised(text: str) -> str:
    """Return the text with a capital first letter, the rest as it was; a channel's name keeps its letters.

    A sentence that would begin with a name begins with the word *channel* instead.
    """
    if NAME.match(text):
        return f"Channel {text}"
    return _capital(text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def opened(text: str, names: Container[str]) -> str:
    """Return :func:`capitalised` of a text that may begin with one of these names, however plain it is."""
    first = text.split(" ", 1)[0]
    if first.rstrip(",:;") in names:
        return f"{'Channels' if first.endswith(',') else 'Channel'} {text}"
    return capitalised(text)


def short(measurement: Measurement) -> str:
    """Return ``scale of obs[0] 1.500 (1.473 to 1.528)``."""
    value, interval = measured_texts(measurement)
    subject = measurement.quantity
    if measurement.channel:
        subject += f" of {measurement.channel}"
    shown = interval and not is_counted(measurement.estimate, measurement.interval)
    return f"{subject} {value} ({interval})" if shown else f"{subject} {value}"


def observed_of(result: CheckResult) -> tuple[Observed, ...]:
    """Put one check's measurements into words: outside first, then undecided, inside, not judged.

    What was not measured, or cannot be told from so few rows, comes last: it was not observed.
    """
    return tuple(found for ranked in _by_rank(result) for found in ranked)


def all_observed(results: Iterable[CheckResult]) -> tuple[Observed, ...]:
    """Put all checks' measurements into words: what lies outside stands first, whichever check found it."""
    ranked = [_by_rank(result) for result in results]
    return tuple(f for rank in zip(*ranked, strict=True) for found in rank for f in found)


def _by_rank(result: CheckResult) -> tuple[list[Observed], ...]:
    judged = [m for m in result.measurements if m.judged]
    told = [m for m in result.measurements if _is_observed(m)]
    known = {id(m) for m in told}
    open_ones = [m for m in judged if m.state is State.INCONCLUSIVE]
    untold = [m for m in result.measurements if id(m) not in known]
    reported = _grouped(result, [m for m in told if not m.judged], "reported")
    return (
        [_single(result, m) for m in judged if m.state is State.FAIL],
        _grouped(result, [m for m in open_ones if id(m) in known], "undecided"),
        _grouped(result, [m for m in judged if m.state is State.PASS], "inside"),
        reported + _counts(result),
        _grouped(result, [m for m in untold if m.judged], "undecided")
        + _grouped(result, [m for m in untold if not m.judged], "reported"),
    )


def _is_observed(m: Measurement) -> bool:
    """Say whether a measurement has a number to tell; one that is decided always has."""
    decided = m.judged and m.state is not State.INCONCLUSIVE
    return decided or (math.isfinite(m.estimate) and not is_untold(m))


def _counts(result: CheckResult) -> list[Observed]:
    if not result.counts:
        return []
    text, _ = listed([counted(count, name) for name, count in result.counts], 12)
    said = say("observed", "counts", title=title_of(result.id), listed=text)
    return [Observed(said, result.id, f"{result.id}/counts")]


def _single(result: CheckResult, measurement: Measurement) -> Observed:
    return Observed(
        measurement_text(result, measurement),
        result.id,
        measurement_id(result, measurement),
        evidence_for(result, (measurement.channel,)),
    )


def measurement_id(result: CheckResult, measurement: Measurement) -> str:
    """Return the stable id of a measurement's finding."""
    return f"{result.id}/{measurement.quantity}/{measurement.channel}"


def measurement_text(result: CheckResult, m: Measurement) -> str:
    """Return the sentence of one measurement."""
    value, interval = measured_texts(m)
    counted = is_counted(m.estimate, m.interval)
    verdict = verdict_of(m)
    return say(
        "observed",
        "measurement",
        counted=counted,
        subject=subject_of(m),
        value=value,
        interval=interval,
        confidence=percent(m.confidence),
        n=count_text(m.n),
        tolerance=band_text(m.tolerance, unit_of(m.quantity, m.unit)) if m.judged else "",
        untold=is_untold(m),
        verdict=verdict,
        range=_range(result, m.channel),
        route="" if m.judged and with_minus(m.note) in with_minus(verdict) else m.note,
    )


def verdict_of(measurement: Measurement) -> str:
    """Say how the interval lies to the tolerance."""
    if measurement.blocked.startswith(UNALIGNED):  # its reason stands once, under Alignment
        return say("observed", "verdict_unaligned")
    if measurement.blocked:
        return say("observed", "verdict_blocked", why=measurement.blocked)
    if not _is_observed(measurement):
        return say("observed", "verdict_untold")
    if not measurement.covered:
        few = 0 < measurement.n < MIN_EFFECTIVE
        key = "verdict_few" if few else "verdict_uncovered"
        return say("observed", key, why=measurement.note)
    return say("observed", f"verdict_{measurement.state}")


def _range(result: CheckResult, channel: str) -> str:
    if not channel:  # a range of time, told by the check itself
        return ""
    return next(
        (range_text(c.range) for c in result.coverage if c.channel == channel and c.range), ""
    )


def evidence_for(result: CheckResult, channels: Iterable[str]) -> tuple[Evidence, ...]:
    """Return the evidence that shows these channels, or all of it where none does."""
    wanted = {channel for channel in channels if channel}
    matching = tuple(e for e in result.evidence if e.channel in wanted)
    return matching or result.evidence


def _grouped(result: CheckResult, measurements: Sequence[Measurement], how: str) -> list[Observed]:
    groups: dict[tuple[str, object, str], list[Measurement]] = {}
    for m in measurements:
        alike = verdict_of(m) if how == "undecided" else m.tolerance
        groups.setdefault((m.quantity, alike, m.unit), []).append(m)
    found = []
    for group in groups.values():
        if len(group) < GROUPED_FROM:
            found += [_single(result, m) for m in group]
        else:
            found.append(_group(result, group, how))
    return found


def _group(result: CheckResult, group: list[Measurement], how: str) -> Observed:
    if how == "inside":
        group = sorted(group, key=margin)
    text, more = listed([f"{m.channel} {_value_and_interval(m)}" for m in group])
    first = group[0]
    return Observed(
        say(
            "observed",
            how,
            quantity=_capital(first.quantity),
            tolerance=_common_band(group),
            confidence=percent(first.confidence),
            count=len(group),
            listed=text,
            more=more,
            verdict=verdict_of(first),
        ),
        result.id,
        f"{result.id}/{first.quantity}/{how}/{first.channel}",
        evidence_for(result, [m.channel for m in group]),
    )


def _common_band(group: Sequence[Measurement]) -> str:
    """Return the tolerance of a group, or that each channel has its own."""
    bands = {m.tolerance for m in group}
    if len(bands) > 1:
        return "of each channel"
    return band_text(group[0].tolerance, unit_of(group[0].quantity, group[0].unit))


def _value_and_interval(m: Measurement) -> str:
    value, interval = measured_texts(m)
    exact = is_counted(m.estimate, m.interval)
    return f"{value} ({interval})" if interval and not exact else value


def margin(measurement: Measurement) -> float:
    """Return how far the interval keeps from its tolerance's nearer limit, in the tolerance's unit.

    Negative where it reaches outside; infinite without interval or tolerance.
    """
    if measurement.interval is None or measurement.tolerance is None:
        return float("inf")
    low, high = measurement.interval
    return min(low - measurement.tolerance[0], measurement.tolerance[1] - high)


def counted(count: int, name: str) -> str:
    """Write a count with what it counts: ``1 action``, ``33 comparable transitions``."""
    return f"{count} {name.removesuffix('s') if count == 1 else name}"
