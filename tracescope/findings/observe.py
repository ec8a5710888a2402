"""Observed: measurements in words. Quantity, value, unit, interval, effective n, range; no causes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from tracescope.findings.numbers import (
    band_text,
    count_text,
    estimate_text,
    is_counted,
    listed,
    percent,
    range_text,
)
from tracescope.findings.wording import say
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
    value, interval = estimate_text(measurement.estimate, measurement.interval, measurement.unit)
    subject = measurement.quantity
    if measurement.channel:
        subject += f" of {measurement.channel}"
    shown = interval and not is_counted(measurement.estimate, measurement.interval)
    return f"{subject} {value} ({interval})" if shown else f"{subject} {value}"


def observed_of(result: CheckResult) -> tuple[Observed, ...]:
    """Put one check's measurements into words: outside first, then undecided, inside, not judged."""
    judged = [m for m in result.measurements if m.judged]
    found = [_single(result, m) for m in judged if m.state is State.FAIL]
    found += _grouped(result, [m for m in judged if m.state is State.INCONCLUSIVE], "undecided")
    found += _grouped(result, [m for m in judged if m.state is State.PASS], "inside")
    found += _grouped(result, [m for m in result.measurements if not m.judged], "reported")
    if result.counts:
        text, _ = listed([counted(count, name) for name, count in result.counts], 12)
        found.append(
            Observed(
                say("observed", "counts", title=title_of(result.id), listed=text),
                result.id,
                f"{result.id}/counts",
            )
        )
    return tuple(found)


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
    value, interval = estimate_text(m.estimate, m.interval, m.unit)
    counted = is_counted(m.estimate, m.interval)
    return say(
        "observed",
        "measurement",
        counted=counted,
        subject=subject_of(m),
        value=value,
        interval=interval,
        confidence=percent(m.confidence),
        n=count_text(m.n),
        tolerance=band_text(m.tolerance, m.unit) if m.judged else "",
        verdict=verdict_of(m),
        range=_range(result, m.channel),
        route=m.note,
    )


def verdict_of(measurement: Measurement) -> str:
    """Say how the interval lies to the tolerance."""
    if measurement.blocked.startswith(UNALIGNED):  # its reason stands once, under Alignment
        return say("observed", "verdict_unaligned")
    if measurement.blocked:
        return say("observed", "verdict_blocked", why=measurement.blocked)
    if not measurement.covered:
        return say("observed", "verdict_uncovered")
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
    return band_text(group[0].tolerance, group[0].unit) if len(bands) == 1 else "of each channel"


def _value_and_interval(m: Measurement) -> str:
    value, interval = estimate_text(m.estimate, m.interval, m.unit)
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
