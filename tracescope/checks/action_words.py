"""What the action check says about its measurements."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.action_map_kinds import FittedMap
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_bounds import Side
from tracescope.checks.action_emitted import Emitted
from tracescope.checks.action_path import Path
from tracescope.checks.action_tolerances import APPLIED_ROWS, CHECK_ID, EMITTED_ROWS, REACH
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold
from tracescope.model.trace import Samples

RIVALS: dict[str, tuple[str, ...]] = {
    "gain": ("observation-scaling", "dynamics"),
    "smoothing": ("timing",),
    "delay": ("timing",),
    "rate limit": ("smoothing",),
}


def leads(
    bench: Workbench, paths: Sequence[Path], sides: Sequence[Side], emitted: Sequence[Emitted]
) -> tuple[Lead, ...]:
    """Name what the action path does, each once a channel."""
    found: dict[tuple[str, str], Lead] = {}
    for path in paths:
        if path.altered.any() and path.named.map.kind not in ("identity", "unnamed"):
            where = (
                "applied"
                if path.reference is None
                else "applied, on top of the simulator's own map"
            )
            for lead in _of_map(bench, path.channel, _beyond(path), where):
                found.setdefault((path.channel, lead.kind), lead)
    for side in sides:
        if side.bound:
            lead = _bound_lead(bench, side)
            found.setdefault((side.channel, lead.kind), lead)
    for one in emitted:
        if one.map is not None and one.map.kind != "identity" and one.altered.any():
            for lead in _of_map(bench, one.channel, one.map, "emitted"):
                found.setdefault((one.channel, lead.kind), lead)
    return tuple(found.values())


def _beyond(path: Path) -> FittedMap:
    """The target's map, counted on top of the simulator's gain."""
    from dataclasses import replace

    fitted = path.named.map
    if path.reference is None or path.reference.gain == 0:
        return fitted
    gain = fitted.gain / path.reference.gain
    kind = fitted.kind
    if abs(gain - 1) < 0.01:
        gain = 1.0
        kind = kind.removeprefix("gain and ")
    return replace(fitted, gain=gain, kind=kind)


def _of_map(bench: Workbench, channel: str, fitted: FittedMap, what: str) -> list[Lead]:
    target = bench.case.pair.target_of(channel) or channel
    found = []
    for kind in fitted.kind.split(" and "):
        value = fitted.gain if kind == "gain" else fitted.value
        if kind == "gain" and abs(fitted.gain - 1) < 1e-6:
            kind, value = "offset", fitted.offset  # noqa: PLW2901  # the same map under its plainer name
        if kind == "offset":
            value = fitted.offset
        found.append(
            Lead(
                f"consistent with {in_time(bench, _words(kind, fitted))} on {target} ({what})",
                CHECK_ID,
                (target,),
                f"a replay of emitted actions of {target} through the target's interface comes out unchanged",
                RIVALS.get(kind, ()),
                kind,
                value,
            )
        )
    return found


def _words(kind: str, fitted: FittedMap) -> str:
    bounds = " and ".join(f"{b:.4g}" for b in (fitted.low, fitted.high) if np.isfinite(b))
    return {
        "gain": f"a gain of {fitted.gain:.4g}",
        "offset": f"an offset of {fitted.offset:+.4g}",
        "clip": f"a clip at {bounds}",
        "dead band": f"a dead band of ±{fitted.band:.4g}",
        "rate limit": f"a rate limit of {fitted.rate:.4g} a row",
        "smoothing": f"first-order smoothing with α = {fitted.share:.3g}",
        "delay": f"a delay of {fitted.delay} row{'s' if fitted.delay > 1 else ''}",
    }.get(kind, str(fitted))


def in_time(bench: Workbench, said: str) -> str:
    """Say how long a row lasts where something changes by so much a row."""
    row_s = bench.rows.interval_s
    if bench.case.pair.sim.clock.kind == "rows" or not np.isfinite(row_s) or row_s <= 0:
        return said
    return re.sub(r" a row\b", f" a row of {row_s * 1e3:.3g} ms", said)


def _bound_lead(bench: Workbench, side: Side) -> Lead:
    target = bench.case.pair.target_of(side.channel) or side.channel
    return Lead(
        f"consistent with a clip of {target} at {side.target_extreme:.4g}, before it was logged",
        CHECK_ID,
        (target,),
        f"the target logs {target} beyond {side.target_extreme:.4g} in any episode",
        (),
        "clip",
        side.target_extreme,
    )


def evidence(
    bench: Workbench, paths: Sequence[Path], sides: Sequence[Side], emitted: Sequence[Emitted]
) -> tuple[Evidence, ...]:
    """Point at the altered rows, on the simulator's clock."""
    found = []
    for path in paths:
        if path.altered.sum() >= 3:
            time_s = bench.case.alignment.to_sim(path.time_s)
            span = _span(time_s, path.altered)
            caption = f"applied differs: {in_time(bench, str(path.named.map))}"
            found.append(Evidence(path.channel, span, caption, (path.applied_channel,)))
    for side in sides:
        if side.bound:
            span = _span(bench.rows.time_s, side.top.rows)
            found.append(
                Evidence(side.channel, span, f"{side.word} bound {side.target_extreme:.4g}")
            )
    for one in emitted:
        if one.map is not None and one.altered.sum() >= 3:
            span = _span(bench.rows.time_s, one.altered)
            found.append(
                Evidence(one.channel, span, f"emitted differs: {in_time(bench, str(one.map))}")
            )
    return tuple(found)


