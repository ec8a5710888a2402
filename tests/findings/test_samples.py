"""The lint of words over what the checks really say about every bundled pair."""

import shutil
import subprocess

import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tests.findings.test_build import CAUSES, OVERCLAIMS
from tracescope.cli.sample_command import sample_names
from tracescope.findings.note import render
from tracescope.findings.note.document import NoteOptions
from tracescope.session.export import session_document

pytestmark = IN_ONE_PROCESS


@pytest.mark.parametrize("name", sample_names())
def test_that_observed_speaks_of_no_cause(name):
    texts = [o.text for o in judged(name).report.observed]
    assert texts
    assert not [text for text in texts if CAUSES.search(text)]


@pytest.mark.parametrize("name", sample_names())
def test_that_nothing_is_overclaimed(name):
    report = judged(name).report
    texts = [i.text for i in report.inferred] + [u.text for u in report.untested]
    assert not [text for text in texts if OVERCLAIMS.search(text)]
    assert all(text.startswith("Consistent with") for text in (i.text for i in report.inferred))


@pytest.mark.parametrize("name", sample_names())
def test_that_a_pair_that_is_not_clean_names_one_next_test(name):
    session = judged(name)
    test = session.report.next_test
    assert test is not None
    assert "everything else unchanged" in test.do
    assert test.falsifies


@pytest.mark.parametrize("name", sample_names())
def test_that_the_note_has_every_measurement_and_no_raw_nan(name):
    document = session_document(judged(name), "2026-11-30T00:00:00+00:00", figures=())
    text = render(document, "md").decode("utf-8")
    assert all(row.quantity in text for row in document.measurements)
    assert "nan" not in text.lower().replace("nano", "").split()
    assert "None" not in text.split()


@pytest.mark.parametrize("paper", ["a4", "us-letter"])
def test_that_the_summary_fits_the_first_page(paper):
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    options = NoteOptions(paper=paper, author="A. Person", policy="ckpt_120k")
    document = session_document(judged("latch"), "2026-11-30T00:00:00+00:00", options, figures=())
    run = subprocess.run(
        ["pdftotext", "-layout", "-", "-"],
        input=render(document, "pdf"),
        capture_output=True,
        check=True,
    )
    pages = run.stdout.decode("utf-8").replace("\u200b", "").split("\f")
    assert "Next test" in pages[0]
    assert "Termination" in pages[0]
    assert pages[1].lstrip().startswith("Sources")
