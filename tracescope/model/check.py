"""What a check says: states by one rule, measurements with intervals, evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tracescope.model.alignment import Interval
from tracescope.model.correction import Correction


class State(StrEnum):
    """The three things a check or a measurement can say."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


CHECK_IDS = (
    "alignment",
    "observation-scaling",
    "action",
    "timing",
    "dynamics",
    "reward",
    "termination",
)
"""The built-in checks, in the order in which they run; also the families of hypotheses."""


def state_of(
    interval: Interval | None, tolerance: Interval | None, *, covered: bool = True
) -> State:
    """Decide a measurement: the one rule of the product.

    PASS where the whole interval lies inside the tolerance, FAIL where it lies wholly outside, else
    INCONCLUSIVE; also without interval, tolerance or coverage and for anything not finite, so that NaN
    can never become a verdict.
    """
    if interval is None or tolerance is None or not covered:
        return State.INCONCLUSIVE
    low, high = interval
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        return State.INCONCLUSIVE
    if tolerance[0] <= low and high <= tolerance[1]:
        return State.PASS
    if high < tolerance[0] or low > tolerance[1]:
        return State.FAIL
    return State.INCONCLUSIVE


def combined(states: Iterable[tuple[State, bool]]) -> State:
    """Combine measurements' (state, required) into a check's: any FAIL, else any required doubt, else PASS.

    No measurement at all is INCONCLUSIVE: absence of evidence never passes.
    """
    pairs = list(states)
    if any(state is State.FAIL for state, _ in pairs):
        return State.FAIL
    required = [state for state, needed in pairs if needed]
    if not required or any(state is not State.PASS for state in required):
        return State.INCONCLUSIVE
    return State.PASS


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured quantity. Its state follows from its interval and tolerance by :func:`state_of`.

    Attributes:
        quantity: ``scale``, ``latency``, ``missing rows`` …
        channel: The channel it speaks of, ``""`` for the pair as a whole.
        estimate, interval, confidence: In ``unit``; ``interval`` is ``None`` where none can be defended.
        n: Effective sample size.
        tolerance: The band in force, or ``None`` for a quantity that is reported and never judged.
        tolerance_key: Which declared tolerance that band is, for editing it in place.
        required: Whether doubt about it makes the check inconclusive.
        covered: Whether its precondition was met.
        blocked: Why it may not speak (upstream finding, alignment not established); ``""`` where it may.
            A blocked measurement is inconclusive whatever its numbers say.
        note: How it was measured (the route), or what would settle it; one clause.
    """

    quantity: str
    channel: str
    estimate: float
    interval: Interval | None
    unit: str = ""
    n: float = 0.0
    tolerance: Interval | None = None
    tolerance_key: str = ""
    confidence: float = 0.99
    required: bool = True
    covered: bool = True
    blocked: str = ""
    note: str = ""

    @property
    def state(self) -> State:
        """PASS, FAIL or INCONCLUSIVE, by the one rule."""
        return state_of(self.interval, self.tolerance, covered=self.covered and not self.blocked)

    @property
    def judged(self) -> bool:
        """Whether a tolerance applies at all."""
        return self.tolerance is not None


@dataclass(frozen=True, slots=True)
class Coverage:
    """The range a verdict speaks for, in words and as ``(low, high)`` of the channel."""

    channel: str
    range: Interval | None
    statement: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where to look: a channel and a span of seconds on the simulator's clock.

    ``beside`` are channels without which it shows nothing, e.g. the applied action beside the emitted one.
    """

    channel: str
    span_s: Interval
    caption: str = ""
    beside: tuple[str, ...] = ()

    @property
    def channels(self) -> tuple[str, ...]:
        """Every channel to look at, the one it speaks of first."""
        return tuple(dict.fromkeys((self.channel, *self.beside)))


@dataclass(frozen=True, slots=True)
class Would:
    """What the check would say if these pending corrections were applied."""

    corrections: tuple[str, ...]
    state: State
    reason: str


@dataclass(frozen=True, slots=True)
class Untold:
    """Something the trace did not cover, and what would cover it."""

    text: str
    would_need: str


@dataclass(frozen=True, slots=True)
class Lead:
    """An explanation a check's own numbers suggest.

    Attributes:
        text: "consistent with …".
        family: A check id: whose correction it would be.
        channels: The channels concerned.
        would_be_wrong_if: What would show it wrong.
        not_told_apart: Families or maps that the trace cannot separate from it.
        kind: Short stable name (``scale``, ``clip``, ``delay`` …), for tests and signatures.
        value: The fitted number, where it has one.
        undecided: Why nothing but undecided numbers point to it, ``""`` for a lead of decided ones.
    """

    text: str
    family: str
    channels: tuple[str, ...]
    would_be_wrong_if: str
    not_told_apart: tuple[str, ...] = ()
    kind: str = ""
    value: float | None = None
    undecided: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check says about one pair at one alignment.

    Attributes:
        id: The check.
        state: Follows from the measurements through :func:`combined`, or INCONCLUSIVE by precondition.
        reason: One sentence.
        measurements: Worst first is the reader's job, here in the check's own order.
        coverage: What range it speaks for.
        applied: Corrections and clock used (``"clock"``, ``"obs[0] ÷ 1.5"``).
        not_applied: Corrections that upstream checks fitted and nobody applied.
        pending: Corrections that this check fitted and failed on: what Apply would apply.
        would: What it would say with the pending upstream corrections.
        evidence: Where to look.
        leads: Explanations its numbers suggest.
        untested: What it could not cover.
        settle: What would settle it, where inconclusive.
        counts: Plain counts by name (``comparable transitions``: 33, ``transitions``: 39).
        depends_on_alignment: Whether the state flips inside the offset's own interval.
        tier: ``full``, or ``interactive`` for a quick answer that a full one will replace.
    """

    id: str
    state: State
    reason: str
    measurements: tuple[Measurement, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    applied: tuple[str, ...] = ()
    not_applied: tuple[str, ...] = ()
    pending: tuple[Correction, ...] = ()
    would: Would | None = None
    evidence: tuple[Evidence, ...] = ()
    leads: tuple[Lead, ...] = ()
    untested: tuple[Untold, ...] = ()
    settle: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    depends_on_alignment: bool = False
    tier: str = "full"

    @classmethod
    def from_measurements(
        cls, check_id: str, reason: str, measurements: Sequence[Measurement], **rest: object
    ) -> CheckResult:
        """Build a result whose state follows from its measurements; the only way to PASS or FAIL."""
        state = combined((m.state, m.required) for m in measurements if m.judged)
        return cls(check_id, state, reason, tuple(measurements), **rest)  # type: ignore[arg-type]

    @classmethod
    def inconclusive(cls, check_id: str, reason: str, **rest: object) -> CheckResult:
        """Build the result of a check whose precondition is not met."""
        return cls(check_id, State.INCONCLUSIVE, reason, **rest)  # type: ignore[arg-type]

    def count(self, name: str) -> int | None:
        """Return a plain count by name, or ``None``."""
        return dict(self.counts).get(name)

    def measured(self, quantity: str, channel: str | None = None) -> tuple[Measurement, ...]:
        """Return the measurements of a quantity, of one channel where given."""
        return tuple(
            m
            for m in self.measurements
            if m.quantity == quantity and (channel is None or m.channel == channel)
        )
