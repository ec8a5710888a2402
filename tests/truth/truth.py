"""What is true about a pair, check by check."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.truth.faults import BAD, SOUND, UNJUDGED, Fault
from tests.truth.loop import Run, Setting, of_kind, plant_params
from tests.truth.recording import Flags, Style, quantisation_step
from tracescope.model.case import Case
from tracescope.model.check import CHECK_IDS

NEAR = 0.1
"""Within this share of a tolerance nothing is called bad or sound."""


def truth_of(
    setting: Setting,
    style: Style,
    faults: Sequence[Fault],
    sim: Run,
    target: Run,
    sim_flags: Flags,
    flags: Flags,
    case: Case,
) -> dict[str, str]:
    """Return ``bad``, ``sound`` or ``not judged`` for every check."""
    truth = {
        "alignment": _alignment(style, faults, len(target.reward)),
        "observation-scaling": _observation(setting, faults, sim, target),
        "action": _action(setting, style, faults, sim, target),
        "timing": _timing(faults, len(target.reward), len(case.pair.target)),
        "dynamics": _dynamics(setting, faults, target),
        "reward": _reward(faults, sim, target),
        "termination": _termination(faults, sim_flags, flags),
    }
    if truth["alignment"] != SOUND:
        truth |= dict.fromkeys(CHECK_IDS[1:], UNJUDGED)
    return truth


def graded(times: float) -> str:
    """Judge a magnitude in units of its tolerance."""
    if times > 1 + NEAR:
        return BAD
    return SOUND if times < 1 - NEAR else UNJUDGED


def worst(verdicts: Sequence[str]) -> str:
    """One bad part makes the whole bad; one unjudged part leaves it open."""
    for verdict in (BAD, UNJUDGED):
        if verdict in verdicts:
            return verdict
    return SOUND


def _alignment(style: Style, faults: Sequence[Fault], rows: int) -> str:
    if of_kind(faults, "start-offset"):
        return BAD if style.counter else UNJUDGED
    fast = [f for f in of_kind(faults, "drift") if abs(f.value) > 0.01]
    if fast and not style.counter:
        return UNJUDGED
    if of_kind(faults, "late-start") and rows < 60:
        return UNJUDGED
    return SOUND


def _observation(setting: Setting, faults: Sequence[Fault], sim: Run, target: Run) -> str:
    verdicts = [SOUND]
    for k in range(sim.state.shape[1]):
        scale = float(np.prod([f.value for f in of_kind(faults, "obs-scale") if f.channel == k]))
        offset = float(sum(f.value for f in of_kind(faults, "obs-offset") if f.channel == k))
        mean, sd = float(np.mean(sim.state[:, k])), float(np.std(sim.state[:, k]))
        times = (scale - 1) / 0.05 if scale > 1 else (1 / scale - 1) / (1 / 0.95 - 1)
        verdicts.append(BAD if scale < 0 else graded(times))
        level = (scale - 1) * mean + offset
        verdicts.append(graded(abs(level) / max(np.hypot(0.1 * sd, 0.05 * mean), 1e-12)))
    for fault in faults:
        if fault.kind == "obs-swap":
            verdicts.append(BAD if sim.state.shape[1] > 1 else SOUND)
        elif fault.kind == "obs-saturation":
            verdicts.append(_saturated(fault, target))
        elif fault.kind == "obs-quantisation":
            verdicts.append(_quantised(setting, faults, fault, sim, target))
        elif fault.kind == "obs-hold":
            verdicts.append(BAD)
        elif fault.kind == "noisier":
            verdicts.append(SOUND)
    return worst(verdicts)


def _quantised(
    setting: Setting, faults: Sequence[Fault], fault: Fault, sim: Run, target: Run
) -> str:
    """The step that was recorded, in the simulator's unit, against the spread that the simulator recorded."""
    k = fault.channel
    inside = [f for f in of_kind(faults, "obs-scale") if f.channel == k and f.in_loop]
    scale = abs(float(np.prod([f.value for f in inside])))
    step = quantisation_step(fault, float(setting.plant.spread[k]), target.logged[:, k]) / scale
    return graded(step / max(0.1 * float(np.std(sim.logged[:, k])), 1e-12))


