"""What an episode's differences look like: named effects in tolerance units, never summed into one number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tracescope.campaign.goals import is_goal
from tracescope.campaign.model import EpisodeResult, Measured

Signature = Mapping[str, float | None]
"""Entry → effect; ``None`` where the episode does not tell."""

SHAPE = 2.0
"""What a shape finding counts, whatever its size: a clipped channel is clipped."""

GAP_WEIGHT = 0.5
"""One-step gaps follow from most faults: they count half, so that the fault itself leads."""

SCOPE_TOLERANCE = 0.05
SCOPE_NOMINAL = 0.01
"""Share of rows outside the supported region: one in a hundred lies there by the region's definition."""

SMALLEST_RATIO = 1e-6

NOT_ESTABLISHED = "alignment/not established"
OUTSIDE = "scope/rows outside the simulator's support"
PLANT = "leading parameter, "
SIGN = "sign"

_RATIOS = {
    "scale", "kinematic scale ratio", "applied gain", "following gain", "mean interval ratio",
    "slope", "mean ratio", "upper bound", "lower bound",
}  # fmt: skip
_SHAPES = {
    "swapped channels", "saturated rows", "held rows", "held share", "resolution",
    "altered applied rows", "altered emitted rows", "same kind of end", "rows back in time",
    "rows repeated exactly", "repeated stamps",
}  # fmt: skip
_BUDGETS = {
    "interval jitter", "longest interval", "logged latency, largest", "logged latency, jitter",
    "observation age",
}  # fmt: skip
"""Sound machines use part of a budget: what lies within half of it is no effect."""
_NOMINAL = {"longest interval": 2 / 3}
"""Where the nominal value is another share of the budget: one period of one and a half."""
_NO_EFFECTS = {"common rows", "overlap", "support", "upper reach", "lower reach"}
"""Say what a verdict rests on, not how the sides differ; two runs of one policy seldom reach as far."""


@dataclass(frozen=True, slots=True)
class Part:
    """An entry's name taken apart."""

    check: str
    quantity: str
    channel: str

    @classmethod
    def of(cls, entry: str) -> Part:
        """Take ``check/quantity/channel`` apart; the channel may hold slashes."""
        check, _, rest = entry.partition("/")
        quantity, _, channel = rest.partition("/")
        return cls(check, quantity, channel)

    @property
    def words(self) -> str:
        """``quantity of channel``."""
        return f"{self.quantity} of {self.channel}" if self.channel else self.quantity


def signature_of(result: EpisodeResult) -> dict[str, float | None]:
    """Return the episode's signature, entries in a fixed order of names.

    Each judged measurement gives one entry: the near end of its interval less the nominal value, in units of
    its tolerance (0 where the interval reaches the nominal value), through asinh. Ratios count in logarithms;
    shape findings count :data:`SHAPE` where they fail; one-step gaps count half, and the sign of the leading
    plant parameter stands beside them. What was not measured, or may not speak, is ``None``.
    """
    found: dict[str, float | None] = {}
    for m in result.measurements:
        if m.judged and m.quantity not in _NO_EFFECTS:
            found |= _entries(m)
    if "alignment" in result.states:
        found[NOT_ESTABLISHED] = 0.0 if result.alignment.established else SHAPE
    found[OUTSIDE] = _scope(result.scope)
    found |= _plant(result)
    return dict(sorted(found.items()))


def is_untold(result: EpisodeResult) -> bool:
    """Say whether something lies outside its tolerance and may not speak: a difference that nobody can place."""
    return any(
        m.judged and (m.blocked or not m.covered) and _outside(m) for m in result.measurements
    )


def _outside(m: Measured) -> bool:
    low, high = m.low, m.high
    above = low is not None and m.tolerance_high is not None and low > m.tolerance_high
    below = high is not None and m.tolerance_low is not None and high < m.tolerance_low
    return above or below


def _entries(m: Measured) -> Iterable[tuple[str, float | None]]:
    name = f"{m.check}/{m.quantity}" + (f"/{m.channel}" if m.channel else "")
    if m.quantity in _SHAPES or m.tolerance_low == m.tolerance_high:
        return ((name, _shape(m)),)
    if m.quantity in _RATIOS and _reversed(m):
        sign = f"{m.check}/{SIGN}/{m.channel}"
        return ((name, _weighted(m, _ratio(m, mirrored=True))), (sign, SHAPE))
    effect = _ratio(m) if m.quantity in _RATIOS else _linear(m)
    return ((name, _weighted(m, effect)),)


