"""Gaps are told where a usual interval exists, and told in plain numbers."""

from __future__ import annotations

import numpy as np

from tests.builders import trace
from tracescope.readers.health import stamp_notes


def gaps(time_s: np.ndarray) -> list[str]:
    made = trace(time_s=time_s, obs=np.arange(time_s.size, dtype=float)[:, None])
    return [note.what for note in stamp_notes(made) if note.key == "gaps"]


def test_that_three_events_have_no_usual_interval() -> None:
    assert gaps(np.array([0.0, 2e-6, 120.3])) == []


def test_that_one_hole_of_a_regular_clock_is_told() -> None:
    (what,) = gaps(np.concatenate([np.arange(20) * 0.02, 1.0 + np.arange(20) * 0.02]))
    assert what.startswith("1 interval exceeds 1.5 periods; the longest lasts 620 ms")


def test_that_two_holes_are_counted() -> None:
    (what,) = gaps(np.concatenate([k + np.arange(20) * 0.02 for k in range(3)]))
    assert what.startswith("2 intervals exceed ")
