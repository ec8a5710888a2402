"""What must be settled before a gap may be called dynamics."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.explanations import (
    CLOSE,
    CLOSE_RATIO,
    MIN_SHARE,
    Explanation,
    ranked,
    without,
)
from tracescope.analysis.one_step import Relation
from tracescope.analysis.one_step_gap import gaps
from tracescope.checks.base import Upstream
from tracescope.checks.dynamics_findings import (
    OF_CONCERN,
    disturbing,
    finding_words,
    reopened,
    thin_words,
    thinly_read,
)
from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.progress import Pulse, never

PLANT_SHARE = 0.85
PLANT_LEAD = 0.2
FIRST_TRIED = 2

SENSORS = (
    "one observation is no longer another one's integral as in the simulator: the scales of the two "
    "sensors disagree, and no plant parameter does that"
)
RESTLESS = (
    "no one change of the plant accounts for half of it, and the target is also moved by more than "
    "the simulator is: a disturbance would look the same"
)
RESTLESS_SETTLE = "repeat the episode: a disturbance changes from run to run, the plant does not"
SENSORS_SETTLE = "settle which of the two observations is scaled: read a known state on both sides"


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


def assuming_corrected(upstream: Upstream) -> dict[str, CheckResult]:
    """Return upstream results as if those that fitted corrections were settled by them."""
    return {
        name: result
        for name, result in upstream.items()
        if not (name in OF_CONCERN and result.pending)
    }


@dataclass(frozen=True, slots=True, eq=False)
class Failing:
    """What fails before any gate: outputs of a relation beyond a tolerance.

    Attributes:
        relation: What the gaps were measured with.
        outputs: Its columns whose gap fails.
        tolerance: Of the gap.
        interval_s: Seconds a row.
        confidence: Of all intervals jointly.
        sensors: Whether a kinematic row fails too.
        restless: Whether the target scatters clearly more about its own relation than the simulator.
        pulse: Called during what is measured again.
    """

    relation: Relation
    outputs: tuple[int, ...]
    tolerance: Interval
    interval_s: float
    confidence: float
    sensors: bool = False
    restless: bool = False
    pulse: Pulse = never

    def without(self, rival: Explanation) -> Failing:
        """Return the same with an explanation taken out of the target."""
        return replace(self, relation=without(self.relation, rival, self.interval_s))

    def gone(self) -> bool:
        """Whether no output fails any more."""
        left = gaps(self.relation, self.confidence, self.outputs, self.pulse, lower_only=True)
        return all(gap.interval[0] <= self.tolerance[1] for gap in left)


def gate(upstream: Upstream, rivals: tuple[Explanation, ...], failing: Failing | None) -> Gate:
    """Decide what may be said.

    Args:
        upstream: Results of the earlier checks.
        rivals: Explanations of the gap, best first.
        failing: What would fail, ``None`` where nothing does.
    """
    left = still_open(rivals, upstream)
    alignment = upstream.get("alignment")
    if alignment is not None and alignment.state is not State.PASS:
        why = f"the alignment is not established ({alignment.state.value})"
        return Gate(why, why, alignment.settle or "settle the alignment first", left)
    found = disturbing(upstream, None if failing is None else failing.relation)
    if found:
        return Gate("", *finding_words(found, upstream), left)
    if failing is None:
        return Gate("", "", "", left)
    thin = thinly_read(upstream)
    if thin is not None:
        return Gate("", *thin_words(thin), left)
    if failing.sensors:
        return Gate("", SENSORS, SENSORS_SETTLE, left)
    likely = as_read(reopened(rivals, upstream), upstream)
    as_well = _removing(likely, failing) or _removing_together(likely, upstream, failing)
    if as_well:
        return Gate("", *_same_gap(as_well), left)
    if failing.restless and max((r.share for r in rivals), default=0.0) < MIN_SHARE:
        return Gate("", RESTLESS, RESTLESS_SETTLE, left)
    return Gate("", *_latency(upstream, rivals, left, failing), left)


def still_open(rivals: tuple[Explanation, ...], upstream: Upstream) -> tuple[Explanation, ...]:
    """Return the explanations that neither the data nor an upstream reading excludes."""
    left = _allowed(rivals, upstream)
    best = max((r.share for r in left), default=0.0)
    least = max(best - CLOSE, CLOSE_RATIO * best, MIN_SHARE)
    return tuple(r for r in left if r.share >= least)


def as_read(rivals: tuple[Explanation, ...], upstream: Upstream) -> tuple[Explanation, ...]:
    """Return the rivals that upstream readings leave room for, each at a value that they allow.

    A level that its own check lets pass may still be a large part of one step's motion.
    """
    out = []
    for rival in rivals:
        room = _room(rival, upstream)
        if room is not None and not rival.excluded:
            out.append(replace(rival, value=float(np.clip(rival.value, *room))))
        elif not rival.excluded and not read_directly(rival, upstream):
            out.append(rival)
    return tuple(out)


def _room(rival: Explanation, upstream: Upstream) -> Interval | None:
    """Return the interval that upstream readings leave to an observation's scale or offset."""
    quantity = {"scale": "scale", "common scale": "scale", "offset": "level"}.get(rival.kind)
    result = upstream.get(rival.family)
    if quantity is None or result is None:
        return None
    read = [m.interval for c in rival.channels for m in result.measured(quantity, c) if _counts(m)]
    ends = [interval for interval in read if interval is not None]
    if not ends:
        return None
    low, high = max(end[0] for end in ends), min(end[1] for end in ends)
    return (low, high) if low <= high else (high, high)


