"""What the window says of an estimate: a side only where the interval of the offset leaves no doubt about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tracescope.analysis.estimate import AlignmentEstimate
from tracescope.model.alignment import Alignment
from tracescope.session.session import Session
from tracescope.ui.dialogs.estimate import headline
from tracescope.ui.proposal import proposal_text

NO_LAGS = np.empty(0)


def clear(offset_s: float, half_s: float) -> Alignment:
    """Return an estimated offset with its interval."""
    within = (offset_s - half_s, offset_s + half_s)
    return Alignment(offset_s=offset_s, offset_interval_s=within, how="estimated")


def said(offset_s: float, half_s: float) -> str:
    return headline(AlignmentEstimate("clear", clear(offset_s, half_s), "", NO_LAGS, NO_LAGS))


@pytest.mark.parametrize("offset_s", [0.0, -1e-8, 1e-8, 3e-3])
def test_that_an_offset_that_may_be_none_names_no_side(offset_s):
    words = said(offset_s, 5e-3)
    assert "leaves the target where its stamps put it" in words
    assert "left" not in words.replace("leaves", "")
    assert "right" not in words


@pytest.mark.parametrize(("offset_s", "side"), [(0.2, "left"), (-0.2, "right")])
def test_that_an_offset_beyond_doubt_names_its_side(offset_s, side):
    assert said(offset_s, 5e-3).endswith(f"moves the target {side}")


@pytest.mark.parametrize(
    ("offset_s", "words"), [(1e-9, "neither late nor early"), (-0.3, "early"), (0.3, "late")]
)
def test_that_the_offer_says_late_or_early_only_beyond_doubt(window, offset_s, words):
    session: Session = window.model.open_session
    held = replace(session.alignment, offset_s=0.9, how="hand")
    text = proposal_text(replace(session, alignment=held, proposal=clear(offset_s, 1e-6)))
    assert words in text
    assert ("300 ms" in text) == (abs(offset_s) > 0.1)
