"""What earlier checks leave of a reward that differs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.reward_model import RewardModel
from tracescope.analysis.reward_model_rivals import RewardRival, reward_rivals
from tracescope.analysis.reward_model_rows import RewardSides
from tracescope.checks import reward_words as words
from tracescope.checks.base import Upstream
from tracescope.model.check import CheckResult, Lead, State

UPSTREAM = ("observation-scaling", "action", "timing")
OF_INPUTS = ("observation-scaling", "action")
"""Checks whose finding changes what the reward is computed from. A late loop does not: each row holds what
it was paid for, and rows shifted against each other are among the rivals."""


def alignment_blocks(upstream: Upstream) -> str:
    """Return why nothing may be said, empty where the alignment is established."""
    result = upstream.get("alignment")
    if result is None or result.state is State.PASS:
        return ""
    return "alignment is not established"


def findings_block(upstream: Upstream, families: tuple[str, ...] = UPSTREAM) -> str:
    """Return which uncorrected findings a reward that differs may follow from."""
    found = [name for name in families if _failed(upstream, name)]
    if not found:
        return ""
    return f"{' and '.join(found)} failed and is not corrected: the reward may follow from it"


def _failed(upstream: Upstream, name: str) -> bool:
    return name in upstream and upstream[name].state is State.FAIL


def trusted_inputs(upstream: Upstream, sides: RewardSides) -> NDArray[np.int64] | None:
    """Return the inputs that no finding touches, ``None`` where that is all of them or none.

    Of observations those whose own measurements fail are left out, of a failing action check every action.
    """
    wrong: set[str] = set()
    if _failed(upstream, "observation-scaling"):
        failed = [m for m in upstream["observation-scaling"].measurements if m.state is State.FAIL]
        wrong = {m.channel for m in failed}
        if "" in wrong or any("kinematic" in m.quantity for m in failed):
            # One of several is wrong, and which is not known.
            wrong |= {
                n
                for n, is_action in zip(sides.names, sides.is_action, strict=True)
                if not is_action
            }
    acts = _failed(upstream, "action")
    kept = [
        k
        for k, (name, is_action) in enumerate(zip(sides.names, sides.is_action, strict=True))
        if name not in wrong and not (acts and is_action)
    ]
    return np.asarray(kept, dtype=np.int64) if 0 < len(kept) < len(sides.names) else None


def doubtful(upstream: Upstream) -> str:
    """Without a function, what upstream could not decide may be what the reward shows."""
    result = upstream.get("observation-scaling")
    if result is None or result.state is State.PASS:
        return ""
    return "observation scaling is undecided, so alike observations need not be alike states"


def rival_blocks(upstream: Upstream, model: RewardModel, sides: RewardSides) -> str:
    """Name an upstream change that explains the difference as well and is not ruled out."""
    return rival_words(open_rival(upstream, model, sides))


def rival_words(rival: RewardRival | None) -> str:
    """Say what a change explains as well, ``""`` where there is none."""
    return "" if rival is None else words.rival(rival, family_of(rival))


def open_rival(upstream: Upstream, model: RewardModel, sides: RewardSides) -> RewardRival | None:
    """Return the first upstream change that explains the difference as well and is not ruled out."""
    for rival in reward_rivals(model, sides):
        if rival.tolerated or not _ruled_out(upstream.get(family_of(rival)), rival):
            return rival
    return None


def family_of(rival: RewardRival) -> str:
    """Return the check that is to find such a change."""
    if rival.kind == "lag":
        return "timing"
    return "action" if rival.is_action else "observation-scaling"


def rival_leads(rival: RewardRival | None) -> tuple[Lead, ...]:
    """Name the family of a change of one observation that explains the reward as well as the reward does.

    Not one that its own check tolerates; nor an action's or a lag's, which their checks read off what is logged.
    """
    if rival is None or rival.tolerated or family_of(rival) != "observation-scaling":
        return ()
    return (words.rival_lead(rival, family_of(rival)),)


def _ruled_out(checked: CheckResult | None, rival: RewardRival) -> bool:
    """Whether the check passed, or at least both its scale and its level of that observation."""
    if checked is None:
        return False
    if checked.state is State.PASS:
        return True
    own = [m for m in checked.measurements if rival.channel and m.channel == rival.channel]
    read = {m.quantity: m.state for m in own if m.judged}
    return all(read.get(quantity) is State.PASS for quantity in ("scale", "level"))
