"""What the dynamics check says, and where it points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.analysis.explanations import Explanation, told_apart
from tracescope.analysis.one_step_gap import Gap
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics_gate import Gate, in_words
from tracescope.checks.dynamics_measure import ELSEWHERE, MIN_COMPARABLE, Facts
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold

NOT_DYNAMICS = "residual trajectory disagreement, not dynamics mismatch"
REPLAY = (
    "a controlled replay: run the simulator with the target's applied actions from the target's "
    "start, so that transitions become comparable"
)
SHORTER = "the part of the recording in which it moves, cut out and opened alone"
MAX_LEADS = 3
MOST_NAMES = 6
MOST_TIMES_LONGER = 50.0
"""A recording that many times longer is not worth asking for."""


def comparable_words(facts: Facts) -> str:
    """Say how many transitions are comparable."""
    return f"{facts.comparable.count} of {facts.comparable.total} transitions comparable"


def nothing_comparable(facts: Facts) -> str:
    """Say why dynamics cannot be isolated at all."""
    # A rate and its position tie two sensors to each other, whatever the plant is.
    known = " but that of a position to its own rate" if facts.gaps else ""
    return (
        f"{NOT_DYNAMICS}: {comparable_words(facts)} ({MIN_COMPARABLE} needed) and no relation of "
        f"state and action{known} predicts the next observation"
    )


def reason(facts: Facts, gate: Gate, measured: Sequence[Measurement], state: State) -> str:
    """Return the result's one sentence."""
    judged = [m for m in measured if m.judged]
    start = comparable_words(facts)
    if state is State.FAIL:
        failing = [m for m in judged if m.state is State.FAIL]
        worst = max(failing, key=lambda m: abs(m.estimate))
        cause = next((in_words(e) for e in gate.open if not e.upstream), "")
        consistent = f"; consistent with {cause}" if cause else ""
        return f"{named(worst)} is outside its tolerance{consistent}; {start}"
    if state is State.PASS:
        worst = max([m for m in judged if m.state is State.PASS] or judged, key=_reach)
        return f"one-step motion agrees: {named(worst)} at most; {start}"
    blocked = next((m for m in judged if m.blocked), None)
    if blocked is not None:
        return f"{named(blocked)}, but {blocked.blocked}; {start}"
    doubt = [m for m in judged if m.required and m.state is not State.PASS]
    if not doubt:
        return f"no output could be judged; {start}"
    if len(facts.unmodelled) > 1:
        return (
            f"{len(facts.unmodelled)} observations are not predicted by state and action "
            f"({', '.join(facts.unmodelled[:3])}{' …' if len(facts.unmodelled) > 3 else ''}); {start}"
        )
    first = max(doubt, key=lambda m: (m.interval is None, _reach(m)))
    if first.interval is None or not first.covered:
        return f"{first.quantity} of {first.channel} is not established: {first.note}; {start}"
    return f"{named(first)}: the interval crosses the tolerance; {start}"


def _reach(m: Measurement) -> float:
    if m.interval is None or m.tolerance is None:
        return 0.0
    middle = 1.0 if m.tolerance[0] > 0 else 0.0
    return max(abs(m.interval[0] - middle), abs(m.interval[1] - middle))


def named(m: Measurement) -> str:
    """Name a measurement with its number and interval."""
    if m.interval is None:
        return f"{m.quantity} of {m.channel}"
    low, high = m.interval
    return f"{m.quantity} of {m.channel} {m.estimate:.3g} [{low:.3g}, {high:.3g}]"


def settle(facts: Facts, gate: Gate, measured: Sequence[Measurement]) -> str:
    """Say what would settle an inconclusive result."""
    if any(m.blocked for m in measured) and gate.settle:
        return gate.settle
    if facts.unmodelled:
        return REPLAY
    if facts.empty or facts.elsewhere:
        named = ", ".join(n for n, _ in facts.empty[:MOST_NAMES])
        return f"a recording in which {named} holds values" if facts.empty else SHORTER
    wide = [
        m for m in measured
        if m.required and m.judged and m.state is State.INCONCLUSIVE and m.interval is not None
    ]  # fmt: skip
    if not wide:
        return ""
    m = max(wide, key=_reach)
    if not m.covered and "inside" in m.note:
        return "drive the simulator through the states that the target visited, and record again"
    if m.interval is None or m.tolerance is None or not np.isfinite(_reach(m)):
        return REPLAY
    factor = ((m.interval[1] - m.interval[0]) / max(m.tolerance[1] - m.tolerance[0], 1e-12)) ** 2
    if factor > MOST_TIMES_LONGER:
        return REPLAY
    many = int(np.ceil(max(factor, 1.5) * max(facts.comparable.total, 1) / 100) * 100)
    return f"about {many} transitions under the same policy with more excitation, to narrow it"


def coverage(facts: Facts, bench: Workbench) -> tuple[Coverage, ...]:
    """Return the range of each observation that the verdict speaks for."""
    relation = facts.relation
    out = [Coverage("", None, comparable_words(facts))]
    if relation is not None:
        for gap in facts.gaps:
            column = relation.target.state[:, gap.output]
            span = (float(column.min()), float(column.max()))
            out.append(
                Coverage(
                    relation.names[gap.output],
                    span,
                    f"{gap.inside:.0%} of the target's transitions lie where the simulator has been",
                )
            )
    at = np.flatnonzero(facts.comparable.alike)
    for motion in facts.paired:
        value = bench.rows.target[motion.name][at]
        span = (float(value.min()), float(value.max()))
        out.append(Coverage(motion.name, span, f"{motion.count} comparable transitions"))
    return tuple(out)


