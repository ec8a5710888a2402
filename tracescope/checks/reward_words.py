"""What the reward check says in words."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.reward_model_gap import RewardGap
from tracescope.analysis.reward_model_rivals import RewardRival
from tracescope.model.case import Case
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold
from tracescope.model.words import counted

NOT_PREDICTABLE = "the reward is not predictable from the logged state and action, and too few rows are comparable"

NOT_CLOSE = (
    "the function leaves too much of the simulator's own reward unexplained to blame the target's"
)
HIDDEN = (
    "what the function leaves unexplained of the simulator's own reward is not logged, and could make as much "
    "of a difference"
)
NOT_CONFIRMED = (
    "another form of the reward that predicts the simulator's as well does not confirm it: which form holds "
    "where the target went is not known"
)
DRIFTS = "the difference drifts through the whole episode: something not logged may move it, and the slope too"
NOT_COVERED = (
    "the target hardly goes where the simulator was, so its reward cannot be set against the simulator's, "
    "and too few rows are comparable"
)


def rival(found: RewardRival, family: str) -> str:
    """Say which upstream change explains the reward as well."""
    what = _change(found)
    if found.tolerated:
        return f"{what}, which {family} tolerates, would explain most of it"
    return f"{what} would explain it as well, and {family} has not ruled that out"


def rival_lead(found: RewardRival, family: str) -> Lead:
    """Name that change as an explanation which the reward points to and its own check has not decided."""
    what = _change(found)
    return Lead(
        f"consistent with {what}, which would explain the reward as well, but not decided",
        family,
        (found.channel,),
        "both sensors read one value on one fixed pose",
        ("reward",),
        "reward rival",
        found.value,
        undecided=f"not decided, because {family.replace('-', ' ')} has not measured it; to settle it: compute "
        "the simulator's reward from the target's logged state and action",
    )


def _change(found: RewardRival) -> str:
    if found.kind == "lag":
        rows = counted(round(abs(found.value)), "row")
        return f"observations {rows} {'late' if found.value > 0 else 'early'}"
    if found.kind == "scale":
        return f"{found.channel} × {found.value:.3g}"
    return f"{found.channel} {found.value:+.3g}"


def note(route: str, gap: RewardGap, *, enough: bool, moves: bool, believed: bool) -> str:
    """Say how a number was measured, or why it may not speak."""
    if not enough:
        return f"only {gap.support:.0%} of the target's rows lie where the simulator was"
    if not moves:
        return "the reward hardly varies among these rows"
    if not believed:
        return "fewer than eight effective samples, and the interval is not narrow either"
    return route


def reason(measurements: tuple[Measurement, ...], basis: str) -> str:
    """Say in one sentence what was found."""
    difference, slope = measurements
    numbers = f"difference {difference.estimate:+.3g} sim sd, slope {slope.estimate:.4g} ({basis})"
    blocked = next((m.blocked for m in measurements if m.blocked), "")
    if blocked:
        return f"{numbers}; {blocked}"
    failing = [m.quantity for m in measurements if m.state is State.FAIL]
    if failing:
        return f"the same state and action is paid differently: {numbers}"
    if all(m.state is State.PASS for m in measurements):
        return f"the same state and action is paid the same: {numbers}"
    doubt = next(m for m in measurements if m.state is not State.PASS)
    why = (
        doubt.note
        if not doubt.covered
        else f"the {doubt.quantity}'s interval crosses its tolerance"
    )
    return f"{numbers}; {why}"


def coverage(measurements: tuple[Measurement, ...], gap: RewardGap) -> tuple[Coverage, ...]:
    """Say which rewards and how many rows the verdict speaks for."""
    low, high = gap.range
    text = (
        f"{gap.rows} rows ({gap.support:.0%} of the target's) with rewards {low:.4g} to {high:.4g}"
    )
    return (Coverage(measurements[0].channel, gap.range, text),)


def evidence(
    case: Case, gap: RewardGap, measurements: tuple[Measurement, ...]
) -> tuple[Evidence, ...]:
    """Point at the rows with the largest difference."""
    if not gap.series.size:
        return ()
    worst = float(gap.time_s[int(np.argmax(np.abs(gap.series)))])
    at = case.alignment.to_sim_one(worst) if gap.on_target_clock else worst
    reach = 10 * case.pair.sim.interval_s
    if not np.isfinite(reach):
        return ()
    return (Evidence(measurements[0].channel, (at - reach, at + reach), "largest difference"),)


def leads(measurements: tuple[Measurement, ...]) -> tuple[Lead, ...]:
    """Suggest what a failing reward is consistent with."""
    difference, slope = measurements
    out = []
    for m, what, kind in (
        (slope, f"a reward multiplied by {slope.estimate:.4g}", "reward-scale"),
        (difference, f"a reward moved by {difference.estimate:+.3g} sim sd", "reward-offset"),
    ):
        if m.state is State.FAIL:
            out.append(
                Lead(
                    f"consistent with {what}",
                    "reward",
                    (m.channel,),
                    "computing the simulator's reward from the target's logged state and action gives "
                    "the target's reward",
                    kind=kind,
                    value=m.estimate,
                )
            )
    return tuple(out)


def untested(gap: RewardGap) -> tuple[Untold, ...]:
    """List what the rows did not cover."""
    out = [
        Untold(
            "the reward of the row that ends the episode",
            "several episodes that end for the same reason",
        )
    ]
    if gap.support < 1:
        out.append(
            Untold(
                f"{1 - gap.support:.0%} of the target's rows lie where the simulator never was",
                "a simulator episode that goes there",
            )
        )
    return tuple(out)


def settle(measurements: tuple[Measurement, ...]) -> str:
    """Say what would decide an inconclusive comparison."""
    if all(m.state is not State.INCONCLUSIVE for m in measurements):
        return ""
    if any(m.blocked for m in measurements):
        return "apply the pending corrections, or compute the reward from the target's log"
    return "a longer pair whose motions overlap, or the reward computed again from the target's log"
