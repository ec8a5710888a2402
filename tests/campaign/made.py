"""Judged episodes made by hand: no files, no checks, only what they would have said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from tracescope.campaign.model import (
    Aligned,
    CampaignRun,
    ChannelSeen,
    EpisodeResult,
    Explained,
    FailedEpisode,
    LeadSeen,
    Measured,
    Param,
)
from tracescope.model.check import CHECK_IDS, State, state_of

SCALE_BAND, LAG_BAND, SHARE_BAND = (0.95, 1.05), (-0.5, 0.5), (0.0, 0.01)
FIRST = datetime(2026, 9, 7, 8, 0, tzinfo=UTC)


def measured(
    check: str,
    quantity: str,
    channel: str,
    interval: tuple[float, float] | None,
    band: tuple[float | None, float | None],
    **rest: object,
) -> Measured:
    """Return a measurement whose state follows from its interval."""
    covered, blocked = bool(rest.get("covered", True)), str(rest.get("blocked", ""))
    low, high = interval if interval is not None else (None, None)
    ends = (
        -np.inf if band[0] is None else band[0],
        np.inf if band[1] is None else band[1],
    )
    state = state_of(interval, ends, covered=covered and not blocked)
    middle = None if low is None or high is None else (low + high) / 2
    return Measured(
        quantity, channel, check, middle, low, high, band[0], band[1], "", str(state),
        covered=covered, blocked=blocked,
    )  # fmt: skip


def scale(channel: str, low: float, high: float, **rest: object) -> Measured:
    return measured("observation-scaling", "scale", channel, (low, high), SCALE_BAND, **rest)


def lag(low: float, high: float) -> Measured:
    return measured("timing", "response latency, target less sim", "", (low, high), LAG_BAND)


def lost(share: float) -> Measured:
    return measured("timing", "missing rows", "", (share, share), SHARE_BAND)


def gap(channel: str, low: float, high: float) -> Measured:
    return measured("dynamics", "one-step gap", channel, (low, high), (0.0, 0.1))


def episode(
    name: str,
    measurements: Sequence[Measured] = (),
    *,
    day: float | None = 0.0,
    params: Sequence[Param] = (),
    leads: Sequence[LeadSeen] = (),
    leader: str = "",
    scope: float | None = 0.0,
    established: bool = True,
    label: str = "track",
    outcome: str = "",
) -> EpisodeResult:
    """Return a judged episode; checks without a measurement passed."""
    states = dict.fromkeys(CHECK_IDS, "pass")
    for m in measurements:
        if m.state != State.PASS and states[m.check] != State.FAIL:
            states[m.check] = m.state
    if not established:
        states["alignment"] = "inconclusive"
    return EpisodeResult(
        id=name,
        sim=f"{name}/sim.csv",
        target=f"{name}/target.csv",
        sim_distance=None,
        matched=False,
        date=None if day is None else FIRST + timedelta(days=day),
        event_time_s=None,
        label=label,
        outcome=outcome,
        params=tuple(params),
        states=states,
        reasons={check: f"{check} said so" for check in states},
        measurements=tuple(measurements),
        hypotheses=(Explained(leader, 0.9, ()),) if leader else (),
        leads=tuple(leads),
        scope=scope,
        scope_said="",
        alignment=Aligned("step", "assumed", 0.0, 0.0, 0, 100, established),
        corrections=(),
        channels=(ChannelSeen("position", "observation", ""),),
        sim_sha256="0",
        target_sha256="1",
        steps=(100, 100),
    )


def mixed_run(seed: int = 0, each: int = 10, failed: Sequence[FailedEpisode] = ()) -> CampaignRun:
    """Return a campaign of three kinds (misread, late, heavy; ``heavy`` grows) and as many sound episodes."""
    rng = np.random.default_rng(seed)
    results: list[EpisodeResult] = []
    for place in range(4 * each):
        kind = ("misread", "late", "heavy", "sound")[place % 4]
        size = float(rng.uniform(1.3, 1.6))
        share = (place // 4 + 0.5) / each
        days = 70 * (np.sqrt(0.6 + 0.4 * share) if kind == "heavy" else share)
        found: list[Measured] = [scale("position", 0.99, 1.01), lag(-0.01, 0.01), lost(0.0)]
        leads: tuple[LeadSeen, ...] = ()
        if kind == "misread":
            found[0] = scale("position", size - 0.02, size + 0.02)
        elif kind == "late":
            found[1] = lag(2 * size, 2 * size + 0.1)
        elif kind == "heavy":
            found.append(gap("velocity", size / 3, size / 3 + 0.05))
            leads = (LeadSeen("dynamics", "dynamics", "inertia", ("velocity",), size),)
        mass = 1 / size if kind == "heavy" else float(rng.uniform(0.97, 1.03))
        results.append(
            episode(
                f"{kind}-{place:03d}",
                found,
                day=float(days),
                params=(
                    ("mass", mass),
                    ("light", float(rng.uniform(200, 800))),
                    ("floor", str(rng.choice(["oak", "mat"]))),
                ),
                leads=leads,
                leader={
                    "misread": "observation-scaling",
                    "late": "timing",
                    "heavy": "dynamics",
                }.get(kind, ""),
            )
        )
    return CampaignRun(tuple(results), tuple(failed))