def evidence(facts: Facts, bench: Workbench, limit: float) -> tuple[Evidence, ...]:
    """Return the exemplar transition of each output, the largest gap first."""
    out = [
        _exemplar(gap, facts, bench)
        for gap in sorted(facts.gaps, key=lambda g: -g.interval[0])
        if gap.interval[0] > limit
    ]
    if not out and facts.comparable.count:
        out = _closest(facts, bench)
    return tuple(out[:3])


def _exemplar(gap: Gap, facts: Facts, bench: Workbench) -> Evidence:
    relation = facts.relation
    assert relation is not None  # noqa: S101  # a gap comes from a relation
    name = relation.names[gap.output]
    row = int(relation.target.row[gap.worst])
    time_s = relation.target_rows.time_s[[row, min(row + 1, len(relation.target_rows.time_s) - 1)]]
    if not relation.same_rows:
        time_s = bench.case.alignment.to_sim(time_s)
    moved = float(relation.target.change[gap.worst, gap.output])
    return Evidence(
        name,
        (float(time_s[0]), float(time_s[1])),
        f"exemplar transition: {name} moves {moved:+.3g} where the two relations differ most",
    )


def _closest(facts: Facts, bench: Workbench) -> list[Evidence]:
    """Return the comparable transition whose steps differ most."""
    rows = bench.rows
    at = np.flatnonzero(facts.comparable.alike)
    best: tuple[float, str, int] | None = None
    for name in bench.live_in_both(bench.observations):
        sim, target = rows.sim[name], rows.target[name]
        apart = (target[at + 1] - target[at]) - (sim[at + 1] - sim[at])
        i = int(np.argmax(np.abs(apart)))
        size = abs(float(apart[i])) / max(float(np.nanstd(sim)), 1e-300)
        if best is None or size > best[0]:
            best = (size, name, i)
    if best is None or not best[0] > 0:
        return []
    _, name, i = best
    row = int(at[i])
    steps = [float(side[name][row + 1] - side[name][row]) for side in (rows.sim, rows.target)]
    return [
        Evidence(
            name,
            (float(rows.time_s[row]), float(rows.time_s[row + 1])),
            f"exemplar transition: from alike state and action the simulator steps {steps[0]:+.3g} "
            f"and the target {steps[1]:+.3g}, the largest difference of any comparable one",
        )
    ]


def leads(gate: Gate, *, untried: bool = False, decided: bool = False) -> tuple[Lead, ...]:
    """Return the explanations still open as leads, the best first, of each family at least one.

    Where nothing may be said of the plant yet, only what a single family upstream of it explains.

    Args:
        gate: What is open.
        untried: Whether the gap lies where explanations upstream of the plant could not be tried: then the
            plant, which only is what is left of those that could, is not named.
        decided: Whether the check fails, so that it is the plant whatever explains it best.
    """
    found = gate.open if decided else _unbeaten(gate.open)
    words = {e: in_words(e) for e in found}
    if untried and not any(e.upstream for e in found):
        return ()
    families = {e.family for e in found}
    if gate.shut and (families == {"dynamics"} or len(families) > 1):
        return ()
    return tuple(
        Lead(
            f"consistent with {words[e]} (fitted to the one-step gap; explains {e.share:.0%} of it alone)",
            e.family,
            e.channels,
            _wrong_if(e),
            not_told_apart=tuple(words[o] for o in found if o is not e),
            kind=e.kind,
            value=e.value,
        )
        for e in _of_each_family(found)
    )


def _unbeaten(found: Sequence[Explanation]) -> tuple[Explanation, ...]:
    """Leave out the plant's changes where one upstream of it is likelier by far: then it is not the plant."""
    upstream = [e for e in found if e.upstream]
    return tuple(
        e
        for e in found
        if e.upstream or not any(u.share > e.share and told_apart(u, e) for u in upstream)
    )


def _of_each_family(found: Sequence[Explanation]) -> list[Explanation]:
    """Return the best few, those that are their family's best before others: a rival must not go unsaid."""
    best: dict[str, Explanation] = {}
    for e in found:
        best.setdefault(e.family, e)
    first = list(best.values())
    kept = [*first, *(e for e in found if e not in first)][:MAX_LEADS]
    return [e for e in found if e in kept]


def _wrong_if(e: Explanation) -> str:
    return {
        "observation-scaling": "a reading of the same known state gives equal values on both sides",
        "action": "the applied action, logged, equals the emitted one",
        "timing": "a step in the action is answered at the same row on both sides",
        "dynamics": "one transition repeated on both sides, from one state with one action, ends alike",
    }[e.family]


def untested(facts: Facts) -> tuple[Untold, ...]:
    """Return what the traces did not cover."""
    unrelated = tuple(motion.name for motion in facts.paired if not motion.same)
    names = facts.unmodelled + unrelated
    out = [Untold(f"the one-step motion of {name}", REPLAY) for name in names]
    if len(names) > MOST_NAMES:
        shown, more = ", ".join(names[:MOST_NAMES]), len(names) - MOST_NAMES
        out = [Untold(f"the one-step motion of {shown} and {more} more", REPLAY)]
    out += [
        Untold(f"{name}: holds no value in {sides}", "a recording in which it does")
        for name, sides in facts.empty[:MOST_NAMES]
    ]
    out += [
        Untold(f"the one-step motion of {name}: {ELSEWHERE}", SHORTER) for name in facts.elsewhere
    ]
    low = min((gap.inside for gap in facts.gaps), default=1.0)
    if low < 0.995:
        out.append(
            Untold(
                f"{1 - low:.0%} of the target's transitions, where the simulator has not been",
                "a simulator run through those states and actions",
            )
        )
    if any(gap.unexcited > 0.1 for gap in facts.gaps):
        out.append(
            Untold(
                "motion in directions that the simulator hardly excited",
                "a simulator run with more varied actions",
            )
        )
    return tuple(out)
