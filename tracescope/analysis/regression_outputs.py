"""The rows that a joint fit of two traces' one-step relations is made of, averaged over blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.one_step import Kind, Relation, features, solve
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.regression import Matrix
from tracescope.analysis.regression_plant import plant_terms
from tracescope.model.trace import Samples

NUDGE = 1e-3

MEMORIES = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9)
"""Moving-average coefficients that noise is tried with: sensor noise between two rows alone would have 1."""

Blocks = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Transitions to average, the simulator's and the target's, shapes ``(m, size)``."""


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """One output's rows, simulator's first, with the shared coefficients taken out.

    Attributes:
        slopes: How its rest moves with each log scale, offset and plant change, shape ``(n, K + E)``.
        rest: What the shared coefficients leave, shape ``(n,)``.
        noise: Variance of what each side's own fit leaves.
        own: Sum of squares of that, over both sides.
        size: Number of features.
        motion: Mean square of the target's one-step motion.
        changes: Names of the E plant changes.
    """

    slopes: Matrix
    rest: Samples
    noise: float
    own: float
    size: int
    motion: float
    changes: tuple[str, ...]


def blocks_of(steps: Steps, size: int) -> NDArray[np.int64]:
    """Return the transitions of every block of consecutive ones, end to end, shape ``(m, size)``."""
    found, first = [], 0
    breaks = np.flatnonzero(np.diff(steps.row) != 1) + 1
    for last in (*breaks.tolist(), len(steps)):
        count = (last - first) // size
        found.append(np.arange(first, first + count * size).reshape(count, size))
        first = last
    return np.concatenate(found).astype(np.int64)


def seen(steps: Steps, log_scale: Samples, offset: Samples) -> Steps:
    """Return transitions as sensors without that scale and offset would have recorded them.

    Args:
        steps: As recorded.
        log_scale: Logarithm of each signal's scale, shape ``(k,)``.
        offset: In the signal's unit, shape ``(k,)``.
    """
    by = np.exp(log_scale)
    return replace(
        steps,
        state=(steps.state - offset) / by,
        before=(steps.before - offset) / by,
        change=steps.change / by,
    )


def memories_of(relation: Relation, outputs: Sequence[int]) -> dict[int, float]:
    """Return how much of the last step's noise each output takes back in the next one, by column.

    A difference of two readings holds the noise of both, so that neighbouring steps share it: single steps drown
    in noise that all but cancels over some of them. Where the motion itself is noisy, nothing cancels.

    Args:
        relation: Both sides' transitions.
        outputs: Observations by column; those without a relation are left out.

    Returns:
        θ of ``e[t] − θ e[t−1]``, the noise of either side's own fit; one of :data:`MEMORIES`.

    Source:
        Conditional least squares of a moving average of order 1 (Box and Jenkins, Time Series Analysis (1970),
        §7.1), over both sides.
    """
    found = {}
    sides = (relation.sim, relation.target)
    for j in outputs:
        kind = relation.kind[j]
        if kind is not None:
            ends = [(features(kind, side, relation.scaling), side.change[:, j]) for side in sides]
            left = []
            for memory in MEMORIES:
                rests = [
                    _rest(_whitened(x, side, memory), _whitened(y, side, memory))
                    for (x, y), side in zip(ends, sides, strict=True)
                ]
                left.append(sum(float(rest @ rest) for rest in rests))
            found[j] = MEMORIES[int(np.argmin(left))]
    return found


def _whitened(value: Matrix, steps: Steps, memory: float) -> Matrix:
    """Take the noise that neighbouring steps share out: sum what came before, ``memory`` less of it each row."""
    if memory == 0:
        return value
    from scipy.signal import lfilter

    out = np.array(value, dtype=np.float64)
    edges = (0, *(np.flatnonzero(np.diff(steps.row) != 1) + 1).tolist(), len(steps))
    for first, last in pairwise(edges):
        if last > first:
            summed = lfilter([1.0], [1.0, -memory], out[first:last], axis=0)
            # The reading before the first step is in every sum: one unknown of each run, taken out.
            fading = memory ** np.arange(last - first)
            taken = (fading @ summed) / (fading @ fading)
            out[first:last] = summed - np.multiply.outer(fading, taken)
    return out


def _averaged(value: Matrix, blocks: NDArray[np.int64]) -> Matrix:
    return (
        value if blocks.shape[1] == 1 and blocks.size == len(value) else value[blocks].mean(axis=1)
    )


