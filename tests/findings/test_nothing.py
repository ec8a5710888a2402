"""Notes of pairs with nothing to say: short, and no more certain than they may be."""

from __future__ import annotations

import json

import pytest

from tests.findings import hand
from tests.findings.lint import overclaims, sections
from tests.findings.test_golden import nothing_decided, one_trace_alone
from tracescope.cli.main import main
from tracescope.cli.sample_command import sample_pair
from tracescope.findings.note import FORMATS, render
from tracescope.resources_path import samples
from tracescope.session.export import session_document


def markdown(session) -> str:
    return render(session_document(session, hand.DATE), "md").decode("utf-8")


@pytest.fixture(scope="module")
def itself(tmp_path_factory) -> tuple[str, dict]:
    """The note of a recording against itself, as Markdown and JSON."""
    folder = tmp_path_factory.mktemp("itself")
    sim, _ = sample_pair(samples() / "healthy")
    notes = [folder / "note.md", folder / "note.json"]
    main(["check", str(sim), str(sim), "--quiet", "--note", str(notes[0]), "--note", str(notes[1])])
    return notes[0].read_text("utf-8"), json.loads(notes[1].read_text("utf-8"))


def test_that_a_recording_against_itself_says_so_first(itself):
    text, note = itself
    parts = dict(sections(text))
    assert "Both sides are the same file" in parts["Summary"]
    assert "that is not a proof that there is none" in parts["Summary"]
    assert "Nothing is inferred." in parts["Inferred"]
    assert note["hypotheses"] == []
    assert note["omission_log"]["omissions"] == []
    assert overclaims(text) == []


def test_that_no_difference_still_leaves_something_untested(itself):
    _, note = itself
    assert note["findings"]["untested"]
    assert "fail" not in {check["state"] for check in note["checks"]}


def test_that_all_undecided_infers_nothing_and_asks_for_one_thing():
    text = markdown(nothing_decided())
    parts = dict(sections(text))
    assert "Could not be decided: alignment, observation scaling, action." in parts["Summary"]
    assert "Inside tolerance" not in parts["Summary"]
    assert "Nothing was measured." in parts["Observed"]
    assert "Nothing is inferred." in parts["Inferred"]
    assert "No check passed over a range of any signal." in parts["Supported region"]
    assert (
        "What would settle alignment, everything else unchanged: a longer pair."
        in parts["Next test"]
    )
    assert "quantities below" not in parts["Next test"]
    assert told(text) < 3000


def test_that_one_trace_alone_is_said_and_judged_by_nobody():
    session = one_trace_alone()
    assert session.results == ()
    text = markdown(session)
    assert text.startswith("# Findings: sim.csv alone\n")
    assert "Only the simulator's trace is open; nothing was compared." in text
    assert "Would need: the target's trace of the same episode" in text
    assert "None: no check was run." in text
    assert "every check passed" not in text
    assert told(text) < 2500


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("made", [nothing_decided, one_trace_alone])
def test_that_every_format_holds_nothing(made, fmt):
    content = render(session_document(made(), hand.DATE), fmt)
    assert len(content) > 500


def told(text: str) -> int:
    """Return how many characters the note says before the tolerances in force, which every note lists."""
    return text.index("### Tolerances in force")
