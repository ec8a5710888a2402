"""What the observation check says about its measurements: evidence, coverage, open ends, the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tracescope.analysis.rows import live, without_values
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_routes import SHARED_BY, Settled
from tracescope.checks.observation_scaling_tolerances import SCALE
from tracescope.model.alignment import Interval
from tracescope.model.check import Coverage, Evidence, Measurement, State, Untold
from tracescope.model.shares import amount
from tracescope.model.trace import Samples
from tracescope.model.words import counted


def failed(measurements: Iterable[Measurement]) -> tuple[Measurement, ...]:
    """Return the failing ones."""
    return tuple(m for m in measurements if m.judged and m.state is State.FAIL)


def evidence(
    whole: Workbench, bench: Workbench, facts: Facts, failing: Sequence[Measurement]
) -> tuple[Evidence, ...]:
    """Point at the tenth of the rows in which each failing channel differs most, at shape faults among all."""
    rows = whole.rows
    time_s = bench.rows.time_s[facts.rows]
    found = []
    for m in failing:
        if m.channel not in facts.names:
            continue
        i = facts.names.index(m.channel)
        caption = f"{m.quantity} {amount(m.quantity, m.estimate, m.unit)}"
        held = facts.shapes[m.channel].held
        if m.quantity == "held rows" and held.longest is not None:
            span = (float(rows.time_s[held.longest[0]]), float(rows.time_s[held.longest[1]]))
        elif m.quantity == "saturated rows":
            place = np.flatnonzero(facts.shapes[m.channel].rows)
            span = (float(rows.time_s[place[0]]), float(rows.time_s[place[-1]]))
        else:
            span = _widest(time_s, np.abs(facts.y[i] - facts.x[i]))
        found.append(Evidence(m.channel, span, caption))
    return tuple(found)


def _widest(time_s: np.ndarray, difference: np.ndarray) -> Interval:
    width = max(2, time_s.size // 10)
    total = np.concatenate(([0.0], np.cumsum(np.where(np.isfinite(difference), difference, 0.0))))
    first = int(np.argmax(total[width:] - total[:-width]))
    return float(time_s[first]), float(time_s[first + width - 1])


def coverage(facts: Facts, settled: Sequence[Settled]) -> tuple[Coverage, ...]:
    """Say over which range each channel's verdict speaks."""
    found = []
    for i, one in enumerate(settled):
        x, y = facts.x[i], facts.y[i]
        low, high = float(max(x.min(), y.min())), float(min(x.max(), y.max()))
        if "route D" in one.scale.note:
            start = float(x[0])
            found.append(
                Coverage(
                    one.name, (start, start), f"{one.name}: only around its start, {start:.4g}"
                )
            )
        elif low <= high:
            found.append(
                Coverage(one.name, (low, high), f"{one.name}: between {low:.4g} and {high:.4g}")
            )
        else:
            found.append(Coverage(one.name, None, f"{one.name}: the two ranges do not overlap"))
    return tuple(found)


def untested(
    bench: Workbench, facts: Facts | None, settled: Sequence[Settled]
) -> tuple[Untold, ...]:
    """List channels that could not be judged, and what would judge them."""
    by_cause: dict[str, list[str]] = {}
    for one in settled:
        why = one.scale.blocked or one.level.blocked
        if why:
            by_cause.setdefault(why, []).append(one.name)
    found = [
        Untold(f"scale and level of {', '.join(names)}: {why}", SETTLE)
        for why, names in by_cause.items()
    ]
    moving = bench.live_in_both(bench.observations)
    moves = set(moving)
    still = [name for name in bench.observations if name not in moves]
    found += [Untold(stillness(bench, n), _would_move(bench, n)) for n in still]
    thin = facts.thin if facts else moving
    found += [
        Untold(f"{name} has too few common samples", "a recording without its dropped samples")
        for name in thin
    ]
    return tuple(found)


def between(whole: Workbench, bench: Workbench) -> tuple[Untold, ...]:
    """List channels that move between the stretches of a long pair alone, where no line is fitted."""
    if whole is bench:
        return ()
    return tuple(Untold(stillness(whole, n), _would_move(whole, n)) for n in bench.moving_elsewhere)


def _would_move(bench: Workbench, name: str) -> str:
    if without_values(bench.rows, name):
        return f"a recording in which {name} holds values on both sides"
    return f"an episode in which {name} moves"


