"""What a person writes over the findings: other words, another place, less certainty, never more."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.findings import hand
from tracescope.session.edits import edited_report, may_become
from tracescope.session.session import FindingEdit, Mark

SESSION = hand.judged_session()
FIRST = SESSION.report.inferred[0]


def edited(*edits, marks=()):
    return edited_report(replace(SESSION, edits=edits, marks=marks))


def test_that_without_edits_the_findings_are_the_same():
    assert edited_report(SESSION) is SESSION.report


def test_that_other_words_are_marked_as_by_hand():
    report = edited(FindingEdit(FIRST.id, "inferred", text="my words"))
    assert report.inferred[0].text == "my words"
    assert report.inferred[0].by_hand
    assert report.inferred[0].rests_on == FIRST.rests_on


def test_that_an_inference_may_be_demoted_and_says_what_it_would_need():
    report = edited(FindingEdit(FIRST.id, "untested"))
    assert FIRST.id not in [f.id for f in report.inferred]
    demoted = next(f for f in report.untested if f.id == FIRST.id)
    assert FIRST.would_be_wrong_if in demoted.would_need


def test_that_nothing_is_promoted():
    untested = SESSION.report.untested[0]
    observed = SESSION.report.observed[0]
    assert not may_become(untested, "inferred")
    assert not may_become(untested, "observed")
    assert not may_become(FIRST, "observed")
    assert not may_become(observed, "inferred")
    report = edited(FindingEdit(untested.id, "observed", text="sure"))
    assert untested.id not in [f.id for f in report.observed]
    assert "sure" in [f.text for f in report.untested]


def test_that_a_hidden_finding_is_not_in_the_note():
    report = edited(FindingEdit(FIRST.id, "inferred", hidden=True))
    assert FIRST.id not in [f.id for f in report.inferred]


def test_that_findings_are_put_in_another_place():
    ids = [f.id for f in SESSION.report.observed]
    report = edited(FindingEdit(ids[-1], "observed", place=0))
    assert [f.id for f in report.observed] == [ids[-1], *ids[:-1]]


def test_that_marks_are_observed_by_hand():
    report = edited(marks=(Mark((0.1, 0.4), "slip"), Mark((1.0, 1.0), "bang", "target")))
    texts = [f.text for f in report.observed if f.by_hand]
    assert texts == [
        "Marked by hand from 0.1 s to 0.4 s: slip",
        "Marked by hand in the target trace at 1 s of its own clock: bang",
    ]


def test_that_what_a_person_infers_is_untested_until_tested():
    report = edited(FindingEdit("new", "inferred", text="it is the gearbox", added=True))
    assert report.untested[-1].text == "it is the gearbox"
    assert report.untested[-1].would_need


@given(st.lists(st.tuples(st.sampled_from(range(9)), st.integers(-2, 20)), max_size=6))
def test_that_moving_findings_never_loses_one(moves):
    ids = [f.id for f in SESSION.report.observed]
    edits = {
        ids[i % len(ids)]: FindingEdit(ids[i % len(ids)], "observed", place=p) for i, p in moves
    }
    report = edited(*edits.values())
    assert sorted(f.id for f in report.observed) == sorted(ids)
