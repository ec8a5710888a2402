"""Episodes that end by a flag, and the termination check on a pair of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.builders import trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.termination import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Channel, Role, Trace

N = 233
MOTION = wander(400, 2, seed=3, smooth=12.0)


def flagged(
    n: int, row: int | None, role: Role = Role.TERMINATED, noise: int = 1, t0: float = 0.0
) -> Trace:
    """A log of n rows of one motion whose flag is set from ``row`` on."""
    own = np.random.default_rng(noise).normal(0, 0.002, (n, 2))
    base = trace(0.02, MOTION[:n] + own, t0=t0)
    flag = np.zeros(n, np.bool_)
    if row is not None:
        flag[row:] = True
    return with_flags(base, {role: flag})


def with_flags(base: Trace, flags: dict[Role, np.ndarray]) -> Trace:
    extra = tuple(Channel(role.value, role, base.time_s, flag) for role, flag in flags.items())
    return replace(base, channels=(*base.channels, *extra))


def judge(sim: Trace, target: Trace, *, aligned: bool = True, **more: State) -> CheckResult:
    pair = pair_traces(sim, target)
    case = Case(pair, Alignment(mode="step", offset_s=target.t_first_s - sim.t_first_s))
    upstream = {
        name.replace("_", "-"): CheckResult(name, state, "") for name, state in more.items()
    }
    standing = State.PASS if aligned else State.FAIL
    upstream.setdefault("alignment", CheckResult("alignment", standing, ""))
    return CHECK.judge(Workbench(case), upstream)
