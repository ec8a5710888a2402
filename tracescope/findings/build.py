"""Findings from results: observed, inferred, untested, ranked hypotheses, one next test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from tracescope.analysis.workbench import Workbench
from tracescope.findings.merging import merged
from tracescope.findings.next_test import next_test
from tracescope.findings.numbers import listed, measured_texts, range_text, with_minus
from tracescope.findings.observe import (
    all_observed,
    capitalised,
    needed_by,
    opened,
    short,
    title_of,
)
from tracescope.findings.ranking import ranked
from tracescope.findings.safeguard import safeguard_of
from tracescope.findings.suspects import Supposed, with_suspects
from tracescope.findings.wording import say
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Lead, Measurement, State
from tracescope.model.finding import Inferred, Report, Untested
from tracescope.model.pair import TracePair

READ_OFF = {"delay": "latency", "rate": "interval ratio"}
"""Kinds of lead whose measurement is called otherwise."""

MOST_RESTS = 6
"""An inference names at most so many of the measurements it rests on."""


def build_report(
    case: Case,
    results: Sequence[CheckResult],
    bench: Workbench | None = None,
    supposed: Supposed | None = None,
) -> Report:
    """Put results into findings.

    Args:
        case: What was judged.
        results: In the order of the checks.
        bench: The workbench the checks used, so that nothing is computed twice.
        supposed: What the checks would say if what stands before them were settled.
    """
    bench = Workbench(case) if bench is None else bench
    results = with_suspects(bench, results, supposed)
    hypotheses = ranked(bench, results)
    return Report(
        observed=all_observed(results),
        inferred=_inferred(results),
        untested=tuple(_untested(case, results)),
        hypotheses=hypotheses,
        next_test=next_test(results, hypotheses),
    )


def leads_of(results: Iterable[CheckResult]) -> tuple[tuple[CheckResult, Lead], ...]:
    """Return every lead with the result it comes from; the same lead of two checks once."""
    seen: dict[tuple[str, str, tuple[str, ...]], tuple[CheckResult, Lead]] = {}
    for result in results:
        for lead in result.leads:
            seen.setdefault((lead.family, lead.kind or lead.text, lead.channels), (result, lead))
    return tuple(seen.values())


def _inferred(results: Sequence[CheckResult]) -> tuple[Inferred, ...]:
    return tuple(_of_lead(*found, place) for place, found in enumerate(leads_of(results)))


def _of_lead(result: CheckResult, lead: Lead, place: int) -> Inferred:
    channel, safeguard = safeguard_of(lead.family, lead.kind, lead.channels)
    return Inferred(
        text=with_minus(capitalised(lead.text)).rstrip("."),
        rests_on=_rests_on(result, lead),
        would_be_wrong_if=lead.would_be_wrong_if or say("next_test", lead.family, "falsifies"),
        family=lead.family,
        not_told_apart=lead.not_told_apart,
        id=f"{result.id}/lead/{place}/{lead.kind or lead.family}",
        gap_channel=channel,
        safeguard=safeguard,
    )


def _rests_on(result: CheckResult, lead: Lead) -> tuple[str, ...]:
    """Return what a lead rests on: the measurements it was read off, or the check's reason.

    Of its channels' measurements those that fail, else those not decided, else all; of the check's own where no
    channel has one.
    """
    about = [m for m in result.measurements if not lead.channels or m.channel in lead.channels]
    about = _of_kind(about, lead.kind) or about
    telling = [m for m in about if m.judged and m.state is State.FAIL]
    known = [m for m in about if math.isfinite(m.estimate)]
    judged = [m for m in known if m.judged]
    telling = telling or [m for m in judged if m.state is not State.PASS]
    chosen = telling or judged or known or _apart(result, lead.kind)
    return tuple(short(m) for m in chosen[:MOST_RESTS]) or (result.reason or title_of(result.id),)


def _of_kind(measurements: Sequence[Measurement], kind: str) -> list[Measurement]:
    word = READ_OFF.get(kind, kind.replace("-", " "))
    return [m for m in measurements if word and word in m.quantity and math.isfinite(m.estimate)]


def _apart(result: CheckResult, kind: str) -> list[Measurement]:
    """Return the check's measurements outside their tolerance, else those that reach out of it."""
    judged = [m for m in result.measurements if m.judged and not m.blocked and m.interval]
    failed = [m for m in judged if m.state is State.FAIL]
    return _of_kind(failed, kind) or failed or [m for m in judged if m.state is not State.PASS]


