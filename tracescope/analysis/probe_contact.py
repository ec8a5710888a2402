"""Contacts in a force signal: when each begins, how high it peaks, what impulse it gives, how fast it rises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.intervals import mean_interval
from tracescope.analysis.probe_brackets import BEND_SHARE, Bracket, first_above, joint_quantile
from tracescope.model.trace import Samples

MIN_CONTRAST = 6.0
"""A contact stands out of the quiet signal by so many of its standard deviations."""

THRESHOLD_SHARE = 0.05
"""… and by this share of the smaller of the two sides' largest excursions."""

CLOSED_ROWS = 2
"""Up to so many samples below the threshold do not end a contact."""

RISEN_SHARE = 0.9
"""Risen: at this share of the contact's own peak."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """A force signal out of contact: its level, its noise, and which way contact moves it.

    ``half`` is half the width of the level's interval, ``excursion`` the furthest way from it.
    """

    level: float
    sd: float
    sign: float
    half: float
    excursion: float


@dataclass(frozen=True, slots=True)
class Contact:
    """One contact. Forces count from the quiet level in the direction of contact.

    Attributes:
        onset_s: When the threshold is passed, on the signal's clock.
        peak: Largest force, in the signal's unit.
        impulse: Force over time, unit times seconds.
        rise_s: From onset to 90 % of the peak.
        first_s, last_s: First and last sample in contact.
        touches: How many touches it is made of, where it bounced.
    """

    onset_s: Bracket
    peak: Bracket
    impulse: Bracket
    rise_s: Bracket
    first_s: float
    last_s: float
    touches: int = 1

    def later(self, by_s: float) -> Contact:
        """Return the contact on a clock that counts ``by_s`` more."""
        onset = self.onset_s
        moved = Bracket(onset.estimate + by_s, onset.low + by_s, onset.high + by_s, onset.n)
        return replace(self, onset_s=moved, first_s=self.first_s + by_s, last_s=self.last_s + by_s)


def quiet_of(value: Samples, confidence: float) -> Quiet:
    """Find level and noise of a force signal out of contact.

    Args:
        value: Shape ``(n,)``, finite, at least 8 samples, some of them out of contact.
        confidence: Of the level's interval.

    Source:
        Half-sample mode (Robertson and Cryer 1974) as the level; noise from the side of it that contact
        does not reach, since contact pushes one way.
    """
    level = _half_sample_mode(np.sort(value))
    above, below = float(value.max() - level), float(level - value.min())
    sign = 1.0 if above >= below else -1.0
    away = sign * (value - level)
    lower = away[away <= 0]
    sd = float(np.sqrt(np.mean(lower**2))) if lower.size else 0.0
    near = value[np.abs(away) <= 3 * sd]
    if near.size >= 4 and sd > 0:
        level = float(near.mean())
        away = sign * (value - level)
        sd = max(float(near.std()), float(np.sqrt(np.mean(np.minimum(away, 0.0) ** 2))))
    half = mean_interval(near, confidence).half if near.size >= 3 and sd > 0 else 0.0
    return Quiet(level, sd, sign, half, float(away.max()))


def _half_sample_mode(ordered: Samples) -> float:
    while ordered.size > 3:
        half = (ordered.size + 1) // 2
        width = ordered[half - 1 :] - ordered[: ordered.size - half + 1]
        start = int(width.argmin())
        ordered = ordered[start : start + half]
    return float(np.median(ordered))


def contact_threshold(sim: Quiet, target: Quiet) -> float:
    """Return one threshold for both sides, in the signal's unit above each quiet level."""
    noise = MIN_CONTRAST * max(sim.sd, target.sd)
    return max(noise, THRESHOLD_SHARE * min(sim.excursion, target.excursion))


def contacts(
    time_s: Samples, value: Samples, quiet: Quiet, threshold: float, confidence: float
) -> tuple[Contact, ...]:
    """Find and measure the contacts of one side.

    Args:
        time_s, value: Shape ``(n,)``, finite.
        quiet: From :func:`quiet_of`.
        threshold: Above the quiet level, in the signal's unit.
        confidence: Of the noise band, jointly over the samples.

    Returns:
        In time order. A contact that has begun when the samples begin, or lasts beyond them, is left out:
        its onset or its impulse was not recorded.
    """
    force = quiet.sign * (value - quiet.level)
    touching = force > threshold
    if not touching.any() or threshold <= 0:
        return ()
    rows = np.flatnonzero(touching)
    cut = np.flatnonzero(np.diff(rows) > CLOSED_ROWS + 1)
    firsts, lasts = rows[np.concatenate(([0], cut + 1))], rows[np.concatenate((cut, [-1]))]
    noise = joint_quantile(confidence, force.size) * quiet.sd
    found = []
    previous = 0
    for first, last in zip(firsts, lasts, strict=True):
        if first > 0 and last < force.size - 1:
            part = slice(max(previous, 0), last + 2)
            local = first - part.start
            found.append(
                _contact(time_s[part], force[part], local, threshold, noise, quiet, confidence)
            )
        previous = int(last) + 1
    return tuple(found)