def _weighted(m: Measured, effect: float | None) -> float | None:
    if effect is None:
        return None
    value = math.asinh(effect)
    return value * GAP_WEIGHT if m.check == "dynamics" else value


def _interval(m: Measured) -> tuple[float, float] | None:
    """Return the interval with open ends, ``None`` where it may not speak."""
    if m.blocked or not m.covered or (m.low is None and m.high is None):
        return None
    return (
        -math.inf if m.low is None else m.low,
        math.inf if m.high is None else m.high,
    )


def _near(interval: tuple[float, float], nominal: float) -> float:
    """Return the end nearest to the nominal value, or the nominal value where the interval reaches it."""
    low, high = interval
    if low > nominal:
        return low
    return min(high, nominal)


def _shape(m: Measured) -> float | None:
    if _interval(m) is None or m.state == "inconclusive":
        return None
    return SHAPE if m.state == "fail" else 0.0


def _reversed(m: Measured) -> bool:
    interval = _interval(m)
    return interval is not None and interval[1] <= 0


def _ratio(m: Measured, *, mirrored: bool = False) -> float | None:
    """Return the effect of a ratio: its logarithm in units of the tolerance's."""
    interval = _interval(m)
    if interval is None:
        return None
    if mirrored:
        interval = (-interval[1], -interval[0])
    near = _near(interval, 1.0)
    band = m.tolerance_high if near > 1 else m.tolerance_low
    if near == 1 or band is None:
        return 0.0
    if band <= 0 or band == 1:
        return None
    return math.log(max(near, SMALLEST_RATIO)) / abs(math.log(band))


def _linear(m: Measured) -> float | None:
    """Return the effect of a difference, in units of the tolerance from the nominal value."""
    interval = _interval(m)
    low, high = m.tolerance_low, m.tolerance_high
    if interval is None or high is None:
        return None
    if low is None or low == 0:
        nominal = _NOMINAL.get(m.quantity, 0.5) * high if m.quantity in _BUDGETS else 0.0
        interval = (max(interval[0], nominal), max(interval[1], nominal))
    else:
        nominal = (low + high) / 2
    unit = high - nominal
    return (_near(interval, nominal) - nominal) / unit if unit > 0 else None


def _scope(share: float | None) -> float | None:
    if share is None:
        return None
    return math.asinh(max(0.0, share - SCOPE_NOMINAL) / SCOPE_TOLERANCE)


def _plant(result: EpisodeResult) -> Iterable[tuple[str, float | None]]:
    """Return the sign of the leading plant parameter: +1 where it is larger than the simulator's."""
    if result.states.get("dynamics") != "fail":
        return ()
    lead = next((seen for seen in result.leads if seen.check == "dynamics"), None)
    if lead is None or lead.family != "dynamics" or not lead.value:
        return ()
    name = f"dynamics/{PLANT}{lead.kind}/{', '.join(lead.channels)}"
    return ((name, 1.0 if lead.value > 1 else -1.0),)


TASK, PERCEPTION, DYNAMICS = "task-scope overflow", "perception drift", "dynamics mismatch"
DEPLOYMENT, ACTION = "deployment-system noise", "action path"
REWARD, END = "reward", "end of the episode"

_LATE = ("response latency", "logged latency, largest", "observation age")


def family_of(entry: str) -> str:
    """Return what an entry speaks of: one of the four leads, the action path, the reward or the end."""
    part = Part.of(entry)
    if part.check == "scope":
        return TASK
    if part.check == "observation-scaling":
        return TASK if is_goal(part.channel) else PERCEPTION
    if part.check == "timing" and part.quantity.startswith(_LATE):
        return DYNAMICS
    return {
        "alignment": DEPLOYMENT,
        "timing": DEPLOYMENT,
        "dynamics": TASK if is_goal(part.channel) else DYNAMICS,
        "action": ACTION,
        "reward": REWARD,
        "termination": END,
    }.get(part.check, part.check)
