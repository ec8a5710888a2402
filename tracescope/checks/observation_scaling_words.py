"""What the observation check says about its measurements: leads, corrections, evidence, open ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tracescope.analysis.rows import live
from tracescope.analysis.units import unit_factor
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_routes import Settled
from tracescope.checks.observation_scaling_tolerances import CHECK_ID, SCALE
from tracescope.model.alignment import Interval
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold
from tracescope.model.correction import Correction
from tracescope.model.trace import Samples


def failed(measurements: Iterable[Measurement]) -> tuple[Measurement, ...]:
    """Return the failing ones."""
    return tuple(m for m in measurements if m.judged and m.state is State.FAIL)


def corrections(
    bench: Workbench, facts: Facts, settled: Sequence[Settled]
) -> tuple[Correction, ...]:
    """Return what would mend every failed scale, level and swap, on top of what is applied already."""
    found = []
    inverse = {follows: name for name, follows in facts.swapped.items()}
    for i, one in enumerate(settled):
        scale = _best_scale(facts, one) if one.scale.state is State.FAIL else 1.0
        offset = one.level.estimate if one.level.state is State.FAIL else 0.0
        source = inverse.get(one.name)
        if source is None and scale == 1.0 and offset == 0.0:
            continue
        if scale == 1.0 and offset != 0.0:
            offset = float(facts.fit.shift[i])
        found.append(_composed(bench, one.name, scale, offset, source))
    return tuple(found)


def _best_scale(facts: Facts, one: Settled) -> float:
    """Return the fitted scale, or the exact ratio of quantisation steps where the fit contains it."""
    ratio = facts.shapes[one.name].step_ratio
    low, high = one.scale.interval or (np.nan, np.nan)
    return ratio if low <= ratio <= high else one.scale.estimate


def _composed(
    bench: Workbench, name: str, scale: float, offset: float, swap: str | None
) -> Correction:
    """Fold a new scale and offset into the correction that is in force."""
    pair, case = bench.case.pair, bench.case
    channel = pair.target_of(name) or name
    old = case.correction_of(channel) or Correction(channel)
    source = old.source
    if swap is not None:
        source = pair.target_of(swap)
    return Correction(channel, old.scale * scale, old.offset + old.scale * offset, source)


def leads(
    bench: Workbench, facts: Facts, settled: Sequence[Settled], failing: Sequence[Measurement]
) -> tuple[Lead, ...]:
    """Turn failing measurements into explanations that say how they could be wrong."""
    shapes = {(m.quantity.split()[0], m.channel) for m in failing}
    found: list[Lead] = []
    for one in settled:
        target = bench.case.pair.target_of(one.name) or one.name
        if one.scale.state is State.FAIL:
            found.append(_scale_lead(facts, one, target))
        if one.level.state is State.FAIL:
            found.append(_level_lead(one.level, target))
        found += _shape_leads(facts, one.name, target, shapes)
    for name, other in facts.swapped.items():
        target = bench.case.pair.target_of(name) or name
        found.append(
            Lead(
                f"consistent with {target} standing in the place of {other}",
                CHECK_ID,
                (target,),
                f"{target} still follows {other} when only {name} is moved",
                kind="swap",
            )
        )
    return tuple(found)


def _scale_lead(facts: Facts, one: Settled, target: str) -> Lead:
    scale, best = one.scale, _best_scale(facts, one)
    size = f"{best:.4g}"
    exact = best != scale.estimate
    factor = unit_factor(best, (0.99 * best, 1.01 * best) if exact else scale.interval)
    wrong = f"a fixed input read by both sensors gives the same number on {target}"
    if factor is not None:
        text = f"consistent with a unit step: {target} reads × {size}, and {factor.name} = {factor.value:.5g} "
        return Lead(
            text + f"({factor.meaning})",
            CHECK_ID,
            (target,),
            wrong,
            ("calibration",),
            "unit",
            factor.value if scale.estimate > 0 else -factor.value,
        )
    if scale.estimate < 0:
        text = f"consistent with a reversed sign of {target} (× {size})"
        return Lead(text, CHECK_ID, (target,), wrong, ("swapped axes",), "sign", scale.estimate)
    text = f"consistent with {target} scaled by {size}"
    if exact:
        text = (
            f"consistent with {target} in other counts: the quantisation steps stand as {size} to 1"
        )
    return Lead(text, CHECK_ID, (target,), wrong, ("dynamics",), "scale", best)


def _level_lead(level: Measurement, target: str) -> Lead:
    return Lead(
        f"consistent with {target} offset by {level.estimate:.4g}",
        CHECK_ID,
        (target,),
        f"at rest in the simulator's reference pose {target} reads the simulator's value",
        ("dynamics",),
        "offset",
        level.estimate,
    )


def _shape_leads(facts: Facts, name: str, target: str, failing: set[tuple[str, str]]) -> list[Lead]:
    shape, found = facts.shapes[name], []
    for plateau in shape.saturated if ("saturated", name) in failing else ():
        side = "above" if plateau.side > 0 else "below"
        found.append(
            Lead(
                f"consistent with {target} saturating at {plateau.bound:.4g} ({plateau.count} rows)",
                CHECK_ID,
                (target,),
                f"{target} reads values {side} {plateau.bound:.4g} in any other episode",
                kind="saturation",
                value=plateau.bound,
            )
        )
    if ("held", name) in failing:
        found.append(
            Lead(
                f"consistent with {target} holding its last value ({int(shape.held.rows.sum())} rows)",
                CHECK_ID,
                (target,),
                f"{target} really stood still there",
                ("timing",),
                "hold",
                float(shape.held.excess),
            )
        )
    if ("resolution", name) in failing:
        found.append(
            Lead(
                f"consistent with {target} quantised in steps of {shape.target_step:.4g}",
                CHECK_ID,
                (target,),
                f"{target} takes values between two steps in any other episode",
                kind="quantisation",
                value=shape.target_step,
            )
        )
    return found


def evidence(
    bench: Workbench, facts: Facts, failing: Sequence[Measurement]
) -> tuple[Evidence, ...]:
    """Point at the tenth of the rows in which each failing channel differs most."""
    rows = bench.rows
    time_s = rows.time_s[facts.rows]
    found = []
    for m in failing:
        if m.channel not in facts.names:
            continue
        i = facts.names.index(m.channel)
        caption = f"{m.quantity} {m.estimate:.4g}{' ' + m.unit if m.unit else ''}"
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
    still = [name for name in bench.observations if name not in moving]
    found += [Untold(stillness(bench, n), f"an episode in which {n} moves") for n in still]
    thin = facts.thin if facts else moving
    found += [
        Untold(f"{name} has too few common samples", "a recording without its dropped samples")
        for name in thin
    ]
    return tuple(found)


def stillness(bench: Workbench, name: str) -> str:
    moves = [
        side
        for side, values in (("simulator", bench.rows.sim), ("target", bench.rows.target))
        if live(values[name])
    ]
    return f"{name} moves only in the {moves[0]}" if moves else f"{name} does not move"


def unmeasured(bench: Workbench, facts: Facts) -> tuple[Measurement, ...]:
    """Return scales that could not be measured: no verdict may pass over them.

    A channel that is constant and equal on both sides needs none.
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
        return not x.size and not y.size
    return bool(abs(x[0] - y[0]) <= 1e-6 * max(abs(float(x[0])), abs(float(y[0])), 1e-12))