def outputs_of(
    relation: Relation,
    outputs: Sequence[int],
    columns: list[int],
    target: Steps,
    blocks: Blocks,
    memories: Mapping[int, float] | None = None,
) -> list[Output]:
    """Fit one relation for both traces an output, and say how scales, offsets and the plant would bend it.

    Args:
        relation: The simulator's one-step relation.
        outputs: Which observations to fit, by column; those without a relation are left out.
        columns: Observations whose log scale and offset may differ in the target.
        target: The target's steps.
        blocks: Row indices of the sim and of the target that are averaged into one equation each, ``(m, k)``.
        memories: Of :func:`memories_of`, for blocks of single rows: what neighbouring steps share is taken out.
    """
    found = []
    known = memories or {}
    kinds = dict.fromkeys((relation.kind[j], known.get(j, 0.0)) for j in outputs)
    for kind, memory in kinds:
        if kind is None:
            continue
        chosen = [j for j in outputs if (relation.kind[j], known.get(j, 0.0)) == (kind, memory)]

        def weighed(value: Matrix, side: int, memory: float = memory) -> Matrix:
            steps = (relation.sim, target)[side]
            return _averaged(_whitened(value, steps, memory), blocks[side])

        x = weighed(features(kind, relation.sim, relation.scaling), 0)
        z = weighed(features(kind, target, relation.scaling), 1)
        a = weighed(relation.sim.change[:, chosen], 0)
        b = weighed(target.change[:, chosen], 1)
        gram = x.T @ x + z.T @ z
        beta = solve(gram, x.T @ a + z.T @ b)
        bent = [weighed(d, 1) for d in _bent(relation, kind, target, columns, beta)]
        for i, j in enumerate(chosen):
            slopes = np.stack([d[:, i] for d in bent], axis=1)
            if j in columns:
                slopes[:, 2 * columns.index(j)] += z @ beta[:, i]
            names, terms = plant_terms(relation, kind, j, z, beta[:, i])
            moved = np.concatenate((slopes, terms), axis=1)
            found.append(_output((x, z), (a[:, i], b[:, i]), beta[:, i], gram, moved, names))
    return found


def _bent(
    relation: Relation, kind: Kind, target: Steps, columns: Sequence[int], beta: Matrix
) -> list[Matrix]:
    """Return how predictions move with each log scale and offset (in spreads), shapes ``(n, J)``.

    By differences; a linear relation holds an observation in one feature, and its slope in one number.
    """
    spread, p, out = relation.scaling.state_spread, len(relation.names), []
    for j in columns:
        if kind == "linear":
            alone = np.asarray(target.state[:, j : j + 1] / spread[j])
            out += [
                -alone * beta[1 + j],
                np.broadcast_to(-beta[1 + j], (len(alone), beta.shape[1])),
            ]
            continue
        for log_scale, offset in ((NUDGE, 0.0), (0.0, NUDGE * float(spread[j]))):
            way = np.zeros((2, p))
            way[0, j], way[1, j] = log_scale, offset
            up = features(kind, seen(target, way[0], way[1]), relation.scaling)
            down = features(kind, seen(target, -way[0], -way[1]), relation.scaling)
            out.append((up - down) @ beta / (2 * NUDGE))
    return out


def _output(
    design: tuple[Matrix, Matrix],
    ends: tuple[Samples, Samples],
    beta: Samples,
    gram: Matrix,
    moved: Matrix,
    names: tuple[str, ...],
) -> Output:
    (x, z), (a, b) = design, ends
    shared = solve(gram, z.T @ moved)
    own = sum(float(_rest(f, y) @ _rest(f, y)) for f, y in ((x, a), (z, b)))
    noise = own / max(a.size + b.size - 2 * x.shape[1], 1)
    floor = 1e-14 * float(np.mean(a**2) + np.mean(b**2))
    return Output(
        slopes=np.concatenate((-x @ shared, moved - z @ shared)),
        rest=np.concatenate((a - x @ beta, b - z @ beta)),
        noise=max(noise, floor, 1e-300),
        own=own,
        size=x.shape[1],
        motion=float(np.mean(b**2)),
        changes=names,
    )


def _rest(x: Matrix, y: Samples) -> Samples:
    return np.asarray(y - x @ solve(x.T @ x, (x.T @ y)[:, None])[:, 0])
