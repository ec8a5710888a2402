"""The maps that an action path commonly holds, and how to run them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.model.trace import Samples


@dataclass(frozen=True, slots=True)
class FittedMap:
    """A map and its parameters; those a kind does not use keep their neutral values.

    Attributes:
        kind: Its name.
        gain, offset: Applied = gain · emitted + offset, before whatever limits it.
        low, high: Bounds of the applied action.
        band: Half-width of the dead band in the emitted action.
        step: Sign-dependent offset outside the dead band.
        rate: Largest change a row.
        share: α of ``y ← y + α (x − y)``.
        delay: Rows.
    """

    kind: str
    gain: float = 1.0
    offset: float = 0.0
    low: float = -np.inf
    high: float = np.inf
    band: float = 0.0
    step: float = 0.0
    rate: float = np.inf
    share: float = 1.0
    delay: int = 0

    @property
    def value(self) -> float | None:
        """The one number that names it best, ``None`` where there is none."""
        if "clip" in self.kind:
            return self.high if np.isfinite(self.high) else self.low
        by_kind = {
            "gain": self.gain,
            "offset": self.offset,
            "smoothing": self.share,
            "delay": float(self.delay),
        }
        if "dead band" in self.kind:
            return self.band
        if "rate limit" in self.kind:
            return self.rate
        return by_kind.get(self.kind)

    def __str__(self) -> str:
        parts = []
        if "gain" in self.kind:
            parts.append(f"gain {self.gain:.5g}")
        if abs(self.offset) > 0:
            parts.append(f"offset {self.offset:+.4g}")
        if "clip" in self.kind:
            bounds = [f"{b:.4g}" if np.isfinite(b) else "none" for b in (self.low, self.high)]
            parts.append(f"clip at {bounds[0]} and {bounds[1]}")
        if "dead band" in self.kind:
            parts.append(f"dead band ±{self.band:.4g}")
        if "rate limit" in self.kind:
            parts.append(f"rate limit {self.rate:.4g} a row")
        if self.kind == "smoothing":
            parts.append(f"smoothing with α = {self.share:.3g}")
        if self.kind == "delay":
            parts.append(f"delay of {self.delay} row{'s' if self.delay > 1 else ''}")
        return " and ".join(parts) or self.kind


def run_map(fitted: FittedMap, emitted: Samples, start: float) -> Samples:
    """Return what a map makes of emitted actions, shape ``(n,)``; ``start`` is its first output."""
    x = fitted.gain * emitted + fitted.offset
    if fitted.delay:
        x = np.concatenate((np.full(fitted.delay, start), x[: -fitted.delay]))
    if fitted.band > 0:
        x = np.where(np.abs(emitted) > fitted.band, x + fitted.step * np.sign(emitted), 0.0)
    if fitted.share < 1:
        x = _smoothed(x, fitted.share, start)
    if np.isfinite(fitted.rate):
        x = rate_limited(x, fitted.rate, start)
    return np.asarray(np.clip(x, fitted.low, fitted.high), dtype=np.float64)


def _smoothed(x: Samples, share: float, start: float) -> Samples:
    out = np.empty_like(x)
    last = out[0] = start
    for i, wanted in enumerate(x[1:].tolist(), start=1):
        last += share * (wanted - last)
        out[i] = last
    return out


def rate_limited(x: Samples, rate: float, start: float) -> Samples:
    """Follow ``x`` by at most ``rate`` a row, from ``start``; shape ``(n,)``."""
    last, out = start, [start]
    for wanted in x[1:].tolist():
        step = wanted - last
        if step > rate:
            step = rate
        elif step < -rate:
            step = -rate
        last += step
        out.append(last)
    return np.array(out, dtype=x.dtype)
