"""Termination: do both episodes end for the same reason at the same row?

Written exactly as a plug-in would be: a declaration and a pure function.
"""

from __future__ import annotations

import math

from tracescope.analysis.ends import EpisodeEnd, end_places, episode_end
from tracescope.analysis.ends_motion import EndMotion, motion_at
from tracescope.analysis.start_rows import limits_apart
from tracescope.analysis.workbench import Workbench
from tracescope.checks import termination_words as words
from tracescope.checks.base import Check, Upstream
from tracescope.checks.termination_words import Ends
from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.tolerance import Tolerance
from tracescope.model.words import counted

ID = "termination"

END_ROWS = Tolerance(
    "termination.end_rows",
    -3.0,
    3.0,
    "rows",
    "thresholds crossed in noise come a row or two apart; more than three is another condition",
)
SAME_KIND = Tolerance(
    "termination.same_kind",
    1.0,
    1.0,
    "",
    "a failure and a time limit are different ends, whatever the row",
)
MATCH_STATE_SD = Tolerance(
    "termination.match_state_sd",
    0.0,
    0.15,
    "sim sd",
    "beyond that the states differ, and different ends may follow from different motion",
    (0.0, float("inf")),
)

_ROW_DIGITS = 3
NOISE_FACTOR = 4.0
"""A gap below this many times the row-to-row noise is no difference in motion."""


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Compare the first ends of both episodes, on one axis of rows."""
    case = bench.case
    sim, target = episode_end(case.pair.sim), episode_end(case.pair.target)
    nothing = _nothing_to_compare(sim, target)
    if nothing:
        return CheckResult.inconclusive(
            ID,
            nothing,
            settle="log an end flag (terminated, truncated or done) in both traces and record to "
            "the end of the episode",
            untested=words.untested(sim, target),
        )
    ends = Ends(sim, target, end_places(case, sim, target))
    bound = _apart(ends)
    if bound is None:
        return CheckResult.inconclusive(
            ID,
            f"the {_other(ends.shorter)}'s log stops where the {ends.shorter} ends and reports no "
            "end: it may be cut off",
            settle="record the other episode past that row",
            untested=words.untested(sim, target),
            evidence=words.evidence(ends),
        )
    motion = motion_at(case, ends.shorter, ends.first, _reading_doubts(upstream))
    measurements = _measurements(bench, upstream, ends, bound, motion)
    return CheckResult.from_measurements(
        ID,
        words.reason(ends, measurements),
        measurements,
        coverage=words.coverage(ends, motion),
        applied=("clock", *map(str, case.corrections)),
        evidence=words.evidence(ends),
        leads=words.leads(measurements, ends),
        untested=words.untested(sim, target),
        settle=words.settle(measurements),
    )


def _nothing_to_compare(sim: EpisodeEnd, target: EpisodeEnd) -> str:
    without = [name for name, end in (("sim", sim), ("target", target)) if not end.has_flags]
    if len(without) == 2:
        return "neither trace logs an end flag"
    if without:
        return f"no end flag is logged in the {without[0]} trace"
    if sim.row is None and target.row is None:
        return "neither trace reports an end: what ends an episode was not exercised"
    return ""


def _other(side: str) -> str:
    return "target" if side == "sim" else "sim"


def _apart(ends: Ends) -> tuple[float, bool] | None:
    """Rows from the sim's end to the target's, and whether that is only the least it can be.

    ``None`` where one side has no end and its log is too short to say that it went on.
    """
    places = ends.places
    if places.sim is not None and places.target is not None:
        return places.target - places.sim, False
    at = places.sim if places.sim is not None else places.target
    if at is None:
        return None
    beyond = (places.target_last if places.target is None else places.sim_last) + 1 - at
    if beyond <= END_ROWS.high + 1:
        return None
    return (beyond if places.target is None else -beyond), True


def _measurements(
    bench: Workbench,
    upstream: Upstream,
    ends: Ends,
    bound: tuple[float, bool],
    motion: EndMotion,
) -> tuple[Measurement, ...]:
    apart, at_least = bound
    band = bench.case.tolerances[END_ROWS]
    unaligned, left = _lag_left(upstream)
    doubt, at_limit = ends.places.doubt_rows, _same_limit(bench, upstream, ends)
    if at_limit:
        apart, doubt, unaligned, left = 0.0, 0.0, "", (0.0, 0.0)
    # Ends lie in rows: stamps that differ in their last digits do not make a row more of it.
    interval = (
        round(apart - doubt - left[1], _ROW_DIGITS),
        round(apart + doubt - left[0], _ROW_DIGITS),
    )
    inside = band[0] <= interval[0] and interval[1] <= band[1]
    if not inside and left != (0.0, 0.0):
        unaligned = unaligned or NOT_ALIGNED
    blocked = unaligned or ("" if inside else _excuse(bench, upstream, ends, apart, motion))
    unclear = _both_may_be_limits(ends)
    note = "the other episode goes on at least this long" if at_least else words.kinds(ends)
    note += f"; {SAME_LIMIT}" if at_limit else ""
    rows = Measurement(
        "end difference",
        "",
        apart,
        interval,
        unit="rows",
        n=1.0,
        tolerance=band,
        tolerance_key=END_ROWS.key,
        confidence=bench.case.confidence,
        covered=not unclear,
        blocked=blocked,
        note=unclear or note,
    )
    gap = Measurement(
        "state gap at the end",
        "",
        motion.gap_sd,
        None,
        unit="sim sd",
        n=float(motion.rows),
        required=False,
        note=f"median of the largest channel over the last {counted(motion.rows, 'row')}",
    )
    kind = _kind_measurement(bench, ends, inside=inside, blocked=unaligned)
    return (rows, *((kind,) if kind else ()), gap)


def _same_limit(bench: Workbench, upstream: Upstream, ends: Ends) -> bool:
    """Say whether both episodes ran into one time limit, where contents leave open which rows belong together.

    A limit counts from the start of an episode. A log that began elsewhere in its episode would end at the very
    same count only by chance; one that is known to have begun elsewhere says nothing.
    """
    aligned = upstream.get("alignment")
    if aligned is None or aligned.state is not State.INCONCLUSIVE:
        return False
    if any(m.judged and m.state is State.FAIL for m in aligned.measurements):
        return False
    sim, target = ends.sim, ends.target
    if not (sim.kind == target.kind == "truncated" and sim.row == target.row):
        return False
    apart = limits_apart(bench.case)
    return apart is None or apart == 0


def _kind_measurement(
    bench: Workbench, ends: Ends, *, inside: bool, blocked: str
) -> Measurement | None:
    told = ("terminated", "truncated")
    if not inside or ends.sim.kind not in told or ends.target.kind not in told:
        return None
    same = float(ends.sim.kind == ends.target.kind)
    return Measurement(
        "same kind of end",
        "",
        same,
        (same, same),
        n=1.0,
        tolerance=bench.case.tolerances[SAME_KIND],
        tolerance_key=SAME_KIND.key,
        confidence=bench.case.confidence,
        blocked=blocked,
        note=words.kinds(ends),
    )


def _lag_left(upstream: Upstream) -> tuple[str, Interval]:
    """Say why ends cannot be put on one axis, ``""`` where they can; and the lags that may be left, rows.

    An end is allowed more rows than an alignment: where all that the alignment leaves open is a lag of a few
    rows, the ends are compared over its whole interval, a start at the same count included.
    """
    result = upstream.get("alignment")
    if result is None or result.state is State.PASS:
        return "", (0.0, 0.0)
    low = high = 0.0
    for m in result.measurements:
        if not (m.required and m.judged) or m.state is State.PASS:
            continue
        known = m.interval is not None and math.isfinite(m.interval[0] + m.interval[1])
        if m.quantity not in _LEFT or m.state is State.FAIL or not known or m.interval is None:
            return NOT_ALIGNED, (0.0, 0.0)
        if m.quantity == DRIFT:
            half = max(map(abs, m.interval)) / 2
            low, high = low - half, high + half
        else:
            low, high = low + min(0.0, m.interval[0]), high + max(0.0, m.interval[1])
    return ("", (low, high)) if result.measurements else (NOT_ALIGNED, (0.0, 0.0))


NOT_ALIGNED = "alignment is not established, so the ends cannot be put on one axis"
SAME_LIMIT = "a time limit counts from the start, and both were truncated at the same count of rows"
DRIFT = "remaining drift over the trace"
_LEFT = ("remaining lag", "start offset", DRIFT)


def _both_may_be_limits(ends: Ends) -> str:
    """One flag for all causes, set at a round length in both: a time limit is as likely."""
    both = ends.sim.kind == ends.target.kind == "done"
    if both and ends.sim.is_round and ends.target.is_round:
        return (
            f"possibly truncated: both lengths are round ({_length(ends.sim)} and "
            f"{_length(ends.target)}) and `done` does not tell a time limit from a failure"
        )
    return ""


def _length(end: EpisodeEnd) -> int:
    return 0 if end.row is None else end.row + 1


def _excuse(
    bench: Workbench, upstream: Upstream, ends: Ends, apart: float, motion: EndMotion
) -> str:
    """Say why ends apart are no finding about the ending condition, or ``""``."""
    if ends.sim.kind == ends.target.kind == "truncated":
        return ""  # time limits do not depend on the motion
    if ends.first.kind == "done" and ends.first.is_round:
        return f"the {ends.shorter}'s length of {counted(_length(ends.first), 'row')} may be a time limit"
    limit = bench.case.tolerances[MATCH_STATE_SD][1]
    if not math.isfinite(motion.gap_sd):
        return "no observation both traces hold says whether the motions agree there"
    if motion.gap_sd > limit:
        return (
            f"different ends may follow from different motion: the states are {motion.gap_sd:.2g} "
            f"sim sd apart there (at most {limit:.2g})"
        )
    return _explained_by_motion(upstream, ends, apart, motion)


def _explained_by_motion(upstream: Upstream, ends: Ends, apart: float, motion: EndMotion) -> str:
    """Say how small differences in motion, or in what is seen of it, may have moved the end, or ``""``."""
    threshold = _by_threshold(ends, motion)
    if threshold:
        return threshold
    if _failed(upstream, "observation-scaling"):
        return "observations are off: the same readings are not the same motion"
    if motion.gap_sd > motion.noise_sd and _steps_differ(upstream):
        # Small steps add up: which of several approaches to a threshold crosses it may depend on them.
        return (
            "dynamics found that the same state and action move on differently, by whatever cause"
        )
    shift = apart if ends.shorter == "sim" else -apart
    if motion.gap_sd <= NOISE_FACTOR * motion.noise_sd:
        if motion.still_low <= shift <= motion.still_high:
            return "the motion is so slow there that noise alone decides in which row a threshold is crossed"
        return ""
    found = [name for name in _MOVING if _failed(upstream, name)]
    if found:
        return f"the motion already differs by what {' and '.join(found)} found"
    slack = END_ROWS.high
    if motion.shift_low - slack <= shift <= motion.shift_high + slack:
        return "the other episode reaches the same state as much later as it ends later"
    return ""


def _by_threshold(ends: Ends, motion: EndMotion) -> str:
    """Say which threshold may have ended one episode and not yet the other, or ``""``."""
    # A time limit ends an episode whatever its motion does.
    if motion.common and "truncated" not in (ends.sim.kind, ends.target.kind):
        return (
            f"one threshold in {' or '.join(motion.common[:3])} would explain both ends: neither episode"
            " was clearly beyond it before"
        )
    if motion.held_back:
        return (
            f"{', '.join(motion.held_back[:3])} never went clearly further in the other episode: a "
            "threshold may lie just beyond"
        )
    return ""


def _reading_doubts(upstream: Upstream) -> dict[str, float]:
    """How far apart the two traces may read one state, by channel: what observation-scaling left possible."""
    seen = upstream.get("observation-scaling")
    levels = () if seen is None else seen.measured("level")
    return {
        m.channel: math.inf if m.interval is None else max(map(abs, m.interval))
        for m in levels
        if m.required
    }


def _steps_differ(upstream: Upstream) -> bool:
    """Say whether a one-step gap was resolved, also one inside its tolerance or of more than one explanation."""
    dynamics = upstream.get("dynamics")
    found = () if dynamics is None else dynamics.measured("one-step gap")
    return any(m.required and m.interval is not None and m.interval[0] > 0 for m in found)


_MOVING = ("observation-scaling", "action", "timing", "dynamics")


def _failed(upstream: Upstream, name: str) -> bool:
    result = upstream.get(name)
    return result is not None and result.state is State.FAIL


CHECK = Check(
    ID,
    "Termination",
    "Do both episodes end at the same row, for the same kind of reason?",
    (END_ROWS, SAME_KIND, MATCH_STATE_SD),
    judge,
    needs=("alignment", *_MOVING),
)
