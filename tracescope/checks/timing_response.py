"""The response's part of timing: how much later the target answers its actions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tracescope.analysis.intervals import covered
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.response import Pooled, ResponseLatency, response_latency
from tracescope.analysis.response_relation import applied_behind, delay_deviances
from tracescope.analysis.workbench import Workbench
from tracescope.checks.timing_phase import phase_unproven, phases_apart
from tracescope.checks.timing_tolerances import RESPONSE
from tracescope.model.check import Measurement, State
from tracescope.model.trace import Role

AGE_QUANTITY = "observation age, target less sim"


def response_measurements(bench: Workbench) -> tuple[tuple[Measurement, ...], ResponseLatency]:
    """Measure the action → response latency, from emitted and, where both log it, applied actions."""
    found = response_latency(bench)
    measurements = [_difference(bench, found), *_age(bench, found), *_each_trace(bench, found)]
    applied = response_latency(bench, Role.ACTION_APPLIED)
    if applied.paths and applied.sim != found.sim:
        measurements += _each_trace(bench, applied, "applied action → response latency")
    return tuple(measurements), found


def _difference(bench: Workbench, found: ResponseLatency) -> Measurement:
    band = bench.case.tolerances[RESPONSE]
    base = Measurement(
        "response latency, target less sim",
        "",
        float("nan"),
        None,
        "rows",
        tolerance=band,
        tolerance_key=RESPONSE.key,
        confidence=bench.case.confidence,
        covered=False,
        note=found.why_not,
    )
    if found.difference is None:
        return base
    pooled = found.difference
    return replace(
        base,
        estimate=pooled.value,
        interval=pooled.interval,
        n=pooled.n_eff,
        covered=covered(pooled.interval, pooled.n_eff, band),
        note="both runs are the same" if found.identical else _said(bench, found, pooled),
    )


def _age(bench: Workbench, found: ResponseLatency) -> list[Measurement]:
    """The age of observations, where nothing that was measured has them in it.

    A response seen in torques or currents alone ends at the actuator: how old the observations are that the
    policy acts on stands in none of it.
    """
    if found.difference is None or found.identical or not age_untested(bench, found):
        return []
    band = bench.case.tolerances[RESPONSE]
    nothing = Measurement(
        AGE_QUANTITY,
        "",
        float("nan"),
        None,
        "rows",
        tolerance=band,
        tolerance_key=RESPONSE.key,
        confidence=bench.case.confidence,
        covered=False,
        note="no observation answers an action as clearly, and no latency is logged",
    )
    seen = response_latency(bench, observed=True)
    if seen.difference is None:
        return [nothing]
    # What an observation answers later than the actuator does is the observation's own age (and the plant's).
    age = seen.difference.value - found.difference.value
    ours, theirs = (p.interval[1] - p.interval[0] for p in (seen.difference, found.difference))
    half = float(np.hypot(ours, theirs)) / 2
    interval, n_eff = (age - half, age + half), min(seen.difference.n_eff, found.difference.n_eff)
    note = f"{paths_in_words(seen)} less {paths_in_words(found)}"
    return [
        replace(
            nothing,
            estimate=age,
            interval=interval,
            n=n_eff,
            covered=covered(interval, n_eff, band),
            note=note,
        )
    ]


def age_untested(bench: Workbench, found: ResponseLatency) -> bool:
    """Say whether no path ends in an observation and the target logs no latency."""
    pair = bench.case.pair
    observed = {channel.name for channel in pair.sim.of_role(Role.OBSERVATION)}
    through = any(path.output in observed for path in found.paths)
    return not through and not pair.target.of_role(Role.LATENCY)


def paths_in_words(found: ResponseLatency) -> str:
    """Name what a latency was measured on: ``action → torque``, by columns where they are many."""
    outputs = list(dict.fromkeys(_stem(path.output) for path in found.paths))
    named = ", ".join(outputs[:2]) + (f" and {len(outputs) - 2} more" if len(outputs) > 2 else "")
    return f"action → {named}"


def _stem(name: str) -> str:
    """Return a vector's name without the place of one of its numbers."""
    return name.partition("[")[0]


