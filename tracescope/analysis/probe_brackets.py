"""Brackets: where a value must lie, given the samples and the noise on them.

Events such as a step or a contact happen once, so that no average speaks for them. What can be defended is
a bracket: every value that the true signal can have taken while the samples are what they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

BEND_SHARE = 0.25
"""Between samples a smooth signal leaves the straight line by less than this share of its second difference."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """An estimate and the ends of what the truth can be; ``n`` samples were looked at."""

    estimate: float
    low: float
    high: float
    n: float = 0.0

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return (self.low, self.high)

    def minus(self, other: Bracket) -> Bracket:
        """Return the bracket of the difference."""
        return Bracket(
            self.estimate - other.estimate,
            self.low - other.high,
            self.high - other.low,
            min(self.n, other.n),
        )

    def times(self, factor: float) -> Bracket:
        """Return the bracket in another unit; ``factor`` is positive."""
        return Bracket(self.estimate * factor, self.low * factor, self.high * factor, self.n)


UNKNOWN = Bracket(float("nan"), -np.inf, np.inf)
"""Nothing can be said."""


def joint_quantile(confidence: float, count: int) -> float:
    """Return how many standard deviations ``count`` normal errors jointly keep within.

    Source:
        Bonferroni's inequality over the samples.
    """
    from scipy.special import ndtri

    return float(ndtri(1.0 - (1.0 - confidence) / (2 * max(count, 1))))


def level_noise(value: Samples) -> float:
    """Return the standard deviation of samples around their own straight line.

    Args:
        value: Shape ``(n,)``, finite; 0 for fewer than four samples.
    """
    if value.size < 4:
        return 0.0
    place = np.linspace(-1.0, 1.0, value.size)
    basis = np.column_stack((np.ones_like(place), place))
    left = value - basis @ np.linalg.lstsq(basis, value, rcond=None)[0]
    return float(np.sqrt(left @ left / (value.size - 2)))


def first_above(time_s: Samples, value: Samples, level: float, noise: float) -> Bracket:
    """Bracket the instant at which a signal first reaches a level.

    Args:
        time_s: Shape ``(n,)``, increasing.
        value: Shape ``(n,)``, finite.
        level: What is reached.
        noise: The samples lie within this much of the truth.

    Returns:
        Seconds; an infinite upper end where the level may never be reached.

    Source:
        The crossing lies behind the last sample that is surely below and before the first that is surely
        above; inside, linear interpolation is off by at most an eighth of the second difference (Lagrange's
        remainder), of which twice as much is allowed.
    """
    at = _crossing(time_s, value, level)
    surely = int(np.argmax(value >= level + noise)) if (value >= level + noise).any() else -1
    near = int(np.argmax(value >= level - noise)) if (value >= level - noise).any() else -1
    if near < 0:
        return Bracket(np.nan, float(time_s[-1]) if time_s.size else -np.inf, np.inf, value.size)
    low = float(time_s[max(near - 1, 0)])
    high = float(time_s[surely]) if surely >= 0 else np.inf
    bend = BEND_SHARE * _bend(value, near, near if surely < 0 else surely)
    low = max(low, _crossing(time_s, value, level - noise - bend))
    high = min(high, _crossing(time_s, value, level + noise + bend))
    if not np.isfinite(at):
        return Bracket(np.nan, low, high, value.size)
    return Bracket(at, min(low, at), max(high, at), value.size)


def _bend(value: Samples, first: int, last: int) -> float:
    part = value[max(first - 2, 0) : last + 3]
    return float(np.abs(np.diff(part, 2)).max()) if part.size >= 3 else float(np.inf)


def _crossing(time_s: Samples, value: Samples, level: float) -> float:
    above = value >= level
    if not above.any():
        return float(np.inf)
    j = int(np.argmax(above))
    if j == 0:
        return float(time_s[0])
    share = (level - value[j - 1]) / (value[j] - value[j - 1])
    return float(time_s[j - 1] + share * (time_s[j] - time_s[j - 1]))
