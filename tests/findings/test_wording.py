"""The wording of notes: planted overclaims are caught under each heading, real notes are clean."""

from __future__ import annotations

import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tests.findings import hand
from tests.findings.lint import FORBIDDEN, overclaims, sections
from tracescope.cli.sample_command import sample_names
from tracescope.findings.note import render
from tracescope.session.export import session_document

pytestmark = IN_ONE_PROCESS

PLANTED = {
    "Summary": "The gap is caused by the gripper.",
    "Checks": "The scale differs because of the driver.",
    "Observed": "The scale is 1.5 because of a unit.",
    "Inferred": "This shows that the sensor is wrong.",
    "Untested": "Beyond 0.5 the action is fine.",
    "Hypotheses": "Both together explain the gap.",
    "Next test": "Replaying it will confirm the scale.",
    "Follow-up": "The scale is now correct.",
}
ANYWHERE = (
    "This proves it.",
    "The overall score is good.",
    "6 of 7 checks pass.",
    "The pair is 93 % healthy.",
    "Definitely the sensor.",
)


@pytest.fixture(scope="module")
def note() -> str:
    return markdown(hand.judged_session())


def markdown(session) -> str:
    document = session_document(session, hand.DATE, figures=())
    return render(document, "md").decode("utf-8")


def planted(note: str, heading: str, sentence: str) -> str:
    place = f"## {heading}\n" if f"## {heading}\n" in note else "## Sources\n"
    return note.replace(place, f"## {heading}\n\n- {sentence}\n\n", 1)


def test_that_the_lint_knows_every_heading_that_tells_something(note):
    assert set(FORBIDDEN) == set(PLANTED)
    assert {h for h, _ in sections(note)} >= set(FORBIDDEN) - {"Follow-up"}


@pytest.mark.parametrize(("heading", "sentence"), PLANTED.items())
def test_that_an_overclaim_is_caught_under_its_heading(note, heading, sentence):
    assert overclaims(note) == []
    assert heading in {h for h, _ in overclaims(planted(note, heading, sentence))}


@pytest.mark.parametrize("heading", ["Summary", "Observed", "Inferred", "Untested", "Next test"])
@pytest.mark.parametrize("sentence", ANYWHERE)
def test_that_some_claims_stand_nowhere(note, heading, sentence):
    assert overclaims(planted(note, heading, sentence))


def test_that_an_observation_does_not_hedge(note):
    assert overclaims(planted(note, "Observed", "The sensor is probably wrong."))
    assert not overclaims(planted(note, "Inferred", "Consistent with a sensor on another scale."))


@pytest.mark.parametrize("name", sample_names())
def test_that_a_samples_note_claims_no_more_than_it_may(name):
    assert overclaims(markdown(judged(name))) == []