def _said(bench: Workbench, found: ResponseLatency, pooled: Pooled) -> str:
    ms = pooled.value * bench.case.pair.target.interval_s * 1e3
    named = ", ".join(f"{p.action} → {p.output}" for p in found.paths[:3])
    more = f" and {len(found.paths) - 3} more" if len(found.paths) > 3 else ""
    said = f"{ms:+.3g} ms by impulse response of {named}{more}"
    phase = phases_apart(bench.case.pair) or phase_unproven(bench.case.pair, pooled.interval)
    return f"{said}; {phase}" if phase else said


def _each_trace(
    bench: Workbench, found: ResponseLatency, quantity: str = "action → response latency"
) -> list[Measurement]:
    pair = bench.case.pair
    out = []
    sides = (("sim", found.sim, pair.sim), ("target", found.target, pair.target))
    for side, pooled, trace in sides:
        if pooled is None:
            continue
        row_ms = trace.interval_s * 1e3
        low, high = pooled.interval
        out.append(
            Measurement(
                f"{quantity} in the {side}",
                "",
                pooled.value * row_ms,
                (low * row_ms, high * row_ms),
                "ms",
                n=pooled.n_eff,
                confidence=bench.case.confidence,
                required=False,
                note=f"{pooled.value:+.3g} steps after the action's own row",
            )
        )
    return out


def explained_otherwise(bench: Workbench, latency: Measurement, found: ResponseLatency) -> str:
    """Say which better explanation removes a latency finding; empty where none does.

    Smoothing, a clip, a gain or a plant parameter also move the centroid of a response.
    """
    if latency.state is not State.FAIL:
        return ""
    if _fits_at_once(bench, latency, found):
        return (
            "the sim's own one-step relation fits the target's rows better without any such delay"
        )
    delays = [e for e in bench.explanations if e.family == "timing"]
    others = [e for e in bench.explanations if e.family != "timing"]
    best_delay = max((e.share for e in delays), default=0.0)
    best = max(others, key=lambda e: e.share, default=None)
    if best is None or best.share < _GOOD_SHARE or best.share < best_delay + _BETTER_BY:
        return ""
    channels = ", ".join(best.channels)
    return f"{best.kind} of {channels or 'the plant'} explains it better than a delay"


def _fits_at_once(bench: Workbench, latency: Measurement, found: ResponseLatency) -> bool:
    """Say whether the simulator's relation leaves no gap without a delay and denies those that were found.

    No delay beyond the tolerance may fit better, and those that the finding leaves open fit clearly worse. It can
    deny nothing of an answer that it does not predict, as that of a torque or a current.
    """
    relation, interval = bench.relation, latency.interval
    if latency.quantity == AGE_QUANTITY or relation is None or interval is None:
        return False
    predicted = {relation.names[gap.output] for gap in bench.gaps}
    if not {path.output for path in found.paths} <= predicted:
        return False
    if any(gap.interval[0] > 0 for gap in bench.gaps):
        return False
    low, high = bench.case.tolerances[RESPONSE]
    edge = low if latency.estimate < low else high
    possible = np.linspace(*interval, _DELAYS_TRIED)
    beyond = np.linspace(edge, latency.estimate, _DELAYS_TRIED)
    worse = delay_deviances(relation, np.concatenate((possible, beyond)))
    # Likelihood ratio of one parameter (Wilks 1938): its χ² is the square of a normal.
    enough = normal_quantile(bench.case.confidence) ** 2
    denied = worse.min() > 0 and worse[:_DELAYS_TRIED].min() > enough
    return bool(denied) and not applied_behind(bench.case.pair)


_DELAYS_TRIED = 9
_GOOD_SHARE = 0.8
_BETTER_BY = 0.05