def _untested(case: Case, results: Sequence[CheckResult]) -> Iterable[Untested]:
    yield from _one_sided(case.pair)
    names = frozenset(c.name for trace in (case.pair.sim, case.pair.target) for c in trace)
    for result in results:
        title = title_of(result.id)
        if result.state is State.INCONCLUSIVE:
            yield Untested(
                say("untested", "check", title=title, reason=result.reason.rstrip(".")),
                needed_by(result),
                result.id,
                f"{result.id}/undecided",
            )
        elif result.state is State.FAIL:
            yield from _undecided_measurements(result)
        for place, untold in enumerate(merged(result.untested, names)):
            need = untold.would_need or needed_by(result)
            yield Untested(
                with_minus(opened(untold.text, names)),
                with_minus(need),
                result.id,
                f"{result.id}/untested/{place}",
            )
        yield from _beyond(result, title)


def _undecided_measurements(result: CheckResult) -> Iterable[Untested]:
    """A failing check's undecided measurements: the failure must not hide them."""
    told = " ".join(untold.text for untold in result.untested)
    groups: dict[tuple[str, str], list[Measurement]] = {}
    for m in result.measurements:
        undecided = m.judged and m.required and m.state is State.INCONCLUSIVE
        if undecided and not (m.channel and m.channel in told):
            groups.setdefault((m.quantity, m.blocked), []).append(m)
    for (quantity, blocked), group in groups.items():
        names, more = listed([_with_interval(m, blocked) for m in group])
        about = f" of {names}" if names else ""
        yield Untested(
            say(
                "untested",
                "measurement",
                subject=f"{capitalised(quantity)}{about}" + (f" and {more} more" if more else ""),
                why=blocked,
            ),
            needed_by(result),
            result.id,
            f"{result.id}/undecided/{quantity}/{group[0].channel}",
        )


def _with_interval(m: Measurement, blocked: str) -> str:
    interval = "" if blocked else measured_texts(m)[1]
    name = m.channel or ("the pair" if interval else "")
    return f"{name} ({interval})" if interval else name


def _beyond(result: CheckResult, title: str) -> Iterable[Untested]:
    ranges = [
        f"{c.channel} {range_text(c.range)}" for c in result.coverage if c.range and c.channel
    ]
    if ranges:
        text, more = listed(ranges)
        yield Untested(
            say("untested", "range", title=title, listed=text, more=more),
            say("untested", "range_needs"),
            result.id,
            f"{result.id}/range",
        )


def _one_sided(pair: TracePair) -> Iterable[Untested]:
    sides = (("simulator", pair.sim), ("target", pair.target))
    there = [side for side, trace in sides if trace.channels]
    if len(there) == 1:
        missing = "target" if there == ["simulator"] else "simulator"
        yield Untested(
            say("untested", "alone", side=there[0]),
            say("untested", "alone_needs", missing=missing),
            "",
            "pair/alone",
        )
        return
    if not pair.matches:
        yield Untested(say("untested", "nothing"), say("untested", "only_needs"), "", "pair/none")
        return
    matched_sim = {m.sim for m in pair.matches}
    matched_target = {m.target for m in pair.matches}
    for key, trace, matched in (
        ("only_sim", pair.sim, matched_sim),
        ("only_target", pair.target, matched_target),
    ):
        names = [c.name for c in trace if c.name not in matched]
        if names:
            text, more = listed(names)
            yield Untested(
                say("untested", key, listed=text, more=more),
                say("untested", "only_needs"),
                "",
                f"pair/{key}",
            )
