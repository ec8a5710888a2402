"""Rival explanations of a gap between the one-step relations, each with one number.

Each is laid over the target's transitions; how much of the misfit to the simulator's relation it removes
is its share. Shares are not additive: two explanations may remove the same misfit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.explanations_maps import upstream_candidates
from tracescope.analysis.explanations_plant import plant_changes
from tracescope.analysis.explanations_scan import (
    Scan,
    floor_of,
    misfit_of,
    worst_columns,
)
from tracescope.analysis.one_step import Relation
from tracescope.analysis.workbench import Workbench
from tracescope.model.progress import Pulse, never

CLOSE = 0.05
CLOSE_RATIO = 0.8
MIN_SHARE = 0.5
"""Below this no single number explains the gap, and none is called open."""

PROMISING = 0.5
"""Only explanations whose scan comes this near the best are refined."""

TELLING = 10.0
"""Difference of −2 log likelihood from which the likelier of two explanations is told apart from the other.

"Very strong" evidence by Kass and Raftery (1995), Bayes Factors, J. Am. Stat. Assoc. 90: each has one number, so
that nothing else sets them apart."""

FITS = 2.0
"""Misfit left over noise up to which an explanation fits: beyond it likelihoods compare what both get wrong."""

SLACK = 0.002
"""Difference of shares that models of one and the same change may leave: how a simulator integrates within a
row is only read off it, and without noise any difference would tell."""

TIED = 0.02
"""Difference of shares from which two are told apart where no likelihood can say it."""

_Found = tuple[str, str, tuple[str, ...], float, float]
"""Family, kind, channels, value and the misfit that it removes."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A one-parameter change that would explain the gap between the one-step relations.

    Attributes:
        family: The check whose finding it would be; ``dynamics`` for the plant itself.
        kind: ``scale``, ``common scale``, ``offset``, ``swap``, ``gain``, ``bias``, ``clip``,
            ``narrow range`` (bounds on both sides of the middle), ``dead band``,
            ``smoothing``, ``delay``, ``inertia``, ``coefficient``, ``constant force``, ``drive``, ``damping``.
        channels: Sim names; for a coefficient the output, then what it multiplies.
        value: Factor, offset in the channel's unit, delay in seconds, or share of memory a row.
        share: Part of the removable misfit that it removes, at most 1.
        is_open: Whether it is among the best and nothing read directly excludes it.
        excluded: What excludes it, ``""`` where nothing does.
        deviance: −2 log likelihood of the target's transitions, up to what all explanations share, in the noise
            that the target's own relation leaves: n times the misfit left over that noise. NaN where unknown.
        rows: That n, the transitions it was read off.
    """

    family: str
    kind: str
    channels: tuple[str, ...]
    value: float
    share: float
    is_open: bool
    excluded: str = ""
    deviance: float = float("nan")
    rows: int = 0

    @property
    def upstream(self) -> bool:
        """Whether it lies outside the plant."""
        return self.family != "dynamics"


def explanations(bench: Workbench) -> tuple[Explanation, ...]:
    """Rank the one-parameter explanations of a case's one-step gap, best first.

    Args:
        bench: The case; its relation and gaps are read from it.

    Returns:
        Empty where no relation predicts or no output's gap is resolved.
    """
    relation = bench.relation
    if relation is None or not relation.outputs:
        return ()
    if not any(gap.interval[0] > 0 for gap in bench.gaps):
        return ()
    return ranked(relation, bench.rows.interval_s, bench.pulse)


def ranked(relation: Relation, interval_s: float, pulse: Pulse = never) -> tuple[Explanation, ...]:
    """Return every explanation with its share, best first; see :func:`explanations`."""
    scale = misfit_of(relation)
    base = scale.misfit(scale.steps, np.ones(scale.steps.state.shape[1]))
    floor = floor_of(scale)
    if not base > floor * (1 + 1e-9) + 1e-12:
        return ()
    scans = []
    for candidate in upstream_candidates(relation, worst_columns(scale), interval_s):
        pulse()
        scans.append(Scan(scale, candidate))
    near = base - PROMISING * (base - min((scan.best for scan in scans), default=base))
    found: list[_Found] = []
    for scan in scans:
        pulse()
        value, best = scan.refined() if scan.best <= near else (scan.value, scan.best)
        c = scan.candidate
        found.append((c.family, c.kind, c.channels, value * c.unit, base - best))
    found += [("dynamics", *change) for change in plant_changes(scale)]
    # An explanation with memory can fit better than the target's own refit without it.
    removable = max(base - floor, *(what[4] for what in found))
    # Gaussian residuals of the variance that the target's own relation leaves.
    rows = len(scale.steps)
    noise = floor / rows if floor > 0 else float("nan")
    return tuple(
        replace(e, deviance=(base - e.share * removable) / noise, rows=rows)
        for e in _opened(relation, found, removable)
    )


def told_apart(one: Explanation, another: Explanation) -> bool:
    """Say whether the transitions clearly prefer the better of two explanations.

    Args:
        one, another: Of the same gap, in any order.

    Returns:
        Whether the lesser explains under half of the gap, or 0.05 less of it; or is less likely by ``TELLING``
        where the better fits to the noise, and explains ``TIED`` less where it does not.

    Source:
        Kass and Raftery (1995), section 3.2, of the difference of −2 log likelihood.
    """
    better, other = sorted((one, another), key=lambda e: -e.share)
    behind = better.share - other.share
    if other.share < MIN_SHARE or behind >= CLOSE:
        return True
    likelier = other.deviance - better.deviance
    if not (np.isfinite(likelier) and better.deviance <= FITS * better.rows):
        return behind >= TIED
    return behind >= SLACK and likelier >= TELLING


def without(relation: Relation, explanation: Explanation, interval_s: float) -> Relation:
    """Return the relation with an upstream explanation taken out of the target's transitions."""
    every = (tuple(range(len(relation.names))), tuple(range(len(relation.drives))))
    for candidate in upstream_candidates(relation, every, interval_s):
        if (candidate.kind, candidate.channels) == (explanation.kind, explanation.channels):
            steps = candidate.lens(relation.target, explanation.value / candidate.unit)
            return replace(relation, target=steps)
    return relation


def _opened(
    relation: Relation, found: Sequence[_Found], removable: float
) -> tuple[Explanation, ...]:
    logged = bool(relation.drives) and all(d.applied for d in relation.drives)
    why = "the applied action is logged and is what the relation was fitted with"
    allowed = [what[4] for what in found if not (logged and what[0] == "action")]
    best = max(allowed, default=0.0) / removable
    out = []
    for family, kind, channels, value, removed in sorted(found, key=lambda f: -f[4]):
        excluded = why if logged and family == "action" else ""
        share = removed / removable
        near = share >= max(best - CLOSE, CLOSE_RATIO * best, MIN_SHARE)
        out.append(
            Explanation(
                family, kind, channels, float(value), float(share), near and not excluded, excluded
            )
        )
    return tuple(out)
