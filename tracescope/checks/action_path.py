"""Emitted against applied, inside each trace: what lies between the policy and the actuator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.action_map import NamedMap, altered_rows, name_map
from tracescope.analysis.action_map_kinds import FittedMap
from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.rows import resampled
from tracescope.analysis.units import unit_factor
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_tolerances import ALTERED, APPLIED_ROWS, GAIN
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement
from tracescope.model.trace import Channel, Role, Samples, Trace

MIN_ROWS = 8
FEW = 3
"""Fewer altered rows than this may be the ends of the recording."""

PLAIN_GAIN = (0.5, 2.0)
"""A gain outside this, alone, is taken for a normalisation that the simulator may share."""

EXACT = 1e-3
"""A gain this near a factor with π in it is that factor: nobody arrives at one by tuning."""

STATIC = ("identity", "gain", "offset")


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One action's way to the actuator in the target.

    Attributes:
        channel, applied_channel: Sim names where matched, else the target's.
        emitted, applied: Finite, on the emitted action's rows, shape ``(n,)``.
        time_s: Those rows on the target's clock.
        named: The target's map.
        reference: The simulator's map, ``None`` where it logs no applied action.
        altered: Rows that the reference does not explain.
    """

    channel: str
    applied_channel: str
    emitted: Samples
    applied: Samples
    time_s: Samples
    named: NamedMap
    reference: FittedMap | None
    altered: NDArray[np.bool_]

    @property
    def gain_ratio(self) -> float:
        """Applied for emitted, target over simulator."""
        expected = 1.0 if self.reference is None else self.reference.gain
        return self.named.map.gain / expected if expected != 0 else float("nan")


def applied_of(trace: Trace) -> dict[str, Channel]:
    """Return ``{emitted name: applied channel}``: by place in the vector, else by order, else the last."""
    emitted, applied = trace.of_role(Role.ACTION), trace.of_role(Role.ACTION_APPLIED)
    if not (emitted and applied):
        return {}
    by_place = {channel.index: channel for channel in applied if channel.index is not None}
    places = [channel.index for channel in emitted]
    if None not in places and len(set(places)) == len(places) and len(by_place) == len(applied):
        return {c.name: by_place[c.index] for c in emitted if c.index in by_place}
    if len(emitted) == len(applied):
        return {a.name: b for a, b in zip(emitted, applied, strict=True)}
    return {emitted[0].name: applied[-1]} if len(emitted) == 1 else {}


def _both(
    trace: Trace, emitted: Channel, applied: Channel, values: tuple[Samples, Samples]
) -> tuple[Samples, Samples, Samples]:
    """Return time, emitted and applied on the emitted action's finite rows."""
    x, y = values
    if applied.time_s is not emitted.time_s and not np.array_equal(applied.time_s, emitted.time_s):
        y = resampled(applied, y, emitted.time_s, gap_length_s(trace.time_s))
    kept = np.isfinite(x) & np.isfinite(y)
    return emitted.time_s[kept], x[kept], y[kept]


def paths(bench: Workbench) -> tuple[Path, ...]:
    """Follow every emitted action of the target whose applied action is logged."""
    pair, case = bench.case.pair, bench.case
    of_target, of_sim = applied_of(pair.target), applied_of(pair.sim)
    found = []
    for name, applied in of_target.items():
        emitted = pair.target[name]
        values = (case.target_values(name), case.target_values(applied.name))
        time_s, x, y = _both(pair.target, emitted, applied, values)
        if x.size < MIN_ROWS:
            continue
        sim_name = pair.sim_of(name)
        reference = None
        if sim_name is not None and sim_name in of_sim:
            a, b = pair.sim[sim_name], of_sim[sim_name]
            _, sx, sy = _both(pair.sim, a, b, (a.as_float(), b.as_float()))
            reference = name_map(sx, sy).map if sx.size >= MIN_ROWS else None
            if reference is not None and reference.kind == "unnamed":
                reference = None
        named = name_map(x, y)
        altered = altered_rows(x, y, named, reference)
        names = (sim_name or name, pair.sim_of(applied.name) or applied.name)
        found.append(Path(*names, x, y, time_s, named, reference, altered))
    return tuple(found)


def path_measurements(bench: Workbench, path: Path) -> tuple[Measurement, ...]:
    """Measure how many rows were altered on the way, and the gain where there is one."""
    tolerances, confidence = bench.case.tolerances, bench.case.confidence
    count, n = int(path.altered.sum()), path.altered.size
    share = count / n
    against = (
        "the emitted action"
        if path.reference is None
        else f"what the simulator's own path ({path.reference}) makes of it"
    )
    blocked = _normalisation(path)
    found = [
        Measurement(
            APPLIED_ROWS,
            path.channel,
            share,
            (share if count >= FEW else 0.0, share),
            n=float(n),
            tolerance=tolerances[ALTERED],
            tolerance_key=ALTERED.key,
            confidence=confidence,
            blocked=blocked,
            note=f"applied action against {against}, inside the target: {path.named.map}",
        )
    ]
    if path.named.map.kind != "unnamed" and (path.reference or path.named.map.gain != 1.0):
        ratio = path.gain_ratio
        spread = float(np.std(path.emitted)) * abs(path.named.map.gain)
        noise = path.named.noise / spread if spread > 0 else float("inf")
        half = 3 * noise / float(np.sqrt(n))
        found.append(
            Measurement(
                "applied gain",
                path.channel,
                ratio,
                _around(ratio, ratio * half),
                n=float(n),
                tolerance=tolerances[GAIN],
                tolerance_key=GAIN.key,
                confidence=confidence,
                blocked=blocked,
                note=_gain_note(path),
            )
        )
    return tuple(found)


def _around(middle: float, half: float) -> Interval | None:
    if not (np.isfinite(middle) and np.isfinite(half)):
        return None
    return (float(middle - abs(half)), float(middle + abs(half)))


def _gain_note(path: Path) -> str:
    own = f"{path.named.map.gain:.5g} in the target"
    if path.reference is None:
        return f"{own}; the simulator logs no applied action, taken as 1"
    gains = (path.named.map.gain, path.reference.gain)
    units = [(gain, unit_factor(gain, (0.999 * gain, 1.001 * gain))) for gain in gains]
    named = [
        (gain, f)
        for gain, f in units
        if f is not None and "π" in f.name and abs(abs(gain) / f.value - 1) < EXACT
    ]
    shared = len(named) == len(gains) and named[0][1] == named[1][1]  # no difference to explain
    known = "" if shared else "".join(f"; {g:.5g} is {f.name}, {f.meaning}" for g, f in named)
    return f"{own} against {path.reference.gain:.5g} in the simulator{known}"


def _normalisation(path: Path) -> str:
    """Say why a plain line from emitted to applied may be meant, where the simulator's path is unknown."""
    fitted = path.named.map
    if path.reference is not None or fitted.kind not in STATIC or not path.altered.any():
        return ""
    low, high = PLAIN_GAIN
    factor = unit_factor(fitted.gain, (0.999 * fitted.gain, 1.001 * fitted.gain))
    if low <= abs(fitted.gain) <= high and factor is None and fitted.gain > 0:
        return ""
    unit = f" ({factor.name}: {factor.meaning})" if factor else ""
    return (
        f"applied is {fitted} of emitted{unit}, a normalisation that the simulator may share: "
        "it logs no applied action"
    )
