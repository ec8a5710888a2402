"""How often intervals hold the truth, on autocorrelated noise.

``python -m tests.truth.coverage [--reps N] [--kinds mean,lag] [--rows 40,200] [--phi 0.9] [--confidence 0.95]``

For every kind of estimate: the share of repetitions whose interval holds the known truth, at 40, 200 and
2,000 rows and noise of autocorrelation 0, 0.5 and 0.9 (first order). Repetitions in which no interval is
given are told apart. Two figures are given: of every interval, and of those that a check believes. An
interval of fewer than eight effective samples is coverage unmet: the check says inconclusive whatever it
holds, so that only the second figure can make a verdict wrong. Where fewer than half of the repetitions are
believed, ``unmet`` says that believed intervals are wrong in no more of all repetitions than allowed.

Two points below the nominal share, and beyond chance, is marked ``low``. Wider intervals than needed are no
fault of honesty; where a kind is wide by design the reason stands below the table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests.builders import case, trace
from tracescope.analysis.intervals import MIN_EFFECTIVE, mean_intervals
from tracescope.analysis.lag import refine
from tracescope.analysis.probe_spread import ks_distance
from tracescope.analysis.regression import fit_slopes
from tracescope.analysis.response import response_latency
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_gap import reward_gap
from tracescope.analysis.reward_model_rows import reward_sides
from tracescope.analysis.spline import smoothed
from tracescope.analysis.timebase_rows import spread
from tracescope.analysis.transitions_paired import residual_growth
from tracescope.analysis.workbench import Workbench
from tracescope.model.case import Case

ROWS = (40, 200, 2000)
PHI = (0.0, 0.5, 0.9)
TOLERATED = 0.02
"""Nominal coverage ± two points."""

Ends = tuple[float, float, float, float]
"""Low end, high end, truth, effective sample size."""

NONE = (np.nan, np.nan, np.nan, 0.0)
"""No interval was given."""

Trial = Callable[[np.random.Generator, int, float, int, float], Iterator[Ends]]
"""``(rng, rows, phi, repetitions, confidence)`` → one interval and its truth a repetition."""


def noise(rng: np.random.Generator, phi: float, shape: tuple[int, ...]) -> np.ndarray:
    """First-order autoregressive noise of unit variance along the last axis."""
    from scipy.signal import lfilter

    raw = rng.standard_normal((*shape[:-1], shape[-1] + 200))
    out = lfilter([np.sqrt(1 - phi**2)], [1.0, -phi], raw, axis=-1)[..., 200:]
    return np.asarray(out)


def motion(rng: np.random.Generator, shape: tuple[int, ...], smooth: float = 4.0) -> np.ndarray:
    """Band-limited motion of about unit spread along the last axis."""
    from scipy.ndimage import gaussian_filter1d

    pad = int(6 * smooth)
    raw = rng.standard_normal((*shape[:-1], shape[-1] + 2 * pad))
    out = gaussian_filter1d(raw, smooth, axis=-1)[..., pad:-pad]
    return np.asarray(out * np.sqrt(2 * smooth * np.sqrt(np.pi)))


def mean(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float
) -> Iterator[Ends]:
    centre, half, n_eff = mean_intervals(noise(rng, phi, (reps, n)), confidence)
    yield from zip(centre - half, centre + half, np.zeros(reps), n_eff, strict=True)


def deviation(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float
) -> Iterator[Ends]:
    for value in noise(rng, phi, (reps, n)):
        found = spread(value, confidence)
        yield found.low, found.high, 1.0, found.n_eff


def scale(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float, *, both: bool
) -> Iterator[Ends]:
    signal = motion(rng, (reps, n))
    x = signal + (0.1 * noise(rng, phi, (reps, n)) if both else 0.0)
    y = 1.2 * (signal + 0.1 * noise(rng, phi, (reps, n))) + 0.4
    fit = fit_slopes(x, y, confidence)
    yield from zip(fit.low, fit.high, np.full(reps, 1.2), fit.n_eff, strict=True)


def level(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float
) -> Iterator[Ends]:
    x = motion(rng, (reps, n))
    fit = fit_slopes(x, x + 0.3 + 0.1 * noise(rng, phi, (reps, n)), confidence)
    low, high = fit.shift - fit.shift_half, fit.shift + fit.shift_half
    yield from zip(low, high, np.full(reps, 0.3), fit.shift_n_eff, strict=True)


def lag(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float, *, channels: int
) -> Iterator[Ends]:
    for _ in range(reps):
        fine = motion(rng, (channels, 10 * (n + 10)), 40.0)
        sim = fine[:, 50 : 50 + 10 * n : 10] + 0.05 * noise(rng, phi, (channels, n))
        target = fine[:, 37 : 37 + 10 * n : 10] * 1.1 + 0.05 * noise(rng, phi, (channels, n))
        fit = refine(smoothed(sim), smoothed(target), 1.0, confidence)
        yield (*fit.interval, 1.3, fit.n_eff)


def plant(
    rng: np.random.Generator, n: int, phi: float, gain: float = 0.5, delay: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One linear plant driven by its own actions: action, observation and its motion without noise."""
    action = rng.standard_normal(n)
    push = 0.1 * noise(rng, phi, (n,))
    observation, clean = np.zeros(n), np.zeros(n)
    for i in range(n - 1):
        clean[i] = -0.2 * observation[i] + (gain * action[i - delay + 1] if i >= delay - 1 else 0.0)
        observation[i + 1] = observation[i] + clean[i] + push[i]
    return action, observation, clean


