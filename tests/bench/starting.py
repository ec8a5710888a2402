"""S1: what starting costs, beside a bare window and a bare interpreter."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench import child
from tests.bench.harness import Goal, Plan, counted, judged


def goals(plan: Plan) -> Iterator[Goal]:
    """Measure every goal of starting."""
    heavy = []

    def window() -> float:
        found = child.run("window")
        heavy.append(found["heavy"])
        return found["cpu_s"]

    def bare() -> float:
        return child.run("bare_window")["cpu_s"]

    rounds, first = plan.heavy_rounds, 0 if plan.is_ci else 1
    yield judged("S1 first window beside a bare one", window, bare, 6 * plan.slack, rounds, first)
    yield counted("S1 heavy modules imported by then", max(heavy), 0)

    def helped() -> float:
        return child.cpu_of("-m", "tracescope", "--help")

    def python() -> float:
        return child.cpu_of("-c", "pass")

    yield judged("S1 --help beside bare Python", helped, python, 4 * plan.slack, 2 * rounds, 1)
