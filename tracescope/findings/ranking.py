"""Rank families of explanation by the share of the aligned residual that each one's correction removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tracescope.analysis.workbench import Workbench
from tracescope.findings.action_maps import mapped_share, mapped_sim
from tracescope.findings.observe import title_of
from tracescope.findings.suspects import is_suspect
from tracescope.findings.ties import explained_by, tie_groups
from tracescope.findings.wording import say
from tracescope.model.alignment import Alignment
from tracescope.model.check import CHECK_IDS, CheckResult, Lead, State
from tracescope.model.finding import Hypothesis
from tracescope.model.pair import TracePair
from tracescope.model.trace import Samples

MODELLED = ("action", "timing", "dynamics")
"""Families that act inside the loop: where laying their correction over the log removes nothing, the share
is of the one-step misfit, or unknown."""

NO_SHARE = 1e-3
MIN_TELLING = 0.05

SLOWING = ("smoothing", "rate limit", "delay", "dead band")
"""Kinds of map between emitted and applied action that make the response late."""

RESIDUAL, MISFIT = "residual", "one-step misfit"
APPLIED = "emitted-to-applied difference"


def ranked(bench: Workbench, results: Sequence[CheckResult]) -> tuple[Hypothesis, ...]:
    """Rank the families that a lead or a failing check names.

    A share is of the residual energy that goes away when that family's correction alone is applied; shares
    are not additive. Families whose correction removes next to nothing, or cannot be tried, come after: failing
    checks first, in the order of the checks. What only a check that passed suggests comes last, and a plant
    that is only suspected after what failed before it; what only undecided numbers point to comes after all
    else. A late response comes after the altered action that
    makes it late. Of shares that tie, the explanation that touches the fewest channels comes first, and all of
    them share a rank.
    """
    channels = {
        family: _once_each(names, bench.case.pair)
        for family, names in _channels_by_family(results).items()
    }
    if not channels:
        return ()
    by_id = {result.id: result for result in results}
    order = {family: place for place, family in enumerate(dict.fromkeys((*CHECK_IDS, *channels)))}
    shares = {family: explained_share(bench, family, results) for family in channels}
    failing = {family: _failing(by_id.get(family)) for family in channels}
    suspects = {family for family in channels if is_suspect(family, results)}
    ordered = sorted(
        channels,
        key=lambda family: (
            family in suspects,
            _tolerated(family, results),
            _behind(family, by_id),
            _overruled(family, by_id, results),
            *_telling(shares[family][0]),
            not failing[family],
            order[family],
        ),
    )
    if _late_by_action(by_id) and ordered.index("timing") < ordered.index("action"):
        ordered.remove("action")
        ordered.insert(ordered.index("timing"), "action")
    groups = tie_groups(
        ordered,
        explained_by(bench.explanations, results) if len(ordered) > 1 else {},
        {family: _lead_of(family, results) for family in suspects},
    )
    return tuple(
        Hypothesis(
            family,
            channels[family],
            shares[family][0],
            1 + sum(map(len, groups[:place])),
            _text(family, results if family in suspects else (), _without(group, family)),
            shares[family][1],
            undecided=family in suspects,
            not_told_apart=_without(group, family),
        )
        for place, group in enumerate(_plainest_first(groups, results))
        for family in group
    )


def _lead_of(family: str, results: Sequence[CheckResult]) -> Lead:
    return next(lead for result in results for lead in result.leads if lead.family == family)


def _without(group: Sequence[str], family: str) -> tuple[str, ...]:
    return tuple(other for other in group if other != family)


def _telling(share: float | None) -> tuple[bool, float]:
    """Rank by the share where it says something: next to nothing says no more than none at all."""
    if share is None or share < MIN_TELLING:
        return True, 0.0
    return False, -round(share, 6)


def _tolerated(family: str, results: Sequence[CheckResult]) -> bool:
    """Whether a family is named by nothing but leads of checks that passed."""
    naming = [r for r in results if r.id == family and r.state is State.FAIL]
    naming += [r for r in results if any(lead.family == family for lead in r.leads)]
    return all(result.state is State.PASS for result in naming)


def _plainest_first(
    groups: Sequence[Sequence[str]], results: Sequence[CheckResult]
) -> list[list[str]]:
    """Of families that are not told apart, put the plainest first.

    One number of one channel, or of the plant, before one factor on many channels at once.
    """
    return [
        sorted(group, key=lambda family: (_touched(family, results), group.index(family)))
        for group in groups
    ]


def _touched(family: str, results: Sequence[CheckResult]) -> int:
    """Return how many channels the least of a family's leads changes at once."""
    if family == "dynamics":
        return 1
    leads = [lead for result in results for lead in result.leads if lead.family == family]
    return min((len(lead.channels) for lead in leads), default=1)


