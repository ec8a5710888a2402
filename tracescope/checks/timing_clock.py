"""The clock's part of timing: intervals, jitter, missing, stale and late rows of the target."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.gaps import median_interval
from tracescope.analysis.intervals import MeanInterval, covered
from tracescope.analysis.timebase_rows import (
    jittered,
    mean_period,
    missing_rows,
    nominal_periods,
    period_ratio,
    repeated_stamps,
    row_counts,
    rows_back,
    spread,
    stale_rows,
)
from tracescope.checks.timing_tolerances import (
    INTERVAL,
    JITTER,
    LATENCY,
    LATENCY_JITTER,
    LONGEST,
    MISSING,
    NOMINAL,
    STALE,
)
from tracescope.model.case import Case
from tracescope.model.check import Measurement
from tracescope.model.tolerance import Tolerance
from tracescope.model.trace import Channel, Role, Samples

_FEW_BACK = 0.01
_UNITS = (1e3, 1e6, 1e9)
_UNIT_SLACK = 2.0
_MS = {"s": 1e3, "sec": 1e3, "ms": 1.0, "us": 1e-3, "µs": 1e-3, "ns": 1e-6}


def clock_measurements(case: Case) -> tuple[Measurement, ...]:
    """Measure the target's row clock against the sim's and against what the file states."""
    sim, target = case.pair.sim, case.pair.target
    if min(len(sim), len(target)) < 3:
        return ()
    lacking = no_clock(case)
    if lacking:
        return _not_measured(case, lacking)
    ours, theirs = (mean_period(t, case.confidence) for t in (sim, target))
    note = f"sim {ours.estimate * 1e3:.5g} ms, target {theirs.estimate * 1e3:.5g} ms"
    found = [_judged(case, "mean interval ratio", period_ratio(ours, theirs), INTERVAL, note=note)]
    if target.clock.kind == "stamped":
        found += _stamped(case)
    return (*found, *_nominal(case, theirs))


def no_clock(case: Case) -> str:
    """Say which trace has no stamps that tell anything of its loop, and why; empty where both have them.

    A row number over a stated rate repeats the statement, whatever the loop did.
    """
    found: dict[str, list[str]] = {}
    for side, trace in (("sim", case.pair.sim), ("target", case.pair.target)):
        if trace.clock.kind == "nominal":
            found.setdefault("computed stamps in the", []).append(side)
        elif trace.clock.kind == "rows":
            found.setdefault("no clock in the", []).append(side)
        elif not np.isfinite(median_interval(trace.time_s)):
            found.setdefault("stamps that stand still in the", []).append(side)
    return ", ".join(f"{why} {' and the '.join(sides)}" for why, sides in found.items())


def _not_measured(case: Case, why: str) -> tuple[Measurement, ...]:
    """The interval, and the jitter where the target's stamps cannot tell it, as not measured."""
    target = case.pair.target
    found = _unmeasured(case, "mean interval ratio", INTERVAL, why)
    if target.clock.kind == "stamped" and np.isfinite(median_interval(target.time_s)):
        return (found, *_stamped(case))
    return (found, _unmeasured(case, "interval jitter", JITTER, why))


def _unmeasured(case: Case, quantity: str, tolerance: Tolerance, why: str) -> Measurement:
    return Measurement(
        quantity,
        "",
        float("nan"),
        None,
        tolerance.unit,
        tolerance=case.tolerances[tolerance],
        tolerance_key=tolerance.key,
        confidence=case.confidence,
        covered=False,
        note=f"not measured: {why}",
    )


def clock_doubt(case: Case) -> str:
    """Say why the stamps themselves are no ground for a verdict; empty where they are.

    Rows that ran back in time were sorted: intervals then show the sorting. Intervals that differ by a thousand
    are stamps in two units, not two rates.
    """
    for side, trace in (("sim", case.pair.sim), ("target", case.pair.target)):
        back = rows_back(trace)
        if back > _FEW_BACK * len(trace):
            return f"{back} of {len(trace)} rows of the {side} ran back in time and were sorted"
    if no_clock(case):
        return ""
    ratio = median_interval(case.pair.target.time_s) / median_interval(case.pair.sim.time_s)
    apart = max(ratio, 1 / ratio) if ratio > 0 else float("nan")
    if any(1 / _UNIT_SLACK < apart / unit < _UNIT_SLACK for unit in _UNITS):
        slower = "target" if ratio > 1 else "sim"
        return f"the {slower}'s intervals are {apart:.3g} times as long: stamps in another unit?"
    return ""


