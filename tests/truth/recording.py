"""From a run to a trace: columns, clocks, lost rows, flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.truth.faults import Fault
from tests.truth.loop import Run, Setting, of_kind
from tests.truth.plants import Array
from tracescope.analysis.estimate import (
    assumed_alignment,
    counter_alignment,
    estimate_alignment,
)
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.pair import TracePair, pair_traces
from tracescope.model.trace import Channel, Clock, Role, Source, Trace


@dataclass
class Flags:
    """Where and how an episode ends, and how far the log goes."""

    row: int
    kind: str
    style: str
    log_rows: int = 0
    early_rows: int = 0
    other_kind: bool = False
    cut: bool = False
    reset: bool = False

    def __post_init__(self) -> None:
        self.log_rows = self.log_rows or self.row + 1

    def __str__(self) -> str:
        return f"{self.kind}@{self.row}/{self.log_rows}"


@dataclass(frozen=True)
class Missing:
    """How often pairs lack what a check would like to read.

    Attributes:
        applied: Share of pairs without the applied action in either trace.
        counter: Share of pairs without a step counter.
    """

    applied: float
    counter: float

    @property
    def shares_of_applied(self) -> tuple[float, float, float]:
        """Logged in both, in the target alone, in neither."""
        return 0.8 - self.applied, 0.2, self.applied


WILD = Missing(0.25, 0.3)
EVEN = Missing(1 / 8, 1 / 8)


@dataclass(frozen=True)
class Style:
    """What gets logged.

    Attributes:
        counter: Whether rows are counted.
        applied: ``both``, ``target``, ``none``, or ``as-emitted``: the target's emitted column holds the
            applied value.
        reference_logged: Whether the reference is an observation.
        end_kind: ``terminated`` or ``truncated``.
        flags: ``two`` columns, or ``done`` alone.
        latency: Whether latency is logged.
    """

    counter: bool
    applied: str
    reference_logged: bool
    end_kind: str
    flags: str
    latency: bool

    @classmethod
    def drawn(
        cls, faults: Sequence[Fault], rng: np.random.Generator, missing: Missing = WILD
    ) -> Style:
        """Draw what gets logged; what must be there for a fault to show always is."""
        kinds = {f.kind for f in faults}
        applied = str(rng.choice(("both", "target", "none"), p=missing.shares_of_applied))
        if "action-clip" in kinds and rng.random() < 0.3:
            applied = "as-emitted"
        terminated = rng.random() < 0.3
        return cls(
            bool(rng.random() < 1 - missing.counter) or "start-offset" in kinds,
            applied,
            bool(rng.random() < 0.8),
            "terminated" if terminated else "truncated",
            "done" if rng.random() < 0.1 else "two",
            bool(rng.random() < 0.4) or bool(kinds & {"latency-level", "latency-jitter"}),
        )

    def notes(self) -> dict[str, object]:
        return {
            "counter": self.counter,
            "applied": self.applied,
            "ref": self.reference_logged,
            "flags": self.flags,
        }


def quantisation_step(fault: Fault, usual: float, column: Array) -> float:
    """Return the step that a column is recorded in: the fault's share of the usual spread, of the column's own."""
    return fault.value / usual * max(float(np.std(column)), 1e-9)


def aligned(pair: TracePair) -> Alignment:
    """By counter, else by content where that is clear, else as assumed: what a person gets unasked."""
    counted = counter_alignment(pair)
    if counted is not None:
        return counted
    estimate = estimate_alignment(pair)
    if estimate.verdict == "clear" and estimate.alignment is not None:
        return estimate.alignment
    return assumed_alignment(pair)


@dataclass(frozen=True)
class Recorder:
    """Turns runs into a case."""

    setting: Setting
    style: Style
    rng: np.random.Generator

    def case(
        self, sim: Run, target: Run, faults: Sequence[Fault], sim_flags: Flags, flags: Flags
    ) -> Case:
        """Record both sides and align them as the product does on its own."""
        left = self._trace(sim, (), sim_flags, "sim")
        right = self._trace(target, faults, flags, "target")
        pair = pair_traces(left, right)
        return Case(pair, aligned(pair))

    def _trace(self, run: Run, faults: Sequence[Fault], flags: Flags, side: str) -> Trace:
        plant = self.setting.plant
        n = len(run.reward)
        columns: list[tuple[str, Role, Array, str]] = []
        logged = self._logged(run, faults)
        if flags.reset and flags.row < n:
            logged[flags.row] = plant.start
        for k, name in enumerate(plant.states):
            columns.append((name, Role.OBSERVATION, logged[:, k], plant.units[k]))
        if self.style.reference_logged:
            for k in range(self.setting.reference.shape[1]):
                column = self.setting.reference[:n, k].copy()
                columns.append((f"reference_{k}", Role.OBSERVATION, column, plant.units[k]))
        columns += self._actions(run, side)
        columns.append(("reward", Role.REWARD, self._reward(run, faults, sim_sd=None), ""))
        columns += self._flags(n, flags)
        if self.style.latency:
            columns.append(("latency", Role.LATENCY, self._latency(n, faults), "s"))
        return self._stamped(columns, faults, n, side)

    def _actions(self, run: Run, side: str) -> list[tuple[str, Role, Array, str]]:
        emitted = run.applied if self.style.applied == "as-emitted" else run.emitted
        places = range(emitted.shape[1])
        out = [(f"action_{k}", Role.ACTION, emitted[:, k], "") for k in places]
        if self.style.applied == "both" or (self.style.applied == "target" and side == "target"):
            out += [(f"applied_{k}", Role.ACTION_APPLIED, run.applied[:, k], "") for k in places]
        return out

    def _logged(self, run: Run, faults: Sequence[Fault]) -> Array:
        out = run.logged.copy()
        spread = self.setting.plant.spread
        for fault in faults:
            k, value = fault.channel, fault.value
            column = out[:, k]
            if fault.kind == "obs-scale" and not fault.in_loop:
                out[:, k] = column * value
            elif fault.kind == "obs-offset" and not fault.in_loop:
                out[:, k] = column + value
            elif fault.kind == "obs-swap" and out.shape[1] > 1:
                other = (k + 1) % out.shape[1]
                out[:, [k, other]] = out[:, [other, k]]
            elif fault.kind == "obs-saturation":
                out[:, k] = np.minimum(column, np.mean(column) + value * np.std(column))
            elif fault.kind == "obs-quantisation":
                step = quantisation_step(fault, float(spread[k]), column)
                out[:, k] = np.round(column / step) * step
            elif fault.kind == "obs-hold":
                every = int(value)
                out[:, k] = column[(np.arange(len(column)) // every) * every]
        return out

    def _reward(self, run: Run, faults: Sequence[Fault], sim_sd: float | None) -> Array:
        out = run.reward.copy()
        sd = float(np.std(out)) if sim_sd is None else sim_sd
        for fault in faults:
            if fault.kind == "reward-scale":
                out = out * fault.value
            elif fault.kind == "reward-offset":
                out = out + fault.value * sd
        return out

    def _flags(self, n: int, flags: Flags) -> list[tuple[str, Role, Array, str]]:
        on = np.zeros(n, np.bool_)
        if flags.row < n:
            on[flags.row] = True
        off = np.zeros(n, np.bool_)
        if flags.style == "done":
            return [("done", Role.DONE, on, "")]
        kinds = (("terminated", Role.TERMINATED), ("truncated", Role.TRUNCATED))
        return [(name, role, on if name == flags.kind else off, "") for name, role in kinds]

    def _latency(self, n: int, faults: Sequence[Fault]) -> Array:
        level, jitter = 0.008, 0.0004
        for fault in of_kind(faults, "latency-level"):
            level = fault.value
        for fault in of_kind(faults, "latency-jitter"):
            jitter = fault.value
        return np.abs(level + self.rng.normal(0, jitter, n))

    def _stamped(
        self,
        columns: list[tuple[str, Role, Array, str]],
        faults: Sequence[Fault],
        n: int,
        side: str,
    ) -> Trace:
        dt = self.setting.plant.dt
        stamps = dt * np.arange(n)
        for fault in of_kind(faults, "drift"):
            stamps = stamps * (1 + fault.value)
        for fault in of_kind(faults, "clock-offset"):
            stamps = stamps + fault.value
        for fault in of_kind(faults, "jitter"):
            noise = self.rng.normal(0, fault.value, n)
            stamps = stamps + np.clip(noise, -0.45 * dt, 0.45 * dt)
        step = np.arange(n)
        kept = np.ones(n, np.bool_)
        for fault in of_kind(faults, "missing-rows"):
            kept = self.rng.random(n) >= fault.value
            kept[:5] = kept[-2:] = True
        skip = int(sum(f.value for f in of_kind(faults, "start-offset", "late-start")))
        kept[:skip] = False
        if of_kind(faults, "start-offset"):
            step = step - skip
            stamps = stamps - stamps[min(skip, n - 1)]
        time_s = stamps[kept]
        channels = tuple(
            Channel(name, role, time_s, value[kept], unit=unit)
            for name, role, value, unit in columns
        )
        counter = step[kept].astype(np.int64) if self.style.counter else None
        return Trace(Source(f"{side}.csv"), Clock(column="timestamp"), time_s, channels, counter)
