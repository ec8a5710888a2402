"""Pairs with known content for the tests of the plots."""

from __future__ import annotations

import numpy as np

from tracescope.model.alignment import Alignment
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Channel, Clock, Role, Source, Trace
from tracescope.session.session import Session, SideChoices
from tracescope.ui.session_model import SessionModel


def trace(time_s: np.ndarray, channels: dict[str, tuple[Role, np.ndarray, str]]) -> Trace:
    """Return a trace whose channels share one clock."""
    return Trace(
        Source("memory"),
        Clock(),
        time_s,
        tuple(
            Channel(name, role, time_s, np.asarray(value), unit)
            for name, (role, value, unit) in channels.items()
        ),
    )


def session(sim: Trace, target: Trace, alignment: Alignment | None = None) -> Session:
    pair = pair_traces(sim, target)
    if alignment is None:
        alignment = Alignment(pivot_s=target.t_first_s)
    return Session(pair, SideChoices("sim"), SideChoices("target"), alignment)


def contact_session(offset_s: float = 0.0) -> Session:
    """A gripper closing on a plate: the target's force rises to twice the sim's, its stamps are late."""
    rng = np.random.default_rng(7)
    a = np.arange(600) * 0.02
    b = np.delete(np.arange(590) * 0.02, slice(420, 436))

    def force(t: np.ndarray, top: float, at: float) -> np.ndarray:
        return np.where(
            t < at, 0, top * np.clip((t - at) * 5, 0, 1) * np.exp(-0.5 * np.clip(t - at, 0, 99))
        )

    def channels(t: np.ndarray, top: float, noise: float) -> dict:
        speed = 0.1 + 0.02 * np.sin(t)
        return {
            "gripper_z": (
                Role.OBSERVATION,
                np.maximum(0.12 - 0.02 * t, 0.005) + noise * rng.normal(size=t.size),
                "m",
            ),
            "force_z": (
                Role.OBSERVATION,
                force(t, top, 6.1) + 400 * noise * rng.normal(size=t.size),
                "N",
            ),
            "v_cmd": (Role.ACTION, speed, "m/s"),
            "v_applied": (Role.ACTION_APPLIED, np.minimum(speed, 0.105 if top > 60 else 1), "m/s"),
            "battery": (Role.OTHER, np.full(t.size, 4.6e15), "nV"),
            "done": (Role.DONE, t > t[-1] - 0.5, ""),
        }

    sim, target = trace(a, channels(a, 50, 0)), trace(b + offset_s, channels(b, 100, 0.001))
    return session(sim, target)


def sine_session(
    rows: int = 2000, rate_hz: float = 100.0, late_s: float = 0.0, signals: int = 3
) -> Session:
    """Sines of growing frequency; the target's stamps are ``late_s`` late."""
    t = np.arange(rows) / rate_hz
    channels = {f"obs[{k}]": (Role.OBSERVATION, np.sin((k + 1) * t), "rad") for k in range(signals)}
    return session(trace(t, channels), trace(t + late_s, channels))


def model_of(opened: Session) -> SessionModel:
    model = SessionModel()
    model.open(opened)
    return model


def one(desk, time_s, value, role=Role.OBSERVATION, size=(900, 400)):
    """Show one channel that only the sim has."""
    sim = trace(time_s, {"x": (role, value, "m")})
    return desk(session(sim, trace(time_s[:0], {})), [["sim:x"]], size)