def _behind(family: str, results: Mapping[str, CheckResult]) -> bool:
    """Whether a family is a suspected plant while something before the plant failed."""
    upstream = CHECK_IDS[: CHECK_IDS.index("dynamics")]
    suspected = family == "dynamics" and not _failing(results.get(family))
    return suspected and any(_failing(results.get(name)) for name in upstream)


def _overruled(
    family: str, by_id: Mapping[str, CheckResult], results: Sequence[CheckResult]
) -> bool:
    """Whether only the dynamics check names a family, and has decided that it is the plant."""
    if family == "dynamics" or not _failing(by_id.get("dynamics")) or _failing(by_id.get(family)):
        return False
    naming = {r.id for r in results if any(lead.family == family for lead in r.leads)}
    return naming == {"dynamics"}


def _late_by_action(results: Mapping[str, CheckResult]) -> bool:
    """Whether the action path holds what makes a response late, and lateness is all that timing fails on.

    Read inside the target, from emitted to applied: it explains the latency, never the other way round.
    """
    action, timing = results.get("action"), results.get("timing")
    if not (_failing(action) and _failing(timing)) or action is None or timing is None:
        return False
    slowing = any(any(word in lead.kind for word in SLOWING) for lead in action.leads)
    failed = [m for m in timing.measurements if m.judged and m.state is State.FAIL]
    return slowing and all("latency" in m.quantity for m in failed)


def _failing(result: CheckResult | None) -> bool:
    return result is not None and result.state is State.FAIL


def _text(family: str, results: Sequence[CheckResult], tied: Sequence[str]) -> str:
    """Return the family's sentence, with its ties, or why a suspect (whose results are given) is not decided."""
    key = family if family in CHECK_IDS else "other"
    text = say("hypothesis", key, family=family)
    why = next((lead.undecided for r in results for lead in r.leads if lead.family == family), "")
    if tied:
        return say("tied", "hypothesis", text=text, others=" or ".join(map(title_of, tied)).lower())
    return say("undecided", "hypothesis", text=text, undecided=why) if why else text