def _counts(m: Measurement) -> bool:
    return m.interval is not None and not m.blocked and m.covered


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
        if m.interval is None or not _counts(m):
            continue
        if not m.interval[0] <= value <= m.interval[1]:
            return True
    return False


def _removing(likely: tuple[Explanation, ...], failing: Failing) -> tuple[Explanation, ...]:
    """Return an upstream explanation that, taken out, leaves no gap beyond the tolerance."""
    best = max((r.share for r in likely), default=0.0)
    least = max(best - CLOSE, CLOSE_RATIO * best, MIN_SHARE)
    for rival in likely:
        if rival.upstream and rival.share >= least and failing.without(rival).gone():
            return (rival,)
    return ()


def _removing_together(
    likely: tuple[Explanation, ...], upstream: Upstream, failing: Failing
) -> tuple[Explanation, ...]:
    """Return two upstream explanations that together leave no gap, where no plant parameter does."""
    if _plant_share(likely) >= PLANT_SHARE:
        return ()
    for first in [r for r in likely if r.upstream][:FIRST_TRIED]:
        rest = failing.without(first)
        again = as_read(ranked(rest.relation, failing.interval_s, failing.pulse), upstream)
        for second in [r for r in again if r.upstream and r.kind != first.kind][:1]:
            if rest.without(second).gone():
                return (first, second)
    return ()


def _plant_share(rivals: tuple[Explanation, ...]) -> float:
    """Return the largest share of a change that a plant can have: none turns inertia or actuators round."""
    turned = {"inertia", "drive", "damping"}
    return max(
        (r.share for r in rivals if not r.upstream and not (r.kind in turned and r.value <= 0)),
        default=0.0,
    )


def _allowed(rivals: tuple[Explanation, ...], upstream: Upstream) -> tuple[Explanation, ...]:
    return tuple(r for r in rivals if not r.excluded and not read_directly(r, upstream))


def _same_gap(rivals: tuple[Explanation, ...]) -> tuple[str, str]:
    settle = {
        "observation-scaling": "start both from one known state away from zero, which reads the "
        "observation's scale before feedback acts",
        "action": "log the action that reached the actuator",
        "timing": "log when each action was applied, or repeat with a step in the action",
    }
    families = dict.fromkeys(r.family for r in rivals)
    together = " together" if len(rivals) > 1 else ""
    said = " and ".join(in_words(r) for r in rivals)
    return f"{said}{together} would explain the gap as well", "; ".join(settle[f] for f in families)


def _latency(
    upstream: Upstream,
    rivals: tuple[Explanation, ...],
    left: tuple[Explanation, ...],
    failing: Failing,
) -> tuple[str, str]:
    """Say why an unknown response latency may have made the gap; nothing where it cannot have.

    It cannot where a plant parameter explains clearly more than anything upstream, and either nearly all or what
    stays with the best delay taken out.
    """
    timing = upstream.get("timing")
    if timing is None or any(m.state is State.PASS for m in response_latencies(timing)):
        return "", ""
    plant = _plant_share(left)
    others = max((r.share for r in _allowed(rivals, upstream) if r.upstream), default=0.0)
    delays = [r for r in rivals if r.family == "timing"]
    clearly = plant >= others + PLANT_LEAD
    if clearly and (plant >= PLANT_SHARE or not any(failing.without(r).gone() for r in delays)):
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
        "swap": f"{' and '.join(rival.channels)} in each other's place",
        "gain": f"a gain of {value} on {of}",
        "bias": f"a bias of {value} on {of}",
        "clip": f"a bound of ±{value} on {of}",
        "narrow range": f"a range of ±{value} about the middle of {of}",
        "dead band": f"a dead band of ±{value} on {of}",
        "smoothing": f"smoothing of {of} (memory {value} a row)",
        "delay": f"a response delay of {rival.value * 1e3:.3g} ms",
        "inertia": f"{value} times the inertia in {of}",
        "constant force": f"a constant force on {of}",
        "drive": f"{value} times what the actions do to {of}",
        "damping": f"{value} times what each of {of} does to itself",
    }
    if rival.kind == "coefficient":
        return f"{value} times the effect of {rival.channels[1]} on {rival.channels[0]}"
    return words.get(rival.kind, f"{rival.kind} of {of}")
