"""What is done with one pair, in whatever process and on whatever machine: open, align, judge.

:func:`judge_pair` is the very pipeline of ``check``, without the note. It takes and gives plain values, never
raises for what is wrong with a file, and its result depends on the files and the options alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tracescope.campaign.model import (
    Aligned,
    ChannelSeen,
    EpisodeResult,
    Explained,
    LeadSeen,
    Measured,
)
from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.errors import Cancelled, TracescopeError
from tracescope.readers.base import ImportChoices
from tracescope.readers.files import Hashes, hashes_lasting
from tracescope.session.open import OpenOptions, open_session, side_of
from tracescope.session.session import Session

DIGITS = 12
"""Significant digits kept of a number: what is left of the way sums were added up is no measurement."""


_HASHES: Hashes = {}


@dataclass(frozen=True, slots=True)
class Options:
    """How every pair of a campaign is opened and judged.

    Attributes:
        opening: As for a single pair.
        corrected: Whether to apply what the checks fitted and failed on, and judge again.
        sim, target: How to read either side.
    """

    opening: OpenOptions = field(default_factory=OpenOptions)
    corrected: bool = False
    sim: ImportChoices = field(default_factory=ImportChoices)
    target: ImportChoices = field(default_factory=ImportChoices)


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class PairJob:
    """One pair to judge: full paths with ``::episode``."""

    sim: str
    target: str
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a job gave no result: what, where, what to do."""

    problem: str


def judge_pair(job: PairJob) -> EpisodeResult | Unusable:
    """Open, align and judge a pair; what the manifest says about it is left empty.

    A file that many pairs of a campaign have in common is hashed once a process.
    """
    from tracescope.session.judge import judge, judge_corrected

    sim = side_of(job.sim, choices=job.options.sim)
    target = side_of(job.target, choices=job.options.target)
    try:
        with hashes_lasting(_HASHES):
            session = open_session(sim, target, job.options.opening)
        session = (judge_corrected if job.options.corrected else judge)(session)
        return result_of(session)
    except Cancelled:
        raise
    except TracescopeError as error:
        return Unusable(str(error))
    except Exception as error:  # noqa: BLE001  # our own bug on one pair must not end the others
        return Unusable(f"a fault of ours: {type(error).__name__}: {error}; please report it")


def result_of(session: Session) -> EpisodeResult:
    """Return what a judged session says, flat."""
    from tracescope.analysis.workbench import Workbench
    from tracescope.campaign.scope import scope_of

    pair, alignment, results = session.pair, session.alignment, session.results
    states = {result.id: str(result.state) for result in results}
    scope, scope_said = scope_of(session.case, results)
    return EpisodeResult(
        id="",
        sim="",
        target="",
        sim_distance=None,
        matched=False,
        date=None,
        event_time_s=None,
        label="",
        outcome="",
        params=(),
        states=states,
        reasons={result.id: result.reason for result in results},
        measurements=tuple(_measured(r, m) for r in results for m in r.measurements),
        hypotheses=tuple(
            Explained(h.family, rounded(h.explains), h.channels, h.explains_of)
            for h in session.report.hypotheses
        ),
        leads=tuple(
            LeadSeen(
                r.id,
                lead.family,
                lead.kind,
                lead.channels,
                rounded(lead.value),
                lead.not_told_apart,
            )
            for r in results
            for lead in r.leads
        ),
        scope=rounded(scope),
        scope_said=scope_said,
        alignment=Aligned(
            mode=alignment.mode,
            how=alignment.how,
            offset_s=rounded(alignment.offset_s) or 0.0,
            drift_ppm=rounded(alignment.drift_ppm) or 0.0,
            step_shift=int(alignment.step_shift),
            overlap_steps=len(Workbench(session.case).rows),
            established=states.get("alignment") == State.PASS,
        ),
        corrections=tuple(str(correction) for correction in session.corrections),
        channels=tuple(ChannelSeen(a.name, str(a.role), a.unit) for a, _ in pair.matched()),
        sim_sha256=pair.sim.source.sha256,
        target_sha256=pair.target.source.sha256,
        steps=(len(pair.sim), len(pair.target)),
        flips=tuple(result.id for result in results if result.depends_on_alignment),
    )


def _measured(result: CheckResult, m: Measurement) -> Measured:
    low, high = _ends(m.interval)
    tolerance_low, tolerance_high = _ends(m.tolerance)
    return Measured(
        quantity=m.quantity,
        channel=m.channel,
        check=result.id,
        estimate=rounded(m.estimate),
        low=low,
        high=high,
        tolerance_low=tolerance_low,
        tolerance_high=tolerance_high,
        unit=m.unit,
        state=str(m.state),
        n=rounded(m.n),
        judged=m.judged,
        covered=m.covered,
        blocked=m.blocked,
    )


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (rounded(interval[0]), rounded(interval[1]))


def rounded(value: float | None) -> float | None:
    """Return a number to :data:`DIGITS` digits, or ``None`` where it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{float(value):.{DIGITS - 1}e}")