def _channels_by_family(results: Sequence[CheckResult]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for result in results:
        for lead in result.leads:
            if lead.family == result.id and result.state is State.PASS:
                continue  # a check that passed does not name what it has just found in order
            found.setdefault(lead.family, {}).update(dict.fromkeys(lead.channels))
        if result.state is State.FAIL:
            failed = [m.channel for m in result.measurements if m.state is State.FAIL and m.judged]
            found.setdefault(result.id, {}).update(dict.fromkeys(c for c in failed if c))
    return {family: tuple(channels) for family, channels in found.items()}


def _once_each(names: Sequence[str], pair: TracePair) -> tuple[str, ...]:
    """Name a channel that both sides have under two names once, as the target calls it."""
    there = (name if name in pair.target else pair.target_of(name) or name for name in names)
    return tuple(dict.fromkeys(there))


def explained_share(
    bench: Workbench, family: str, results: Sequence[CheckResult]
) -> tuple[float | None, str]:
    """Return the share that a family's correction alone removes, and of what.

    Returns:
        A share between 0 and 1 (0 where the correction makes things worse, ``None`` where no correction of
        the family can be tried), and ``residual`` for the aligned residual energy, ``one-step misfit``
        where only a model of the correction can be tried, or ``emitted-to-applied difference`` where the
        alteration lies inside the target, behind the emitted action.
    """
    before = residual_energy(bench)
    if not before:
        return None, RESIDUAL
    after = _energy_without(bench, family, results)
    applied = None if after is None else float(np.clip(1.0 - after / before, 0.0, 1.0))
    if applied is None or (family in MODELLED and applied < NO_SHARE):
        inside = mapped_share(bench, results) if family == "action" else None
        if inside is not None:
            return inside, APPLIED
        modelled = _modelled_share(bench, family)
        return modelled, RESIDUAL if modelled is None else MISFIT
    if family in MODELLED and not _failing(next((r for r in results if r.id == family), None)):
        # Laid over a log that a loop has changed it removes little; what it is read off is the one-step misfit.
        modelled = _modelled_share(bench, family) or 0.0
        if modelled > applied:
            return modelled, MISFIT
    return applied, RESIDUAL


def residual_energy(bench: Workbench, sim: Mapping[str, Samples] | None = None) -> float:
    """Return the mean squared residual in units of the sim's spread, summed over live channels.

    Args:
        bench: Gives rows, corrections applied.
        sim: Sim values to take instead of the rows' (those of the excerpt), by channel name.
    """
    bench = bench.excerpt
    rows = bench.rows
    total = 0.0
    for name in bench.live_in_both((*bench.observations, *bench.actions)):
        reference = rows.sim[name]
        spread = float(np.nanstd(reference))
        expected = reference if sim is None else sim.get(name, reference)
        difference = (rows.target[name] - expected) / spread
        difference = difference[np.isfinite(difference)]
        if difference.size:
            total += float(np.mean(difference**2))
    return total


def _energy_without(bench: Workbench, family: str, results: Sequence[CheckResult]) -> float | None:
    """Return the residual energy left by a family's correction alone, or ``None``."""
    if family == "alignment":
        other = _other_alignment(bench)
        if other is None:
            return None
        return residual_energy(Workbench(replace(bench.case, alignment=other)))
    pending = [c for result in results if result.id == family for c in result.pending]
    if pending:
        return residual_energy(bench.corrected(pending))
    leads = [lead for result in results for lead in result.leads if lead.family == family]
    if family == "action":
        mapped = mapped_sim(bench.excerpt, leads)
        return residual_energy(bench, mapped) if mapped else None
    if family == "timing":
        return _energy_earlier(bench, leads)
    return None


def _energy_earlier(bench: Workbench, leads: Sequence[Lead]) -> float | None:
    """Return the residual energy with what the target answers late taken as much earlier, within the rows.

    Tried over every observation and over those alone that a lead names; the better one counts.
    """
    late = [lead for lead in leads if lead.kind == "delay" and lead.value is not None]
    if not late or not bench.rows.interval_s > 0:
        return None
    rows = float(late[0].value or 0.0) / bench.rows.interval_s
    named = {name for lead in late for name in lead.channels}
    answering = tuple(name for name in bench.observations if name in named)
    return min(_energy_moved(bench, names, rows) for names in (bench.observations, answering))


def _energy_moved(bench: Workbench, names: Sequence[str], by_rows: float) -> float:
    rows = bench.excerpt.rows
    place = np.arange(len(rows), dtype=np.float64)
    expected = {
        name: np.interp(place - by_rows, place, rows.sim[name], left=np.nan, right=np.nan)
        for name in names
    }
    return residual_energy(bench, expected)


def _other_alignment(bench: Workbench) -> Alignment | None:
    """Return the estimate, where it is clear and says something else than the alignment in force."""
    from tracescope.analysis.estimate import estimate_alignment

    estimate = estimate_alignment(bench.case.pair, bench.case.confidence)
    found = estimate.alignment
    if estimate.verdict != "clear" or found is None:
        return None
    moved = abs(found.offset_s - bench.case.alignment.offset_s)
    return found if moved > 1e-9 * max(1.0, abs(found.offset_s)) else None


def _modelled_share(bench: Workbench, family: str) -> float | None:
    """Return the largest share that a one-parameter explanation of the family reached, or ``None``."""
    explanations = getattr(bench, "explanations", ())
    shares = [float(e.share) for e in explanations if e.family == family and np.isfinite(e.share)]
    return float(np.clip(max(shares), 0.0, 1.0)) if shares else None
