"""Whether one threshold in one channel may have ended two episodes in different rows.

A threshold that ends an episode is first passed in the end's own row: the channel was never clearly beyond it
before, in neither episode. Where it was in one, no threshold there ended the other.
"""

from __future__ import annotations

import numpy as np

from tracescope.model.trace import Samples

CLEAR_ROWS = 5
"""An episode that the same threshold ends goes beyond it for a row or two, never for this many."""

_MARGIN = 3.0


def held_back(
    before: Samples, onward: Samples, noise: Samples, earlier: Samples | None = None
) -> list[bool]:
    """Say which channels the longer episode never took clearly beyond where the shorter one ended.

    Args:
        before: The shorter episode's last rows, shape ``(m, k)``.
        onward: The longer one from that row on, shape ``(n, k)``.
        noise: Of each channel, same unit, shape ``(k,)``.
        earlier: Rows of both episodes before those, shape ``(l, k)``, where known.

    Returns:
        One flag a channel; False where it did not move at the end, so that it crossed nothing, where both hold the
        very same value there (a reference), and where one was clearly further before: that ended nothing then.
    """
    out = []
    for k in range(before.shape[1]):
        travelled = float(before[-1, k] - before[0, k])
        later = onward[:, k][np.isfinite(onward[:, k])]
        margin = _MARGIN * float(noise[k]) + 1e-9
        same = later.size > 0 and abs(later[0] - before[-1, k]) <= 1e-9
        if abs(travelled) <= margin or not later.size or same:
            out.append(False)
            continue
        side = 1.0 if travelled > 0 else -1.0
        level = side * float(before[-1, k]) + margin
        known = later if earlier is None else np.concatenate((later, earlier[:, k]))
        out.append(int(np.sum(side * known > level)) < CLEAR_ROWS)
    return out


def common_thresholds(one: Samples, two: Samples, noise: Samples, doubt: Samples) -> list[bool]:
    """Say in which channels one threshold would explain both ends.

    Args:
        one, two: Each episode up to its end, shapes ``(n, k)`` and ``(m, k)``; NaN where a row is not known.
        noise: Of each channel, same unit, shape ``(k,)``.
        doubt: How far apart the two may read one state, same unit, shape ``(k,)``; NaN where they hold the very
            same numbers (a reference): that ended neither.

    Returns:
        One flag a channel: both episodes come to one level in their last row, within noise and doubt, going to
        one side, and neither was clearly further before.
    """
    out = []
    for k in range(one.shape[1]):
        a, b = (x[:, k][np.isfinite(x[:, k])] for x in (one, two))
        margin = _MARGIN * float(noise[k]) + 1e-9
        moving = min(a.size, b.size) > CLEAR_ROWS and not np.isnan(doubt[k]) and a.std() > 0
        apart = margin + float(doubt[k])
        out.append(bool(moving) and any(_crossed(a, b, s, margin, apart) for s in (1.0, -1.0)))
    return out


def _crossed(one: Samples, two: Samples, side: float, margin: float, apart: float) -> bool:
    """Say whether both pass one level, read no further apart than told, in their last row for the first time."""
    low = max(float(min(side * x[-2:])) for x in (one, two))
    high = min(float(max(side * x[-2:])) for x in (one, two))
    before = [int(np.sum(side * x[:-1] > max(side * x[-2:]) + margin)) for x in (one, two)]
    return low <= high + apart and max(before) < CLEAR_ROWS
