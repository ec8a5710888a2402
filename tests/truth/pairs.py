"""Pairs of known truth, one a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.truth.faults import MAKERS, Fault
from tests.truth.loop import Run, Setting, of_kind, run_loop
from tests.truth.plants import PLANTS, Array, Plant, reference
from tests.truth.recording import EVEN, WILD, Flags, Missing, Recorder, Style
from tests.truth.truth import truth_of
from tracescope.model.case import Case

LENGTHS = (40, 100, 300, 1000)
ALL_LENGTHS = (40, 40, 40, 60, 100, 100, 100, 150, 300, 300, 300, 600, 1000, 1000, 2000, 5000)


class UnstableLoopError(ValueError):
    """No attempt of a seed stays near where the plant is made for: some faults tear most loops apart."""

    def __init__(self, seed: int) -> None:
        super().__init__(f"seed {seed} makes no stable loop")


@dataclass
class TruthPair:
    """A case ready for the checks and what is true about it.

    Attributes:
        seed: Makes the same pair again.
        plant, rows: What was recorded, and for how many rows.
        faults: What is wrong.
        case: Aligned as the product does on its own, nothing corrected.
        truth: Check id → ``bad``, ``sound`` or ``not judged``.
        notes: Facts for reports.
    """

    seed: int
    plant: str
    rows: int
    faults: tuple[Fault, ...]
    case: Case
    truth: dict[str, str]
    notes: dict[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        wrong = " + ".join(map(str, self.faults)) or "nothing wrong"
        return f"seed {self.seed}: {self.plant}, {self.rows} rows, {wrong}; {self.notes}"


@dataclass(frozen=True)
class Cell:
    """One place of the even grid: one fault of one grade, or none, on one plant, of one length."""

    kind: str
    grade: int
    plant: Plant
    rows: int


def grid() -> tuple[Cell, ...]:
    """Every place of the even grid, mixed so that any stretch of it is a fair sample."""
    faults = [("", 0), *((name, g) for name, maker in MAKERS.items() for g in maker.grid)]
    cells = [Cell(*fault, p, rows) for fault in faults for p in PLANTS for rows in LENGTHS]
    order = np.random.default_rng(0).permutation(len(cells))
    return tuple(cells[int(i)] for i in order)


def make_grid_pair(seed: int) -> TruthPair:
    """Make the pair of a seed in the even grid: seeds in a row go through all of its places."""
    cells = grid()
    return make_pair(seed, cell=cells[seed % len(cells)])


def make_pair(
    seed: int,
    rows: int | None = None,
    kinds: Sequence[str] | None = None,
    cell: Cell | None = None,
    missing: Missing | None = None,
) -> TruthPair:
    """Make the pair of a seed.

    Args:
        seed: Decides everything else.
        rows: Length, instead of the seed's.
        kinds: Keys of :data:`~tests.truth.faults.MAKERS`, instead of the seed's.
        cell: Place in the even grid, instead of both.
        missing: How often a log lacks what checks would like to read; as usual in the population by default.

    Raises:
        UnstableLoopError: Every attempt ran away.
    """
    for attempt in range(20):
        rng = np.random.default_rng([seed, attempt])
        pair = _attempt(seed, rng, rows, kinds, cell, missing or (WILD if cell is None else EVEN))
        if pair is not None:
            return pair
    raise UnstableLoopError(seed)


def _attempt(
    seed: int,
    rng: np.random.Generator,
    rows: int | None,
    kinds: Sequence[str] | None,
    cell: Cell | None,
    missing: Missing,
) -> TruthPair | None:
    plant = PLANTS[int(rng.integers(len(PLANTS)))]
    drawn = int(rng.choice(ALL_LENGTHS))
    if cell is not None:
        plant, rows, kinds = cell.plant, cell.rows, [cell.kind] if cell.kind else []
    length = drawn if rows is None else rows
    setting = _setting(plant, length, rng)
    chosen = _kinds(rng) if kinds is None else list(kinds)
    grade = None if cell is None else cell.grade
    faults = tuple(MAKERS[kind](plant, rng, grade) for kind in chosen)
    style = Style.drawn(faults, rng, missing)
    sim = run_loop(setting, (), *_draws(seed, 1))
    target = run_loop(setting, faults, *_draws(seed, 2))
    if not (_calm(sim, plant) and _calm(target, plant)):
        return None
    ends = _ends(sim, target, faults, style, rng)
    if ends is None:
        return None
    sim, target, sim_flags, target_flags = ends
    recorder = Recorder(setting, style, np.random.default_rng([seed, 3]))
    case = recorder.case(sim, target, faults, sim_flags, target_flags)
    truth = truth_of(setting, style, faults, sim, target, sim_flags, target_flags, case)
    notes: dict[str, object] = {
        "exploration": setting.exploration, "noise": setting.noise, "reward": setting.reward,
        **style.notes(), "ends": (str(sim_flags), str(target_flags)),
    }  # fmt: skip
    return TruthPair(seed, plant.name, length, faults, case, truth, notes)


def _draws(seed: int, side: int) -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng([seed, 10 + side]), np.random.default_rng([seed, 20])


def _setting(plant: Plant, rows: int, rng: np.random.Generator) -> Setting:
    reach = (plant.high - plant.low) / 2
    exploration = str(rng.choice(("none", "own", "shared"), p=(0.35, 0.3, 0.35)))
    return Setting(
        plant,
        reference(plant, rows, rng),
        exploration,
        float(rng.choice((0.05, 0.15, 0.3))) * reach,
        float(rng.choice((0.0005, 0.002, 0.005, 0.02), p=(0.25, 0.35, 0.25, 0.15))),
        float(rng.choice((0.0001, 0.001, 0.004))),
        str(rng.choice(("squared", "distance", "smooth", "bump"))),
    )


def _kinds(rng: np.random.Generator) -> list[str]:
    count = int(rng.choice((0, 1, 2), p=(0.12, 0.55, 0.33)))
    names = list(MAKERS)
    first = rng.choice(len(names), size=count, replace=False)
    kinds = [names[int(k)] for k in first]
    if len({MAKERS[k].kind for k in kinds}) < len(kinds):
        return kinds[:1]
    return kinds


def _calm(run: Run, plant: Plant) -> bool:
    away = np.abs(run.state - plant.start) / plant.spread
    return bool(np.isfinite(run.logged).all() and away.max() < 12)


def _ends(
    sim: Run, target: Run, faults: Sequence[Fault], style: Style, rng: np.random.Generator
) -> tuple[Run, Run, Flags, Flags] | None:
    """Cut both runs where they end and say by what flag."""
    rows = len(sim.reward)
    kind = style.end_kind
    last = rows - 1 if style.flags == "two" or rng.random() < 0.5 else rows - 8
    ends = [last, last]
    if kind == "terminated":
        level = _limit(sim.state[:, 0])
        if level is not None:
            first = [np.flatnonzero(_past(r.state[:, 0], level)) for r in (sim, target)]
            if not (first[0].size and first[1].size):
                return None
            ends = [int(first[0][0]), int(first[1][0])]
    flags = [Flags(ends[0], kind, style.flags), Flags(ends[1], kind, style.flags)]
    _end_faults(flags[1], ends[0], faults, rng)
    sim = sim.cut(slice(0, flags[0].row + 1))
    target = target.cut(slice(0, min(flags[1].log_rows, rows)))
    return (sim, target, *flags)


def _limit(position: Array) -> tuple[float, float] | None:
    """A level, and a side, that a motion first passes between half and nine tenths of its rows."""
    rows = len(position)
    for sign in (1.0, -1.0):
        best = np.maximum.accumulate(sign * position)
        late = np.flatnonzero(np.diff(best)[rows // 2 : int(0.9 * rows)] > 0)
        if late.size:
            row = rows // 2 + int(late[len(late) // 2]) + 1
            return float((best[row] + best[row - 1]) / 2), sign
    return None


def _past(position: Array, level: tuple[float, float]) -> Array:
    return level[1] * position > level[0]


def _end_faults(
    flags: Flags, sim_end: int, faults: Sequence[Fault], rng: np.random.Generator
) -> None:
    for fault in of_kind(faults, "early-end"):
        flags.row = max(12, round(flags.row * (1 - fault.value)))
        flags.early_rows = sim_end - flags.row
        flags.log_rows = flags.row + 1
    for fault in of_kind(faults, "early-end-rows"):
        flags.row = max(12, flags.row - int(fault.value))
        flags.early_rows = sim_end - flags.row
        flags.log_rows = flags.row + 1
    if of_kind(faults, "end-kind") and flags.style == "two":
        flags.kind = "truncated" if flags.kind == "terminated" else "terminated"
        flags.other_kind = True
    for fault in of_kind(faults, "cut-off"):
        flags.log_rows = max(15, round(flags.row * (1 - fault.value)))
        flags.cut = flags.log_rows <= flags.row
    for fault in of_kind(faults, "goes-on"):
        flags.log_rows = flags.row + 1 + int(fault.value)
    flags.reset = bool(of_kind(faults, "reset"))
