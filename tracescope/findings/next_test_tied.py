"""The test that tells hypotheses of one rank apart: it reads one of them directly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracescope.findings.numbers import listed
from tracescope.findings.observe import title_of
from tracescope.findings.ties import leaders
from tracescope.findings.wording import say
from tracescope.model.alignment import Interval
from tracescope.model.check import CheckResult
from tracescope.model.finding import Hypothesis, NextTest, Prediction

READABLE = ("action", "observation-scaling", "timing")
"""Families that one more log reads directly, the least work first; the plant is what is left."""

READ = {"scale": "scale", "common scale": "scale", "offset": "level"}
"""Measurement that shows an observation's change on a known state, by the kind of lead."""

ALTERED, ALTERED_ROWS = "altered applied rows", (0.01, 1.0)
MOST_PREDICTED = 8


def separating_test(
    results: Sequence[CheckResult], hypotheses: Sequence[Hypothesis]
) -> NextTest | None:
    """Return the test that separates the leader from what is not told apart from it.

    Its family is the one that is read; what is predicted is what will be measured if that family is right, so
    that a refuted prediction leaves the others.

    Args:
        results: Of the checks, with their leads.
        hypotheses: Ranked.

    Returns:
        ``None`` where nothing ties with the leader, or nothing of what does can be read directly.
    """
    tied = leaders(hypotheses)
    chosen = next((h for family in READABLE for h in tied if h.family == family), None)
    if len(tied) < 2 or chosen is None:
        return None
    names, more = listed(chosen.channels, 4)
    values = {
        "leader": title_of(chosen.family).lower(),
        "rivals": " or ".join(title_of(h.family).lower() for h in tied if h is not chosen),
        "channels": f"{names} and {more} more" if more else names or "the channels concerned",
    }
    return NextTest(
        chosen.family,
        say("next_test", "tied", chosen.family, **values),
        say("next_test", "tied", f"{chosen.family}_falsifies", **values),
        tuple(_predicted(chosen, results))[:MOST_PREDICTED],
    )


def _predicted(chosen: Hypothesis, results: Sequence[CheckResult]) -> Iterator[Prediction]:
    # Leads and measurements go by the simulator's names, a hypothesis by the target's.
    leads = [lead for r in results for lead in r.leads if lead.family == chosen.family]
    if chosen.family == "action":
        names = dict.fromkeys(name for lead in leads for name in lead.channels)
        yield from (Prediction(ALTERED, name, ALTERED_ROWS) for name in names)
    own = next((result for result in results if result.id == chosen.family), None)
    for lead in leads[:1]:
        quantity = READ.get(lead.kind)
        if own is None or quantity is None or lead.value is None:
            continue
        for m in own.measurements:
            if m.quantity == quantity and m.channel in lead.channels and m.tolerance is not None:
                interval = _about(lead.value, m.tolerance)
                if interval is not None:
                    yield Prediction(quantity, m.channel, interval, m.unit)


def _about(value: float, tolerance: Interval) -> Interval | None:
    """Return where a reading lies that shows a number: about it, and never where there is no change.

    ``None`` for a number inside the tolerance, whose reading would show nothing.
    """
    low, high = tolerance
    half = (high - low) / 2
    if value > high:
        return max(value - half, high), value + half
    return (value - half, min(value + half, low)) if value < low else None
