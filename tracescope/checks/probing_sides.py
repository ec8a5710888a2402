"""A probe's span on each side: what is measured is read from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np

from tracescope.analysis.gaps import GAP_PERIODS, median_interval
from tracescope.analysis.rows import resampled
from tracescope.checks.probing_budgets import Budgets
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Measurement
from tracescope.model.tolerance import Tolerance
from tracescope.model.trace import Channel, Samples, Trace

EVEN_SHARE = 0.05
"""Samples are evenly spaced where their intervals scatter by less than this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One side's samples inside a span, on its own clock.

    Attributes:
        trace: The recording.
        time_s, response: Shape ``(n,)``; not-finite samples are left out.
        command: The value that held at each of those instants, or ``None`` where nothing commands.
        span_s: The span on this side's clock.
    """

    trace: Trace
    time_s: Samples
    response: Samples
    command: Samples | None
    span_s: Interval

    @property
    def interval_s(self) -> float:
        """Median seconds from sample to sample."""
        return float(median_interval(self.time_s))

    def evenly(self) -> tuple[Samples, Samples] | None:
        """Return command and response on even instants, ``None`` without a command or across gaps."""
        if self.command is None or self.time_s.size < 3:
            return None
        steps = np.diff(self.time_s)
        if steps.max() > GAP_PERIODS * self.interval_s:
            return None
        if float(steps.std()) < EVEN_SHARE * self.interval_s:
            return self.command, self.response
        count = int((self.time_s[-1] - self.time_s[0]) / self.interval_s) + 1
        even = self.time_s[0] + self.interval_s * np.arange(count)
        held = np.clip(np.searchsorted(self.time_s, even, "right") - 1, 0, self.time_s.size - 1)
        return self.command[held], np.interp(even, self.time_s, self.response)

    def in_span(self, channel: Channel) -> Samples:
        """Return a channel's own finite samples inside the span, shape ``(m,)``."""
        value = channel.as_float()
        inside = (channel.time_s >= self.span_s[0]) & (channel.time_s <= self.span_s[1])
        return np.asarray(value[inside & np.isfinite(value)])

    def rows_s(self) -> Samples:
        """Return the row times inside the span, shape ``(m,)``."""
        time_s = self.trace.time_s
        return np.asarray(time_s[(time_s >= self.span_s[0]) & (time_s <= self.span_s[1])])


class Said(TypedDict, total=False):
    """What may be said of a measurement besides its numbers; see :class:`Measurement`."""

    n: float
    note: str
    covered: bool
    required: bool
    blocked: str
    unit: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Probed:
    """A probe laid over a case: both sides, and what its measurements have in common.

    ``asked`` says that the kind was named: what it cannot measure then leaves the probe undecided.
    """

    case: Case
    budgets: Budgets
    channel: str
    unit: str
    sim: Side
    target: Side
    asked: bool = True
    blocked: str = ""

    def measured(
        self,
        quantity: str,
        estimate: float,
        interval: Interval | None,
        tolerance: Tolerance,
        **said: Unpack[Said],
    ) -> Measurement:
        """Return a measurement against its budget; one without any bound is reported, not judged.

        Where the unit is another than the budget's, the default budget does not apply.
        """
        unit, note = said.get("unit"), said.get("note", "")
        band = self.budgets[tolerance]
        bounded = bool(np.isfinite(band).any())
        foreign = unit is not None and unit != tolerance.unit
        applies = bounded and not (foreign and self.budgets.is_default(tolerance))
        if bounded and not applies:
            named = f"the unit is {unit}" if unit else "no unit is stated"
            note = f"{note}; {named}, so the budget in {tolerance.unit} does not apply"
        return Measurement(
            quantity,
            self.channel,
            estimate,
            interval,
            tolerance.unit if unit is None else unit,
            n=said.get("n", 0.0),
            tolerance=band if applies else None,
            tolerance_key=tolerance.key,
            confidence=self.case.confidence,
            required=said.get("required", True),
            covered=said.get("covered", True),
            blocked=said.get("blocked", ""),
            note=note.strip("; "),
        )

    def unmeasured(self, quantity: str, tolerance: Tolerance, because: str) -> Measurement:
        """Return what could not be measured: inconclusive, and required where it was asked for."""
        band = self.budgets[tolerance]
        return Measurement(
            quantity,
            self.channel,
            float("nan"),
            None,
            tolerance.unit,
            tolerance=band,
            tolerance_key=tolerance.key,
            confidence=self.case.confidence,
            required=self.asked,
            covered=False,
            blocked=because,
        )


def side_of(
    trace: Trace,
    response: tuple[Channel, Samples],
    command: tuple[Channel, Samples] | None,
    span_s: Interval,
) -> Side:
    """Cut one side's samples out of a span on its own clock.

    Args:
        trace: The side's recording.
        response, command: Channel and its (corrected) values, shape ``(n,)``.
        span_s: On this side's clock.
    """
    channel, value = response
    kept = (channel.time_s >= span_s[0]) & (channel.time_s <= span_s[1]) & np.isfinite(value)
    kept[1:] &= np.diff(channel.time_s) > 0
    time_s = channel.time_s[kept]
    held = None
    if command is not None:
        held = _held(command[0], command[1], time_s)
        known = np.isfinite(held)
        return Side(trace, time_s[known], value[kept][known], held[known], span_s)
    return Side(trace, time_s, value[kept], None, span_s)


def _held(channel: Channel, value: Samples, at_s: Samples) -> Samples:
    """A command holds until the next one, however the channel is drawn."""
    if channel.is_step or channel.time_s.size == 0:
        return resampled(channel, value, at_s, np.inf)
    left = np.searchsorted(channel.time_s, at_s, side="right") - 1
    out = value[np.clip(left, 0, channel.time_s.size - 1)].astype(np.float64)
    out[left < 0] = np.nan
    return np.asarray(out)
