"""Step response: how fast and how far a response follows a command that jumps and holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.probe_brackets import (
    BEND_SHARE,
    UNKNOWN,
    Bracket,
    first_above,
    joint_quantile,
    level_noise,
)
from tracescope.model.trace import Samples

STEP_SHARE = 0.2
"""A jump of the command over this share of its range is a step."""

HELD_SHARE = 0.1
"""After a step the command keeps within this share of it until the next one."""

SETTLED_SHARE = 0.05
"""Settled: inside this share of the step for good."""

MIN_ROWS = 12
"""A step is held for at least so many samples."""

MIN_CONTRAST = 6.0
"""The response must move by so many standard deviations of its own noise."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command's jump: when, from where on the rest before it counts, and how long it is held."""

    at_s: float
    since_s: float
    until_s: float
    height: float


@dataclass(frozen=True, slots=True)
class StepResponse:
    """What a response makes of one step.

    Attributes:
        delay_s: From the command's step to 10 % of the way.
        rise_s: From 10 % to 90 %.
        settling_s: From the command's step until it stays within 5 % of the way.
        overshoot: Beyond the final level, as a share of the way.
        height: The way, in the response's unit.
    """

    delay_s: Bracket
    rise_s: Bracket
    settling_s: Bracket
    overshoot: Bracket
    height: float


def steps(time_s: Samples, command: Samples) -> tuple[Step, ...]:
    """Find the steps of a command that jumps and holds.

    Args:
        time_s, command: Shape ``(n,)``, finite.

    Returns:
        In time order; none where the command moves between its jumps.
    """
    span = float(np.ptp(command)) if command.size else 0.0
    if command.size < 3 or span == 0:
        return ()
    jump = np.flatnonzero(np.abs(np.diff(command)) >= STEP_SHARE * span) + 1
    edges = np.concatenate((jump, [command.size]))
    found = []
    for place, start in enumerate(jump):
        held = command[start : edges[place + 1]]
        height = float(command[start] - command[start - 1])
        if np.ptp(held) > HELD_SHARE * abs(height) or held.size < MIN_ROWS:
            continue
        since = time_s[jump[place - 1]] if place else time_s[0]
        until = time_s[edges[place + 1] - 1]
        found.append(Step(float(time_s[start]), float(since), float(until), height))
    return tuple(found)


def step_response(
    time_s: Samples, value: Samples, step: Step, confidence: float
) -> StepResponse | str:
    """Measure one step's response.

    Args:
        time_s, value: The response, shape ``(n,)``, finite.
        step: Where the command jumped, on the same clock.
        confidence: Of the noise band, jointly over the samples.

    Returns:
        The response, or one clause on why there is none.

    Source:
        Definitions as in IEC 60050-351 (10 % to 90 %, ±5 %); brackets as in
        :mod:`tracescope.analysis.probe_brackets`.
    """
    before = value[(time_s >= step.since_s) & (time_s <= step.at_s)]
    after = (time_s >= step.at_s) & (time_s <= step.until_s)
    t, y = time_s[after] - step.at_s, value[after]
    if y.size < MIN_ROWS or before.size < 2:
        return f"only {y.size} samples follow it"
    rest = before[-max(2, before.size // 4) :]
    tail = y[-max(4, y.size // 4) :]
    start, end = float(rest.mean()), float(tail.mean())
    noise = max(level_noise(tail), level_noise(rest))
    height = end - start
    if abs(height) <= max(MIN_CONTRAST * noise, 1e-12 * max(abs(start), abs(end))):
        return "the response does not move"
    x = (y - start) / height
    band = joint_quantile(confidence, y.size) * noise * (1 + 1 / np.sqrt(tail.size)) / abs(height)
    drift = abs(float(tail[tail.size // 2 :].mean() - tail[: tail.size // 2].mean()) / height)
    tenth, most = (first_above(t, x, level, float(band)) for level in (0.1, 0.9))
    settled = UNKNOWN if drift > SETTLED_SHARE else _settling(t, x, float(band))
    return StepResponse(tenth, most.minus(tenth), settled, _overshoot(x, float(band)), height)


def _settling(t: Samples, x: Samples, noise: float) -> Bracket:
    """Bracket the last time outside the band: the first time inside, seen backwards in time."""
    backwards = first_above(t[-1] - t[::-1], np.abs(x[::-1] - 1.0), SETTLED_SHARE, noise)
    if np.isnan(backwards.estimate) and not np.isfinite(backwards.high):
        return Bracket(0.0, 0.0, max(float(t[-1]) - backwards.low, 0.0), x.size)
    return Bracket(
        float(t[-1]) - backwards.estimate,
        float(t[-1]) - backwards.high if np.isfinite(backwards.high) else 0.0,
        float(t[-1]) - backwards.low,
        x.size,
    )


def _overshoot(x: Samples, noise: float) -> Bracket:
    top = int(x.argmax())
    bend = np.abs(np.diff(x[max(top - 2, 0) : top + 3], 2))
    beyond = float(x[top]) - 1.0
    over = noise + BEND_SHARE * (float(bend.max()) if bend.size else 0.0)
    return Bracket(
        max(beyond, 0.0), max(beyond - noise, 0.0), max(beyond, 0.0) + over, float(x.size)
    )
