"""Campaigns of known truth: many pairs of one carriage on a spring, written as real files.

All pairs are simulated at once, so that two hundred take no longer than one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NONE = "none"
KINDS = ("scale", "delay", "mass", "lost-rows")
ALL_KINDS = (*KINDS, "damping", "clip")
"""What may be wrong: the measured velocity's scale, a late response, a simulator that is too light or
too little damped, rows that the target's log lost, a command that is clipped behind the policy."""

EXPLAINED_BY = {"mass": "mass", "damping": "damping"}
"""Which simulation parameter explains a kind."""

DT_S = 0.02
MASS, DAMPING, GAIN, PULL = 1.0, 0.8, 8.0, 4.0
SPREAD = np.array([0.3, 0.5])
FIRST_DAY = datetime(2026, 8, 31, 9, 0, tzinfo=UTC)
HEADER = (
    "step,timestamp,position,velocity,reference,action,action_applied,reward,terminated,truncated"
)


@dataclass(frozen=True)
class Recipe:
    """How to make a campaign.

    Attributes:
        seed: Decides everything that is drawn.
        pairs, rows: Size.
        weeks: Over how many weeks the dates lie.
        kinds: What is injected; empty for a campaign of nothing but noise.
        growing: The kind that grows from week to week; ``""`` for none.
        growth: Share of all pairs that the growing kind takes; the other kinds share the rest evenly.
        sound: Share of pairs with nothing wrong.
        label: Task label of every pair.
    """

    seed: int = 0
    pairs: int = 200
    rows: int = 1000
    weeks: int = 10
    kinds: tuple[str, ...] = KINDS
    growing: str = "mass"
    growth: float = 0.3
    sound: float = 0.1
    label: str = "track"


@dataclass(frozen=True)
class Generated:
    """A campaign on disk and its truth.

    Attributes:
        manifest: The CSV manifest.
        kind: Episode id → injected kind, ``none`` where nothing is wrong.
        value: Episode id → its magnitude (factor, rows, share …).
        date: Episode id → date.
        growing: The kind that grows, ``""`` where none does.
        parameter: Kind → the simulation parameter that explains it.
    """

    manifest: Path
    kind: dict[str, str]
    value: dict[str, float]
    date: dict[str, datetime]
    growing: str
    parameter: dict[str, str]


@dataclass
class Runs:
    """Logs of many runs, each array of shape ``(pairs, rows)``."""

    position: Array
    velocity: Array
    action: Array
    applied: Array
    reward: Array


def write_campaign(folder: Path, recipe: Recipe = Recipe()) -> Generated:
    """Write ``pair_NNN/sim.csv``, ``pair_NNN/target.csv`` and ``manifest.csv``; return the truth."""
    rng = np.random.default_rng([recipe.seed, 8])
    week = np.arange(recipe.pairs) * recipe.weeks // recipe.pairs
    kinds = drawn_kinds(recipe, week, rng)
    values = np.array([_magnitude(kind, rng) for kind in kinds])
    params = _params(kinds, values, rng)
    reference = references(recipe.pairs, recipe.rows, rng)
    sim = simulate(reference, params["mass"], params["damping"], rng)
    target = simulate(
        reference,
        np.full(recipe.pairs, MASS),
        np.full(recipe.pairs, DAMPING),
        rng,
        delay=np.where(kinds == "delay", values, 0.0).astype(int),
        clip=np.where(kinds == "clip", values, np.inf),
    )
    target.velocity *= np.where(kinds == "scale", values, 1.0)[:, None]
    lost = np.where(kinds == "lost-rows", values, 0.0)
    ids = [f"pair-{place:03d}" for place in range(recipe.pairs)]
    dates = [_date(int(w), rng) for w in week]
    lines = [f"id,sim,target,date,label,outcome,{','.join(f'param.{name}' for name in params)}"]
    for place, name in enumerate(ids):
        inside = folder / f"pair_{place:03d}"
        inside.mkdir(parents=True, exist_ok=True)
        kept = rng.random(recipe.rows) >= lost[place]
        kept[:5] = kept[-2:] = True
        write_run(inside / "sim.csv", sim, reference, place)
        write_run(inside / "target.csv", target, reference, place, kept)
        outcome = "success" if kinds[place] == NONE else "failure"
        fields = [name, f"{inside.name}/sim.csv", f"{inside.name}/target.csv"]
        fields += [dates[place].isoformat(), recipe.label, outcome]
        fields += [f"{column[place]:.6g}" for column in params.values()]
        lines.append(",".join(fields))
    manifest = folder / "manifest.csv"
    manifest.write_text("\n".join(lines) + "\n", "utf-8")
    return Generated(
        manifest,
        {name: str(kind) for name, kind in zip(ids, kinds, strict=True)},
        {name: float(value) for name, value in zip(ids, values, strict=True)},
        dict(zip(ids, dates, strict=True)),
        recipe.growing if recipe.growing in recipe.kinds else "",
        {kind: EXPLAINED_BY[kind] for kind in recipe.kinds if kind in EXPLAINED_BY},
    )


