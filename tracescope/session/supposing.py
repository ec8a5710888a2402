"""What checks would say if what stands before them were settled: asked, never applied.

Upstream findings keep later checks from speaking. Where a finding can be taken out of the target's log in a
few ways, or the alignment could not be decided, the checks are asked again under the way that leaves least
between the one-step relations of the two sides. The answer decides nothing: it names suspects.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.findings.suspects import Supposed
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction
from tracescope.model.errors import Cancelled
from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel, Role, Samples
from tracescope.session.run import run_checks

log = logging.getLogger(__name__)

ALIGNMENT, OBSERVATION, ACTION, TIMING = "alignment", "observation-scaling", "action", "timing"

MOST_WAYS = 4
MOST_ROWS = 20_000
"""Nothing is supposed about longer pairs: asking again would double the time that judging them takes."""

RESPONSE = "response latency"
UNREAD = ("hold", "saturation")
"""Kinds of observation finding whose rows say nothing; the others of the channel do."""

DIGITS = 3


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to take upstream findings out of the target's log.

    Attributes:
        said: What is done, to stand behind *with*.
        bench: The case where it is done.
        settled: Checks whose findings it takes out.
    """

    said: str
    bench: Workbench
    settled: frozenset[str]


def supposed(
    bench: Workbench, results: Sequence[CheckResult], checks: Sequence[Check]
) -> Supposed | None:
    """Ask the checks that could not decide what they would say if what stands before them were settled.

    Args:
        bench: The case that the results are of; its pulse ends the work inside the checks.
        results: One a check, in their order.
        checks: Those that gave the results.

    Returns:
        The answers, or ``None`` where every check decided or nothing before them can be settled.

    Raises:
        Cancelled: from the bench's pulse.
    """
    by_id = {result.id: result for result in results}
    waiting = [r for r in results if r.state is State.INCONCLUSIVE and r.id != ALIGNMENT]
    case = bench.case
    if not waiting or max(len(case.pair.sim), len(case.pair.target)) > MOST_ROWS:
        return None
    tried = [
        (_gap_left(way.bench), place, way, known)
        for place, way in enumerate(islice(_ways(bench, by_id), MOST_WAYS))
        if (known := _known(way, by_id, checks)) is not None
    ]
    if not tried:
        return None
    _, _, way, known = min(tried, key=lambda one: one[:2])
    needed = {name for check in checks for name in check.needs}
    wanted = needed | {result.id for result in waiting}
    asked = [check for check in checks if check.id in wanted and check.id not in known]
    found = run_checks(way.bench.case, asked, way.bench, known)
    said = (
        way.said
        if len(tried) < 2
        else f"{way.said} (of {len(tried)} ways, the one that leaves least)"
    )
    return Supposed(said, (*known.values(), *found))


def _gap_left(bench: Workbench) -> float:
    """Return the largest one-step gap; infinite where measuring it raised."""
    try:
        return max((gap.estimate for gap in bench.gaps), default=0.0)
    except Cancelled:
        raise
    except Exception:  # what is only supposed must not take the judged results with it
        log.exception("the one-step gap could not be measured under a supposed correction")
        return float("inf")


def _known(
    way: _Way, by_id: Mapping[str, CheckResult], checks: Sequence[Check]
) -> dict[str, CheckResult] | None:
    """Return the results that are not asked for again, ``None`` where the way settles nothing."""
    known: dict[str, CheckResult] = {}
    alignment, action, timing = (by_id.get(name) for name in (ALIGNMENT, ACTION, TIMING))
    if alignment is not None:
        # Its own doubts are what is supposed away; measurements would carry them on.
        passed = replace(alignment, state=State.PASS, measurements=())
        known[ALIGNMENT] = alignment if alignment.state is State.PASS else passed
    if action is not None and ACTION in way.settled:
        known[ACTION] = replace(action, state=State.PASS)
    elif action is not None and (action.state is not State.INCONCLUSIVE or TIMING in way.settled):
        known[ACTION] = action
    if timing is not None and TIMING in way.settled:
        known[TIMING] = replace(timing, state=State.INCONCLUSIVE, measurements=())
    if OBSERVATION in way.settled:
        again = [check for check in checks if check.id == OBSERVATION]
        (found,) = run_checks(way.bench.case, again, way.bench, known)
        if found.state is State.FAIL:
            return None
        known[OBSERVATION] = found
    return known


