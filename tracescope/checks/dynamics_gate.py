"""What must be settled before a gap may be called dynamics."""

from __future__ import annotations

from dataclasses import dataclass

from tracescope.analysis.explanations import CLOSE, CLOSE_RATIO, MIN_SHARE, Explanation, without
from tracescope.analysis.one_step import Relation
from tracescope.analysis.one_step_gap import gaps
from tracescope.checks.base import Upstream
from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction

OF_CONCERN = ("observation-scaling", "action", "timing")
PLANT_SHARE = 0.85
PLANT_LEAD = 0.2


@dataclass(frozen=True, slots=True)
class Gate:
    """What stands between a gap and a verdict.

    Attributes:
        shut: Why nothing at all may be said, ``""`` where the alignment is established.
        blocked: Why a failing measurement may not count, ``""`` where it may.
        settle: What would open the gate.
        open: Explanations still open after what was read directly, best first.
    """

    shut: str
    blocked: str
    settle: str
    open: tuple[Explanation, ...]


def pending(upstream: Upstream) -> tuple[Correction, ...]:
    """Return the corrections that upstream checks fitted and nobody applied."""
    return tuple(c for name in OF_CONCERN if name in upstream for c in upstream[name].pending)


def assuming_corrected(upstream: Upstream) -> dict[str, CheckResult]:
    """Return upstream results as if those that fitted corrections were settled by them."""
    return {
        name: result
        for name, result in upstream.items()
        if not (name in OF_CONCERN and result.pending)
    }


def gate(
    upstream: Upstream,
    rivals: tuple[Explanation, ...],
    relation: Relation | None,
    tolerance: Interval,
    scale: tuple[float, float],
) -> Gate:
    """Decide what may be said.

    Args:
        upstream: Results of the earlier checks.
        rivals: Explanations of the gap, best first.
        relation: What they were measured with.
        tolerance: Of the gap.
        scale: Seconds a row, and the confidence.
    """
    left = still_open(rivals, upstream)
    alignment = upstream.get("alignment")
    if alignment is not None and alignment.state is not State.PASS:
        why = f"the alignment is not established ({alignment.state.value})"
        return Gate(why, why, alignment.settle or "settle the alignment first", left)
    finding = _finding(upstream)
    if finding:
        return Gate("", *finding, left)
    rival = _removing(left, relation, tolerance, scale)
    if rival is not None:
        return Gate("", *_same_gap(rival), left)
    return Gate("", *_latency(upstream, rivals, left), left)


def _finding(upstream: Upstream) -> tuple[str, str] | None:
    failed = [n for n in OF_CONCERN if n in upstream and upstream[n].state is State.FAIL]
    if not failed:
        return None
    named = " and ".join(name.replace("-", " ") for name in failed)
    fitted = pending(upstream)
    settle = (
        "apply " + ", ".join(map(str, fitted)) + " and run the checks again"
        if fitted
        else f"mend what the {named} check found, or match it in the simulator, and record again"
    )
    return f"the {named} finding is not corrected", settle


def still_open(rivals: tuple[Explanation, ...], upstream: Upstream) -> tuple[Explanation, ...]:
    """Return the explanations that neither the data nor an upstream reading excludes."""
    left = [r for r in rivals if not r.excluded and not read_directly(r, upstream)]
    best = max((r.share for r in left), default=0.0)
    least = max(best - CLOSE, CLOSE_RATIO * best, MIN_SHARE)
    return tuple(r for r in left if r.share >= least)


def read_directly(rival: Explanation, upstream: Upstream) -> bool:
    """Say whether an upstream check measured what a rival claims, and found otherwise."""
    result = upstream.get(rival.family)
    if result is None or not rival.upstream:
        return False
    if rival.kind in {"scale", "common scale"}:
        return any(_says_otherwise(result, "scale", c, rival.value) for c in rival.channels)
    if rival.kind == "offset":
        return any(_says_otherwise(result, "level", c, rival.value) for c in rival.channels)
    if rival.family == "timing":
        return any(m.state is State.PASS for m in response_latencies(result))
    return result.state is State.PASS


def response_latencies(result: CheckResult) -> tuple[Measurement, ...]:
    """Return the timing check's measurements of how late the response to an action is."""
    return tuple(m for m in result.measurements if "response" in m.quantity)


def _says_otherwise(result: CheckResult, quantity: str, channel: str, value: float) -> bool:
    for m in result.measured(quantity, channel):
        if m.interval is None or m.blocked or not m.covered:
            continue
        if not m.interval[0] <= value <= m.interval[1]:
            return True
    return False


def _removing(
    left: tuple[Explanation, ...],
    relation: Relation | None,
    tolerance: Interval,
    scale: tuple[float, float],
) -> Explanation | None:
    """Return an open upstream explanation that, taken out, leaves no gap beyond the tolerance."""
    if relation is None:
        return None
    interval_s, confidence = scale
    for rival in left:
        if not rival.upstream:
            continue
        remaining = gaps(without(relation, rival, interval_s), confidence, relation.plant_outputs)
        if all(gap.interval[0] <= tolerance[1] for gap in remaining):
            return rival
    return None


def _same_gap(rival: Explanation) -> tuple[str, str]:
    settle = {
        "observation-scaling": "start both from one known state away from zero, which reads the "
        "observation's scale before feedback acts",
        "action": "log the action that reached the actuator",
        "timing": "log when each action was applied, or repeat with a step in the action",
    }[rival.family]
    return f"{in_words(rival)} would explain the gap as well", settle


def _latency(
    upstream: Upstream, rivals: tuple[Explanation, ...], left: tuple[Explanation, ...]
) -> tuple[str, str]:
    timing = upstream.get("timing")
    if timing is None or any(m.state is State.PASS for m in response_latencies(timing)):
        return "", ""
    plant = max((r.share for r in left if not r.upstream), default=0.0)
    others = max(
        (
            r.share
            for r in rivals
            if r.upstream and not r.excluded and not read_directly(r, upstream)
        ),
        default=0.0,
    )
    if plant >= PLANT_SHARE and plant >= others + PLANT_LEAD:
        return "", ""
    return (
        "how late the response is has not been established, and no plant parameter explains clearly more",
        "settle the response latency first (timing): excite the action more, or log when it is applied",
    )


def in_words(rival: Explanation) -> str:
    """Name an explanation with its number."""
    of = ", ".join(rival.channels) if len(rival.channels) < 4 else f"{len(rival.channels)} channels"
    value = f"{rival.value:.3g}"
    words = {
        "scale": f"a scale of {value} in {of}",
        "common scale": f"one scale of {value} in {of}",
        "offset": f"an offset of {value} in {of}",
        "gain": f"a gain of {value} on {of}",
        "bias": f"a bias of {value} on {of}",
        "clip": f"a bound of ±{value} on {of}",
        "dead band": f"a dead band of ±{value} on {of}",
        "smoothing": f"smoothing of {of} (memory {value} a row)",
        "delay": f"a response delay of {rival.value * 1e3:.3g} ms",
        "inertia": f"{value} times the inertia in {of}",
        "constant force": f"a constant force on {of}",
    }
    if rival.kind == "coefficient":
        return f"{value} times the effect of {rival.channels[1]} on {rival.channels[0]}"
    return words.get(rival.kind, f"{rival.kind} of {of}")
