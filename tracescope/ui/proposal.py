"""The offered alignment in a sentence that says which way the target would move."""

from __future__ import annotations

from tracescope.findings.numbers import estimate_text
from tracescope.session.session import Session


def proposal_text(session: Session) -> str:
    """Say what a clear estimate offers, or ``""`` where there is none or it is in force already."""
    offered, held = session.proposal, session.alignment
    if offered is None or offered == held:
        return ""
    size, interval = estimate_text(abs(offered.offset_s), None, "s")[0], ""
    if offered.offset_interval_s is not None:
        ends = sorted(abs(end) for end in offered.offset_interval_s)
        size, within = estimate_text(abs(offered.offset_s), ends, "s")
        interval = f" ({within})"
    late = "late" if offered.offset_s > 0 else "early"
    text = f"The target's stamps look {size} {late}{interval}"
    if offered.drift:
        text += f", drift {offered.drift_ppm:+.3g} ppm".replace("-", "−")
    return f"{text}: a clear estimate. At present: {held.note or held.how}."
