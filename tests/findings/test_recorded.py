"""Notes of recorded pairs: worded as they may be, one page of summary, nothing beyond the margins."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.findings import hand
from tests.findings.lint import overclaims
from tests.findings.test_first_page import assert_one_page
from tests.findings.test_layout import MARGIN_PT, words
from tracescope.findings.note import render
from tracescope.findings.note.document import NoteOptions
from tracescope.session.export import session_document
from tracescope.session.judge import judge
from tracescope.session.open import open_session, side_of
from tracescope.session.session import Session

pytestmark = pytest.mark.xdist_group("recorded pairs")

PAIRS = {
    "arm": ("so101-sage/step_response/main", "so101-sage/step_response/rawunits"),
    "quadruped": (
        "go2-observation-and-motor-delay/*_motordelay0_*.h5",
        "go2-observation-and-motor-delay/*_motordelay1_*.h5",
    ),
    "ball": ("ball-and-beam/sim*.csv", "ball-and-beam/hardware*.csv"),
}


@cache
def judged(folder: Path, name: str) -> Session:
    (sim,), (target,) = (tuple(folder.glob(pattern)) for pattern in PAIRS[name])
    return judge(open_session(side_of(str(sim)), side_of(str(target))))


@pytest.mark.parametrize("name", PAIRS)
def test_that_the_note_of_a_recorded_pair_may_stand(shared_data, name):
    session = judged(shared_data, name)
    assert session.report.next_test is not None
    document = session_document(session, hand.DATE, figures=())
    assert overclaims(render(document, "md").decode("utf-8")) == []


@pytest.mark.parametrize("paper", ["a4", "us-letter"])
@pytest.mark.parametrize("name", PAIRS)
def test_that_it_keeps_its_pages(shared_data, name, paper):
    session = judged(shared_data, name)
    document = session_document(session, hand.DATE, NoteOptions(paper=paper), figures=())
    assert_one_page(document)
    for width, found in words(document):
        assert not [w for w in found if w[0] < MARGIN_PT or w[2] > width - MARGIN_PT]


def test_that_the_quadrupeds_delay_leads_with_its_number(shared_data):
    report = judged(shared_data, "quadruped").report
    assert report.hypotheses[0].family == "timing"
    assert "Inject into the simulator the delay of 19." in report.next_test.do
    (predicted,) = report.next_test.predicted
    assert predicted.quantity == "response latency, target less sim"
