"""The dynamics check's measurements: by the one-step relation, else on comparable transitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.intervals import bonferroni, covered
from tracescope.analysis.one_step import Relation
from tracescope.analysis.one_step_gap import MIN_INSIDE, Gap
from tracescope.analysis.rows import without_values
from tracescope.analysis.transitions import Comparable, comparable_transitions
from tracescope.analysis.transitions_paired import PairedMotion, paired_motion, residual_growth
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement
from tracescope.model.tolerance import Tolerance

GAP = Tolerance(
    "dynamics.gap",
    0.0,
    0.10,
    "",
    "a tenth of the one-step motion is what domain randomisation usually spans",
    (0.0, float("inf")),
)
MOTION = Tolerance(
    "dynamics.motion_ratio",
    0.90,
    1.10,
    "",
    "the same tenth, where no relation predicts and transitions are compared one by one",
    (0.0, float("inf")),
)
BIAS = Tolerance(
    "dynamics.bias",
    -0.10,
    0.10,
    "",
    "a step that ends elsewhere by a tenth of the motion, every time",
)
MATCH_OBSERVATION = Tolerance(
    "dynamics.match_observation_norm",
    0.0,
    float("inf"),
    "",
    "unset: states are alike within 0.15 simulator standard deviations in every channel; "
    "set: their difference has at most this norm, in the channels' own units",
    (0.0, float("inf")),
)
MATCH_ACTION = Tolerance(
    "dynamics.match_action_norm",
    0.0,
    float("inf"),
    "",
    "unset: applied actions are alike within 0.05 simulator standard deviations; "
    "set: their difference has at most this norm, in the action's own units",
    (0.0, float("inf")),
)
ALL = (GAP, MOTION, BIAS, MATCH_OBSERVATION, MATCH_ACTION)

MIN_COMPARABLE = 20

NO_VALUE = "it holds no value in"
ELSEWHERE = "it moves only between the stretches of rows that transitions are taken from"


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What the check knows before it judges.

    Attributes:
        relation: Both sides' transitions and models, ``None`` where too few.
        gaps: Of every output that a model predicts.
        comparable: Which transitions of the common rows are comparable.
        paired: Motion on comparable transitions of outputs without a model.
        growth: Of the residual, in sim standard deviations a second, with its interval, or ``None``.
        unmodelled: Outputs that neither a model nor comparable transitions cover.
        empty: Observations without any value on a side, and on which sides.
        elsewhere: Observations of a long pair that move between the stretches looked at alone.
    """

    relation: Relation | None
    gaps: tuple[Gap, ...]
    comparable: Comparable
    paired: tuple[PairedMotion, ...]
    growth: tuple[float, Interval] | None
    unmodelled: tuple[str, ...]
    empty: tuple[tuple[str, str], ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def has_model(self) -> bool:
        """Whether any output that a plant parameter enters is predicted."""
        relation = self.relation
        return relation is not None and any(g.output not in relation.kinematic for g in self.gaps)


def gather(bench: Workbench) -> Facts:
    """Measure everything that the check may speak of."""
    relation = bench.relation
    tolerances = bench.case.tolerances
    comparable = comparable_transitions(
        bench, tolerances[MATCH_OBSERVATION][1], tolerances[MATCH_ACTION][1]
    )
    names = bench.live_in_both(bench.observations)
    found = _of_use(bench)
    done: frozenset[str] = frozenset()
    if relation is not None and len(relation.identical) < len(names):
        # References and clocks are the same numbers on both sides; where everything is, the pair is.
        settled = {*relation.outputs, *relation.kinematic, *(gap.output for gap in found)}
        done = relation.identical | {relation.names[j] for j in settled}
    left = [name for name in names if name not in done]
    paired: tuple[PairedMotion, ...] = ()
    if comparable.count >= MIN_COMPARABLE and left:
        level = bonferroni(bench.case.confidence, 2 * len(left))
        paired = paired_motion(bench, comparable, left, level)
    told = {motion.name for motion in paired}
    return Facts(
        relation,
        found,
        comparable,
        paired,
        residual_growth(bench, names),
        tuple(name for name in left if name not in told),
        tuple((n, sides) for n in bench.observations if (sides := without_values(bench.rows, n))),
        bench.moving_elsewhere,
    )


def _of_use(bench: Workbench) -> tuple[Gap, ...]:
    """Return the gaps that may speak: what sums alone predict only where it settles something."""
    relation, most = bench.relation, bench.case.tolerances[GAP][1]
    return tuple(
        gap
        for gap in bench.gaps
        if relation is None or relation.kind[gap.output] is not None or gap.interval[1] <= most
    )


def measurements(facts: Facts, bench: Workbench) -> list[Measurement]:
    """Return every measurement, ungated, in the order: gaps, paired motion, reported quantities."""
    out: list[Measurement] = []
    relation = facts.relation
    if relation is not None:
        for gap in facts.gaps:
            out.append(_gap(gap, relation, bench))
            out += _reported(gap, relation, bench)
    for motion in facts.paired:
        out += _paired(motion, bench)
    out += [
        _not_covered(name, _unpredicted(name, facts), bench)
        for name in facts.unmodelled
        if facts.has_model
    ]
    out += [_not_covered(name, f"{NO_VALUE} {sides}", bench) for name, sides in facts.empty]
    out += [_not_covered(name, ELSEWHERE, bench) for name in facts.elsewhere]
    if facts.growth is not None:
        value, interval = facts.growth
        note = "residual of all live observations against time, Theil–Sen over block medians"
        out.append(
            Measurement(
                "residual growth", "", value, interval, "sd/s", confidence=bench.case.confidence,
                required=False, note=note,
            )
        )  # fmt: skip
    return out


def _gap(gap: Gap, relation: Relation, bench: Workbench) -> Measurement:
    band = bench.case.tolerances[GAP]
    low, high = gap.interval
    if gap.inside < 1 and np.isfinite(gap.outside[1]):
        high = max(high, gap.outside[1])
    high = float(np.hypot(high, gap.unexcited))
    kinematic = gap.output in relation.kinematic
    fails = low > band[1]
    note = f"{gap.kind} one-step relation, R² {gap.score:.3f}"
    if gap.sums:
        note = f"one-step relation summed over {gap.sums} rows, R² {gap.score:.3f}"
    if gap.inside < 0.995:
        note += f"; {gap.inside:.0%} of the target's transitions inside what the simulator visited"
    # A motion that goes on by itself is predicted by its own past, whatever plant makes it.
    by_itself = gap.kind == "lagged" and not gap.sums and high <= band[1]
    if by_itself:
        note += "; its own past predicts it, which holds of other plants as well"
    return Measurement(
        "one-step gap",
        relation.names[gap.output],
        float(gap.estimate),
        (float(low), high),
        n=float(gap.n_eff),
        tolerance=band,
        tolerance_key=GAP.key,
        confidence=bench.case.confidence,
        # A kinematic row has no plant parameter: it may cast doubt on the sensors, never on the plant.
        required=not kinematic or fails,
        covered=gap.inside >= MIN_INSIDE
        and covered((low, high), gap.n_eff, band)
        and not by_itself,
        blocked=_own_doubt(gap, kinematic=kinematic) if fails else "",
        note=note,
    )


def _own_doubt(gap: Gap, *, kinematic: bool) -> str:
    """Say why a gap beyond its tolerance may still not be the plant's, by its own numbers."""
    if kinematic:
        return "the row ties one sensor to another and holds no plant parameter: their scales or levels disagree"
    if gap.unexcited >= gap.interval[0]:
        return (
            "the target moves more than that where the simulator hardly went, so that an upstream "
            "explanation cannot be tried there: run the simulator through those states"
        )
    if gap.wander >= gap.interval[0]:
        return (
            "a slow disturbance moves the target as much as that: repeat the episode, which changes a "
            "disturbance and not the plant"
        )
    return ""


def _reported(gap: Gap, relation: Relation, bench: Workbench) -> list[Measurement]:
    name = relation.names[gap.output]
    bias, interval = gap.bias
    level = bench.case.confidence
    return [
        Measurement(
            "one-step bias", name, bias, interval, n=float(gap.n_eff), confidence=level,
            required=False, note="mean of target less the simulator's prediction, over the motion",
        ),
        Measurement(
            "scatter ratio", name, gap.scatter_ratio, None, confidence=level, required=False,
            note="what neither relation predicts, target over simulator: noise, not dynamics",
        ),
    ]  # fmt: skip


def _paired(motion: PairedMotion, bench: Workbench) -> list[Measurement]:
    level = bench.case.confidence
    same = "the same motion on both sides" if motion.same else (
        "steps of the two sides unrelated: noise, or something not logged, moves them"
    )  # fmt: skip
    note = f"on {motion.count} comparable transitions; {same} (r = {motion.correlation:.3f})"
    out = []
    for quantity, (value, interval), tolerance in (
        ("motion ratio", motion.ratio, MOTION),
        ("step bias", motion.bias, BIAS),
    ):
        band = bench.case.tolerances[tolerance]
        out.append(
            Measurement(
                quantity, motion.name, value, interval, n=motion.n_eff, tolerance=band,
                tolerance_key=tolerance.key, confidence=level,
                covered=motion.same and covered(interval, motion.n_eff, band), note=note,
            )
        )  # fmt: skip
    out.append(
        Measurement(
            "step scatter", motion.name, motion.scatter, None, confidence=level, required=False,
            note="spread of the difference of comparable steps, over the motion",
        )
    )  # fmt: skip
    return out


def _unpredicted(name: str, facts: Facts) -> str:
    score = float("nan")
    if facts.relation is not None and name in facts.relation.names:
        score = float(facts.relation.score[facts.relation.names.index(name)])
    return f"state and action do not predict it (R² {score:.2f}, 0.8 needed)"


def _not_covered(name: str, why: str, bench: Workbench) -> Measurement:
    return Measurement(
        "one-step gap",
        name,
        float("nan"),
        None,
        tolerance=bench.case.tolerances[GAP],
        tolerance_key=GAP.key,
        confidence=bench.case.confidence,
        covered=False,
        note=why,
    )
