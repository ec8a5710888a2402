from __future__ import annotations

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tracescope.analysis.anchors import alignment_from_anchors
from tracescope.model.alignment import Anchor
from tracescope.model.errors import UsageError

PAIR = pair(trace(0.02, wander(500)), trace(0.02, wander(500), t0=2.0))


def test_that_one_anchor_gives_the_offset() -> None:
    alignment, residual_s, linear = alignment_from_anchors(PAIR, [Anchor(1.0, 3.2)])
    assert alignment.offset_s == pytest.approx(2.2)
    assert alignment.drift == 0.0
    assert residual_s == pytest.approx([0.0])
    assert linear


def test_that_two_anchors_give_offset_and_drift() -> None:
    anchors = [Anchor(0.0, 2.5), Anchor(10.0, 12.6)]
    alignment, residual_s, _ = alignment_from_anchors(PAIR, anchors)
    assert residual_s == pytest.approx([0.0, 0.0], abs=1e-12)
    assert alignment.to_sim(np.array([2.5, 12.6])) == pytest.approx([0.0, 10.0])
    assert alignment.how == "anchors"
    assert alignment.anchors == tuple(anchors)


def test_that_steps_of_the_clock_are_called_not_linear() -> None:
    anchors = [Anchor(1.0, 3.0), Anchor(3.0, 5.0), Anchor(5.0, 7.3), Anchor(7.0, 9.3)]
    _, residual_s, linear = alignment_from_anchors(PAIR, anchors)
    assert not linear
    assert np.abs(residual_s).max() > 0.02


def test_that_one_instant_anchored_twice_gives_no_drift() -> None:
    alignment, residual_s, _ = alignment_from_anchors(PAIR, [Anchor(1.0, 3.0), Anchor(1.1, 3.0)])
    assert alignment.drift == 0.0
    assert residual_s == pytest.approx([0.05, -0.05])


@pytest.mark.parametrize(
    "anchors", [[], [Anchor(np.nan, 1.0)], [Anchor(1.0, 3.0), Anchor(0.5, 4.0)]]
)
def test_that_anchors_that_make_no_clock_are_refused(anchors: list[Anchor]) -> None:
    with pytest.raises(UsageError):
        alignment_from_anchors(PAIR, anchors)
