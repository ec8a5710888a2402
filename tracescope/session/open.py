"""Open a pair: read both sides, lay them beside each other, align them, lay corrections over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tracescope.model.alignment import Alignment
from tracescope.model.correction import Correction
from tracescope.model.errors import Problem, TraceReadError, UsageError
from tracescope.model.pair import TracePair, pair_traces
from tracescope.model.progress import Progress, silent
from tracescope.model.tolerance import Tolerances
from tracescope.model.trace import Trace
from tracescope.readers.base import ImportChoices
from tracescope.session.session import Session, SideChoices

if TYPE_CHECKING:
    from tracescope.analysis.estimate import AlignmentEstimate

AlignBy = Literal["auto", "step", "time", "first-sample"]
EPISODE_MARK = "::"
MOST_STEPS = 10**12
"""More rows than any recording holds; well inside the integers that a counter is kept in."""


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How to open a pair; the options of ``check`` and of the window's dialog.

    Attributes:
        align: ``auto``: by step counters where both have them and their rates agree, else by time with
            the estimate where it is clear, else as assumed.
        offset_s, drift_ppm, step_shift: Numbers a person gives; they win over any estimate.
        corrections: Corrections to lay over the target, named by target channel (a matched sim channel's
            name is understood too).
        pairs: (sim channel, target channel) correspondences a person gives.
        tolerances, confidence: How strict to be.
        propose: Leave the pair as assumed and keep a clear estimate as a proposal: what the window does.
    """

    align: AlignBy = "auto"
    offset_s: float | None = None
    drift_ppm: float | None = None
    step_shift: int | None = None
    corrections: tuple[Correction, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    tolerances: Tolerances = Tolerances()
    confidence: float = 0.99
    propose: bool = False


def side_of(
    text: str, episode: str | None = None, choices: ImportChoices | None = None
) -> SideChoices:
    """Take ``file.h5::data/demo_3`` apart; an episode given apart wins."""
    path, mark, key = text.rpartition(EPISODE_MARK)
    if not mark or is_there(text):
        path, key = text, ""
    return SideChoices(path, episode or key or None, choices or ImportChoices())


def is_there(text: str) -> bool:
    """Say whether a path can be seen; one that is too long or behind a closed door cannot."""
    try:
        return Path(text).exists()
    except OSError:
        return False


def open_session(
    sim: SideChoices,
    target: SideChoices,
    options: OpenOptions = OpenOptions(),  # frozen
    progress: Progress = silent,
) -> Session:
    """Read and align a pair; nothing is judged yet.

    Raises:
        TraceReadError: with the problems of both sides.
        UsageError: where an option does not fit the pair.
        Cancelled: from ``progress``.
    """
    if not 0.5 <= options.confidence < 1:
        raise UsageError(
            Problem(
                "confidence lies between 0.5 and 1", "--confidence", found=f"{options.confidence}"
            )
        )
    sim_trace, target_trace = read_sides(sim, target, progress)
    pair = pair_traces(sim_trace, target_trace, options.pairs)
    corrections = corrections_for(pair, options.corrections)
    progress(0.8, "aligning")
    alignment, proposal = _aligned(pair, options)
    progress(1.0, "opened")
    return Session(
        pair,
        sim,
        target,
        alignment,
        corrections,
        options.tolerances,
        options.confidence,
        proposal,
    )


def read_sides(
    sim: SideChoices, target: SideChoices, progress: Progress = silent
) -> tuple[Trace, Trace]:
    """Read both sides; the problems of both come in one error.

    Raises:
        TraceReadError: with every problem of either side.
    """
    from tracescope.readers import open_trace

    traces: list[Trace] = []
    problems: list[Problem] = []
    for place, (name, side) in enumerate((("simulator", sim), ("target", target))):

        def told(done: float, what: str, place: int = place, name: str = name) -> None:
            progress(0.4 * (place + done), f"{name}: {what}")

        try:
            traces.append(open_trace(side.path, side.episode, side.choices, told))
        except TraceReadError as error:
            problems += error.problems
    if problems:
        raise TraceReadError(problems)
    return traces[0], traces[1]


def corrections_for(pair: TracePair, given: Sequence[Correction]) -> tuple[Correction, ...]:
    """Check corrections against the pair; a sim channel's name is put over to its target's.

    Raises:
        UsageError: with every channel that the target does not have, and the closest names.
    """
    kept: dict[str, Correction] = {}
    problems = []
    names = [channel.name for channel in pair.target]
    for correction in given:
        name = correction.channel
        if name not in pair.target:
            name = pair.target_of(name) or ""
        if not name:
            problems.append(_unknown_channel(correction.channel, names, pair.target.source.path))
            continue
        kept[name] = replace(correction, channel=name)
    if problems:
        raise UsageError(problems)
    return tuple(kept.values())


def _unknown_channel(name: str, names: Sequence[str], where: str) -> Problem:
    import difflib

    close = difflib.get_close_matches(name, names, n=3, cutoff=0.3)
    hint = f"closest names: {', '.join(close)}" if close else f"it has: {', '.join(names[:12])}"
    return Problem(f"the target has no channel {name!r} to correct", where, todo=hint)


def _aligned(pair: TracePair, options: OpenOptions) -> tuple[Alignment, Alignment | None]:
    given = (options.offset_s, options.drift_ppm, options.step_shift)
    if any(number is not None for number in given):
        return _given(pair, options), None
    if options.propose and options.align == "auto":
        return _proposed(pair)
    return _chosen(pair, options), None


def _proposed(pair: TracePair) -> tuple[Alignment, Alignment | None]:
    from tracescope.analysis.estimate import initial_alignment

    alignment, estimate = initial_alignment(pair)
    if estimate is None:
        return alignment, None
    if estimate.verdict != "clear":
        return _not_estimated(alignment, estimate), None
    return alignment, estimate.alignment


def _chosen(pair: TracePair, options: OpenOptions) -> Alignment:
    from tracescope.analysis.estimate import assumed_alignment, counter_alignment

    if options.align == "first-sample":
        return first_samples(pair)
    if options.align == "step":
        require_counters(pair)
        counted = counter_alignment(pair, step_shift=options.step_shift or 0)
        return counted or replace(assumed_alignment(pair), mode="step")
    if options.align == "auto":
        counted = counter_alignment(pair)
        if counted is not None:
            return counted
    return estimated_or_assumed(pair, options.confidence)


def estimated_or_assumed(pair: TracePair, confidence: float) -> Alignment:
    """Return the estimate by time where it is clear, else the assumed alignment and why."""
    from tracescope.analysis.estimate import assumed_alignment, estimate_alignment

    estimate = estimate_alignment(pair, confidence)
    if estimate.verdict == "clear" and estimate.alignment is not None:
        return estimate.alignment
    return _not_estimated(assumed_alignment(pair), estimate)


def _not_estimated(assumed: Alignment, estimate: AlignmentEstimate) -> Alignment:
    """Say with the assumed alignment why none was estimated."""
    why = f"estimate {estimate.verdict}: {estimate.because}"
    return replace(
        assumed, rivals=estimate.rivals, note=f"{assumed.note}; {why}" if assumed.note else why
    )


def first_samples(pair: TracePair) -> Alignment:
    """Return the alignment that lays the target's first row on the simulator's first row."""
    return Alignment(
        offset_s=pair.target.t_first_s - pair.sim.t_first_s,
        pivot_s=pair.target.t_first_s,
        note="first samples put together",
    )


def require_counters(pair: TracePair) -> None:
    """Raise UsageError unless both traces have a step counter."""
    without = [t.source.path for t in (pair.sim, pair.target) if t.step is None]
    if without:
        raise UsageError(
            [
                Problem(
                    "has no step counter to align by",
                    path,
                    todo="name one in a map file (step = { column = … }) or use --align time",
                )
                for path in without
            ]
        )


def _given(pair: TracePair, options: OpenOptions) -> Alignment:
    """Build the alignment of numbers that a person gave; what is not given comes from ``align``."""
    _require_meaning(options)
    _require_no_contradiction(options)
    by_step = options.step_shift is not None or options.align == "step"
    if by_step:
        require_counters(pair)
    base = _chosen(pair, replace(options, align="step")) if by_step else first_samples(pair)
    return replace(
        base,
        mode="step" if by_step else "time",
        how="given",
        offset_s=base.offset_s if options.offset_s is None else options.offset_s,
        drift=base.drift if options.drift_ppm is None else options.drift_ppm / 1e6,
        step_shift=base.step_shift if options.step_shift is None else options.step_shift,
        pivot_s=pair.target.t_first_s,
        offset_interval_s=None,
        drift_interval=None,
        rivals=(),
        note="given on the command line or in the dialog",
    )


def _require_meaning(options: OpenOptions) -> None:
    """Raise UsageError where a given number is no clock's or counter's."""
    import math

    for flag, number in (("--offset", options.offset_s), ("--drift-ppm", options.drift_ppm)):
        if number is not None and not (math.isfinite(number) and abs(number) < 1e15):
            raise UsageError(Problem("no clock is that far off", flag, found=f"{number}"))
    if options.step_shift is not None and abs(options.step_shift) >= MOST_STEPS:
        raise UsageError(
            Problem("no counter is that far off", "--step-shift", found=f"{options.step_shift}")
        )
    if options.drift_ppm is not None and abs(options.drift_ppm) >= 5e5:
        raise UsageError(
            Problem(
                "a drift of half a second a second is no clock",
                "--drift-ppm",
                found=f"{options.drift_ppm:g}",
                todo="drift is in parts per million: 1 s in an hour is 278",
            )
        )


def _require_no_contradiction(options: OpenOptions) -> None:
    """Raise UsageError where a given number asks for another alignment than ``align`` does."""
    if options.step_shift is not None and options.align in ("time", "first-sample"):
        raise UsageError(
            Problem(
                f"a step shift pairs rows by counter, --align {options.align} pairs them by time",
                "--step-shift",
                found=f"{options.step_shift}",
                todo="use --align step with it, or give a clock offset with --align time --offset",
            )
        )
    if options.offset_s is not None and options.align == "first-sample":
        raise UsageError(
            Problem(
                "first samples together is an offset already",
                "--offset",
                found=f"{options.offset_s:g}",
                todo="use --align time with it, or leave it out",
            )
        )