def _stamped(case: Case) -> list[Measurement]:
    target = case.pair.target
    jitter = spread(jittered(target) * 1e3, case.confidence)
    period_s = median_interval(target.time_s)
    counts = np.maximum(row_counts(target), 1.0)
    longest = float((np.diff(target.time_s) / counts).max()) / period_s
    missing = missing_rows(target)
    stale, repeats = stale_rows(target), repeated_stamps(target)
    found = [
        _judged(case, "interval jitter", jitter, JITTER, note="standard deviation, without gaps"),
        _counted(
            case,
            "longest interval",
            longest,
            LONGEST,
            f"of {period_s * 1e3:.4g} ms (median), missing rows apart",
        ),
        _counted(
            case,
            "missing rows",
            missing.share,
            MISSING,
            f"{missing.missing} of {missing.expected}, by "
            + ("step counter" if missing.by_counter else "intervals"),
        ),
        _counted(
            case,
            "stale rows",
            float(stale.mean()),
            STALE,
            f"{int(stale.sum())} of {len(target)} rows repeat stamp and observation",
        ),
    ]
    if repeats.sum() > stale.sum():
        share = float(repeats.mean())
        found.append(
            Measurement(
                "repeated stamps",
                "",
                share,
                (share, share),
                n=len(target),
                required=False,
                note=f"{int(repeats.sum())} of {len(target)} rows have the stamp of the row before",
            )
        )
    return found


def _nominal(case: Case, measured: MeanInterval) -> list[Measurement]:
    """Compare the measured interval with every period the target's file states."""
    found = []
    for nominal in nominal_periods(case.pair.target):
        ratio = MeanInterval(
            measured.estimate / nominal.period_s,
            measured.low / nominal.period_s,
            measured.high / nominal.period_s,
            measured.n_eff,
        )
        steps_ms = np.diff(case.pair.target.time_s) * 1e3
        note = (
            f"{nominal.source} says {nominal.period_s * 1e3:.4g} ms always; measured "
            f"{steps_ms.min():.4g} to {steps_ms.max():.4g} ms, mean {steps_ms.mean():.4g} ms"
        )
        quantity = f"measured over stated interval ({nominal.source})"
        found.append(_judged(case, quantity, ratio, NOMINAL, required=False, note=note))
    return found


def logged_latency(case: Case) -> tuple[Measurement, ...]:
    """Judge the latencies the target logged: the largest, and their jitter."""
    found: list[Measurement] = []
    for channel in case.pair.target.of_role(Role.LATENCY):
        value_ms, unit = _in_ms(channel)
        if value_ms.size < 3:
            continue
        largest = float(value_ms.max())
        found.append(
            _counted(case, "logged latency, largest", largest, LATENCY, unit, channel.name)
        )
        jitter = spread(value_ms, case.confidence)
        found.append(
            _judged(
                case,
                "logged latency, jitter",
                jitter,
                LATENCY_JITTER,
                channel=channel.name,
                note=unit,
            )
        )
    return tuple(found)


def _in_ms(channel: Channel) -> tuple[Samples, str]:
    value = channel.as_float()
    value = value[np.isfinite(value)]
    factor = _MS.get(channel.unit.strip().lower())
    if factor is not None:
        return value * factor, ""
    ending = channel.name.rsplit("_", 1)[-1].lower()
    if ending in _MS:
        return value * _MS[ending], f"unit {ending} by its name"
    # Latencies of control loops lie between a tenth of a millisecond and a second.
    seconds = value.size == 0 or float(np.median(np.abs(value))) < 0.5
    return value * (1e3 if seconds else 1.0), f"no unit stated: taken as {'s' if seconds else 'ms'}"


def _judged(
    case: Case,
    quantity: str,
    found: MeanInterval,
    tolerance: Tolerance,
    *,
    channel: str = "",
    required: bool = True,
    note: str = "",
) -> Measurement:
    band = case.tolerances[tolerance]
    return Measurement(
        quantity,
        channel,
        found.estimate,
        found.interval,
        tolerance.unit,
        n=found.n_eff,
        tolerance=band,
        tolerance_key=tolerance.key,
        confidence=case.confidence,
        required=required,
        covered=covered(found.interval, found.n_eff, band),
        note=note,
    )


def _counted(
    case: Case, quantity: str, value: float, tolerance: Tolerance, note: str, channel: str = ""
) -> Measurement:
    """A count of this recording: exact, so that its interval has no width."""
    return Measurement(
        quantity,
        channel,
        value,
        (value, value),
        tolerance.unit,
        n=len(case.pair.target),
        tolerance=case.tolerances[tolerance],
        tolerance_key=tolerance.key,
        confidence=case.confidence,
        note=note,
    )