def _span(time_s: Samples, rows: NDArray[np.bool_]) -> tuple[float, float]:
    place = np.flatnonzero(rows)
    return float(time_s[place[0]]), float(time_s[place[-1]])


def coverage(sides: Sequence[Side]) -> tuple[Coverage, ...]:
    """Say which range of each action both traces used."""
    found = []
    for upper, lower in zip(sides[::2], sides[1::2], strict=True):
        low = max(lower.sim_extreme, lower.target_extreme)
        high = min(upper.sim_extreme, upper.target_extreme)
        span = (low, high) if low <= high else None
        text = f"{upper.channel}: between {low:.4g} and {high:.4g}; a bound beyond would not show"
        found.append(Coverage(upper.channel, span, text))
    return tuple(found)


def untested(bench: Workbench, paths: Sequence[Path], sides: Sequence[Side]) -> tuple[Untold, ...]:
    """List actions whose application is not logged and sides that the target never approached."""
    followed = {path.channel for path in paths}
    found = [
        Untold(
            f"what reached the actuator for {name}: the applied action is not logged",
            f"a log of the applied action beside {name}, or where on its way {name} was logged: "
            "before or after scale and clip",
        )
        for name in emitted_names(bench)
        if name not in followed
    ]
    found += [
        Untold(
            f"{side.channel} never passed {side.target_extreme:.4g} where the simulator reached "
            f"{side.sim_extreme:.4g}: a bound between would not show",
            f"an episode that drives {side.channel} to {side.sim_extreme:.4g}",
        )
        for side in sides
        if side.sim_used and not side.bound and side.ratio < bench.case.tolerances[REACH][0]
    ]
    return tuple(found)


def emitted_names(bench: Workbench) -> tuple[str, ...]:
    """Return the target's emitted actions by their sim names, where matched."""
    from tracescope.model.trace import Role

    pair = bench.case.pair
    return tuple(pair.sim_of(c.name) or c.name for c in pair.target.of_role(Role.ACTION))


def reason(
    measurements: Sequence[Measurement], paths: Sequence[Path], sides: Sequence[Side]
) -> str:
    """Say the result in one sentence."""
    bad = [m for m in measurements if m.judged and m.state is State.FAIL]
    if bad:
        bounded = {m.channel for m in bad if m.quantity.endswith("bound")}
        said = [
            _said(m, paths, sides)
            for m in bad
            if not (m.quantity == EMITTED_ROWS and m.channel in bounded)
        ]
        return _joined(list(dict.fromkeys(said)))
    doubtful = [m for m in measurements if m.judged and m.required and m.state is not State.PASS]
    if doubtful:
        first = doubtful[0]
        why = first.blocked or first.note
        names = list(dict.fromkeys(m.channel for m in doubtful if m.channel))
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"undecided for {', '.join(names[:3])}{more}: {why}"
    return "applied actions equal emitted ones, and no bound shows within the simulator's reach"


def _joined(said: list[str]) -> str:
    more = f"; and {len(said) - 3} more" if len(said) > 3 else ""
    return "; ".join(said[:3]) + more


def _said(m: Measurement, paths: Sequence[Path], sides: Sequence[Side]) -> str:
    if m.quantity.endswith("bound"):
        return _bound_said(m.channel, sides)
    if m.quantity == "applied gain":
        return f"gain of {m.channel} is {m.estimate:.4g} of the simulator's ({m.note})"
    if m.quantity == APPLIED_ROWS:
        path = next(p for p in paths if p.channel == m.channel)
        count, n = int(path.altered.sum()), path.altered.size
        return f"{count} of {n} applied rows of {m.channel} are altered: {path.named.map}"
    return f"{m.estimate:.1%} of the rows of {m.channel} are altered, {m.note}"


def _bound_said(channel: str, sides: Sequence[Side]) -> str:
    mine = [s for s in sides if s.channel == channel and s.bound]
    rows = sum(s.top.count for s in mine)
    if len(mine) == 2 and np.isclose(mine[0].target_extreme, -mine[1].target_extreme):
        at = f"±{mine[0].target_extreme:.4g}"
    else:
        at = " and ".join(f"{s.target_extreme:.4g}" for s in mine)
    reach = max(abs(s.sim_extreme) for s in mine)
    return (
        f"the target's emitted {channel} is bounded at {at} "
        f"({rows} of {mine[0].looked_at} rows; the simulator's reaches {reach:.2f} there)"
    )
