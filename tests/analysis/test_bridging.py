"""Channels read between their samples: what they give, and that a shared clock is gone over once."""

from __future__ import annotations

import numpy as np
import pytest

from tracescope.analysis import bridging
from tracescope.analysis.bridging import Clocks
from tracescope.model.alignment import Alignment

TIME_S = np.arange(100) * 0.1


@pytest.fixture
def gone_over(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the clocks whose usual interval was asked for."""
    asked: list[int] = []
    whole = bridging.median_interval

    def counting(time_s: np.ndarray) -> float:
        asked.append(time_s.size)
        return whole(time_s)

    monkeypatch.setattr(bridging, "median_interval", counting)
    return asked


def test_channels_that_view_one_clock_share_what_is_known_of_it(gone_over):
    clocks = Clocks(Alignment(offset_s=0.05))

    for _ in range(5):
        clocks.bridged(TIME_S[:], np.sin(TIME_S), TIME_S, mapped=False)
        clocks.bridged(TIME_S[:], np.sin(TIME_S), TIME_S, mapped=True)

    assert gone_over == [100, 100]


def test_part_of_a_clock_is_a_clock_of_its_own(gone_over):
    clocks, value = Clocks(Alignment()), np.sin(TIME_S)

    whole = clocks.bridged(TIME_S, value, TIME_S, mapped=False)
    half = clocks.bridged(TIME_S[::2], value[::2], TIME_S[::2], mapped=False)

    assert gone_over == [100, 50]
    assert half == pytest.approx(whole[::2])


def test_other_instants_on_a_known_clock_are_read_anew():
    clocks = Clocks(Alignment())
    holed_s = np.delete(TIME_S, slice(40, 60))

    first = clocks.bridged(holed_s, holed_s, np.array([3.85, 4.5, np.nan, 12.0]), mapped=False)
    second = clocks.bridged(holed_s, holed_s, np.array([4.5, 3.85, 6.05, -1.0]), mapped=False)

    assert first == pytest.approx([3.85, np.nan, np.nan, np.nan], nan_ok=True)
    assert second == pytest.approx([np.nan, 3.85, 6.05, np.nan], nan_ok=True)
