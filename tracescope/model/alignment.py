"""The lens over the target's clock: one object for drawing, read-out, residual, checks and export."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tracescope.model.trace import Samples
from tracescope.model.words import measured

Interval = tuple[float, float]

Mode = Literal["step", "time"]
How = Literal["assumed", "estimated", "given", "hand", "anchors"]


@dataclass(frozen=True, slots=True)
class Rival:
    """Another offset that lays the traces over each other about as well. ``score`` is a correlation."""

    offset_s: float
    score: float


@dataclass(frozen=True, slots=True)
class Anchor:
    """The same event marked in both traces: seconds on the sim's clock and on the target's own."""

    sim_s: float
    target_s: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where the target's rows lie on the simulator's clock.

    ``t_sim = t_target − (offset_s + drift · (t_target − pivot_s))``. A positive offset says that the
    target's stamps are late: correcting moves the target left.

    Attributes:
        mode: How rows are paired for the checks: by ``step`` counter, or by ``time``.
        how: How it came about.
        offset_s: Clock offset at ``pivot_s``, seconds.
        drift: Seconds a second (1e-6 is one ppm).
        pivot_s: The target's first row time, where drift counts from.
        step_shift: ``step mode``: target step ``k + step_shift`` belongs to sim step ``k``.
        offset_interval_s, drift_interval: Confidence intervals where estimated, else ``None``.
        rivals: Other offsets that cannot be excluded.
        anchors: The events it was made from, where ``how`` is ``anchors``.
        note: One sentence on how it came about.
    """

    mode: Mode = "time"
    how: How = "assumed"
    offset_s: float = 0.0
    drift: float = 0.0
    pivot_s: float = 0.0
    step_shift: int = 0
    offset_interval_s: Interval | None = None
    drift_interval: Interval | None = None
    rivals: tuple[Rival, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    note: str = ""

    @property
    def drift_ppm(self) -> float:
        """Drift in parts per million."""
        return self.drift * 1e6

    def to_sim(self, target_s: Samples) -> Samples:
        """Map seconds on the target's clock to the simulator's, any shape."""
        return target_s - (self.offset_s + self.drift * (target_s - self.pivot_s))

    def to_target(self, sim_s: Samples) -> Samples:
        """Map seconds on the simulator's clock to the target's: the inverse of :meth:`to_sim`."""
        return (sim_s + self.offset_s - self.drift * self.pivot_s) / (1.0 - self.drift)

    def to_sim_one(self, target_s: float) -> float:
        """Map one instant of the target's clock to the simulator's."""
        return float(self.to_sim(np.float64(target_s)))  # type: ignore[arg-type]

    def to_target_one(self, sim_s: float) -> float:
        """Map one instant of the simulator's clock to the target's."""
        return float(self.to_target(np.float64(sim_s)))  # type: ignore[arg-type]

    def moved(self, by_s: float) -> Alignment:
        """Return the alignment a hand made by adding ``by_s`` to the offset; no interval is claimed."""
        return self.by_hand(offset_s=self.offset_s + by_s)

    def by_hand(
        self,
        offset_s: float | None = None,
        drift: float | None = None,
        step_shift: int | None = None,
    ) -> Alignment:
        """Return a copy with numbers a person chose; estimated intervals and rivals no longer hold."""
        return replace(
            self,
            how="hand",
            offset_s=self.offset_s if offset_s is None else offset_s,
            drift=self.drift if drift is None else drift,
            step_shift=self.step_shift if step_shift is None else step_shift,
            offset_interval_s=None,
            drift_interval=None,
            rivals=(),
            anchors=(),
            note="set by hand",
        )

    def in_words(self, interval_s: float) -> str:
        """Say which way and how far the target was moved, e.g. ``moved left 34.8 ms, 1.74 samples``."""
        if self.offset_s == 0:
            words = "not moved"
        else:
            side = "left" if self.offset_s > 0 else "right"
            far_ms = abs(self.offset_s) * 1e3
            words = f"moved {side} " + (
                f"{far_ms:.4g} ms" if far_ms >= 0.1 else f"{far_ms * 1e3:.3g} µs"
            )
            if np.isfinite(interval_s) and interval_s > 0:
                samples = abs(self.offset_s) / interval_s
                few = samples < 0.01
                words += (
                    ", under 0.01 samples" if few else f", {measured(f'{samples:.3g}', 'sample')}"
                )
        if self.drift:
            words += f", drift {self.drift_ppm:+.3g} ppm"
        if self.step_shift:
            words += f", steps shifted by {self.step_shift:+d}"
        return words