def latency(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float
) -> Iterator[Ends]:
    for _ in range(reps):
        (u, x, _), (v, y, _) = (plant(rng, n, phi, delay=delay) for delay in (1, 2))
        made = Case(case(trace(0.02, x, u), trace(0.02, y, v)).pair, _step(), confidence=confidence)
        found = response_latency(Workbench(made)).difference
        yield NONE if found is None else (*found.interval, 1.0, found.n_eff)


def _step() -> object:
    from tracescope.model.alignment import Alignment

    return Alignment(mode="step")


def gap(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float
) -> Iterator[Ends]:
    for _ in range(reps):
        (u, x, _), (v, y, clean) = (plant(rng, n, phi, gain=gain) for gain in (0.5, 0.6))
        made = Case(case(trace(0.02, x, u), trace(0.02, y, v)).pair, _step(), confidence=confidence)
        truth = 0.1 * float(np.sqrt(np.mean(v[:-1] ** 2) / np.mean(clean[:-1] ** 2)))
        found = Workbench(made).gaps
        yield (*found[0].interval, truth, found[0].n_eff) if found else NONE


def growth(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float, *, rate: float
) -> Iterator[Ends]:
    time_s = 0.02 * np.arange(n)
    for _ in range(reps):
        sim = motion(rng, (n,))
        size = 0.1 + rate * time_s / time_s[-1]
        made = case(trace(0.02, sim), trace(0.02, sim + size * noise(rng, phi, (n,))))
        made = Case(made.pair, made.alignment, confidence=confidence)
        found = residual_growth(Workbench(made), ("obs",))
        truth = 0.6745 * rate / time_s[-1] / float(sim.std())
        yield NONE if found is None else (*found[1], truth, np.inf)


def reward(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float, *, of: str
) -> Iterator[Ends]:
    truth = {"difference": 0.0, "slope": 1.0}[of]
    for _ in range(reps):
        sides = []
        for _side in range(2):
            state = motion(rng, (2, n)).T
            paid = 1 - state[:, 0] ** 2 - 0.5 * state[:, 1] + 0.05 * noise(rng, phi, (n,))
            sides.append(trace(0.02, state, reward=paid))
        gathered = reward_sides(case(*sides))
        model = None if gathered is None else fit_reward(gathered.sim)
        found = None if model is None else reward_gap(model, gathered, confidence)
        if found is None:
            yield NONE
        else:
            interval = getattr(found, of)
            yield interval.low, interval.high, truth, interval.n_eff


def distribution(
    rng: np.random.Generator, n: int, phi: float, reps: int, confidence: float
) -> Iterator[Ends]:
    for a, b in noise(rng, phi, (reps, 2, n)):
        found = ks_distance(a, b + 0.5, confidence)
        yield found.low, found.high, 0.19741, found.n_eff