SETTLE = "a replay of the simulator's actions from a start away from zero, or both sensors read on one fixed pose"


def reason(measurements: Sequence[Measurement], channels: int) -> str:
    """Say the result in one sentence."""
    judged = [m for m in measurements if m.judged]
    bad = failed(judged)
    if bad:
        return "; ".join(_said(m) for m in bad[:3]) + _and_more(len(bad) - 3)
    open_ones = [m for m in judged if m.required and m.state is not State.PASS]
    if open_ones:
        names = list(dict.fromkeys(m.channel for m in open_ones))
        first = open_ones[0]
        why = first.blocked or (
            "the interval reaches over the tolerance" if first.interval else first.note
        )
        return f"{len(names)} of {channels} channels undecided ({', '.join(names[:4])}): {why}"
    return f"scale, level and shape of {channels} channels lie inside their tolerances"


def _said(m: Measurement) -> str:
    unit = f" {m.unit}" if m.unit else ""
    text = f"{m.quantity}{' of ' + m.channel if m.channel else ''} is {m.estimate:.4g}{unit}"
    if m.interval is not None and m.interval[0] < m.interval[1]:
        text += f" [{m.interval[0]:.4g}, {m.interval[1]:.4g}]"
    return text


def _and_more(count: int) -> str:
    return f"; and {count} more" if count > 0 else ""