def _saturated(fault: Fault, target: Run) -> str:
    column = target.logged[:, fault.channel]
    hit = int(np.sum(column > column.mean() + fault.value * column.std()))
    if hit == 0:
        return SOUND
    return BAD if hit >= 8 and hit > 0.008 * len(column) else UNJUDGED


def _action(setting: Setting, style: Style, faults: Sequence[Fault], sim: Run, target: Run) -> str:
    maps = [f for f in faults if f.kind.startswith("action-")]
    if not maps:
        return SOUND
    if style.applied == "as-emitted":
        bound, reach = np.abs(target.applied).max(axis=0), np.abs(sim.emitted).max(axis=0)
        return BAD if (bound < 0.85 * reach).any() else UNJUDGED
    altered = np.abs(target.applied - target.emitted) > 1e-9
    share = float(altered.any(axis=1).mean())
    if share == 0:
        return SOUND
    size = np.abs(target.applied - target.emitted).max(axis=0)
    small = size < 0.1 * np.maximum(target.emitted.std(axis=0), 1e-12)
    if any(f.kind in ("action-gain", "action-bias") for f in maps):
        return BAD if all(f.times > 1 + NEAR for f in maps) and not small.all() else UNJUDGED
    if share < 0.008:
        return SOUND if share * len(altered) < 1 else UNJUDGED
    return BAD if share > 0.015 and share * len(altered) > 5 and not small.all() else UNJUDGED


def _timing(faults: Sequence[Fault], rows: int, logged: int) -> str:
    kinds = {f.kind for f in faults}
    rest = [f for f in faults if f.family == "timing" and f.kind != "missing-rows"]
    verdicts = [SOUND, *(graded(f.times) for f in rest)]
    if "missing-rows" in kinds:  # drawn row by row: what counts is how many really went
        skipped = sum(f.value for f in of_kind(faults, "start-offset", "late-start"))
        verdicts.append(graded((rows - skipped - logged) / rows / 0.01))
    lagging = {"action-ema", "action-rate-limit", "action-dead-band", "obs-hold"}
    if kinds & lagging:
        verdicts.append(UNJUDGED)
    return worst(verdicts)


def _dynamics(setting: Setting, faults: Sequence[Fault], target: Run) -> str:
    """The one-step gap of the two plants over the target's rows, as the check defines it."""
    plant = setting.plant
    params = plant_params(plant, faults)
    if params == plant.params:
        return SOUND
    every = slice(0, None, max(1, len(target.reward) // 400))
    gap = []
    for state, acting in zip(target.state[every], target.acting[every], strict=True):
        here = plant.step(state, acting, params)
        gap.append((here - plant.step(state, acting, plant.params), here - state))
    apart, motion = (np.sqrt(np.mean(np.square(part), axis=0)) for part in zip(*gap, strict=True))
    largest = float(np.max(apart / np.maximum(motion, 1e-12)))
    if largest > 0.125:
        return BAD
    return SOUND if largest < 0.08 else UNJUDGED


def _reward(faults: Sequence[Fault], sim: Run, target: Run) -> str:
    scale = float(np.prod([f.value for f in of_kind(faults, "reward-scale")]))
    offset = float(sum(f.value for f in of_kind(faults, "reward-offset")))
    sd = float(np.std(sim.reward))
    level = (scale - 1) * float(np.mean(target.reward)) / sd + offset * float(
        np.std(target.reward)
    ) / sd
    times = (scale - 1) / 0.05 if scale > 1 else (1 / scale - 1) / (1 / 0.95 - 1)
    return worst([graded(times), graded(abs(level) / 0.05)])


def _termination(faults: Sequence[Fault], sim: Flags, target: Flags) -> str:
    if target.other_kind and abs(target.row - sim.row) <= 3 and not target.cut:
        return BAD
    if target.early_rows and not target.cut:
        return graded(abs(target.early_rows) / 3.5) if target.early_rows > 0 else UNJUDGED
    if target.other_kind:
        return UNJUDGED
    return SOUND
