"""What the termination check says in words."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tracescope.analysis.ends import EndPlaces, EpisodeEnd
from tracescope.analysis.ends_motion import EndMotion
from tracescope.model.check import Coverage, Evidence, Lead, Measurement, State, Untold
from tracescope.model.words import counted, measured


@dataclass(frozen=True, slots=True)
class Ends:
    """Both ends and where they lie."""

    sim: EpisodeEnd
    target: EpisodeEnd
    places: EndPlaces

    @property
    def shorter(self) -> str:
        """Whose episode ended first."""
        if self.places.sim is None:
            return "target"
        if self.places.target is None or self.places.sim <= self.places.target:
            return "sim"
        return "target"

    @property
    def first(self) -> EpisodeEnd:
        """The shorter episode's end."""
        return self.sim if self.shorter == "sim" else self.target


def kinds(ends: Ends) -> str:
    """Name both ends and their rows."""

    def told(side: str, end: EpisodeEnd) -> str:
        if end.row is None:
            return f"{side}: no end up to row {end.last_row}"
        return f"{side}: {end.kind} at row {end.row}"

    return f"{told('sim', ends.sim)}, {told('target', ends.target)}"


def reason(ends: Ends, measurements: tuple[Measurement, ...]) -> str:
    """Say in one sentence what was found."""
    rows = measurements[0]
    if rows.blocked:
        return f"{kinds(ends)}; {rows.blocked}"
    if not rows.covered:
        return f"{kinds(ends)}; {rows.note}"
    if any(m.quantity == "same kind of end" and m.state is State.FAIL for m in measurements):
        return f"both end within the tolerance, for different reasons ({kinds(ends)})"
    if rows.state is State.PASS:
        return f"both end within {measured(f'{abs(rows.estimate):.3g}', 'row')} of each other ({kinds(ends)})"
    if rows.state is State.FAIL:
        later = "target" if rows.estimate > 0 else "sim"
        least = "at least " if ends.sim.row is None or ends.target.row is None else ""
        return (
            f"the {later} ends {least}{measured(f'{abs(rows.estimate):.4g}', 'row')} later from the same motion "
            f"({kinds(ends)})"
        )
    return f"{kinds(ends)}; the clock offset is not known well enough to compare them"


def coverage(ends: Ends, motion: EndMotion) -> tuple[Coverage, ...]:
    """Say what the comparison speaks for."""
    words = f"one end a side: {kinds(ends)}"
    if math.isfinite(motion.gap_sd):
        words += f"; states {motion.gap_sd:.2g} sim sd apart there"
    return (Coverage("", None, words),)


def evidence(ends: Ends) -> tuple[Evidence, ...]:
    """Point at the rows around the ends."""
    places = [p for p in (ends.places.sim, ends.places.target) if p is not None]
    row_s, start_s = ends.places.row_s, ends.places.start_s
    if not places or not math.isfinite(row_s):
        return ()
    span_s = (start_s + (min(places) - 10) * row_s, start_s + (max(places) + 10) * row_s)
    return (Evidence("", span_s, "around the ends"),)


def leads(measurements: tuple[Measurement, ...], ends: Ends) -> tuple[Lead, ...]:
    """Suggest what a failing end is consistent with."""
    rows = measurements[0]
    if rows.state is not State.FAIL:
        return ()
    channel = ends.first.channel
    return (
        Lead(
            f"consistent with an ending condition or time limit that only the {ends.shorter} has",
            "termination",
            (channel,) if channel else (),
            "replaying the same actions makes both episodes end at the same row",
            kind="early-end",
            value=rows.estimate,
        ),
    )


def untested(sim: EpisodeEnd, target: EpisodeEnd) -> tuple[Untold, ...]:
    """List what neither end shows."""
    told = []
    if sim.kind in ("truncated", "none") and target.kind in ("truncated", "none"):
        told.append(
            Untold(
                "the terminating condition itself: neither episode terminated",
                "a pair of episodes that reach the terminating condition",
            )
        )
    for side, end in (("sim", sim), ("target", target)):
        if end.rows_after and not end.resets:
            told.append(
                Untold(
                    f"the {side}'s log goes on for {counted(end.rows_after, 'row')} after its end",
                    "knowing whether the machine was still controlled there",
                )
            )
        if end.resets:
            told.append(
                Untold(
                    f"the {side}'s observation jumps at its end: those rows belong to the next "
                    "episode and are no transition",
                    "a log that keeps the last observation of the episode apart",
                )
            )
    return tuple(told)


def settle(measurements: tuple[Measurement, ...]) -> str:
    """Say what would decide an inconclusive comparison."""
    rows = measurements[0]
    if rows.state is not State.INCONCLUSIVE:
        return ""
    if not rows.covered:
        return "log terminated and truncated as separate flags"
    return "replay the simulator's actions on the target until one of them ends"
