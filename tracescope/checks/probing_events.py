"""Probing events: steps of the command, and contacts in the response, matched between the sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from tracescope.analysis.probe_brackets import Bracket
from tracescope.analysis.probe_contact import (
    Contact,
    Pairing,
    Quiet,
    contact_threshold,
    contacts,
    paired_contacts,
    quiet_of,
    together,
)
from tracescope.analysis.probe_step import Step, StepResponse, step_response, steps
from tracescope.checks.probing_budgets import (
    CONTACT_RISE,
    IMPULSE,
    LATENCY,
    ONSET,
    OVERSHOOT,
    PEAK,
    RISE,
    SETTLING,
)
from tracescope.checks.probing_sides import Probed, Said, Side
from tracescope.model.check import Measurement
from tracescope.model.tolerance import Tolerance

MOST_EVENTS = 12
"""Every event is held to the budget by itself; a span with more is too wide to read."""


@dataclass(frozen=True, slots=True)
class Told:
    """One quantity of an event: what it is called, its budget, and how to read it."""

    quantity: str
    tolerance: Tolerance
    unit: str
    factor: float


_STEP: tuple[tuple[Told, Callable[[StepResponse], Bracket]], ...] = (
    (Told("delay of the step response", LATENCY, "ms", 1e3), lambda s: s.delay_s),
    (Told("rise of the step response", RISE, "ms", 1e3), lambda s: s.rise_s),
    (Told("settling", SETTLING, "ms", 1e3), lambda s: s.settling_s),
    (Told("overshoot", OVERSHOOT, "%", 1e2), lambda s: s.overshoot),
)


def step_measurements(probed: Probed) -> tuple[Measurement, ...]:
    """Measure settling, overshoot, rise and delay of each step, target less sim."""
    sides = []
    for side in (probed.sim, probed.target):
        found = () if side.command is None else steps(side.time_s, side.command)
        sides.append([(step, _answer(probed, side, step)) for step in found])
    because = _unpaired([len(side) for side in sides], "step of the command that is held")
    if because:
        return (probed.unmeasured("settling", SETTLING, because),)
    out: list[Measurement] = []
    for place, ((_, ours), (_, theirs)) in enumerate(zip(*sides, strict=True)):
        which = f", step {place + 1} of {len(sides[0])}" if len(sides[0]) > 1 else ""
        if isinstance(ours, str) or isinstance(theirs, str):
            said = ours if isinstance(ours, str) else theirs
            out.append(probed.unmeasured(f"settling{which}", SETTLING, str(said)))
            continue
        for told, read in _STEP:
            out.append(_difference(probed, told, which, read(ours), read(theirs)))
    return tuple(out)


def _answer(probed: Probed, side: Side, step: Step) -> StepResponse | str:
    return step_response(side.time_s, side.response, step, probed.case.confidence)


def has_steps(probed: Probed) -> bool:
    """Say whether the command of either side jumps and holds inside the span."""
    return any(
        side.command is not None and bool(steps(side.time_s, side.command))
        for side in (probed.sim, probed.target)
    )


def _unpaired(counts: Sequence[int], what: str) -> str:
    """Say why events cannot be matched one to one; ``""`` where they can."""
    ours, theirs = counts
    if ours == theirs == 0:
        return f"the span holds no {what}"
    if ours != theirs:
        return f"the sim shows {ours} and the target {theirs} of: {what}"
    if ours > MOST_EVENTS:
        return f"the span holds {ours} of: {what}; at most {MOST_EVENTS} can be read one by one"
    return ""


def _difference(
    probed: Probed, told: Told, which: str, ours: Bracket, theirs: Bracket, **said: Unpack[Said]
) -> Measurement:
    found = theirs.minus(ours).times(told.factor)
    known = bool(np.isfinite((*found.interval, found.estimate)).all())
    values = (ours.estimate * told.factor, theirs.estimate * told.factor)
    sides = f"target less sim; sim {values[0]:.4g}, target {values[1]:.4g} {told.unit}".rstrip()
    said["note"] = "; ".join(filter(None, (sides, said.get("note", ""))))
    said["n"], said["covered"] = found.n, known
    if not known:
        said["blocked"] = said.get("blocked") or "it cannot be told from noise or has not ended"
    return probed.measured(
        f"{told.quantity}{which}",
        found.estimate if known else float("nan"),
        found.interval if known else None,
        told.tolerance,
        **said,
    )


def contact_measurements(probed: Probed) -> tuple[Measurement, ...]:
    """Measure onset, peak, impulse and rise of each contact, target less sim."""
    confidence = probed.case.confidence
    sides = (probed.sim, probed.target)
    quiet = [quiet_of(side.response, confidence) for side in sides]
    threshold = contact_threshold(*quiet)
    ours, theirs = (
        contacts(side.time_s, side.response, q, threshold, confidence)
        for side, q in zip(sides, quiet, strict=True)
    )
    to_sim = probed.case.alignment.to_sim_one
    theirs = tuple(c.later(to_sim(c.first_s) - c.first_s) for c in theirs)
    pairs = paired_contacts(ours, theirs)
    because = _no_contact(quiet) or _unpaired_contacts(pairs)
    if because:
        return (probed.unmeasured("contact impulse", IMPULSE, because),)
    out: list[Measurement] = []
    for place, (a, b) in enumerate(pairs):
        which = f", contact {place + 1} of {len(pairs)}" if len(pairs) > 1 else ""
        out += _contact(probed, which, together(a), together(b), threshold)
    return tuple(out)


def _unpaired_contacts(pairs: Sequence[Pairing]) -> str:
    counts = [sum(bool(pair[side]) for pair in pairs) for side in (0, 1)]
    because = _unpaired(counts, "contact that begins and ends inside it")
    alone = [pair for pair in pairs if not (pair[0] and pair[1])]
    if because or not alone:
        return because
    ours, theirs = alone[0]
    side, at_s = ("sim", ours[0].first_s) if ours else ("target", theirs[0].first_s)
    return f"only the {side} touches at {at_s:.4g} s"


def _no_contact(quiet: Sequence[Quiet]) -> str:
    if any(q.excursion <= max(6.0 * q.sd, 0.0) or q.excursion == 0 for q in quiet):
        return "the span holds no contact that stands out of the noise on both sides"
    if quiet[0].sign != quiet[1].sign:
        return "contact pushes in opposite directions on the two sides"
    return ""


def _contact(
    probed: Probed, which: str, ours: Contact, theirs: Contact, threshold: float
) -> list[Measurement]:
    unit = probed.unit
    seconds = f"{unit}·s" if unit else ""
    bounces = f"sim {ours.touches}, target {theirs.touches} touches"
    bounced = "" if ours.touches == theirs.touches == 1 else bounces
    reading: tuple[tuple[Told, Callable[[Contact], Bracket], str | None, str], ...] = (
        (Told("peak force", PEAK, unit, 1.0), lambda c: c.peak, unit, bounced),
        (Told("contact impulse", IMPULSE, seconds, 1.0), lambda c: c.impulse, seconds, bounced),
        (
            Told("contact rise", CONTACT_RISE, "ms", 1e3),
            lambda c: c.rise_s,
            None,
            f"from {threshold:.3g} {unit} to 90 % of the peak",
        ),
    )
    out = [_onset(probed, which, ours, theirs, threshold)]
    for told, read, given, note in reading:
        out.append(
            _difference(probed, told, which, read(ours), read(theirs), note=note, unit=given)
        )
    return out


def _onset(
    probed: Probed, which: str, ours: Contact, theirs: Contact, threshold: float
) -> Measurement:
    """The onset is compared on one clock, so it carries what the alignment leaves open."""
    alignment = probed.case.alignment
    low, high = alignment.offset_interval_s or (alignment.offset_s, alignment.offset_s)
    late, early = max(high - alignment.offset_s, 0.0), max(alignment.offset_s - low, 0.0)
    b = theirs.onset_s
    told = Told("contact onset", ONSET, "ms", 1e3)
    note = f"passing {threshold:.3g} {probed.unit} on the aligned clock"
    return _difference(
        probed,
        told,
        which,
        ours.onset_s,
        Bracket(b.estimate, b.low - late, b.high + early, b.n),
        note=note,
        blocked=probed.blocked,
    )
