"""The summary: one page whatever the pair, and enough on it not to mislead."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tests.findings import hand
from tests.findings.test_golden import a_follow_up
from tests.findings.test_layout import long_names
from tracescope.cli.sample_command import sample_names
from tracescope.findings.note import render
from tracescope.findings.note.document import NoteDocument, NoteOptions
from tracescope.findings.note.summary import MOST_SHOWN
from tracescope.findings.numbers import clipped
from tracescope.model.check import CheckResult, State
from tracescope.model.finding import Hypothesis
from tracescope.model.trace import Source
from tracescope.session.export import session_document
from tracescope.session.session import Mark

pytestmark = IN_ONE_PROCESS

PAPERS = ("a4", "us-letter")


def pages(document: NoteDocument) -> list[str]:
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    run = subprocess.run(
        ["pdftotext", "-layout", "-", "-"],
        input=render(document, "pdf"),
        capture_output=True,
        check=True,
    )
    return run.stdout.decode("utf-8").replace("\u200b", "").split("\f")


def assert_one_page(document: NoteDocument) -> None:
    first, second, *_ = pages(document)
    assert "Alignment: Rows are paired" in " ".join(first.split())  # the last of the summary
    assert second.lstrip().startswith(("Sources", "Follow-up"))


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", sample_names())
def test_that_a_samples_summary_fits_one_page(name, paper):
    options = NoteOptions(paper=paper, author="A. Person", policy="ckpt_120k")
    assert_one_page(session_document(judged(name), hand.DATE, options, figures=()))


@pytest.mark.parametrize("paper", PAPERS)
def test_that_the_longest_words_fit_one_page(paper):
    """Seven checks, names of 90 letters, deep paths, a follow-up and whatever a person typed."""
    name = "observation/policy/robot_0/left_shoulder_pitch_joint/position_normalised_" + "x" * 17
    results = list(long_names(name))
    sentence = "the traces share " + "too few rows of this or that kind " * 12
    results += [
        CheckResult.inconclusive(check, sentence, settle=sentence)
        for check in ("alignment", "reward", "termination")
    ]
    session = hand.judged_session(tuple(results))
    path = "/home/a/very/deep/folder/" * 6 + "recording_of_the_target_machine.h5"
    sides = {
        side: replace(getattr(session.pair, side), source=Source(path, "ab" * 32))
        for side in ("sim", "target")
    }
    session = replace(
        session, pair=replace(session.pair, **sides), prediction=a_follow_up().prediction
    )
    options = NoteOptions(
        title="T" * 10_000, author="A person " * 900, policy="p" * 10_000, paper=paper
    )
    assert_one_page(session_document(session, hand.DATE, options, figures=()))


def test_that_the_first_page_names_what_fails_what_is_open_and_what_is_untested():
    document = session_document(judged("latch"), hand.DATE, figures=())
    first = " ".join(pages(document)[0].split())
    for words in (
        "Outside tolerance: timing.",
        "Could not be decided: observation scaling, dynamics, reward.",
        "speaks only for the range it covered",
        "inferred and not shown",
        "Another hypothesis: dynamics; consistent with a contact",
        "Left untested:",
        "Next test.",
    ):
        assert words in first


def test_that_the_table_counts_what_else_is_outside():
    document = session_document(hand.judged_session(), hand.DATE, figures=())
    scaling = next(row for row in document.checks if row.id == "observation-scaling")
    assert scaling.key == "scale of obs[0]: 1.500 (and 1 more measurement outside)"
    assert scaling.covers == "obs[0] −0.30 to 0.42"


def leading(explains: float | None, channels: tuple[str, ...]) -> str:
    leader = Hypothesis("timing", channels, explains, 1, "It answers later")
    session = hand.judged_session()
    session = replace(session, report=replace(session.report, hypotheses=(leader,)))
    lines = session_document(session, hand.DATE, figures=()).summary
    return next(line for line in lines if line.startswith("Leading hypothesis"))


def test_that_a_leader_that_explains_little_says_so():
    assert leading(0.0133, ()).endswith(
        "removes 1.33 % of the aligned residual; most of it stays open."
    )
    assert leading(0.96, ()).endswith("removes 96 % of the aligned residual.")


def test_that_a_leader_of_many_channels_counts_those_not_named():
    assert "(a, b, c, d and 2 more);" in leading(0.9, tuple("abcdef"))


def test_that_the_first_page_says_what_lies_outside_of_every_failing_check():
    session = hand.judged_session()
    lines = session_document(session, hand.DATE, figures=()).summary
    failing = [r for r in session.results if r.state is State.FAIL]
    assert failing
    for result in failing:
        said = clipped(result.reason.rstrip("."), MOST_SHOWN)
        assert any(said in line for line in lines), result.id


@pytest.mark.parametrize(
    ("interval_s", "words"),
    [
        ((0.0099999999, 0.0100000001), "Clock offset 10 ms (± < 0.01 ms)."),
        ((0.01, 0.01), "Clock offset 10 ms (to the stamps' last digit)."),
        ((0.009, 0.011), "Clock offset 10.0 ms (9.0 to 11.0 ms)."),
        (None, "Clock offset 10 ms (no interval is claimed)."),
    ],
)
def test_that_an_offset_is_never_given_as_from_one_number_to_the_same(interval_s, words):
    session = hand.judged_session()
    alignment = replace(session.alignment, offset_s=0.01, offset_interval_s=interval_s)
    session = replace(session, alignment=alignment)
    assert words in session_document(session, hand.DATE, figures=()).alignment


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_that_the_first_page_says_what_a_person_marked(count):
    marks = tuple(Mark((0.1 * n, 0.1 * n + 0.2), f"swing {n} is lower") for n in range(count))
    session = replace(hand.judged_session(), marks=marks)
    lines = session_document(session, hand.DATE, figures=()).summary
    said = [line for line in lines if "Marked by hand" in line]
    assert len(said) == bool(count)
    assert " ".join(said).count("Marked by hand from") == min(count, 2)
    assert ("3 more findings written by hand" in " ".join(said)) == (count == 5)


def test_that_a_reason_that_is_cut_has_no_full_stop_behind_its_dots():
    session = hand.judged_session()
    long = replace(session.results[0], state=State.FAIL, reason="this lies outside " * 60)
    session = replace(session, results=(long, *session.results[1:]))
    lines = session_document(session, hand.DATE, figures=()).summary
    (line,) = (line for line in lines if "this lies outside" in line)
    assert line.endswith("…")


@pytest.mark.parametrize(
    ("first", "other", "said"),
    [
        (
            (0.998, "residual"),
            (0.95, "residual"),
            "any one of them alone removes 95 % to 99.8 % of",
        ),
        (
            (0.95, "residual"),
            (0.95, "residual"),
            "any one of them alone removes 95 % of the aligned",
        ),
        (
            (0.998, "one-step misfit"),
            (0.03, "residual"),
            (
                "correcting action alone removes 99.8 % of the one-step misfit, as modelled; "
                "correcting timing alone removes 3 % of the aligned residual."
            ),
        ),
        (
            (None, "residual"),
            (0.2, "residual"),
            (
                "no correction of action could be tried on this pair; "
                "correcting timing alone removes 20 % of the aligned residual; most of it stays open."
            ),
        ),
    ],
)
def test_that_of_leaders_that_tie_each_is_said_to_remove_what_it_removes(first, other, said):
    tied = tuple(
        Hypothesis(family, (), share, 1, explains_of=of)
        for family, (share, of) in zip(("action", "timing"), (first, other), strict=True)
    )
    session = hand.judged_session()
    session = replace(session, report=replace(session.report, hypotheses=tied))
    summary = session_document(session, hand.DATE, figures=()).summary
    (line,) = [line for line in summary if line.startswith("Leading hypotheses")]
    assert said in line
