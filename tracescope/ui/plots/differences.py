"""The differences beyond tolerance that N and P walk through, of the shown signals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.differences import SampleRule, runs_beyond, sample_rule
from tracescope.checks.observation_scaling_tolerances import LEVEL, SCALE
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.residuals import Couple, ResidualKey, Residuals, residual_key
from tracescope.ui.plots.ticks import read_out, signed


@dataclass(frozen=True, slots=True)
class Difference:
    """A run of samples of one signal beyond its tolerance, on the sim's clock."""

    key: str
    name: str
    span_s: Interval
    worst: float
    worst_s: float
    unit: str
    rule: SampleRule

    def words(self, place: int, count: int) -> str:
        """Say what differs, where, by how much, and what would have been allowed."""
        first, last = self.span_s
        where = f"at {first:.4g} s" if first == last else f"from {first:.4g} s to {last:.4g} s"
        worst = f"{signed(self.worst)} {self.unit}".rstrip()
        return (
            f"{place} of {count}: {self.name} {where}, at most {worst} at {read_out(self.worst_s)} s; "
            f"allowed: {self.rule.words()}"
        )


Held = tuple[tuple[ResidualKey, Interval, Interval], tuple[Difference, ...]]


class Differences:
    """Finds them once for each signal, alignment and tolerance."""

    def __init__(self, residuals: Residuals) -> None:
        self._residuals = residuals
        self._held: dict[str, Held] = {}

    def found(self, panes: list[Pane], case: Case) -> tuple[list[Difference], bool]:
        """Return the differences of these panes in order of time, and whether all signals are in."""
        out: dict[tuple[str, Interval], Difference] = {}
        complete = True
        for couple in (c for pane in panes for c in pane.couples if not c.sim.is_flag):
            found = self._of(couple, case)
            complete &= found is not None
            out |= {(d.key, d.span_s): d for d in found or ()}
        return sorted(out.values(), key=lambda d: (d.span_s[0], d.key)), complete

    def _of(self, couple: Couple, case: Case) -> tuple[Difference, ...] | None:
        scale, level = case.tolerances[SCALE], case.tolerances[LEVEL]
        key = (residual_key(couple, case.alignment), scale, level)
        held = self._held.get(couple.sim.key)
        if held is not None and held[0] == key:
            return held[1]
        exact = self._residuals.exact(couple, case)
        if exact is None:
            return None
        sim = couple.sim.channel
        value, time_s = sim.as_float(), sim.time_s
        rule = sample_rule(value, scale, level)
        difference = np.asarray(exact.value, np.float64)
        found = []
        for first, last in runs_beyond(value, difference, rule).tolist():
            worst = first + int(np.nanargmax(np.abs(difference[first : last + 1])))
            span_s = (float(time_s[first]), float(time_s[last]))
            at = (float(difference[worst]), float(time_s[worst]))
            found.append(Difference(couple.sim.key, sim.name, span_s, *at, sim.unit, rule))
        self._held[couple.sim.key] = (key, tuple(found))
        return self._held[couple.sim.key][1]