def drawn_kinds(
    recipe: Recipe, week: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.str_]:
    """Return each pair's kind, shape ``(pairs,)``: the growing one ever more often, the others evenly."""
    kinds = np.full(recipe.pairs, NONE, dtype="U16")
    if not recipe.kinds:
        return kinds
    left = np.arange(recipe.pairs)
    steady = [kind for kind in recipe.kinds if kind != recipe.growing]
    if len(steady) < len(recipe.kinds):
        weight = (week + 0.5) ** 1.5
        count = round(recipe.growth * recipe.pairs)
        chosen = rng.choice(recipe.pairs, count, replace=False, p=weight / weight.sum())
        kinds[chosen] = recipe.growing
        left = np.setdiff1d(left, chosen)
    rng.shuffle(left)
    rest = left[round(recipe.sound * recipe.pairs) :]
    for place, kind in enumerate(steady):
        kinds[rest[place :: len(steady)]] = kind
    return kinds


def _magnitude(kind: str, rng: np.random.Generator) -> float:
    low, high = {
        "scale": (1.25, 1.6),
        "delay": (4, 7),
        "mass": (0.55, 0.7),
        "damping": (0.1, 0.25),
        "lost-rows": (0.06, 0.15),
        "clip": (0.25, 0.4),
    }.get(kind, (0.0, 0.0))
    drawn = float(rng.uniform(low, high))
    return float(int(drawn)) if kind == "delay" else drawn


def _params(kinds: NDArray[np.str_], values: Array, rng: np.random.Generator) -> dict[str, Array]:
    """Return the simulator's parameters: two that matter, two that change nothing."""
    near = rng.uniform(0.98, 1.02, (2, len(kinds)))
    return {
        "mass": MASS * np.where(kinds == "mass", values, near[0]),
        "damping": DAMPING * np.where(kinds == "damping", values, near[1]),
        "floor_friction": rng.uniform(0.4, 0.9, len(kinds)),
        "light": rng.uniform(200, 800, len(kinds)),
    }


def references(pairs: int, rows: int, rng: np.random.Generator) -> Array:
    """Return what each pair's policy follows, shape ``(pairs, rows)``: sums of four sines."""
    cycles = rng.uniform(0.002, 0.016, (pairs, 4, 1))
    phase = rng.random((pairs, 4, 1))
    weight = rng.uniform(0.3, 1.0, (pairs, 4, 1))
    wave = np.sin(2 * np.pi * (cycles * np.arange(rows) + phase)) * weight
    return np.asarray(0.1 + 0.63 * wave.sum(axis=1) / weight.sum(axis=1))


def simulate(
    reference: Array,
    mass: Array,
    damping: Array,
    rng: np.random.Generator,
    *,
    delay: NDArray[np.int64] | None = None,
    clip: Array | None = None,
) -> Runs:
    """Run all loops at once; sensor noise, process noise and exploration are each run's own."""
    pairs, rows = reference.shape
    sensor = 0.002 * SPREAD[:, None, None] * rng.normal(0, 1, (2, pairs, rows))
    process = 0.001 * SPREAD[1] * rng.normal(0, 1, (pairs, rows))
    exploration = rng.normal(0, 0.15, (pairs, rows))
    position, velocity = 0.02 * SPREAD[:, None] * rng.normal(0, 1, (2, pairs))
    late = np.zeros(pairs, int) if delay is None else delay
    bound = np.full(pairs, np.inf) if clip is None else clip
    log = Runs(*(np.zeros((pairs, rows)) for _ in range(5)))
    everyone = np.arange(pairs)
    for row in range(rows):
        log.position[:, row] = position + sensor[0, :, row]
        log.velocity[:, row] = velocity + sensor[1, :, row]
        error = reference[:, row] - log.position[:, row]
        wanted = 2.0 * error - 0.5 * log.velocity[:, row] + 0.5 * reference[:, row]
        log.action[:, row] = np.clip(wanted + exploration[:, row], -1, 1)
        log.applied[:, row] = np.clip(log.action[:, row], -bound, bound)
        log.reward[:, row] = 1 - ((position - reference[:, row]) / SPREAD[0]) ** 2
        then = row - late
        acting = np.where(then >= 0, log.applied[everyone, np.maximum(then, 0)], 0.0)
        for _ in range(2):
            force = GAIN * acting - damping * velocity - PULL * position
            velocity = velocity + DT_S / 2 * force / mass
            position = position + DT_S / 2 * velocity
        velocity = velocity + process[:, row]
    return log


def write_run(
    path: Path, log: Runs, reference: Array, place: int, kept: NDArray[np.bool_] | None = None
) -> None:
    """Write one run as CSV; rows that are not ``kept`` are lost, their step numbers with them."""
    rows = reference.shape[1]
    step = np.arange(rows)
    ended = step == rows - 1
    table = np.column_stack(
        [
            step,
            DT_S * step,
            log.position[place],
            log.velocity[place],
            reference[place],
            log.action[place],
            log.applied[place],
            log.reward[place],
            np.zeros(rows),
            ended,
        ]
    )
    form = "%d,%.6f,%.7g,%.7g,%.7g,%.7g,%.7g,%.7g,%d,%d"
    chosen = table if kept is None else table[kept]
    lines = [form % tuple(row) for row in chosen]
    path.write_text("\n".join([HEADER, *lines]) + "\n", "utf-8")


def _date(week: int, rng: np.random.Generator) -> datetime:
    return FIRST_DAY + timedelta(weeks=week, minutes=int(rng.integers(5 * 24 * 60)))
