"""Ratios of two sides that run alternately, so that the machine's mood cancels out."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

WARM_UPS = 2
ROUNDS = 15
REPEATS = 2
"""How often a goal over its limit is measured again; the least ratio counts."""

Work = Callable[[], object]
Ceiling = Callable[[str], float]

_ceiling_of: list[Ceiling] = []


def accept_up_to(ceiling: Ceiling) -> None:
    """Let what a goal is known to cost be enough: it is not measured again for being over its limit."""
    _ceiling_of[:] = [ceiling]


Cost = Callable[[Work], float]


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        small, great: Rows of the pairs that drawing and dragging are measured on.
        rows: Rows of the recordings that are loaded and analysed.
        few_rows: Rows of the little recording beside it.
        slack: Factor on every limit.
        rounds, heavy_rounds: Rounds of a comparison; of one whose sides take seconds.
        is_full: Whether these are the sizes of the goals.
        is_ci: Whether only what a busy machine can judge, in little time, is asked.
    """

    small: int = 100_000
    great: int = 1_000_000
    rows: int = 100_000
    few_rows: int = 10_000
    slack: float = 1.3
    rounds: int = ROUNDS
    heavy_rounds: int = 5
    is_full: bool = False
    is_ci: bool = False


SHORT = Plan()
FULL = Plan(great=10_000_000, rows=1_000_000, slack=1.0, is_full=True)
QUICK = Plan(rows=50_000, rounds=7, heavy_rounds=2, slack=1.8, is_ci=True)
"""What a machine can judge that is busy with other things."""


@dataclass(frozen=True)
class Goal:
    """One measured goal: ``a`` may cost at most ``limit`` times ``b``.

    ``is_firm`` is false for what is printed and breaks nothing; ``more`` holds further figures worth
    keeping. ``ceiling`` is what a goal known to be missed may cost at most (see :mod:`tests.bench.missed`).
    """

    name: str
    ratio: float
    limit: float
    a_ms: float = 0.0
    b_ms: float = 0.0
    rounds: int = 1
    is_firm: bool = True
    more: dict[str, float] = field(default_factory=dict)
    ceiling: float = 0.0

    @property
    def kept(self) -> bool:
        return self.ratio <= self.limit

    @property
    def breaks(self) -> bool:
        """Whether the whole run fails for it."""
        return self.is_firm and self.ratio > max(self.limit, self.ceiling)

    @property
    def _limit(self) -> str:
        return f"{self.limit:.3f}" if math.isfinite(self.limit) else "none"

    def line(self) -> str:
        mark = "" if self.kept else "  BROKEN" if self.breaks else "  over"
        if not self.kept and self.ceiling:
            mark += f" (known to be missed; ceiling {self.ceiling:.3g})"
        also = "".join(f" {key}={value:.4g}" for key, value in self.more.items())
        return (
            f"{self.name} ratio={self.ratio:.3f} limit={self._limit} "
            f"a={self.a_ms:.2f}ms b={self.b_ms:.2f}ms n={self.rounds}{also}{mark}"
        )

    def only_shown(self) -> Goal:
        """Return the goal as one that breaks nothing."""
        return replace(self, is_firm=False)


def thread_s(work: Work) -> float:
    """Return the CPU seconds that this thread spends on some work."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def process_s(work: Work) -> float:
    """Return the CPU seconds that all threads of this process spend on some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(
    name: str,
    a: Work,
    b: Work,
    limit: float,
    rounds: int = ROUNDS,
    *,
    cost: Cost = thread_s,
    warm_ups: int = WARM_UPS,
) -> Goal:
    """Measure a goal; over its limit it is measured twice more, and the least median counts."""
    return judged(name, lambda: cost(a), lambda: cost(b), limit, rounds, warm_ups)


def judged(
    name: str,
    a: Callable[[], float],
    b: Callable[[], float],
    limit: float,
    rounds: int,
    warm_ups: int = WARM_UPS,
) -> Goal:
    """Do the same for sides that say themselves how many seconds they took."""
    best = _once(name, a, b, limit, rounds, warm_ups)
    ceiling = max((known(name) for known in _ceiling_of), default=0.0)
    for _ in range(REPEATS):
        if best.ratio <= max(limit, ceiling):
            break
        best = min(best, _once(name, a, b, limit, rounds, 0), key=lambda goal: goal.ratio)
    return best


def _once(
    name: str,
    a: Callable[[], float],
    b: Callable[[], float],
    limit: float,
    rounds: int,
    warm_ups: int,
) -> Goal:
    for _ in range(warm_ups):
        a()
        b()
    pairs = []
    for number in range(rounds):
        if number % 2:
            second = b()
            pairs.append((a(), second))
        else:
            first = a()
            pairs.append((first, b()))
    ratio = statistics.median(first / max(second, 1e-9) for first, second in pairs)
    a_ms = statistics.median(first for first, _ in pairs) * 1e3
    b_ms = statistics.median(second for _, second in pairs) * 1e3
    return Goal(name, ratio, limit, a_ms, b_ms, rounds)


def counted(name: str, value: float, limit: float, **more: float) -> Goal:
    """Return a goal that is a count or a size and not a time."""
    return Goal(name, float(value), limit, more=more)
