"""How much of a target run lies where the simulator has not been: the task's scope, not its physics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.analysis.rows import live
from tracescope.campaign.goals import is_goal
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import Channel, Role, Samples

SUPPORT_QUANTILE = 0.99
SUPPORT_SLACK = 1.5
"""The supported region reaches to this many times the simulator's own 99 % distance."""

MIN_ROWS = 20
EXCITED = 0.04
"""Directions with less than this share of the largest variance, a fifth of its motion, are left out: there the
distance would speak of noise and of how closely a loop tracks, which other checks measure."""


def scope_of(case: Case, results: Sequence[CheckResult]) -> tuple[float | None, str]:
    """Return the share of the target's rows outside the simulator's supported region, and how it was measured.

    The distance is Mahalanobis' over the matched observations, goals and commands that move in the simulator's
    run, its mean and covariance from that run. Rows are not paired, so no alignment is needed.
    A channel whose reading fails its check is corrected where a correction was fitted and left out otherwise:
    a misreading is no new state.

    Args:
        case: The pair with the lenses in force.
        results: Of the checks; those of observation scaling are looked at.

    Returns:
        The share in [0, 1] or ``None`` where it cannot be measured, and one clause.

    Source:
        Mahalanobis, On the generalised distance in statistics (1936).
    """
    case, misread = _read_right(case, results)
    pairs = [
        (a, b)
        for a, b in case.pair.matched(Role.OBSERVATION, Role.OTHER)
        if (a.role is Role.OBSERVATION or is_goal(a.name))
        and not (a.name in misread or a.labels or b.labels)
        and live(a.as_float())
    ]
    if not pairs:
        return (
            None,
            "no matched observation that moves in the simulator is read alike on both sides",
        )
    sim, target = _stacked(case, pairs)
    if len(sim) < MIN_ROWS or not len(target):
        return None, f"{len(sim)} complete rows of the simulator and {len(target)} of the target"
    distance_sim, distance_target = _distances(sim, target)
    limit = SUPPORT_SLACK * float(np.quantile(distance_sim, SUPPORT_QUANTILE))
    share = float(np.mean(distance_target > limit * (1 + 1e-9) + 1e-12))
    said = (
        f"Mahalanobis distance over {len(pairs)} channel{'s' * (len(pairs) > 1)}, outside beyond "
        f"{SUPPORT_SLACK:g} times the {SUPPORT_QUANTILE:.0%} distance of the simulator's own rows"
    )
    if misread:
        said += f"; misread and left out: {', '.join(sorted(misread))}"
    return share, said


def _read_right(case: Case, results: Sequence[CheckResult]) -> tuple[Case, set[str]]:
    """Lay the fitted corrections over the case; name the channels that stay misread."""
    checked = next((r for r in results if r.id == "observation-scaling"), None)
    if checked is None:
        return case, set()
    wrong = {m.channel for m in checked.measurements if m.state is State.FAIL and m.channel}
    if checked.state is State.FAIL:
        wrong |= {
            c
            for r in results
            for seen in r.leads
            if seen.family == checked.id
            for c in seen.channels
        }
    for correction in checked.pending:
        if correction.channel in case.pair.target:
            case = case.with_correction(correction)
            wrong.discard(case.pair.sim_of(correction.channel) or correction.channel)
    return case, wrong


def _stacked(case: Case, pairs: Sequence[tuple[Channel, Channel]]) -> tuple[Samples, Samples]:
    """Return both sides' complete rows, shapes ``(m, k)`` and ``(n, k)``."""
    sim = np.column_stack(_of_one_clock([a.as_float() for a, _ in pairs]))
    target = np.column_stack(_of_one_clock([case.target_values(b.name) for _, b in pairs]))
    return sim[np.isfinite(sim).all(axis=1)], target[np.isfinite(target).all(axis=1)]


def _of_one_clock(values: list[Samples]) -> list[Samples]:
    """Cut or spread channels of other rates to the rows of the longest, by place."""
    most = max(v.size for v in values)
    return [v if v.size == most else _spread(v, most) for v in values]


def _spread(value: Samples, rows: int) -> Samples:
    if not value.size:
        return np.full(rows, np.nan)
    place = np.minimum((np.arange(rows) * value.size) // rows, value.size - 1)
    return np.asarray(value[place])


def _distances(sim: Samples, target: Samples) -> tuple[Samples, Samples]:
    """Return squared Mahalanobis distances of both sides' rows from the simulator's, shapes ``(m,)``, ``(n,)``."""
    center, spread = sim.mean(axis=0), sim.std(axis=0)
    sim, target = (sim - center) / spread, (target - center) / spread
    value, vector = np.linalg.eigh(sim.T @ sim / len(sim))
    kept = value > EXCITED * max(float(value[-1]), 1e-300)
    white = vector[:, kept] / np.sqrt(value[kept])
    return np.sum((sim @ white) ** 2, axis=1), np.sum((target @ white) ** 2, axis=1)
