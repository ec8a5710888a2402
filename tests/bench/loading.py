"""L1 to L5: what opening a recording costs, each side in a process of its own."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.bench import child, recordings
from tests.bench.harness import Goal, Plan, compare, counted, judged
from tracescope.ui.plots.pyramid import Pyramid

RAW_BYTES = 4 * recordings.SIGNALS
"""A row in single precision."""


class Side:
    """Work in a child that remembers what it measured."""

    def __init__(self, work: str, path: Path) -> None:
        self.work, self.path = work, path
        self.peaks: list[float] = []

    def __call__(self) -> float:
        found = child.run(self.work, self.path)
        self.peaks.append(found["peak_mib"])
        return found["cpu_s"]

    @property
    def peak_mib(self) -> float:
        return statistics.median(self.peaks)


def goals(plan: Plan, folder: Path) -> Iterator[Goal]:
    """Measure every goal of loading; files are kept in ``folder``."""
    yield from _text(plan, folder)
    if plan.is_ci:
        return
    yield from _hdf5(plan, folder)
    yield _pyramids(plan)


def _text(plan: Plan, folder: Path) -> Iterator[Goal]:
    wide = recordings.wide_csv(folder, plan.rows)
    vectors = recordings.vector_csv(folder, plan.rows)
    rounds, slack, first = plan.heavy_rounds, plan.slack, 0 if plan.is_ci else 1
    ours, pandas = Side("open_trace", vectors), Side("read_csv", wide)
    yield judged("L1 CSV of vectors beside read_csv", ours, pandas, 1.3 * slack, rounds, first)
    ratio = ours.peak_mib / pandas.peak_mib
    mib = {"mib": ours.peak_mib, "pandas_mib": pandas.peak_mib}
    peak = counted("L1 peak beside read_csv", ratio, 0.7 * slack, **mib)
    # Blocks being read outweigh a short file.
    yield peak if plan.is_full else peak.only_shown()
    if not plan.is_ci:
        yield from _beside_json(plan, ours, vectors)
    ours, pandas = Side("open_trace", wide), Side("read_csv", wide)
    yield judged("L2 wide CSV beside read_csv", ours, pandas, 1.3 * slack, rounds, first)
    most = 2 * plan.rows * RAW_BYTES / 2**20 + 250
    yield counted("L2 peak MiB", ours.peak_mib, most * slack, pandas_mib=pandas.peak_mib)


def _beside_json(plan: Plan, ours: Side, vectors: Path) -> Iterator[Goal]:
    cells, few = Side("json_cells", vectors), max(1, plan.heavy_rounds // 2)
    name = "L1 CSV of vectors beside json.loads"
    yield judged(name, ours, cells, 0.2 * plan.slack, few, 0)
    ratio = ours.peak_mib / cells.peak_mib
    yield counted("L1 peak beside json.loads", ratio, 0.7 * plan.slack, json_mib=cells.peak_mib)


def _hdf5(plan: Plan, folder: Path) -> Iterator[Goal]:
    rounds, slack = min(3, plan.heavy_rounds), plan.slack
    for kind, limit in (("signals", 3.0), ("matrix", 5.0)):
        great = recordings.hdf5(folder, plan.great, kind)
        few = recordings.hdf5(folder, plan.few_rows, kind)
        picture, little = Side("first_picture", great), Side("first_picture", few)
        name = f"L3 first picture {plan.great:.0e} beside {plan.few_rows:.0e}, {kind}"
        yield judged(name, picture, little, limit * slack, rounds, 1)
        exact, exact_little = Side("exact_picture", great), Side("exact_picture", few)
        name = f"L3 picture of all rows {plan.great:.0e} beside {plan.few_rows:.0e}, {kind}"
        yield judged(name, exact, exact_little, math.inf, rounds, 0)
        whole = Side("read_hdf5", great)
        yield judged(
            f"L3 first picture beside reading it all, {kind}",
            picture,
            whole,
            0.1 * slack,
            rounds,
            0,
        )
    great = recordings.hdf5(folder, plan.great)
    peak = child.run("whole_picture", great)["peak_mib"]
    raw = plan.great * (RAW_BYTES + 8) / 2**20
    yield counted("L3 memory with all pyramids beside raw", peak / raw, 1.3 * slack, mib=peak)
    packed = recordings.hdf5(folder, plan.rows, "packed")
    ours, whole = Side("open_trace", packed), Side("read_hdf5", packed)
    yield judged("L4 compressed HDF5 beside one whole read", ours, whole, 1.3 * slack, rounds, 1)


def _pyramids(plan: Plan) -> Goal:
    value = recordings.samples(plan.great // 8)
    room = np.empty_like(value)

    def build() -> None:
        for row in value:
            Pyramid(row)

    def copy() -> None:
        np.copyto(room, value)

    name = "L5 all pyramids beside a copy of the data"
    return compare(name, build, copy, 6 * plan.slack, plan.heavy_rounds)