def _contact(
    t: Samples,
    force: Samples,
    first: int,
    threshold: float,
    noise: float,
    quiet: Quiet,
    confidence: float,
) -> Contact:
    clear = np.flatnonzero(force[:first] < threshold - noise)
    begin = int(clear[-1]) if clear.size else 0
    t, force, first = t[begin:], force[begin:], first - begin
    onset = first_above(t, force, threshold, noise)
    top = int(force.argmax())
    bend = np.abs(np.diff(force[max(top - 2, 0) : top + 3], 2))
    over = BEND_SHARE * float(bend.max()) if bend.size else 0.0
    peak = Bracket(
        float(force[top]), float(force[top]) - noise, float(force[top]) + noise + over, force.size
    )
    risen = first_above(t, force, RISEN_SHARE * peak.estimate, RISEN_SHARE * (noise + over))
    risen = replace(risen, high=min(risen.high, float(t[-1])))
    return Contact(
        onset,
        peak,
        _impulse(t, force, quiet, confidence),
        _not_negative(risen.minus(onset)),
        float(t[first]),
        float(t[-2]),
    )


def _not_negative(bracket: Bracket) -> Bracket:
    return Bracket(
        max(bracket.estimate, 0.0), max(bracket.low, 0.0), max(bracket.high, 0.0), bracket.n
    )


def _impulse(t: Samples, force: Samples, quiet: Quiet, confidence: float) -> Bracket:
    """Integrate by trapezia; half the samples tell how far sampling is to be trusted."""
    whole = float(np.trapezoid(force, t))
    coarse = [np.r_[0 : t.size : 2, t.size - 1], np.r_[0, 1 : t.size : 2, t.size - 1]]
    rough = [
        abs(float(np.trapezoid(force[np.unique(rows)], t[np.unique(rows)])) - whole)
        for rows in coarse
    ]
    step = np.diff(t)
    noise = joint_quantile(confidence, 1) * quiet.sd * float(np.sqrt(step @ step))
    half = noise + quiet.half * float(t[-1] - t[0]) + max(rough)
    return Bracket(whole, whole - half, whole + half, force.size)


Pairing = tuple[tuple[Contact, ...], tuple[Contact, ...]]
"""The touches of sim and target that belong to one contact; either side may have none."""


def paired_contacts(sim: Sequence[Contact], target: Sequence[Contact]) -> tuple[Pairing, ...]:
    """Group the touches of two sides into contacts.

    Touches belong together where they overlap, or where the pause between them is shorter than the longer
    of the two: a bounce, not another approach.

    Args:
        sim, target: On one clock, in time order.
    """
    both = sorted(
        [(c, 0) for c in sim] + [(c, 1) for c in target], key=lambda found: found[0].first_s
    )
    groups: list[tuple[list[Contact], list[Contact]]] = []
    last_s, longest_s = -np.inf, 0.0
    for contact, side in both:
        length_s = contact.last_s - contact.first_s
        if contact.first_s - last_s > max(longest_s, length_s):
            groups.append(([], []))
            last_s, longest_s = -np.inf, 0.0
        groups[-1][side].append(contact)
        last_s, longest_s = max(last_s, contact.last_s), max(longest_s, length_s)
    return tuple((tuple(ours), tuple(theirs)) for ours, theirs in groups)


def together(touches: Sequence[Contact]) -> Contact:
    """Return one contact made of touches: the first onset and rise, the highest peak, all of the impulse.

    Args:
        touches: In time order, at least one.
    """
    peaks = [c.peak for c in touches]
    impulses = [c.impulse for c in touches]
    peak = Bracket(
        max(p.estimate for p in peaks),
        max(p.low for p in peaks),
        max(p.high for p in peaks),
        peaks[0].n,
    )
    impulse = Bracket(
        sum(i.estimate for i in impulses),
        sum(i.low for i in impulses),
        sum(i.high for i in impulses),
        sum(i.n for i in impulses),
    )
    first = touches[0]
    return replace(
        first, peak=peak, impulse=impulse, last_s=touches[-1].last_s, touches=len(touches)
    )
