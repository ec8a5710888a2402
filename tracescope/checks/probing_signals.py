"""Probing whole spans: phase, latency, distribution, centroid, dropouts and the loop's timing."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.gaps import GAP_PERIODS, median_interval
from tracescope.analysis.intervals import MIN_EFFECTIVE, covered
from tracescope.analysis.probe_loop import content_latency, dropouts, overruns
from tracescope.analysis.probe_phase import phase_difference, phase_lag
from tracescope.analysis.probe_spread import MIN_ROWS, centroid_distance, ks_distance
from tracescope.analysis.rows import PairedRows
from tracescope.analysis.timebase_rows import is_computed, spread
from tracescope.checks.probing_budgets import (
    AGE,
    CENTROID,
    DISTRIBUTION,
    DROPOUT,
    JITTER,
    LATENCY,
    OVERRUNS,
    PHASE,
)
from tracescope.checks.probing_sides import Probed
from tracescope.model.check import Measurement
from tracescope.model.trace import Role, Samples
from tracescope.model.words import counted

LENGTH_MM = {"m": 1e3, "cm": 10.0, "mm": 1.0}
"""Units of length in millimetres."""

TIME_MS = {"s": 1e3, "sec": 1e3, "ms": 1.0, "us": 1e-3, "µs": 1e-3, "ns": 1e-6}
"""Units of time in milliseconds."""

OTHER_RATE = 1.5
"""A loop whose mean interval exceeds the deadline so many times runs at another rate on purpose."""


def phase_measurements(probed: Probed, frequency_hz: float) -> tuple[Measurement, ...]:
    """Measure the phase lag at a frequency, target less sim, and the coherence of each side."""
    quantity = f"phase lag at {frequency_hz:g} Hz"
    found = []
    for name, side in (("sim", probed.sim), ("target", probed.target)):
        even = side.evenly()
        if even is None:
            why = (
                "no command is given"
                if side.command is None
                else f"the {name} has gaps in the span"
            )
            return (probed.unmeasured(quantity, PHASE, why),)
        lag = phase_lag(*even, side.interval_s, frequency_hz, probed.case.confidence)
        if lag.because:
            return (probed.unmeasured(quantity, PHASE, f"{name}: {lag.because}"),)
        found.append(lag)
    ours, theirs = found
    lag_deg = phase_difference(theirs.lag_deg, ours.lag_deg)
    note = (
        f"target less sim; sim {ours.lag_deg.estimate:.4g}° (coherence {ours.coherence:.2f}), target "
        f"{theirs.lag_deg.estimate:.4g}° ({theirs.coherence:.2f})"
    )
    return (
        probed.measured(
            quantity, lag_deg.estimate, lag_deg.interval, PHASE, n=lag_deg.n, note=note
        ),
    )


def latency_measurements(probed: Probed) -> tuple[Measurement, ...]:
    """Measure how late the response follows the command, target less sim."""
    found = []
    for name, side in (("sim", probed.sim), ("target", probed.target)):
        even = side.evenly()
        late = (
            None
            if even is None
            else content_latency(*even, side.interval_s, probed.case.confidence)
        )
        if late is None:
            why = f"the {name}'s response does not follow the shape of its command"
            return (probed.unmeasured("end-to-end latency", LATENCY, why),)
        found.append(late)
    ours, theirs = found
    half = float(np.hypot(ours.half, theirs.half))
    difference = theirs.estimate - ours.estimate
    return (
        probed.measured(
            "end-to-end latency",
            difference * 1e3,
            ((difference - half) * 1e3, (difference + half) * 1e3),
            LATENCY,
            n=min(ours.n_eff, theirs.n_eff),
            covered=min(ours.n_eff, theirs.n_eff) >= MIN_EFFECTIVE,
            note=f"target less sim; sim {ours.estimate * 1e3:.4g}, target {theirs.estimate * 1e3:.4g} ms",
        ),
    )


def distribution_measurements(
    probed: Probed, rows: PairedRows, inside: Samples
) -> tuple[Measurement, ...]:
    """Measure the Kolmogorov–Smirnov distance of the response's two distributions."""
    sim, target = _paired(rows, probed.channel, inside)
    if sim.size < MIN_ROWS:
        return (probed.unmeasured("distribution distance", DISTRIBUTION, "too few paired rows"),)
    found = ks_distance(sim, target, probed.case.confidence)
    band = probed.budgets[DISTRIBUTION]
    return (
        probed.measured(
            "distribution distance",
            found.estimate,
            found.interval,
            DISTRIBUTION,
            n=found.n_eff,
            covered=covered(found.interval, found.n_eff, band),
            required=probed.asked,
            blocked=probed.blocked,
            note="Kolmogorov–Smirnov distance",
        ),
    )


