"""What would mend a failing observation, and which explanations its numbers suggest."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

import numpy as np

from tracescope.analysis.units import unit_factor
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_kinematics import RATE_LEVEL, RATIO
from tracescope.checks.observation_scaling_routes import Ratio, Settled
from tracescope.checks.observation_scaling_tolerances import CHECK_ID
from tracescope.model.check import Lead, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.words import counted


def corrections(
    bench: Workbench, facts: Facts, settled: Sequence[Settled], ratios: Sequence[Ratio] = ()
) -> tuple[Correction, ...]:
    """Return what would mend every failed scale, level and swap, on top of what is applied already."""
    failing = {one.name for one in settled if one.scale.state is State.FAIL}
    found = []
    inverse = {follows: name for name, follows in facts.swapped.items()}
    for i, one in enumerate(settled):
        scale = _best_scale(facts, one, ratios, failing) if one.name in failing else 1.0
        offset = one.level.estimate if one.level.state is State.FAIL else 0.0
        source = inverse.get(one.name)
        if source is None and scale == 1.0 and offset == 0.0:
            continue
        if scale == 1.0 and offset != 0.0 and not one.level.note.startswith(RATE_LEVEL):
            offset = float(facts.fit.shift[i])
        found.append(_composed(bench, one.name, scale, offset, source))
    return tuple(found)


def _best_scale(facts: Facts, one: Settled, ratios: Sequence[Ratio], failing: Set[str]) -> float:
    """Return the fitted scale, or what says it better where the fit contains that.

    The exact ratio of quantisation steps; where the motions differ, a kinematic ratio to channels that do
    not fail, and a unit inside it.
    """
    scale = one.scale
    low, high = scale.interval or (np.nan, np.nan)
    ratio = facts.shapes[one.name].step_ratio
    if low <= ratio <= high:
        return ratio
    if "route F" not in scale.note:
        return scale.estimate
    for whole, rates, measured in ratios:
        if {whole, *rates} & failing != {one.name} or len(rates) > 1 or measured.interval is None:
            continue
        ends = measured.interval
        if whole != one.name:
            ends = (1 / ends[1], 1 / ends[0])
        if low <= ends[0] and ends[1] <= high:
            scale = replace(scale, estimate=(ends[0] + ends[1]) / 2, interval=ends)
    factor = unit_factor(scale.estimate, scale.interval)
    return scale.estimate if factor is None else float(np.copysign(factor.value, scale.estimate))


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
    bench: Workbench,
    facts: Facts,
    settled: Sequence[Settled],
    failing: Sequence[Measurement],
    ratios: Sequence[Ratio] = (),
) -> tuple[Lead, ...]:
    """Turn failing measurements into explanations that say how they could be wrong."""
    shapes = {(m.quantity.split()[0], m.channel) for m in failing}
    found: list[Lead] = []
    scaled = {one.name for one in settled if one.scale.state is State.FAIL}
    for one in settled:
        target = bench.case.pair.target_of(one.name) or one.name
        if one.scale.state is State.FAIL:
            found.append(_scale_lead(one, target, _best_scale(facts, one, ratios, scaled)))
        if one.level.state is State.FAIL:
            found.append(_level_lead(one.level, target))
        found += _shape_leads(facts, one.name, target, shapes)
    if settled:
        found += [_swap_lead(bench, facts, name, other) for name, other in facts.swapped.items()]
    apart = {m.channel for m in failing if m.quantity == RATIO}
    found += [_ratio_lead(bench, ratio) for ratio in ratios if ratio[0] in apart]
    return tuple(found)


def _ratio_lead(bench: Workbench, ratio: Ratio) -> Lead:
    """Say that sensors of one motion disagree; which of them is scaled the relation does not tell."""
    pair = bench.case.pair
    whole, *rates = (pair.target_of(name) or name for name in (ratio[0], *ratio[1]))
    measured, together = ratio[2], " × ".join(rates)
    factor = unit_factor(measured.estimate, measured.interval)
    named = f", and {factor.name} = {factor.value:.5g}" if factor is not None else ""
    kind = "sign" if measured.estimate < 0 else "unit" if factor is not None else "scale"
    return Lead(
        f"consistent with {whole} scaled by {measured.estimate:.4g} against {together}, its rate{named}",
        CHECK_ID,
        (whole, *rates),
        f"{whole} and the integral of {together} give one number over a known travel",
        tuple(f"a scale of {name}" for name in (whole, *rates)),
        kind,
        measured.estimate,
    )


def _swap_lead(bench: Workbench, facts: Facts, name: str, other: str) -> Lead:
    """Say whose place a channel takes, with sign, gain and offset there and how well it follows."""
    target = bench.case.pair.target_of(name) or name
    x, y = facts.x[facts.names.index(other)], facts.y[facts.names.index(name)]
    r = float(np.corrcoef(x, y)[0, 1])
    gain = float(np.copysign(y.std() / x.std(), r))
    offset = float(y.mean()) - gain * float(x.mean())
    return Lead(
        f"consistent with {target} standing in the place of {other} (× {gain:.4g} {offset:+.4g}, r {r:.3f})",
        CHECK_ID,
        (target,),
        f"{target} still follows {other} when only {name} is moved",
        kind="swap",
        value=gain,
    )


def _scale_lead(one: Settled, target: str, best: float) -> Lead:
    scale = one.scale
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
                f"consistent with {target} holding its last value ({counted(int(shape.held.rows.sum()), 'row')})",
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