def stillness(bench: Workbench, name: str) -> str:
    """Say why a channel that does not move on both sides has no scale: it stands still, or holds nothing."""
    empty = without_values(bench.rows, name)
    if empty:
        return f"{name} holds no value in {empty}"
    moves = [
        side
        for side, values in (("simulator", bench.rows.sim), ("target", bench.rows.target))
        if live(values[name])
    ]
    if len(moves) > 1:
        return f"{name} moves in too few of the rows that are looked at"
    return f"{name} moves only in the {moves[0]}" if moves else f"{name} does not move"


def unmeasured(bench: Workbench, facts: Facts) -> tuple[Measurement, ...]:
    """Return scales that could not be measured: no verdict may pass over them.

    A channel that is constant and equal on both sides needs none; one that holds no value is no such channel.
    """
    rows, found = bench.rows, []
    for name in bench.observations:
        if name in facts.names:
            continue
        if name in facts.thin:
            why = f"{name} has too few common samples"
        elif _same_constant(rows.sim[name], rows.target[name]):
            continue
        else:
            why = stillness(bench, name)
        found.append(
            Measurement(
                "scale",
                name,
                float("nan"),
                None,
                tolerance=bench.case.tolerances[SCALE],
                tolerance_key=SCALE.key,
                confidence=facts.confidence,
                covered=False,
                note=why,
            )
        )
    return tuple(found)


def _same_constant(sim: Samples, target: Samples) -> bool:
    x, y = sim[np.isfinite(sim)], target[np.isfinite(target)]
    if not (x.size and y.size) or live(x) or live(y):
        return False
    return bool(abs(x[0] - y[0]) <= 1e-6 * max(abs(float(x[0])), abs(float(y[0])), 1e-12))


SETTLE = "a replay of the simulator's actions from a start away from zero, or both sensors read on one fixed pose"


def reason(
    measurements: Sequence[Measurement], channels: int, fitted: Mapping[str, float] | None = None
) -> str:
    """Say the result in one sentence.

    Args:
        measurements: Of the check.
        channels: How many channels were judged.
        fitted: Channel → the scale that would mend it; a factor that many share is named once.
    """
    judged = [m for m in measurements if m.judged]
    bad = failed(judged)
    if bad:
        groups, alone = _shared(bad, fitted or {})
        some = max(0, 3 - len(groups))
        return "; ".join(groups + [_said(m) for m in alone[:some]]) + _and_more(len(alone) - some)
    open_ones = [m for m in judged if m.required and m.state is not State.PASS]
    if open_ones:
        names = list(dict.fromkeys(m.channel for m in open_ones))
        first = open_ones[0]
        why = first.blocked or (
            "the interval reaches over the tolerance"
            if first.interval
            else "no interval can be defended" + (f": {first.note}" if first.note else "")
        )
        said = f"{len(names)} of {counted(channels, 'channel')}"
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        return f"{said} undecided ({', '.join(names[:4])}{more}): {why}"
    lie = "lies inside its tolerances" if channels == 1 else "lie inside their tolerances"
    return f"scale, level and shape of {counted(channels, 'channel')} {lie}"


def _shared(
    bad: Sequence[Measurement], fitted: Mapping[str, float]
) -> tuple[list[str], list[Measurement]]:
    """Say scales whose intervals hold one factor together; return what was said, and the others."""
    groups: dict[str, list[Measurement]] = {}
    for m in bad:
        factor = fitted.get(m.channel)
        ends = m.interval
        if m.quantity == "scale" and factor is not None and ends and ends[0] <= factor <= ends[1]:
            groups.setdefault(f"{factor:.4g}", []).append(m)
    large = {factor: of for factor, of in groups.items() if len(of) >= SHARED_BY}
    said = [
        f"scale of {len(of)} channels is {factor} ({', '.join(m.channel for m in of[:3])}"
        f"{f' and {len(of) - 3} more' if len(of) > 3 else ''})"
        for factor, of in large.items()
    ]
    told = {id(m) for of in large.values() for m in of}
    return said, [m for m in bad if id(m) not in told]


def _said(m: Measurement) -> str:
    subject = f"{m.quantity} of {m.channel}" if m.channel else m.quantity
    text = f"{subject} is {amount(m.quantity, m.estimate, m.unit)}"
    if m.interval is not None and m.interval[0] < m.interval[1]:
        text += f" [{m.interval[0]:.4g}, {m.interval[1]:.4g}]"
    return text


def _and_more(count: int) -> str:
    return f"; and {count} more" if count > 0 else ""