def centroid_measurements(
    probed: Probed,
    names: tuple[str, ...],
    units: tuple[str, ...],
    rows: PairedRows,
    inside: Samples,
) -> tuple[Measurement, ...]:
    """Measure how far the mean places lie apart, in mm where the unit is a length."""
    differences = [
        rows.target[n][inside.astype(bool)] - rows.sim[n][inside.astype(bool)] for n in names
    ]
    table = np.vstack(differences)
    table = table[:, np.isfinite(table).all(axis=0)]
    if table.shape[1] < MIN_ROWS or len(set(units)) != 1:
        why = (
            "its coordinates have different units"
            if len(set(units)) != 1
            else "too few paired rows"
        )
        return (probed.unmeasured("centroid distance", CENTROID, why),)
    factor = LENGTH_MM.get(units[0].strip().lower())
    found = centroid_distance(table * (factor or 1.0), probed.case.confidence)
    return (
        probed.measured(
            "centroid distance",
            found.estimate,
            found.interval,
            CENTROID,
            n=found.n_eff,
            covered=covered(found.interval, found.n_eff, probed.budgets[CENTROID]),
            required=probed.asked,
            blocked=probed.blocked,
            unit=None if factor else units[0],
            note=f"over {len(names)} coordinate{'s' if len(names) > 1 else ''}",
        ),
    )


def dropout_measurements(
    probed: Probed, rows: PairedRows, inside: Samples
) -> tuple[Measurement, ...]:
    """Count sustained dropouts of the target's response."""
    kept = inside.astype(bool)
    sim, target = rows.sim[probed.channel][kept], rows.target[probed.channel][kept]
    if target.size < MIN_ROWS:
        return (probed.unmeasured("sustained dropout runs", DROPOUT, "too few paired rows"),)
    found, sims = dropouts(target, sim), dropouts(sim, target)
    certain = float(found.certain)
    note = f"longest {counted(found.longest, 'row')} in the target, {sims.longest} in the sim"
    if found.possible:
        note += f"; {found.possible} more may be a sensor at rest"
    return (
        probed.measured(
            "sustained dropout runs",
            certain,
            (certain, certain + found.possible),
            DROPOUT,
            n=target.size,
            note=note,
        ),
    )


def timing_measurements(probed: Probed, rate_hz: float) -> tuple[Measurement, ...]:
    """Measure the target's interval jitter, deadline overruns, and age and jitter of its observations."""
    time_s = probed.target.rows_s()
    trace = probed.target.trace
    if time_s.size < MIN_ROWS or trace.clock.kind != "stamped" or is_computed(trace):
        why = "the target's stamps were computed from a row number, or are too few"
        return (probed.unmeasured("interval jitter", JITTER, why),)
    steps = np.diff(time_s)
    steady = steps[steps <= GAP_PERIODS * median_interval(time_s)]
    jitter = spread(steady * 1e3, probed.case.confidence)
    out = [
        probed.measured(
            "interval jitter",
            jitter.estimate,
            jitter.interval,
            JITTER,
            n=jitter.n_eff,
            covered=covered(jitter.interval, jitter.n_eff, probed.budgets[JITTER]),
            note="standard deviation of the target's intervals, gaps counted as overruns",
        ),
        _overruns(probed, time_s, rate_hz),
    ]
    return (*out, *_ages(probed))


def _overruns(probed: Probed, time_s: Samples, rate_hz: float) -> Measurement:
    quantity = f"deadline overruns at {rate_hz:g} Hz"
    mean_s = float(np.diff(time_s).mean())
    if mean_s * rate_hz > OTHER_RATE:
        why = f"the target runs at {1 / mean_s:.3g} Hz, not at {rate_hz:g} Hz"
        return probed.unmeasured(quantity, OVERRUNS, why)
    # A row that is late by no more than the jitter budget has not missed its deadline.
    slack_ms = probed.budgets[JITTER][1]
    slack_ms = slack_ms if np.isfinite(slack_ms) else 0.0
    count = float(overruns(time_s, 1 / rate_hz + slack_ms / 1e3))
    limit = 1e3 / rate_hz + slack_ms
    note = f"intervals over {limit:.4g} ms; the longest is {np.diff(time_s).max() * 1e3:.4g} ms"
    return probed.measured(quantity, count, (count, count), OVERRUNS, n=time_s.size - 1, note=note)


def _ages(probed: Probed) -> list[Measurement]:
    """Read what the target logged about the age of its observations."""
    out = []
    for channel in probed.target.trace.of_role(Role.LATENCY):
        value = probed.target.in_span(channel)
        factor = TIME_MS.get(channel.unit.strip().lower())
        if value.size < MIN_ROWS or factor is None:
            continue
        age = value * factor
        largest = float(age.max())
        scatter = spread(age, probed.case.confidence)
        out += [
            probed.measured(
                f"observation age ({channel.name})",
                largest,
                (largest, largest),
                AGE,
                n=value.size,
                note="the largest logged",
            ),
            probed.measured(
                f"latency jitter ({channel.name})",
                scatter.estimate,
                scatter.interval,
                JITTER,
                n=scatter.n_eff,
                covered=covered(scatter.interval, scatter.n_eff, probed.budgets[JITTER]),
                note="standard deviation of what was logged",
            ),
        ]
    if not out:
        why = "no latency with a stated unit was logged"
        out.append(probed.unmeasured("observation age", AGE, why))
    return out


def _paired(rows: PairedRows, name: str, inside: Samples) -> tuple[Samples, Samples]:
    sim, target = rows.sim[name], rows.target[name]
    known = inside.astype(bool) & np.isfinite(sim) & np.isfinite(target)
    return sim[known], target[known]
