"""What the alignment check says about its numbers."""

from __future__ import annotations

import math

from tracescope.analysis.intervals import MIN_EFFECTIVE
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment_clock import AGAINST_COUNTER, contradicted
from tracescope.checks.alignment_health import gaps
from tracescope.checks.alignment_lag import Judged
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold
from tracescope.model.shares import amount
from tracescope.model.words import counted, measured

DUST_ROWS = 1e-6
"""A lag below this is the rounding of what was just taken out, and is no lag."""

SETTLE_AMBIGUOUS = (
    "an event that happens once (a step, a contact, a done flag) marked in both traces as an anchor"
)
SETTLE_MOVE = "an episode in which observations or actions move, or anchors set by hand"
SETTLE_TURN = (
    "an episode in which both sides go through the same turns, up and down and more than once, or an "
    "event that happens once marked in both traces as an anchor"
)
SETTLE_START = "a step counter that starts with the episode, or a motion in the first rows"
SETTLE_LONGER = "a longer episode, or less noise: the offset's interval is wider than half a row"


def reason(measurements: tuple[Measurement, ...], judged: Judged, case: Case) -> str:
    """One sentence for the card."""
    failing = [m for m in measurements if m.judged and m.state is State.FAIL]
    if failing:
        return _failing(failing[0], judged, case)
    open_ones = [m for m in measurements if m.judged and m.required and m.state is not State.PASS]
    if open_ones:
        worst = open_ones[0]
        if 0 < worst.n < MIN_EFFECTIVE and worst.interval is not None and not worst.blocked:
            told = _few(worst.n, worst.interval)
            return f"{worst.quantity} cannot be told from these rows: {told}"
        if worst.note and (worst.blocked or not worst.covered):
            return f"{worst.quantity} cannot be told, because {_in_one_clause(worst.note)}"
        return f"{worst.quantity} {worst.estimate:+.2f} rows: its interval is too wide to decide"
    return _passing(judged, case)


def _few(n: float, interval: Interval) -> str:
    if n < 1:
        return "they hold less than one independent sample"
    low, high = interval
    return (
        f"they hold about {n:.1f} independent samples, and the interval {low:+.3g} to {high:+.3g} "
        "rows is too wide"
    )


def _in_one_clause(why: str) -> str:
    """Put what stands behind a colon into brackets: a sentence has one such break."""
    head, _, tail = why.partition(": ")
    return f"{head} ({tail})" if tail else head


def _failing(worst: Measurement, judged: Judged, case: Case) -> str:
    if worst.quantity == "start offset":
        return (
            f"the counters start {measured(f'{abs(worst.estimate):.3g}', 'row')} apart ({worst.note}): "
            f"target step k {'+' if worst.estimate >= 0 else '−'} {abs(round(worst.estimate))} "
            "belongs to sim step k"
        )
    if worst.quantity == "remaining lag":
        side = "late" if worst.estimate > 0 else "early"
        ms = abs(worst.estimate) * judged.found.lattice.row_s * 1e3
        return (
            f"the target is {measured(f'{abs(worst.estimate):.3g}', 'row')} ({ms:.4g} ms) {side} under the "
            f"{case.alignment.how} alignment: move it {'left' if worst.estimate > 0 else 'right'}"
        )
    if worst.quantity == AGAINST_COUNTER:
        return contradicted(worst, case.pair.sim.interval_s)
    if worst.quantity.startswith("rows hidden"):
        return f"{worst.quantity}: {worst.estimate:.2g}; pair by time, or split the trace there"
    if worst.quantity == "remaining drift over the trace":
        return f"the clocks part by {worst.estimate:+.3g} rows over the trace"
    return f"{worst.quantity}: {amount(worst.quantity, worst.estimate, worst.unit)} ({worst.note})"


