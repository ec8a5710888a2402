"""Where two traces' commands follow from their states by one law: a lag that no response can hide.

A policy commands from what it sees, and from what is not logged: a goal that moves, a schedule, shared
exploration. What its states do not explain of one trace's command is found again in the other's at one lag only,
and however late the machine answers, it is the same row of the policy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.content_found import ContentLag
from tracescope.analysis.drift import AffineLag
from tracescope.analysis.intervals import Matrix, bonferroni, mean_intervals
from tracescope.analysis.timebase import Lattice
from tracescope.model.trace import Samples

REACH = 12
"""Whole lags tried around a place where nothing better is known, rows, at most a third of the shorter trace."""

_MOST_ROWS, _MOST_STATES = 2000, 24
_LEAST_FREEDOM = 10
_FLOOR = 1e-6
"""Share of a command's variance that does not count: rounding, and what a law that bends a little leaves."""
_BETTER = 1e-2
_TIED = 3
_RIDGE = 1e-11
_TIGHT_ROWS, _NEAR_ROWS, _WIDE_ROWS = 0.04, 0.15, 0.3
_MOST_CENTRES, _CLEAR_REACH = 4, 3
_SLACK = 1.5
_ENDS = 4.0
"""Two halves whose lags lie within a row of the middle's bound the change from end to end to four."""
_MOST_DRIFT = 1.0
_MOST_RETURNS = 6
_RETURNING = 0.5
"""Share of the squared correlation at the best lag from which what states do not explain may have come back."""
_HALF_ROW = 0.6
"""Of what is left a row aside: half a row aside leaves no more, even of rows with nothing in common."""


@dataclass(frozen=True, slots=True)
class CommandLag:
    """At which whole lags one law may give the commands of both traces.

    Attributes:
        kept: Lags between first rows that are not worse than the best, ascending, whole rows.
        best: The best of them.
        aside_rows: How far the lag may lie aside of the best one, rows: what is left there beside what is left
            a row away.
        ends_rows: The same of the lag at either half of the rows, the worse of them: 0.5 where one tells nothing.
        rows: Rows compared.
    """

    kept: tuple[int, ...]
    best: int
    aside_rows: float
    ends_rows: float
    rows: int

    @property
    def only(self) -> int | None:
        """The lag, where there is one only."""
        return self.kept[0] if len(self.kept) == 1 else None


