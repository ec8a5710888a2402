"""Which upstream findings may bend a one-step relation, so that a gap behind them is not the plant's."""

from __future__ import annotations

from dataclasses import replace

from tracescope.analysis.explanations import Explanation
from tracescope.analysis.one_step import Relation
from tracescope.checks.base import Upstream
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction

OF_CONCERN = ("observation-scaling", "action", "timing")

RESPONSE = "response latency"
READ = ("scale", "level")
LOST = ("missing rows",)
"""Rows that are lost take their transitions with them; those that are left are whole."""

LOGGED = ("logged latency",)
"""What a late loop does to the motion stands in the measured response latency."""


def pending(upstream: Upstream) -> tuple[Correction, ...]:
    """Return the corrections that upstream checks fitted and nobody applied."""
    return tuple(c for name in OF_CONCERN if name in upstream for c in upstream[name].pending)


def disturbing(upstream: Upstream, relation: Relation | None) -> tuple[str, ...]:
    """Return the checks of concern whose failure may bend the one-step relation.

    An alteration of the action does not where the relation was fitted with what reached the actuator; nor
    do lost rows, or a logged latency that the response does not show.
    """
    applied = relation is not None and bool(relation.drives)
    applied = applied and relation is not None and all(d.applied for d in relation.drives)
    found = []
    for name in OF_CONCERN:
        result = upstream.get(name)
        if result is None or result.state is not State.FAIL:
            continue
        if name == "action" and applied:
            continue
        if name == "timing" and _only_noted(result):
            continue
        found.append(name)
    return tuple(found)


def _only_noted(timing: CheckResult) -> bool:
    """Whether the timing finding is one that no transition shows."""
    failed = [m.quantity for m in timing.measurements if m.judged and m.state is State.FAIL]
    answered = any(RESPONSE in m.quantity and m.state is State.PASS for m in timing.measurements)
    allowed = (*LOST, *LOGGED) if answered else LOST
    return bool(failed) and all(quantity.startswith(allowed) for quantity in failed)


def thinly_read(upstream: Upstream) -> Measurement | None:
    """Return an observation's scale or level that reads wholly outside its tolerance on too few samples.

    No finding, but no ground on which to call a gap the plant's either. Readings that the motion itself may
    have made are left out: another plant makes those.
    """
    result = upstream.get("observation-scaling")
    for m in () if result is None else result.measurements:
        thin = m.quantity in READ and m.judged and not m.covered and not m.blocked
        if thin and m.interval is not None and m.tolerance is not None:
            (low, high), (least, most) = m.interval, m.tolerance
            if low > most or high < least:
                return m
    return None


def thin_words(m: Measurement) -> tuple[str, str]:
    """Say what such a reading casts doubt on, and what would settle it."""
    what = f"the {m.quantity} of {m.channel}"
    return (
        f"{what} reads {m.estimate:.3g}, outside its tolerance, on too few samples to be a finding",
        f"settle {what} first: more rows, or one known state read on both sides",
    )


def finding_words(names: tuple[str, ...], upstream: Upstream) -> tuple[str, str]:
    """Say which findings stand in the way, and what would take them out of it."""
    named = " and ".join(name.replace("-", " ") for name in names)
    fitted = pending(upstream)
    settle = (
        "apply " + ", ".join(map(str, fitted)) + " and run the checks again"
        if fitted
        else f"mend what the {named} check found, or match it in the simulator, and record again"
    )
    return f"the {named} finding is not corrected", settle


def reopened(rivals: tuple[Explanation, ...], upstream: Upstream) -> tuple[Explanation, ...]:
    """Take back that the logged applied action excludes the action's rivals, where its check failed.

    An action column that is altered may be wrong about what reached the actuator as well.
    """
    action = upstream.get("action")
    if action is None or action.state is not State.FAIL:
        return rivals
    return tuple(replace(r, excluded="") if r.family == "action" else r for r in rivals)