@dataclass(frozen=True)
class Kind:
    """One kind of estimate. ``share`` of the repetitions asked for are run: some trials are slow.

    ``wide_because`` says why its intervals hold the truth at least at the nominal rate, by design.
    """

    trial: Trial
    share: float = 1.0
    wide_because: str = ""


_LARGER_OF_TWO = "the larger of two half-widths is taken, since neither alone holds at every memory"
_BRACKET = (
    "widened to the bracket of both ordinary regressions, and by the scale that a structured residual "
    "could hide: a slope that noise in either signal dilutes is never told apart from a wrong scale"
)
_LOWEST_OF_FITS = (
    "the lower end is the lowest of several fits, the upper end holds the noise's own power: a gap is "
    "believed only where every fit sees it"
)

KINDS: dict[str, Kind] = {
    "mean": Kind(mean, 1.0, _LARGER_OF_TWO),
    "standard deviation": Kind(
        deviation, 1.0, "the larger of the squares' and the series' own memory"
    ),
    "scale, noise in both": Kind(partial(scale, both=True), 1.0, _BRACKET),
    "scale, noise in one": Kind(partial(scale, both=False), 1.0, _BRACKET),
    "level": Kind(level, 1.0, _LARGER_OF_TWO),
    "lag, one channel": Kind(
        partial(lag, channels=1), 0.5, "smoothed rows share errors: leverage counts threefold"
    ),
    "lag, three channels": Kind(
        partial(lag, channels=3), 0.3, "pooled with the variance between channels added"
    ),
    "latency": Kind(latency, 0.2, "pooled with a Birge factor that never falls below 1"),
    "gap": Kind(gap, 0.2, _LOWEST_OF_FITS),
    "growth, none": Kind(partial(growth, rate=0.0), 0.5, _LARGER_OF_TWO),
    "growth, doubling": Kind(partial(growth, rate=0.1), 0.5, _LARGER_OF_TWO),
    "reward difference": Kind(
        partial(reward, of="difference"), 0.2, "what a misfit of the function may leave is added"
    ),
    "reward slope": Kind(
        partial(reward, of="slope"), 0.2, "what a misfit of the function may leave is added"
    ),
    "distribution distance": Kind(
        distribution, 0.2, "joint over all levels: the largest of many differences is looked at"
    ),
}


@dataclass(frozen=True)
class Cell:
    """What one kind did at one length and autocorrelation.

    ``believed`` of the ``given`` intervals rest on enough effective samples for a check; ``held`` and
    ``believed_held`` hold the truth.
    """

    kind: str
    rows: int
    phi: float
    confidence: float
    given: int
    held: int
    asked: int
    believed: int
    believed_held: int

    @property
    def coverage(self) -> float:
        """Share of every interval given."""
        return self.held / self.given if self.given else float("nan")

    @property
    def believed_coverage(self) -> float:
        """Share of those that a check believes."""
        return self.believed_held / self.believed if self.believed else float("nan")

    @property
    def verdict(self) -> str:
        """Of every interval: see :meth:`judged`."""
        return self.judged(self.held, self.given)

    @property
    def believed_verdict(self) -> str:
        """Of those that a check believes; ``unmet`` where that is fewer than half of the repetitions.

        What few are believed then were chosen by how independent they happened to look, and lie off for
        the same reason: what counts is in how many of all repetitions a believed interval is wrong.
        """
        if self.believed < self.asked / 2:
            wrong = self.believed - self.believed_held
            return "low" if self.judged(self.asked - wrong, self.asked) == "low" else "unmet"
        return self.judged(self.believed_held, self.believed)

    def judged(self, held: int, given: int) -> str:
        """``low``: under-covers by over two points and beyond three standard errors; ``wide``: the other way."""
        if not given:
            return "none"
        chance = 3 * np.sqrt(self.confidence * (1 - self.confidence) / given)
        off = held / given - self.confidence
        if off < -TOLERATED and off < -chance:
            return "low"
        return "wide" if off > TOLERATED else "ok"


