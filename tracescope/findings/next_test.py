"""The one test to do next: one factor changed, able to show the leader wrong, its outcome predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracescope.findings.next_test_tied import separating_test
from tracescope.findings.numbers import listed, spoken, value_text
from tracescope.findings.observe import needed_by, title_of
from tracescope.findings.suspects import is_suspect
from tracescope.findings.wording import entry, say
from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult, Lead, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.finding import Hypothesis, NextTest, Prediction

MOST_PREDICTED = 8
ALIKE_FROM = 3
"""So many channels with one correction are named together."""

DELAYS = ("delay", "latency", "response delay")
LATENCY = "latency"
RATE = "rate"
KEEPS_ITS_GAP = ("dynamics", "reward", "termination")
"""Families whose test repeats the measurement instead of removing the difference."""


def next_test(results: Sequence[CheckResult], hypotheses: Sequence[Hypothesis]) -> NextTest | None:
    """Choose the next test: of the leading hypothesis, else of the first check that could not decide.

    Where others explain the pair as well as the leader, the test is what tells them apart.
    Where only undecided numbers point to the leader, the test is what would decide them. Returns ``None``
    where every check passed and nothing stayed untested.
    """
    if hypotheses and is_suspect(hypotheses[0].family, results):
        doubtful = next((r for r in results if r.id == hypotheses[0].family), None)
        if doubtful is not None and doubtful.settle:
            return _of_doubt(doubtful)
    if hypotheses:
        return separating_test(results, hypotheses) or _of_leader(results, hypotheses)
    for result in results:
        if result.state is State.INCONCLUSIVE:
            return _of_doubt(result)
    for result in results:
        for untold in result.untested:
            return _undecided(result, untold.would_need, result.measurements)
    return None


def _of_leader(results: Sequence[CheckResult], hypotheses: Sequence[Hypothesis]) -> NextTest | None:
    leader = hypotheses[0]
    result = next((r for r in results if r.id == leader.family), None)
    leads = [lead for r in results for lead in r.leads if lead.family == leader.family]
    key = _key(leader.family, result)
    values = {
        "channels": _some(leader.channels) or "the channels concerned",
        "corrections": _some(_alike(result.pending)) if result else "",
        "value": _value(leads),
    }
    do = say("next_test", key, "do", **values)
    falsifies = say("next_test", key, "falsifies", **values)
    rivals = sorted({rival for lead in leads for rival in lead.not_told_apart})
    if rivals and key != RATE:
        named = {
            "do": do,
            "falsifies": falsifies,
            "leader": title_of(leader.family).lower(),
            "rivals": spoken([rival.replace("-", " ") for rival in rivals]),
        }
        do = say("next_test", "separate", "do", **named)
        falsifies = say("next_test", "separate", "falsifies", **named)
    predicted = _predicted(leader.family, result)
    return NextTest(leader.family, do, falsifies, predicted)


def _key(family: str, result: CheckResult | None) -> str:
    """Choose the test's sentence: a loop that does not keep its rate has another cure than a delay."""
    if not entry("next_test", family):
        return "replay"
    failed = _failed(result)
    if family == "timing" and failed and not any(LATENCY in m.quantity for m in failed):
        return RATE
    return family


def _failed(result: CheckResult | None) -> list[Measurement]:
    measurements = () if result is None else result.measurements
    return [m for m in measurements if m.judged and m.state is State.FAIL]


def _alike(corrections: Sequence[Correction]) -> list[str]:
    """Write corrections, those that do the same to many channels as one."""
    groups: dict[str, list[Correction]] = {}
    for one in corrections:
        groups.setdefault(one.in_short if one.source is None else str(one), []).append(one)
    said = []
    for what, of in groups.items():
        if len(of) < ALIKE_FROM:
            said += [str(one) for one in of]
        else:
            said.append(f"{len(of)} channels {what}: {_some([one.channel for one in of])}")
    return said


def _some(items: Sequence[str]) -> str:
    text, more = listed(items, 4)
    return f"{text} and {more} more" if more else text


def _value(leads: Sequence[Lead]) -> str:
    """Return the delay that was fitted, in words: the only number a test sentence repeats."""
    delays = [lead.value for lead in leads if lead.kind in DELAYS and lead.value is not None]
    return f" of {value_text(delays[0], None, 's')}" if delays else ""


def _predicted(family: str, result: CheckResult | None) -> tuple[Prediction, ...]:
    """Say where the measurements that failed will lie if the leader is right.

    Where the test removes the factor they fall into their tolerance; where it only isolates the factor
    they are measured again about where they were measured now.
    """
    if result is None:
        return ()
    failed = _failed(result)
    if family == "timing":  # one factor: a delay taken out leaves jitter and losses as they are
        failed = [m for m in failed if LATENCY in m.quantity] or failed
    if family in KEEPS_ITS_GAP:
        again = [(m, _again(m)) for m in failed[:MOST_PREDICTED]]
        return tuple(
            Prediction(m.quantity, m.channel, interval, m.unit)
            for m, interval in again
            if interval is not None
        )
    return _bands(failed or [m for m in result.measurements if m.judged])


def _again(m: Measurement) -> Interval | None:
    """Return where the interval of a repeated measurement lies if nothing changed, or ``None``.

    A repetition's interval of half-width h about an estimate that differs by up to √2 h reaches
    (1 + √2) h from this estimate; a count may differ by half its tolerance. Never into the tolerance:
    there the difference would be gone, and the prediction could not be shown wrong.
    """
    if m.interval is None or m.tolerance is None or not all(map(math.isfinite, m.interval)):
        return None
    middle = (m.interval[0] + m.interval[1]) / 2
    reach = (1 + math.sqrt(2)) * (m.interval[1] - m.interval[0]) / 2
    width = m.tolerance[1] - m.tolerance[0]
    if reach == 0 and math.isfinite(width):
        reach = width / 2
    low, high = middle - reach, middle + reach
    if m.interval[0] > m.tolerance[1]:
        return (max(low, m.tolerance[1]), high)
    return (low, min(high, m.tolerance[0]))


def _bands(measurements: Sequence[Measurement]) -> tuple[Prediction, ...]:
    return _all_bands(measurements)[:MOST_PREDICTED]


def _all_bands(measurements: Sequence[Measurement]) -> tuple[Prediction, ...]:
    return tuple(
        Prediction(m.quantity, m.channel, m.tolerance, m.unit)
        for m in measurements
        if m.tolerance is not None
    )


def _of_doubt(result: CheckResult) -> NextTest:
    doubtful = [m for m in result.measurements if m.judged and m.state is State.INCONCLUSIVE]
    if result.id == "dynamics" and not result.would:
        do, falsifies = (say("next_test", "replay", part) for part in ("do", "falsifies"))
        return NextTest(result.id, do, falsifies, _bands(doubtful))
    untold = next((u.would_need for u in result.untested), "")
    need = result.settle or untold or needed_by(result)
    return _undecided(result, need, doubtful)


def _undecided(result: CheckResult, need: str, measured: Sequence[Measurement]) -> NextTest:
    need = need.rstrip(".")
    do = "do" if result.state is State.INCONCLUSIVE else "do_open"
    counting, predicted = len(_all_bands(measured)), _bands(measured)
    key = "falsifies" if predicted else "falsifies_unmeasured"
    if counting > len(predicted):  # those that are shown do not pass the check by themselves
        key = "falsifies_some"
    return NextTest(
        result.id,
        say("next_test", "undecided", do, check=title_of(result.id).lower(), need=need),
        say("next_test", "undecided", key, shown=len(predicted), all=counting),
        predicted,
    )
