"""Where a target differs from its simulator by more than an observation's scale and level may."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SampleRule:
    """How far a single sample may differ: what a scale and a level inside their tolerances can explain.

    A target within tolerance is ``s · (x − m) + m + b · sd`` with ``s`` inside the band of scales and ``b``
    inside that of levels; ``m`` and ``sd`` are the simulator's mean and standard deviation. So the
    difference at a sample ``x`` may lie between the least and the greatest of
    ``(s − 1) · (x − m) + b · sd``.

    Attributes:
        scale, level: The bands in force; the level in standard deviations of the simulator.
        mean, sd: Of the simulator's finite samples, in its unit.
    """

    scale: Interval
    level: Interval
    mean: float
    sd: float

    def allowed(self, sim: Samples) -> tuple[Samples, Samples]:
        """Return the least and greatest difference allowed at simulator samples, shape of ``sim``."""
        away = sim - self.mean
        ends = (self.scale[0] - 1) * away, (self.scale[1] - 1) * away
        slack = ROUNDING * max(abs(self.mean), self.sd)
        low = np.fmin(*ends) + self.level[0] * self.sd - slack
        high = np.fmax(*ends) + self.level[1] * self.sd + slack
        return low, high

    def words(self) -> str:
        """Say the rule in a few words."""
        return (
            f"scale {self.scale[0]:.4g}…{self.scale[1]:.4g} and level "
            f"{self.level[0]:+.3g}…{self.level[1]:+.3g} sd of the simulator"
        ).replace("-", "−")


def sample_rule(sim: Samples, scale: Interval, level: Interval) -> SampleRule:
    """Return the rule for one signal from its simulator samples, shape ``(n,)``."""
    finite = sim[np.isfinite(sim)]
    if not finite.size:
        return SampleRule(scale, level, 0.0, 0.0)
    return SampleRule(scale, level, float(finite.mean()), float(finite.std()))


def runs_beyond(sim: Samples, difference: Samples, rule: SampleRule) -> NDArray[np.int64]:
    """Return the runs of samples whose difference the rule does not allow.

    Args:
        sim: Simulator samples, shape ``(n,)``.
        difference: Target − simulator at them, shape ``(n,)``; NaN, where one is missing, ends a run.
        rule: From :func:`sample_rule`.

    Returns:
        First and last row of each run, shape ``(k, 2)``.
    """
    low, high = rule.allowed(sim)
    with np.errstate(invalid="ignore"):
        beyond = (difference < low) | (difference > high)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], beyond.astype(np.int8), [0]))))
    runs = edges.reshape(-1, 2).astype(np.int64)
    runs[:, 1] -= 1
    return runs