def cell(kind: str, rows: int, phi: float, reps: int, confidence: float) -> Cell:
    """Run one kind at one length and autocorrelation; the seed follows from them."""
    rng = np.random.default_rng([rows, round(100 * phi), sorted(KINDS).index(kind)])
    asked = max(int(reps * KINDS[kind].share), 10)
    given = held = believed = believed_held = 0
    for low, high, truth, n_eff in KINDS[kind].trial(rng, rows, phi, asked, confidence):
        if np.isfinite(low) and np.isfinite(high):
            holds, enough = bool(low <= truth <= high), bool(n_eff >= MIN_EFFECTIVE)
            given += 1
            held += holds
            believed += enough
            believed_held += holds and enough
    return Cell(kind, rows, phi, confidence, given, held, asked, believed, believed_held)


MARKS = {"low": "!", "wide": "+", "ok": " ", "none": " ", "unmet": " "}


def table(cells: Sequence[Cell]) -> str:
    """The cells as text, a kind a line, lengths and autocorrelations across: every interval, then believed."""
    lines = _half(cells, "every interval", _every)
    lines += ["", *_half(cells, "believed by checks", _believed)]
    lines.append("! under-covers  + wider than needed  ~ in over a tenth of the runs none")
    return "\n".join([*lines, "", *summary(cells)])


def _every(c: Cell) -> tuple[float, str, int]:
    return c.coverage, c.verdict, c.given


def _believed(c: Cell) -> tuple[float, str, int]:
    return c.believed_coverage, c.believed_verdict, c.believed


def _half(
    cells: Sequence[Cell], name: str, of: Callable[[Cell], tuple[float, str, int]]
) -> list[str]:
    across = list(dict.fromkeys((c.rows, c.phi) for c in cells))
    lines = [f"{name:24}" + "".join(f"{rows:>7}/{phi:<4g}" for rows, phi in across)]
    for kind in dict.fromkeys(c.kind for c in cells):
        row = {(c.rows, c.phi): c for c in cells if c.kind == kind}
        shown = []
        for key in across:
            coverage, verdict, count = of(row[key])
            few = "~" if 0 < count < 0.9 * row[key].asked else " "
            number = "unmet" if verdict == "unmet" else f"{100 * coverage:.1f}"
            shown.append(f"{'–' if not row[key].given else number:>9}{MARKS[verdict]}{few} ")
        lines.append(f"{kind:24}" + "".join(shown))
    return lines


def summary(cells: Sequence[Cell]) -> list[str]:
    """Count the cells by what is believed of them, and say why kinds are wide."""
    count = Counter("none" if not c.given else c.believed_verdict for c in cells)
    said = {
        "ok": "within two points or chance",
        "wide": "at least nominal, by design",
        "low": "low",
        "unmet": "coverage unmet (a check says inconclusive)",
        "none": "without an interval",
    }
    totals = ", ".join(f"{count[key]} {text}" for key, text in said.items())
    wide = dict.fromkeys(c.kind for c in cells if "wide" in (c.verdict, c.believed_verdict))
    reasons = [f"at least nominal, by design: {kind}: {KINDS[kind].wide_because}" for kind in wide]
    return [f"{len(cells)} cells, believed intervals: {totals}", *reasons]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.truth.coverage")
    parser.add_argument("--reps", type=int, default=1000)
    parser.add_argument("--kinds", default="", help="comma-separated beginnings of names")
    parser.add_argument("--rows", default="40,200,2000")
    parser.add_argument("--phi", default="0,0.5,0.9")
    parser.add_argument("--confidence", type=float, default=0.95)
    chosen = parser.parse_args(arguments)
    begin = tuple(chosen.kinds.split(","))
    names = [name for name in KINDS if name.startswith(begin)]
    rows = [int(text) for text in chosen.rows.split(",")]
    phis = [float(text) for text in chosen.phi.split(",")]
    start = time.monotonic()
    cells = []
    for name in names:
        run = partial(cell, name, reps=chosen.reps, confidence=chosen.confidence)
        cells += [run(n, phi) for n in rows for phi in phis]
        sys.stderr.write(f"{name}: {time.monotonic() - start:.0f} s\n")
    head = (
        f"nominal {100 * chosen.confidence:g} %, {chosen.reps} repetitions (slow kinds fewer), in %"
    )
    sys.stdout.write(f"{head}\n{table(cells)}\n")


if __name__ == "__main__":
    main()