def around(lattice: Lattice, *centres: float, reach: int = REACH) -> tuple[int, ...]:
    """Return the whole lags between first rows within reach of some places, ascending."""
    shorter = min(lattice.sim.shape[1], lattice.target.shape[1])
    near = range(-min(reach, shorter // 3), min(reach, shorter // 3) + 1)
    return tuple(sorted({round(c) + k for c in centres if np.isfinite(c) for k in near}))


def command_lag(lattice: Lattice, lags: Iterable[int], confidence: float) -> CommandLag | None:
    """Find the lags at which each target command is a linear law of both states and the sim's command.

    At every lag the target's command is regressed on both traces' states and the sim's command, rows at which a
    command is held at its bound left out; what the lags leave is compared with the best one's row by row through
    the bounded score (e − e_best) / (e + e_best). Where one lag alone is left, those further away at which the
    same comes back (a goal with a period) are held against it as well.

    Args:
        lattice: Rows of both traces, whole.
        lags: Between first rows, whole rows.
        confidence: Joint, over all lags.

    Returns:
        ``None`` where no command moves, or rows are too few, or states too many, for such a law.

    Source:
        After Diebold and Mariano (1995) and the model confidence set of Hansen, Lunde and Nason (2011).
    """
    tried = sorted(set(lags))
    errors = _errors(lattice, tried)
    if errors is None:
        return None
    level = np.array([np.nanmean(e) if np.isfinite(e).any() else np.inf for e in errors])
    best = int(level.argmin())
    score = (errors - errors[best]) / (errors + errors[best] + _FLOOR)
    joint = bonferroni(confidence, max(1, len(tried) - 1))
    kept = [k for i, k in enumerate(tried) if i == best or not _worse(score[i], joint)]
    near = errors[max(0, best - 1) : best + 2]
    if len(kept) == 1:
        kept = sorted((*kept, *_returns(lattice, tried, errors, best, joint)))
    halves = np.array_split(np.flatnonzero(np.isfinite(near).all(axis=0)), 2)
    ends = max(_aside(near[:, half], errors[best, half]) for half in halves)
    aside = _aside(near, errors[best])
    return CommandLag(tuple(kept), tried[best], aside, ends, int(np.isfinite(errors[best]).sum()))


def _returns(
    lattice: Lattice, tried: list[int], errors: Matrix, best: int, confidence: float
) -> list[int]:
    """Return lags that were not tried and leave no more than the best one, or than half a row aside of it."""
    far = _alike(lattice, tried, tried[best])
    found = _errors(lattice, far)
    if found is None:
        return []
    beside = [i for i in (best - 1, best + 1) if 0 <= i < len(tried)]
    aside = [np.nanmean(errors[i]) for i in beside if np.isfinite(errors[i]).any()]
    least = _HALF_ROW * min(aside, default=0.0)
    score = (found - errors[best]) / (found + errors[best] + _FLOOR)
    return [
        lag
        for lag, left, one in zip(far, found, score, strict=True)
        if np.isfinite(left).any() and (np.nanmean(left) <= least or not _worse(one, confidence))
    ]


def _alike(lattice: Lattice, tried: list[int], best: int) -> list[int]:
    """Return the lags beyond those tried at which what states do not explain of the commands is alike."""
    sim, target = (_unexplained(side, lattice.is_command) for side in (lattice.sim, lattice.target))
    lags = np.arange(1 - sim.shape[1], target.shape[1])
    shared = np.zeros(lags.size)
    for ours, theirs in zip(sim, target, strict=True):
        both = np.correlate(theirs, ours, "full")
        power = np.correlate(theirs**2, np.ones(ours.size), "full")
        power *= np.correlate(np.ones(theirs.size), ours**2, "full")
        shared += both**2 / np.where(power > 0, power, np.inf)
    rows = np.correlate(np.ones(target.shape[1]), np.ones(sim.shape[1]), "full")
    far = (rows >= min(sim.shape[1], target.shape[1]) / 2) & ~np.isin(lags, tried)
    far &= shared >= _RETURNING * shared[lags == best]
    found = np.flatnonzero(far)
    found = found[np.argsort(-shared[found], kind="stable")][:_MOST_RETURNS]
    return sorted(lags[found].tolist())


def _unexplained(side: Matrix, command: NDArray[np.bool_]) -> Matrix:
    """What a trace's own states leave of its commands, 0 where unknown or held, shape ``(m, n)``."""
    known, free = np.isfinite(side).all(axis=0), ~_held(side[command])
    states = np.vstack((np.ones(side.shape[1]), np.where(known, _unit(side[~command]), 0.0)))
    out = np.zeros(free.shape)
    for left, value, used in zip(out, side[command], known & free, strict=True):
        if used.any():
            solution = np.linalg.lstsq(states[:, used].T, value[used], rcond=None)[0]
            left[used] = value[used] - solution @ states[:, used]
    return out


def _aside(near: Matrix, best: Samples) -> float:
    """What the best lag leaves beside what it and its better neighbour leave: 0.5 where they leave as much."""
    left = [np.nanmean(e) if np.isfinite(e).any() else np.inf for e in (*near, best)]
    rms = np.sqrt(np.array(left) + _FLOOR)
    beside = np.sort(rms[:-1])[1:]
    return float(rms[-1] / (rms[-1] + beside[0])) if beside.size and np.isfinite(rms[-1]) else 1.0


def settled_by_commands(found: ContentLag, confidence: float) -> ContentLag:
    """Take the lag at which one law gives both traces' commands, where contents alone leave it open.

    The states of two runs part, and their lag is as uncertain as that; the commands' law is the same row by row.
    Where it holds at one whole lag alone, the true one lies no further aside than what is left there, beside what
    is left a row away, allows. What drift there may be is bounded by the two halves; where they do not tell, a
    drift that the contents show is kept.

    Args:
        found: What the contents say, in lattice rows.
        confidence: Of excluding other lags.
    """
    lattice, shift = found.lattice, found.lattice.start_rows
    half = (found.interval[1] - found.interval[0]) / 2
    resolved = found.verdict == "clear" and half <= 0.5
    if found.identical or not lattice.names or (resolved and half <= _TIGHT_ROWS):
        return found
    centres = [found.lag, *(lag for lag, _ in found.rivals[:_MOST_CENTRES])]
    if found.verdict != "clear":
        centres.append(0.0)
    reach = _CLEAR_REACH if found.verdict == "clear" else REACH
    lags = around(lattice, *(centre - shift for centre in centres), reach=reach)
    law = command_lag(lattice, lags, confidence)
    if law is None or law.only is None:
        return found
    aside, ends = _SLACK * law.aside_rows, _SLACK * _ENDS * law.ends_rows
    against = found.drifts and found.affine is not None and ends > _MOST_DRIFT
    if against or aside > (_NEAR_ROWS if resolved else _WIDE_ROWS) or (resolved and aside >= half):
        return found
    lag = law.only + shift
    near = (lag - aside, lag + aside)
    steady = AffineLag(lag, near, lag, near, 0.0, (-ends, ends), float(law.rows))
    return replace(
        found,
        verdict="clear",
        because=f"commands follow from the states by one law at this lag alone ({law.rows} rows)",
        lag=lag,
        interval=near,
        n_eff=float(law.rows),
        rivals=(),
        affine=steady if ends <= _MOST_DRIFT else found.affine,
    )


def _worse(score: Samples, confidence: float) -> bool:
    known = score[np.isfinite(score)]
    if known.size < _LEAST_FREEDOM:
        return False
    mean, half, _ = mean_intervals(known[None, :], confidence)
    return bool(mean[0] - half[0] > _BETTER)


def _errors(lattice: Lattice, lags: list[int]) -> Matrix | None:
    """What each lag leaves of the commands, shares of their variance, ``(lags, n_target)``; NaN where unknown."""
    command = lattice.is_command
    rows = min(lattice.sim.shape[1], lattice.target.shape[1])
    states = int((~command).sum())
    if not (command.any() and lags and lattice.blocks is None):
        return None
    if states > _MOST_STATES or rows < 2 * _LEAST_FREEDOM or rows > _MOST_ROWS:
        return None
    free = [~_held(side[command]) for side in (lattice.sim, lattice.target)]
    out = np.full((len(lags), lattice.target.shape[1]), np.nan)
    for i, lag in enumerate(lags):
        out[i] = _left(lattice, command, free[0], free[1], lag)
    return out if np.isfinite(out).any() else None


def _left(
    lattice: Lattice,
    command: NDArray[np.bool_],
    free_sim: NDArray[np.bool_],
    free_target: NDArray[np.bool_],
    lag: int,
) -> Samples:
    """Mean over commands of the squared residual at a lag, shape ``(n_target,)``."""
    n_sim, n_target = lattice.sim.shape[1], lattice.target.shape[1]
    first, last = max(0, lag), min(n_target, n_sim + lag)
    out = np.full((int(command.sum()), n_target), np.nan)
    if last - first < 2 * _LEAST_FREEDOM:
        return np.asarray(out[0])
    sim, target = lattice.sim[:, first - lag : last - lag], lattice.target[:, first:last]
    states = _unit(np.concatenate((target[~command], sim[~command])))
    known = np.isfinite(sim).all(axis=0) & np.isfinite(target).all(axis=0)
    for i, (ours, theirs) in enumerate(zip(sim[command], target[command], strict=True)):
        used = known & free_sim[i, first - lag : last - lag] & free_target[i, first:last]
        design = np.vstack((np.ones(last - first), states, _unit(ours[None, :])))[:, used].T
        if used.sum() < design.shape[1] + _LEAST_FREEDOM or np.ptp(theirs[used]) == 0:
            continue
        wanted = theirs[used] - theirs[used].mean()
        # Columns have unit spread: so little ridge bends no law, and equal columns do not matter.
        normal = design.T @ design / len(design) + _RIDGE * np.eye(design.shape[1])
        solution = np.linalg.solve(normal, design.T @ wanted / len(design))
        rest = (wanted - design @ solution) ** 2
        out[i, first + np.flatnonzero(used)] = rest / np.mean(wanted**2)
    some = np.isfinite(out).any(axis=0)
    found = np.full(n_target, np.nan)
    found[some] = np.nanmean(out[:, some], axis=0)
    return found


def _unit(value: Matrix) -> Matrix:
    """Each row in its own spread, around its own mean; rows that do not move become 0."""
    centred = value - np.nanmean(value, axis=1, keepdims=True)
    spread = np.nanstd(value, axis=1, keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def _held(command: Matrix) -> NDArray[np.bool_]:
    """Say where a command is held at its largest or smallest value, shape ``(m, n)``."""
    out = np.zeros(command.shape, np.bool_)
    for i, value in enumerate(command):
        size = float(np.nanmax(np.abs(value), initial=0.0))
        for bound in (np.nanmin(value), np.nanmax(value)) if np.isfinite(value).any() else ():
            tied = np.abs(value - bound) <= 1e-9 * size
            if tied.sum() >= _TIED:
                out[i] |= tied
    return out
