"""Phase lag of a response behind a command at one frequency, with the coherence that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.probe_brackets import UNKNOWN, Bracket
from tracescope.model.trace import Samples

Complex = NDArray[np.complex128]

MIN_COHERENCE = 0.8
"""Below this share of the response's power that the command explains, a phase is not believed."""

MIN_CYCLES = 4.0
"""At least so many periods a segment."""

MIN_SEGMENTS = 8
"""At least so many segments: with fewer, coherence is high by chance."""

MOST_SEGMENTS = 64
"""More segments than this only lose resolution."""

MIN_POWER_SHARE = 1e-5
"""The command must hold this share of its variance at the frequency; less is leakage of the rest."""

NYQUIST_SHARE = 0.9
"""Up to this share of half the sampling rate a phase can be read."""

_OVERLAP_CORRELATION = 1 / 36
"""Squared correlation of Hann-windowed segments that overlap by half."""


@dataclass(frozen=True, slots=True)
class PhaseLag:
    """A side's phase lag, degrees (positive: the response is late), and its coherence.

    ``because`` says why there is no lag; ``""`` where there is one.
    """

    lag_deg: Bracket
    coherence: float
    segments: int
    because: str = ""


def phase_lag(
    command: Samples, response: Samples, interval_s: float, frequency_hz: float, confidence: float
) -> PhaseLag:
    """Measure the phase lag at a frequency.

    Args:
        command, response: Shape ``(n,)``, finite, evenly spaced, on the same instants.
        interval_s: Seconds from sample to sample.
        frequency_hz: Where.
        confidence: Two-sided.

    Source:
        Averaged cross-spectrum over Hann segments overlapping by half (Welch 1967), each segment without
        its straight line, read at the frequency itself; interval after Goodman (1957), see Bendat and
        Piersol, Random Data (2010), ch. 9: sin Δφ = √(2/(ν − 2) · F(2, ν − 2) · (1 − γ²)/γ²), ν twice the
        effective segments.
    """
    if frequency_hz * interval_s > 0.5 * NYQUIST_SHARE:
        limit = 0.5 * NYQUIST_SHARE / interval_s
        return _none(f"samples every {interval_s * 1e3:.4g} ms show phases up to {limit:.3g} Hz")
    # Half-overlapping segments: n samples hold 2n/L − 1 of length L.
    length = int(2 * command.size // (MIN_SEGMENTS + 1))
    if length * interval_s * frequency_hz < MIN_CYCLES:
        needed = (MIN_SEGMENTS + 1) / 2 * MIN_CYCLES / frequency_hz
        return _none(f"the span is too short: {needed:.3g} s are needed")
    enough = int(np.ceil(2 * MIN_CYCLES / frequency_hz / interval_s))
    length = min(length, max(enough, 2 * command.size // (MOST_SEGMENTS + 1)))
    starts = np.arange(0, command.size - length + 1, max(length // 2, 1), dtype=np.int64)
    ours, share = _amplitudes(command, starts, length, interval_s * frequency_hz)
    theirs, moves = _amplitudes(response, starts, length, interval_s * frequency_hz)
    power, answer = float(np.mean(np.abs(ours) ** 2)), float(np.mean(np.abs(theirs) ** 2))
    if not (share >= MIN_POWER_SHARE and answer > 0 and moves > 0):
        still = "command" if share < MIN_POWER_SHARE else "response"
        return _none(f"the {still} does not move at {frequency_hz:.4g} Hz")
    cross = complex(np.mean(np.conj(ours) * theirs))
    coherence = min(abs(cross) ** 2 / (power * answer), 1.0)
    count = starts.size / (1 + 2 * _OVERLAP_CORRELATION * (1 - 1 / starts.size))
    if coherence < MIN_COHERENCE:
        text = f"coherence {coherence:.2f} is below {MIN_COHERENCE:g} at {frequency_hz:.4g} Hz"
        return PhaseLag(UNKNOWN, coherence, starts.size, text)
    lag = -float(np.degrees(np.angle(cross)))
    half = _half_width(coherence, count, confidence)
    return PhaseLag(Bracket(lag, lag - half, lag + half, count), coherence, starts.size)


def _none(because: str) -> PhaseLag:
    return PhaseLag(UNKNOWN, float("nan"), 0, because)


def _half_width(coherence: float, segments: float, confidence: float) -> float:
    from scipy.special import fdtri

    freedom = 2 * segments - 2
    ratio = 2 / freedom * float(fdtri(2.0, freedom, confidence)) * (1 - coherence) / coherence
    return float(np.degrees(np.arcsin(np.sqrt(ratio)))) if ratio < 1 else 180.0


def _amplitudes(
    value: Samples, starts: NDArray[np.int64], length: int, cycles_a_sample: float
) -> tuple[Complex, float]:
    """Return each segment's complex amplitude, and the share of the variance it stands for."""
    index = starts[:, None] + np.arange(length)
    segment = value[index]
    place = np.linspace(-1.0, 1.0, length)
    mean = segment.mean(axis=1, keepdims=True)
    slope = (segment @ place)[:, None] / float(place @ place)
    segment = segment - mean - slope * place
    window = np.hanning(length)
    wave = np.exp(-2j * np.pi * cycles_a_sample * np.arange(length))
    amplitude: Complex = 2 * (segment * window) @ wave / window.sum()
    # The phase counts from the span's first sample, the same in both signals.
    variance = float(np.mean(segment**2))
    share = float(np.mean(np.abs(amplitude) ** 2)) / 2 / variance if variance > 0 else 0.0
    return amplitude, share


def phase_difference(target: Bracket, sim: Bracket) -> Bracket:
    """Return target less sim, degrees, wrapped so that the estimate lies within ±180."""
    found = target.minus(sim)
    turn = 360.0 * round(found.estimate / 360.0)
    return Bracket(found.estimate - turn, found.low - turn, found.high - turn, found.n)
