"""A pair whose causes are one in the log: said alike in note, result file and on the command line."""

from __future__ import annotations

import io

import pytest

from tests.checks.dynamics_plants import Plant, both
from tests.findings import hand
from tracescope.checks.registry import BUILT_IN
from tracescope.cli.table import print_session
from tracescope.findings.note.document import NoteDocument
from tracescope.session.export import session_document
from tracescope.session.judge import judge
from tracescope.session.result_file import session_result
from tracescope.session.session import Session, SideChoices


@pytest.fixture(scope="module")
def session() -> Session:
    """A stronger actuator, with nothing logged of what reached it."""
    case = both(Plant("spring"), 300, 1, log_applied=False, gain=1.3)
    side = SideChoices("")
    return judge(Session(case.pair, side, side, case.alignment), checks=BUILT_IN, sensitivity=False)


@pytest.fixture(scope="module")
def document(session) -> NoteDocument:
    return session_document(session, hand.DATE, figures=())


def test_that_all_that_moves_alike_shares_the_first_rank(session):
    tied = [h for h in session.report.hypotheses if h.rank == 1]
    assert {"action", "dynamics"} <= {h.family for h in tied}
    for h in tied:
        assert set(h.not_told_apart) == {other.family for other in tied if other is not h}


def test_that_the_note_says_so_in_its_ledger_and_on_its_first_page(document):
    ranks = [row.rank for row in document.hypotheses]
    assert ranks.count("1 =") >= 2
    assert "1" not in ranks
    (line,) = [said for said in document.summary if said.startswith("Leading hypotheses")]
    assert "not told apart on this pair" in line
    assert "any one of them alone" in line
    assert not any(said.startswith("Another hypothesis: dynamics") for said in document.summary)


def test_that_the_result_file_keeps_its_keys_and_has_one_more(session):
    for entry in session_result(session, "").hypotheses:
        assert entry.rank == 1 or not entry.not_told_apart
        assert entry.family not in entry.not_told_apart


def test_that_the_command_line_names_them_all_and_the_test_that_separates_them(session):
    out = io.StringIO()
    print_session(session, out)
    said = " ".join(out.getvalue().split())
    assert "leading hypothesis (inferred) 1 = " in said
    assert "not told apart on this pair" in said
    assert "next test Log the action that reached the actuator" in said
