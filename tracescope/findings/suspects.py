"""What could not be decided and yet points somewhere: leads that say why they are not decided.

A check that something before it keeps from speaking decides nothing, and its family would go unnamed. Where
its numbers lie outside all the same, the family is named as a suspect: with why it is not decided, and what
would settle it. Suspects change no state of any check.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tracescope.analysis.workbench import Workbench
from tracescope.findings.observe import short
from tracescope.findings.suspects_ends import ended_early
from tracescope.findings.wording import entry, say
from tracescope.model.check import CHECK_IDS, CheckResult, Lead, Measurement, State

UNDECIDED = "undecided"
"""Kind of the leads made here."""

EXPLAINED = 0.8
"""Share of the one-step misfit from which another family already accounts for an observation that differs."""

OBSERVATION, DYNAMICS = "observation-scaling", "dynamics"
REWARD, TERMINATION = "reward", "termination"
SCALE, LEVEL, RATIO = "scale", "level", "kinematic scale ratio"

FAR_SCALE, FAR_TIMES = 2.0, 2.0
"""A scale beyond this factor, by this many times its interval on either side, is named on however few samples."""

BLOCKED_SCALE = 4.0
"""The same where the motions may differ, or may not belong together as they lie."""

FAR_LEVEL = 30.0
"""A level is named where it is this many times its tolerance off: three spreads of its channel, or more."""

FEWEST = 4
"""Effective samples from which a reward that lies outside is named although it may not count."""

BEYOND_BY = 2.0
"""A reward that lies outside by this many times its half-width is named on however few."""

MOVING = ("action", "timing", DYNAMICS)
"""Families that change the motion, and with it the spread and level of what is observed."""


@dataclass(frozen=True, slots=True)
class Supposed:
    """What checks would say if what stands before them were settled in one way.

    Attributes:
        said: What is supposed, to stand behind *with*.
        results: One a check, upstream findings that were set aside included.
    """

    said: str
    results: tuple[CheckResult, ...]


def with_suspects(
    bench: Workbench, results: Sequence[CheckResult], supposed: Supposed | None = None
) -> tuple[CheckResult, ...]:
    """Return the results with a lead more for each family that only undecided numbers point to.

    A plant that an undecided dynamics check suspects is taken off where the check passes with what stands
    before it settled.

    Args:
        bench: The workbench the checks used.
        results: In the order of the checks; one that passed or failed, or whose family a lead already
            names, is returned as it is.
        supposed: What the checks would say, where something stands before them.
    """
    results = _kept(results, supposed)
    by_id = {result.id: result for result in results}
    named = {lead.family for result in results for lead in result.leads}
    open_families = {
        name for name, r in by_id.items() if r.state is State.INCONCLUSIVE and name not in named
    }
    if not open_families:
        return tuple(results)
    found: dict[str, Lead] = {}
    for lead in _suspected(bench, by_id, supposed, open_families):
        found.setdefault(lead.family, lead)
    return tuple(replace(r, leads=(*r.leads, found[r.id])) if r.id in found else r for r in results)


def _kept(results: Sequence[CheckResult], supposed: Supposed | None) -> tuple[CheckResult, ...]:
    """Take off a dynamics check's leads what the check no longer says with what stands before it settled.

    The plant where it would pass; all but families that failed where the gap was read through a finding, and the
    plant alone where nothing can be read without it.
    """
    then = next((r for r in supposed.results if r.id == DYNAMICS), None) if supposed else None
    if then is None:
        return tuple(results)
    failed = {r.id for r in results if r.state is State.FAIL}
    return tuple(
        replace(r, leads=tuple(lead for lead in r.leads if not _out_of_date(lead, r, then, failed)))
        if r.id == DYNAMICS and r.state is not State.FAIL
        else r
        for r in results
    )


def _out_of_date(
    lead: Lead, result: CheckResult, then: CheckResult, failed: Container[str]
) -> bool:
    """Whether what explains a gap goes with the finding through which the gap was read.

    Once the finding is taken out there is a gap left, or none, that can be read; what explains the whole of it
    explains the finding.
    """
    through = any(m.blocked for m in result.measurements if m.judged)
    read = any(m.judged and math.isfinite(m.estimate) for m in then.measurements)
    if lead.family == DYNAMICS and (then.state is State.PASS or (through and not read)):
        return True
    return through and read and lead.family not in failed


def is_suspect(family: str, results: Sequence[CheckResult]) -> bool:
    """Say whether nothing but undecided numbers points to a family."""
    if any(r.id == family and r.state is State.FAIL for r in results):
        return False
    leads = [lead for r in results for lead in r.leads if lead.family == family]
    return bool(leads) and all(lead.undecided for lead in leads)


def _suspected(
    bench: Workbench,
    by_id: Mapping[str, CheckResult],
    supposed: Supposed | None,
    families: set[str],
) -> Iterator[Lead]:
    if supposed is not None:
        yield from _would_fail(by_id, supposed, families)
        yield from _would_explain(by_id, supposed, families)
    alignment = by_id.get("alignment")
    aligned = alignment is None or alignment.state is State.PASS
    then = {} if supposed is None else {r.id: r for r in supposed.results}
    said = "" if supposed is None else supposed.said
    if REWARD in families and aligned:
        yield from _measured(by_id[REWARD], then.get(REWARD, by_id[REWARD]), said)
    if OBSERVATION in families:
        yield from _far_off(by_id[OBSERVATION])
    if OBSERVATION in families and aligned and not _explained(bench, by_id):
        yield from _measured(by_id[OBSERVATION], then.get(OBSERVATION, by_id[OBSERVATION]), said)
    if TERMINATION in families and (alignment is None or alignment.state is not State.FAIL):
        words = ended_early(bench, by_id[TERMINATION])
        if words:
            yield _lead(by_id[TERMINATION], "shown", (), shown=words)


def _would_fail(
    by_id: Mapping[str, CheckResult], supposed: Supposed, families: set[str]
) -> Iterator[Lead]:
    """Name what fails as soon as what stands before it is settled."""
    for result in supposed.results:
        if result.id not in families or result.state is not State.FAIL:
            continue
        failed = [m for m in result.measurements if m.judged and m.state is State.FAIL]
        reason = result.reason.rstrip(".")
        yield _lead(by_id[result.id], "supposed", failed, said=supposed.said, reason=reason)


def _would_explain(
    by_id: Mapping[str, CheckResult], supposed: Supposed, families: set[str]
) -> Iterator[Lead]:
    """Name the families that explain a one-step gap that is left: the plant, and what is not told apart from it.

    A family that fails anyway does not stand beside the plant: to explain the rest it would need a second
    finding of its own.
    """
    result = next((r for r in supposed.results if r.id == DYNAMICS), None)
    beyond = [] if result is None else [m for m in result.measurements if outside(m)]
    if result is None or not beyond:
        return
    failing = {r.id for r in (*by_id.values(), *supposed.results) if r.state is State.FAIL}
    for lead in result.leads:
        if lead.family in families - failing:
            reason = lead.text.rstrip(".")
            made = _lead(by_id[lead.family], "supposed", beyond, said=supposed.said, reason=reason)
            yield replace(made, channels=lead.channels, not_told_apart=lead.not_told_apart)


def _measured(result: CheckResult, then: CheckResult, said: str) -> Iterator[Lead]:
    """Name a check whose measurement lies wholly outside and may not count."""
    if then.state is not State.INCONCLUSIVE:
        return
    beyond = [m for m in then.measurements if outside(m) or (result.id == REWARD and _thin(m))]
    beyond = _of_one_sensor(beyond, then)
    if beyond:
        yield _lead(result, "measured", beyond, said="" if then is result else said)


def _thin(m: Measurement) -> bool:
    """Whether nothing but coverage keeps a measurement from counting, and its whole interval lies outside.

    Coverage: few effective samples, or few rows where the simulator was.
    """
    if m.covered or m.blocked or not _wholly_outside(m):
        return False
    if m.interval is None or m.tolerance is None:
        return False
    (low, high), (least, most) = m.interval, m.tolerance
    return m.n >= FEWEST or max(low - most, least - high) >= BEYOND_BY * (high - low) / 2


def _far_off(result: CheckResult) -> Iterator[Lead]:
    """Name an observation that reads so far off that neither few samples nor another motion make it so."""
    far = [m for m in result.measurements if (m.quantity == SCALE and _far(m)) or _far_level(m)]
    if far:
        yield _lead(result, "measured", far, said="")


def _far(m: Measurement) -> bool:
    if m.interval is None or not math.isfinite(m.estimate) or m.state is not State.INCONCLUSIVE:
        return False
    half = FAR_TIMES * max(m.estimate - m.interval[0], m.interval[1] - m.estimate)
    low, high = m.estimate - half, m.estimate + half
    if m.blocked:  # two motions of one plant may be of other size, not turned round
        return math.isfinite(half) and (high < 0 or low > BLOCKED_SCALE)
    return not m.covered and math.isfinite(half) and (high < 1 / FAR_SCALE or low > FAR_SCALE)


def _far_level(m: Measurement) -> bool:
    """Whether a level lies farther off than its channel moves, whatever keeps it from counting."""
    if m.quantity != LEVEL or m.state is not State.INCONCLUSIVE or not _wholly_outside(m):
        return False
    if m.interval is None or m.tolerance is None:
        return False
    (low, high), (least, most) = m.interval, m.tolerance
    return low >= FAR_LEVEL * most or high <= FAR_LEVEL * least


def _of_one_sensor(beyond: list[Measurement], then: CheckResult) -> list[Measurement]:
    """Leave out scales that an observation shares with its own rate: a larger motion has them, one sensor has not.

    Where an observation and the rate that it adds up from keep the simulator's ratio, either both sensors are
    scaled alike, or neither is.
    """
    kept = {m.channel for m in then.measurements if m.quantity == RATIO and m.state is State.PASS}
    shared = [
        m.interval for m in beyond if m.quantity == SCALE and m.channel in kept and m.interval
    ]
    return [
        m
        for m in beyond
        if m.quantity != SCALE
        or m.interval is None
        or not any(low <= m.interval[1] and m.interval[0] <= high for low, high in shared)
    ]


def outside(m: Measurement) -> bool:
    """Say whether a measurement that does not count lies outside its tolerance by its whole interval."""
    return m.covered and m.state is State.INCONCLUSIVE and _wholly_outside(m)


def _wholly_outside(m: Measurement) -> bool:
    if m.tolerance is None or m.interval is None:
        return False
    low, high = m.interval
    finite = math.isfinite(low) and math.isfinite(high)
    return finite and (high < m.tolerance[0] or low > m.tolerance[1])


def _explained(bench: Workbench, by_id: Mapping[str, CheckResult]) -> bool:
    """Whether something else than an observation already accounts for the difference of the motions."""
    if any(name in by_id and by_id[name].state is State.FAIL for name in MOVING):
        return True
    return any(
        e.share >= EXPLAINED and e.family != OBSERVATION and not e.excluded
        for e in bench.explanations
    )


def _lead(result: CheckResult, words: str, about: Iterable[Measurement], **values: object) -> Lead:
    """Return a lead of a check that is not decided: what it is consistent with, and why it is not decided."""
    family = result.id
    measured = list(about)
    why = _why(result, {m.channel for m in measured})
    undecided = say(UNDECIDED, "because", why=why, settle=result.settle.rstrip("."))
    listed = "; ".join(short(m) for m in measured[:2])
    what = entry(UNDECIDED, "what", family) or entry(UNDECIDED, "what", "other")
    text = say(UNDECIDED, words, what=what, why=why, measured=listed, **values)
    channels = tuple(dict.fromkeys(m.channel for m in measured if m.channel))
    before = [name for name in CHECK_IDS if name != family and name.replace("-", " ") in why]
    wrong = entry(UNDECIDED, "wrong", family) or entry(UNDECIDED, "wrong", "other")
    return Lead(text, family, channels, wrong, tuple(before), UNDECIDED, undecided=undecided)


def _why(result: CheckResult, channels: Container[str]) -> str:
    """Return what keeps these channels' measurements from counting, else any, else the check's reason."""
    blocked = [m for m in result.measurements if m.judged and m.blocked]
    blocked.sort(key=lambda m: m.channel not in channels)
    return (blocked[0].blocked if blocked else result.reason).rstrip(".")
