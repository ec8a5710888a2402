"""What property tests of the analysis draw from."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from tests.builders import wander

SEEDS = st.integers(0, 10_000)
CONFIDENCE = st.sampled_from([0.8, 0.95, 0.99, 0.999])
GAIN = st.floats(0.2, 5)
LEVEL = st.floats(-100, 100)
QUICK = settings(max_examples=25, deadline=None)


def moving(seed: int, n: int = 200, channels: int = 1) -> np.ndarray:
    """Return smooth signals, shape ``(channels, n)``."""
    return np.ascontiguousarray(wander(n, channels, seed=seed).T)