def _passing(judged: Judged, case: Case) -> str:
    how = "paired by step counter" if judged.mode == "step" else "paired by time"
    response = judged.start in ("response", "commands", "limit")
    said = f"{how}; {case.alignment.in_words(case.pair.target.interval_s)}"
    if judged.start == "limit":
        said += "; both are truncated at the same count"
    if judged.start == "commands":
        said += "; commands follow from the states by one law only without shift"
    if response and not math.isfinite(judged.left_rows):
        agree = "the first rows agree, " if judged.start == "response" else ""
        return f"{said}; {agree}later the motions part"
    if response:
        return f"{said}; a lag of {judged.left_rows:+.2f} rows is the response's, not the clock's"
    left = abs(judged.left_rows)
    return f"{said}; {left if left > DUST_ROWS else 0:.2g} rows remain"


def settle(judged: Judged) -> str:
    """Say what would settle an inconclusive result."""
    found = judged.found
    if found.verdict == "not possible":
        return SETTLE_TURN if found.lattice.names else SETTLE_MOVE
    if judged.mode == "time" and found.rivals:
        return SETTLE_AMBIGUOUS
    if judged.start == "undecided":
        return SETTLE_START
    return SETTLE_LONGER


def coverage(bench: Workbench) -> tuple[Coverage, ...]:
    """The span the verdict speaks for."""
    rows = bench.rows
    if not len(rows):
        return ()
    span = (float(rows.time_s[0]), float(rows.time_s[-1]))
    said = (
        f"{counted(len(rows), 'common row')}, {span[0]:.4g} to {span[1]:.4g} s on the sim's clock"
    )
    holes = [
        f"{counted(count, 'gap')} in the {side} (longest {longest_s * 1e3:.4g} ms)"
        for side, (count, longest_s) in (
            ("sim", gaps(bench.case.pair.sim)),
            ("target", gaps(bench.case.pair.target)),
        )
        if count
    ]
    return (Coverage("", span, "; ".join([said, *holes])),)


def evidence(bench: Workbench, judged: Judged) -> tuple[Evidence, ...]:
    """The channel that resolves the lag best, over what is common."""
    rows, found = bench.rows, judged.found
    if found.identical:
        best = found.identical[0]
    elif found.fit is not None:
        best = found.lattice.names[int(found.fit.channel_se.argmin())]
    else:
        return ()
    if not len(rows):
        return ()
    span = (float(rows.time_s[0]), float(rows.time_s[-1]))
    return (Evidence(best, span, "resolves the lag best"),)


def leads(measurements: tuple[Measurement, ...], judged: Judged) -> tuple[Lead, ...]:
    """Explanations of a failing alignment."""
    out = []
    for m in measurements:
        if not (m.judged and m.state is State.FAIL):
            continue
        if m.quantity == "start offset":
            out.append(
                Lead(
                    f"consistent with counters that start {measured(f'{abs(m.estimate):.3g}', 'row')} apart",
                    "alignment",
                    (),
                    "the first rows disagree after shifting the steps",
                    kind="start-offset",
                    value=m.estimate,
                )
            )
        elif m.quantity in ("remaining lag", "remaining drift over the trace"):
            out.append(
                Lead(
                    f"consistent with a clock that is {measured(f'{m.estimate:+.3g}', 'row')} off",
                    "alignment",
                    (),
                    "an event stamped by both clocks shows another offset",
                    not_told_apart=("timing",) if judged.mode == "time" else (),
                    kind="offset" if m.quantity == "remaining lag" else "drift",
                    value=m.estimate,
                )
            )
        elif m.quantity.startswith("rows hidden"):
            out.append(
                Lead(
                    f"consistent with {m.estimate:.2g} missing rows that the counter does not count",
                    "alignment",
                    (),
                    "the recorder's own log shows no loss there",
                    kind="hidden-rows",
                    value=m.estimate,
                )
            )
    return tuple(out)


def untested(judged: Judged) -> tuple[Untold, ...]:
    """What an alignment cannot know."""
    if judged.mode == "time":
        return (
            Untold(
                "a constant latency of every channel cannot be told from a clock offset",
                "an event stamped by both clocks, or a step counter in both traces",
            ),
        )
    return ()
