"""What an action becomes under the map that a lead names: between the two sides, and inside the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tracescope.analysis.workbench import Workbench
from tracescope.model.check import CheckResult, Lead
from tracescope.model.trace import Role, Samples


def mapped_sim(bench: Workbench, leads: Sequence[Lead]) -> dict[str, Samples]:
    """Return sim actions put through the maps that leads name: what the target would then have logged."""
    mapped: dict[str, Samples] = {}
    for lead in leads:
        for name in lead.channels:
            sim_name = name if name in bench.rows.sim else bench.case.pair.sim_of(name)
            if sim_name is None or sim_name not in bench.actions:
                continue
            before = mapped.get(sim_name, bench.rows.sim[sim_name])
            candidates = _maps(before, lead)
            if candidates:
                mapped[sim_name] = _best(candidates, bench.rows.target[sim_name])
    return mapped


def mapped_share(bench: Workbench, results: Sequence[CheckResult]) -> float | None:
    """Return what part of the difference between applied and emitted actions the leads' maps make up.

    Inside the target alone; ``None`` where no applied action is logged, none differs or no lead maps one.
    """
    leads = [lead for result in results for lead in result.leads if lead.family == "action"]
    before = after = 0.0
    for lead in leads:
        for name in lead.channels:
            both = _emitted_and_applied(bench, name)
            candidates = [] if both is None else _maps(both[0], lead)
            if both is None or not candidates:
                continue
            emitted, applied = both
            spread = float(np.nanstd(emitted)) or 1.0
            before += float(np.nanmean(((applied - emitted) / spread) ** 2))
            mapped = _best(candidates, applied)
            after += float(np.nanmean(((applied - mapped) / spread) ** 2))
    # Applied in another unit, or a map the leads do not name: nothing is known, not nothing explained.
    return 1.0 - after / before if after + before > 0 and after < before else None


def _emitted_and_applied(bench: Workbench, name: str) -> tuple[Samples, Samples] | None:
    """Return a target action as emitted and as applied on the same rows, or ``None``."""
    target = bench.case.pair.target
    emitted, applied = target.of_role(Role.ACTION), target.of_role(Role.ACTION_APPLIED)
    if len(emitted) != len(applied):
        return None
    for one, other in zip(emitted, applied, strict=True):
        if one.name == name and one.value.shape == other.value.shape:
            values = (bench.case.target_values(one.name), bench.case.target_values(other.name))
            return values if np.isfinite(values[0] + values[1]).any() else None
    return None


def _best(candidates: Sequence[Samples], target: Samples) -> Samples:
    """Return the candidate nearest to what the target logged."""
    return min(candidates, key=lambda c: float(np.nanmean((target - c) ** 2)))


def _maps(action: Samples, lead: Lead) -> list[Samples]:
    """Return what an action becomes under a lead's map: one candidate a reading of its number."""
    value = lead.value
    if value is None or not np.isfinite(value):
        return []
    size = abs(value)
    made: dict[str, Callable[[], list[Samples]]] = {
        "clip": lambda: [
            np.clip(action, -size, size),
            np.minimum(action, value),
            np.maximum(action, value),
        ],
        "gain": lambda: [action * value],
        "offset": lambda: [action + value],
        "bias": lambda: [action + value],
        "dead band": lambda: [
            np.where(np.abs(action) < size, 0.0, action),
            np.sign(action) * np.maximum(np.abs(action) - size, 0.0),
        ],
        "delay": lambda: [_later(action, round(size))],
    }
    return made.get(lead.kind, list)()


def _later(action: Samples, rows: int) -> Samples:
    """Return the action ``rows`` rows later, its first value held; unchanged where that is too many."""
    if not 0 < rows < action.size:
        return action
    return np.concatenate((np.repeat(action[:1], rows), action[:-rows]))
