"""Is there enough in common, and are the rows in order? What must hold before any lag is looked for."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.timebase_rows import rows_back
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment_tolerances import (
    COMMON_ROWS,
    COUNTED_ROWS,
    OVERLAP,
    REPEATED,
    ROWS_BACK,
)
from tracescope.model.check import Measurement
from tracescope.model.tolerance import Tolerance, Tolerances
from tracescope.model.trace import Trace
from tracescope.model.words import counted


def health_measurements(bench: Workbench) -> tuple[Measurement, ...]:
    """Count rows out of order, exact repeats and what is common. Counts are exact, not estimates."""
    case = bench.case
    sides = (("sim", case.pair.sim), ("target", case.pair.target))
    bands = case.tolerances
    back = {side: _share(rows_back(trace), len(trace)) for side, trace in sides}
    repeats = {side: _share(exact_repeats(trace), len(trace)) for side, trace in sides}
    rows = len(bench.rows)
    shorter = min(len(trace) for _, trace in sides)
    # Two rates make two row counts of one span: what is common counts rows of the slower trace.
    overlap = min(1.0, rows / _rows_of_span(bench)) if shorter else 0.0
    needed = COMMON_ROWS if bench.rows.sim_row is None else COUNTED_ROWS
    enough = rows >= bands[needed][0] and overlap >= bands[OVERLAP][0]
    return (
        _worst("rows back in time", back, ROWS_BACK, bands),
        _worst("rows repeated exactly", repeats, REPEATED, bands),
        Measurement(
            "overlap",
            "",
            overlap,
            (overlap, overlap),
            n=rows,
            tolerance=bands[OVERLAP],
            tolerance_key=OVERLAP.key,
            covered=enough,
            note="common rows over the rows of the shorter trace",
        ),
        Measurement(
            "common rows",
            "",
            float(rows),
            (float(rows), float(rows)),
            "rows",
            n=rows,
            tolerance=bands[needed],
            tolerance_key=needed.key,
            covered=enough,
        ),
    )


def exact_repeats(trace: Trace) -> int:
    """Count rows that repeat stamp and every channel of the row before."""
    if len(trace) < 2:
        return 0
    same = np.diff(trace.time_s) == 0
    for channel in trace.channels:
        if not same.any():
            return 0
        if channel.value.shape == trace.time_s.shape:
            same &= channel.value[1:] == channel.value[:-1]
    return int(same.sum())


def gaps(trace: Trace) -> tuple[int, float]:
    """Count the gaps of a trace's clock, and return its longest interval, seconds."""
    if len(trace) < 3:
        return 0, 0.0
    steps = np.diff(trace.time_s)
    long = steps > gap_length_s(trace.time_s)
    return int(long.sum()), float(steps.max())


def too_little(bench: Workbench) -> str:
    """Say why too little is common to look for a lag, with both ranges; empty where there is enough."""
    case = bench.case
    overlap = next(m for m in health_measurements(bench) if m.quantity == "overlap")
    if overlap.covered:
        return ""
    sim, target = case.pair.sim, case.pair.target
    if not (len(sim) and len(target)):
        return "a trace has no rows"
    mapped = case.alignment.to_sim(target.time_s)
    said = f"only {counted(len(bench.rows), 'row is', 'rows are')} common"
    ranges = (
        f"sim {sim.time_s[0]:.6g} to {sim.time_s[-1]:.6g} s, "
        f"target {mapped[0]:.6g} to {mapped[-1]:.6g} s on the sim's clock"
    )
    ratio = target.duration_s / sim.duration_s if sim.duration_s > 0 else float("nan")
    for factor, unit in ((1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")):
        for which, found in (("target", ratio), ("sim", 1 / ratio if ratio > 0 else float("nan"))):
            if 0.3 < found / factor < 3:
                return f"{said}: {ranges}; the {which}'s stamps look like {unit}"
    return f"{said}: {ranges}"


def _rows_of_span(bench: Workbench) -> float:
    """Rows of the shorter trace at the spacing on which rows are common."""
    case = bench.case
    if bench.rows.sim_row is not None or not bench.rows.interval_s > 0:
        return max(1.0, float(min(len(case.pair.sim), len(case.pair.target))))
    shorter_s = min(case.pair.sim.duration_s, case.pair.target.duration_s)
    return max(1.0, float(np.floor(shorter_s / bench.rows.interval_s + 1e-6)) + 1)


def _share(count: int, rows: int) -> float:
    return count / rows if rows else 0.0


def _worst(
    quantity: str, shares: dict[str, float], tolerance: Tolerance, bands: Tolerances
) -> Measurement:
    worst = max(shares.values())
    return Measurement(
        quantity,
        "",
        worst,
        (worst, worst),
        tolerance=bands[tolerance],
        tolerance_key=tolerance.key,
        note=", ".join(f"{side} {share * 100:.3g} %" for side, share in shares.items()),
    )
