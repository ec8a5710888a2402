"""What an uncorrected finding about the sensors leaves open, and whether a pass holds whatever it turns out to be.

A plant that changed may look unchanged through a sensor that is scaled: an agreement that is gone as soon as the
sensor is mended is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Upstream
from tracescope.model.check import Lead, Measurement, State
from tracescope.model.correction import Correction

OBSERVATION = "observation-scaling"
APART = ("scale", "unit", "sign")
"""Kinds of the leads that name sensors of one motion which disagree, one of them scaled."""

READ = ("scale", "level")

Reading = tuple[Correction, ...]


def open_readings(bench: Workbench, upstream: Upstream) -> tuple[Reading, ...]:
    """Return the sets of corrections any one of which may be what the finding comes from.

    What the check fitted; and where sensors of one motion disagree, each of them in turn as the one scaled.

    Args:
        bench: Gives the corrections in force, on top of which these go.
        upstream: Results of the earlier checks.
    """
    result = upstream.get(OBSERVATION)
    if result is None or result.state is not State.FAIL:
        return ()
    fitted = tuple(result.pending)
    mended = {c.channel for c in fitted}
    found: list[Reading] = [fitted] if fitted else []
    for lead in result.leads:
        if _of_sensors_apart(lead) and not mended & set(lead.channels):
            found += [(*fitted, one) for one in _one_of(bench, lead)]
    return tuple(found)


def unconfirmed(bench: Workbench, upstream: Upstream) -> str:
    """Name a correction in force that the observation check does not confirm, ``""`` where there is none.

    A scale that was mended as a level, or the other way round, leaves the channel wrong in another way.
    """
    result = upstream.get(OBSERVATION)
    if result is None or result.state is not State.INCONCLUSIVE:
        return ""
    for m in result.measurements:
        if m.quantity in READ and m.judged and m.state is not State.PASS:
            channel = bench.case.pair.target_of(m.channel) or m.channel
            if bench.case.correction_of(channel) is not None:
                return (
                    f"the {m.quantity} of {m.channel} is not settled with the correction in force"
                )
    return ""


UNCONFIRMED_SETTLE = "settle the corrected observation first: one known state read on both sides"


def holding(
    measured: Sequence[Measurement],
    readings: Sequence[Reading],
    judge: Callable[[Reading], Sequence[Measurement]],
) -> list[Measurement]:
    """Take the pass from each measurement that does not pass under every reading.

    Args:
        measured: As read; nothing is done where one of them fails.
        readings: Of :func:`open_readings`.
        judge: Measures again with a reading's corrections.
    """
    out = list(measured)
    if any(m.judged and m.state is State.FAIL for m in out):
        return out
    for reading in readings:
        passing = {(m.quantity, m.channel) for m in judge(reading) if m.state is State.PASS}
        out = [m if _holds(m, passing) else _doubted(m, reading) for m in out]
    return out


def _holds(m: Measurement, passing: set[tuple[str, str]]) -> bool:
    passes = m.judged and m.required and m.state is State.PASS
    return not passes or (m.quantity, m.channel) in passing


def _doubted(m: Measurement, reading: Reading) -> Measurement:
    laid = ", ".join(map(str, reading))
    why = f"it would not pass with {laid}, which the observation scaling finding leaves open"
    return replace(m, blocked=why)


def _of_sensors_apart(lead: Lead) -> bool:
    return (
        lead.family == OBSERVATION
        and lead.kind in APART
        and len(lead.channels) > 1
        and lead.value is not None
        and abs(lead.value) > 0
    )


def _one_of(bench: Workbench, lead: Lead) -> list[Correction]:
    """Return for each sensor that a lead names what mends the disagreement by that sensor alone."""
    whole, *rates = lead.channels
    ratio = float(lead.value or 1.0)
    scales = [(whole, ratio), *((name, 1 / ratio) for name in rates)]
    return [_composed(bench, name, scale) for name, scale in scales]


def _composed(bench: Workbench, channel: str, scale: float) -> Correction:
    """Fold a scale into the correction that is in force."""
    old = bench.case.correction_of(channel) or Correction(channel)
    return Correction(channel, old.scale * scale, old.offset, old.source)