def _ways(bench: Workbench, by_id: Mapping[str, CheckResult]) -> Iterator[_Way]:
    """Yield ways to take out everything that upstream checks found and that can be taken out."""
    alignment = by_id.get(ALIGNMENT)
    if alignment is not None and alignment.state is State.FAIL:
        return
    stands = alignment is not None and alignment.state is State.INCONCLUSIVE
    actions = _applied(bench, by_id.get(ACTION))
    late_rows = _late_rows(by_id.get(TIMING))
    blanked = _blanked(bench.case, by_id.get(OBSERVATION))
    for observed in _observed(bench, by_id.get(OBSERVATION)) or [()]:
        if not (observed or actions or late_rows or stands or blanked):
            return
        case = bench.case if blanked is None else replace(bench.case, pair=blanked)
        for correction in (*observed, *actions):
            case = case.with_correction(correction)
        said = [", ".join(map(_in_short, (*observed, *actions)))] if observed or actions else []
        if late_rows:
            case = replace(case, pair=_later(case.pair, late_rows))
            said.append(f"the target's actions {late_rows} rows later")
        if blanked:
            said.append("rows left out in which an observation holds or saturates")
        if stands:
            said.append("the alignment taken as it stands")
        found = ((OBSERVATION, observed or blanked), (ACTION, actions), (TIMING, late_rows))
        settled = frozenset(name for name, what in found if what)
        yield _Way(" and ".join(said), Workbench(case, bench.pulse), settled)


def _observed(bench: Workbench, result: CheckResult | None) -> list[tuple[Correction, ...]]:
    """Return ways to correct what the observation check found: its own, or one channel of each relation.

    Where sensors of one motion disagree by a factor, either of them may be the one that is scaled.
    """
    if result is None or result.state is not State.FAIL:
        return []
    if result.pending:
        return [result.pending]
    taken = {correction.channel for correction in bench.case.corrections}
    target = bench.case.pair.target
    choices = [
        [
            Correction(name, lead.value if place == 0 else 1 / lead.value)
            for place, name in enumerate(lead.channels)
            if name not in taken and name in target
        ]
        for lead in result.leads
        if lead.family == OBSERVATION and len(lead.channels) > 1 and lead.value
    ]
    return list(islice(product(*choices), MOST_WAYS)) if choices else []


def _blanked(case: Case, result: CheckResult | None) -> TracePair | None:
    """Return the pair without target values that are held or at a bound, ``None`` where none failed."""
    if result is None or result.state is not State.FAIL:
        return None
    pair = case.pair
    blank: dict[str, Samples] = {}
    for lead in result.leads:
        for name in lead.channels if lead.kind in UNREAD and lead.family == OBSERVATION else ():
            value = blank.get(name, pair.target[name].as_float()).copy()
            if lead.kind == "hold":
                value[1:][value[1:] == value[:-1]] = np.nan
            elif lead.value is not None:
                value[np.isclose(value, lead.value, rtol=1e-9, atol=0.0)] = np.nan
            blank[name] = value
    if not blank:
        return None
    channels = tuple(
        replace(c, value=blank[c.name]) if c.name in blank else c for c in pair.target.channels
    )
    return replace(pair, target=replace(pair.target, channels=channels))


def _applied(bench: Workbench, result: CheckResult | None) -> tuple[Correction, ...]:
    """Return what puts the applied actions in the place of emitted ones that are altered on their way."""
    if result is None or result.state is not State.FAIL:
        return ()
    target = bench.case.pair.target
    emitted, applied = target.of_role(Role.ACTION), target.of_role(Role.ACTION_APPLIED)
    if len(emitted) != len(applied):
        return ()
    return tuple(Correction(e.name, source=a.name) for e, a in zip(emitted, applied, strict=True))


def _late_rows(result: CheckResult | None) -> int:
    """Return by how many rows the target answers late where that failed, else 0."""
    if result is None or result.state is not State.FAIL:
        return 0
    failed = [m for m in result.measurements if m.judged and m.state is State.FAIL]
    late = [m.estimate for m in failed if RESPONSE in m.quantity and m.unit == "rows"]
    return max(0, round(late[0])) if late else 0


def _later(pair: TracePair, rows: int) -> TracePair:
    """Return the pair with the target's actions so many rows later, their first values held."""

    def moved(channel: Channel) -> Channel:
        acts = channel.role in (Role.ACTION, Role.ACTION_APPLIED)
        if not acts or not 0 < rows < channel.value.size:
            return channel
        value = channel.value
        return replace(channel, value=np.concatenate((np.repeat(value[:1], rows), value[:-rows])))

    channels = tuple(map(moved, pair.target.channels))
    return replace(pair, target=replace(pair.target, channels=channels))


def _in_short(c: Correction) -> str:
    scale, offset = (float(f"{number:.{DIGITS}g}") for number in (c.scale, c.offset))
    return str(Correction(c.channel, scale, offset, c.source))
