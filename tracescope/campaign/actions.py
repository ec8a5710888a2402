"""What to do next about a group of episodes, and what would show that wrong."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tracescope.campaign.differences import Difference
from tracescope.campaign.leads import UNDECIDED, Entry, GroupLead
from tracescope.campaign.model import EpisodeResult
from tracescope.campaign.signature import (
    ACTION,
    DEPLOYMENT,
    DYNAMICS,
    END,
    PERCEPTION,
    REWARD,
    TASK,
    Part,
    family_of,
)
from tracescope.findings.numbers import number


@dataclass(frozen=True, slots=True)
class Facts:
    """What the advice rests on.

    Attributes:
        lead: Where the group points.
        members: Its episodes.
        exemplars: Ids of the most typical ones.
        parameter: The simulation parameter that differs most, if one is distinguishable.
    """

    lead: GroupLead
    members: Sequence[EpisodeResult]
    exemplars: Sequence[str]
    parameter: Difference | None


Advice = tuple[str, str]


def advice(facts: Facts) -> Advice:
    """Return what to do and what would show that wrong."""
    if facts.lead.lead == UNDECIDED and facts.lead.points_to in _NAMED:
        return _undecided(facts)
    return _ADVICE.get(facts.lead.points_to, _undecided)(facts)


def _leading(facts: Facts) -> Entry:
    points_to = facts.lead.points_to
    return next(
        (e for e in facts.lead.entries if family_of(e.name) == points_to), facts.lead.entries[0]
    )


def _perception(facts: Facts) -> Advice:
    entry = _leading(facts)
    channel = _misread(facts) or Part.of(entry.name).channel or "the observations"
    return (
        (
            f"Fix the calibration of {channel} ({entry.words}): read one known state on both sides, starting "
            f"with {_first(facts)}.{_beside(facts)}"
        ),
        (
            f"a known state reads alike on both sides, or {entry.words} stays outside its tolerance after "
            "the new calibration"
        ),
    )


def _misread(facts: Facts) -> str:
    """Name the channels that the pairs' leading explanations hold for misread: what a ratio cannot tell."""
    seen = [
        first.channels
        for member in facts.members
        for first in member.hypotheses[:1]
        if first.family == "observation-scaling" and first.channels
    ]
    often = sorted(set(seen), key=lambda channels: (-seen.count(channels), channels))
    return " or ".join(often[0]) if often else ""


def _dynamics(facts: Facts) -> Advice:
    entry, seen = _leading(facts), _fitted(facts)
    parameter = facts.parameter
    if parameter is not None:
        name = parameter.what.removeprefix("param.")
        do = f"Update the simulator parameter {name}: {_typical(parameter)}"
        wrong = (
            f"with {name} as in the other episodes, a pair of this cluster run again still shows "
            f"{entry.words} outside its tolerance"
        )
    else:
        do = f"Update the simulator's parameter behind {entry.words}"
        wrong = f"after the update, a pair of this cluster run again still shows {entry.words}"
    return f"{do}{'; ' if seen else ''}{seen}. Start with {_first(facts)}.", wrong


def _typical(parameter: Difference) -> str:
    if "=" in parameter.what:
        return (
            f"{number(parameter.members * 100)} % of this cluster have it, "
            f"{number(parameter.others * 100)} % of the other episodes"
        )
    return f"{number(parameter.members)} here, {number(parameter.others)} elsewhere (medians)"


def _fitted(facts: Facts) -> str:
    """Say what the pairs' own fits ask for: the median over members of the most frequent kind."""
    seen = [
        (lead.kind, lead.channels, lead.value)
        for member in facts.members
        for lead in member.leads
        if lead.family in {"dynamics", "timing"} and lead.value
    ]
    if not seen:
        return ""
    kinds = [(kind, channels) for kind, channels, _ in seen]
    kind, channels = min(sorted(set(kinds)), key=lambda one: -kinds.count(one))
    values = [value for k, c, value in seen if (k, c) == (kind, channels)]
    size = number(statistics.median(values))
    where = f" of {', '.join(channels)}" if channels else ""
    unit = f"{size} s" if kind == "delay" else f"{size} times the simulator's"
    return f"the pairs fit {kind}{where} {unit} (median of {len(values)})"


def _task(facts: Facts) -> Advice:
    entry = _leading(facts)
    return (
        (
            f"Add simulator cases where the target goes and the simulator was not, starting with "
            f"{_first(facts)}.{_beside(facts)}"
        ),
        f"with those cases run, {entry.words} stays as it is",
    )


def _deployment(facts: Facts) -> Advice:
    entry = _leading(facts)
    return (
        (
            f"Fix the infrastructure that paces and logs the target ({entry.words}), starting with the "
            f"machine that recorded {_first(facts)}.{_beside(facts)}"
        ),
        f"a run logged by other means, on the same machine, still shows {entry.words}",
    )


def _action(facts: Facts) -> Advice:
    entry = _leading(facts)
    return (
        (
            f"Compare emitted with applied commands on the target ({entry.words}), starting with "
            f"{_first(facts)}; take out what alters them or give the simulator the same limit."
        ),
        "the applied action, logged behind the last filter, equals the emitted one",
    )


def _told_otherwise(facts: Facts) -> Advice:
    entry = _leading(facts)
    return (
        f"Compare how both sides compute it ({entry.words}), starting with {_first(facts)}.",
        "one recorded episode, replayed through both sides' code, gives the same numbers",
    )


def _undecided(facts: Facts) -> Advice:
    first = facts.lead.shares[0][0]
    second = facts.lead.shares[1][0] if len(facts.lead.shares) > 1 else "something unmeasured"
    return (
        (
            f"Take {_first(facts)} apart by hand: apply the correction of {first} alone, then look whether "
            f"{second} goes with it."
        ),
        f"the correction of {first} alone takes nothing away from {second}",
    )


def _first(facts: Facts) -> str:
    return facts.exemplars[0]


def _beside(facts: Facts) -> str:
    parameter = facts.parameter
    if parameter is None:
        return ""
    return f" These episodes also differ in {parameter.what.removeprefix('param.')}: {_typical(parameter)}."


_NAMED = (PERCEPTION, DYNAMICS, TASK, DEPLOYMENT)
_ADVICE: dict[str, Callable[[Facts], Advice]] = {
    PERCEPTION: _perception,
    DYNAMICS: _dynamics,
    TASK: _task,
    DEPLOYMENT: _deployment,
    ACTION: _action,
    REWARD: _told_otherwise,
    END: _told_otherwise,
}
