"""The offered alignment in a sentence that says which way the target would move."""

from __future__ import annotations

from tracescope.findings.numbers import interval_text, value_text
from tracescope.model.alignment import Interval
from tracescope.session.session import Session
from tracescope.ui.words import drift_text, spread_text


def proposal_text(session: Session) -> str:
    """Say what a clear estimate offers, or ``""`` where there is none or it is in force already."""
    offered, held = session.proposal, session.alignment
    if offered is None or offered == held:
        return ""
    within = offered.offset_interval_s
    if within is not None and within[0] <= held.offset_s <= within[1] and _same_drift(session):
        ends = interval_text(within, "s")
        return f"A clear estimate ({ends}) agrees with the alignment in force: {held.note or held.how}."
    if within is not None and within[0] <= 0 <= within[1]:
        text = "The target's stamps look neither late nor early"
    else:
        late = "late" if offered.offset_s > 0 else "early"
        text = f"The target's stamps look {value_text(abs(offered.offset_s), within, 's')} {late}"
    if within is not None:
        text += f" ({_ends_text(within)})"
    if offered.drift:
        text += f", drift {drift_text(offered.drift_ppm)}"
    return (
        f"{text}: a clear estimate. In force now: {(held.note or held.how).replace(': ', ', ', 1)}."
    )


def _ends_text(within: Interval) -> str:
    """Write the interval of how late or early, with signs only where it holds zero."""
    if within[0] < 0 < within[1]:
        return interval_text(within, "s")
    low, high = sorted(abs(end) for end in within)
    shown = spread_text((low + high) / 2, (low, high), "s")
    return interval_text((low, high), "s") if "[" in shown else shown


def _same_drift(session: Session) -> bool:
    """Say whether the drift in force is one that the estimate allows."""
    offered, held = session.proposal, session.alignment
    assert offered is not None
    within = offered.drift_interval
    if within is None:
        return offered.drift == held.drift
    return within[0] <= held.drift <= within[1]
