"""Nothing on a PDF page runs out of its margins or over a neighbour's column."""

import re
import shutil
import subprocess
from dataclasses import replace
from itertools import combinations

import pytest

from tests.findings import hand
from tracescope.findings.note import render
from tracescope.findings.note.document import NoteDocument, NoteOptions
from tracescope.session.export import session_document

MARGIN_PT = 50
WORD = re.compile(
    r'<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</word>'
)
PAGE = re.compile(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', re.DOTALL)


def words(document: NoteDocument):
    """Yield (page width, words as (x0, y0, x1, y1, text)) a page."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    run = subprocess.run(
        ["pdftotext", "-bbox", "-", "-"],
        input=render(document, "pdf"),
        capture_output=True,
        check=True,
    )
    for width, _, content in PAGE.findall(run.stdout.decode("utf-8")):
        yield float(width), [(*map(float, w[:4]), w[4]) for w in WORD.findall(content)]


def long_names(name: str):
    """The hand-built results with every channel called by a very long name."""

    def renamed(result):
        measurements = tuple(
            replace(m, channel=name if m.channel else "") for m in result.measurements
        )
        leads = tuple(replace(lead, channels=(name,)) for lead in result.leads)
        coverage = tuple(replace(c, channel=name) for c in result.coverage)
        return replace(
            result, measurements=measurements, leads=leads, coverage=coverage, evidence=()
        )

    return tuple(renamed(result) for result in hand.RESULTS)


@pytest.mark.parametrize("paper", ["a4", "us-letter"])
@pytest.mark.parametrize(
    "name",
    [
        "obs[0]",
        "observation/policy/robot_0/left_shoulder_pitch_joint/position_normalised[12]",
        "x" * 90,
    ],
)
def test_that_no_word_leaves_the_margins(paper, name):
    session = hand.judged_session(long_names(name))
    document = session_document(session, hand.DATE, NoteOptions(paper=paper), figures=())
    pages = list(words(document))
    assert len(pages) >= 3
    for width, found in pages:
        outside = [w for w in found if w[0] < MARGIN_PT or w[2] > width - MARGIN_PT]
        assert not outside, outside[:5]


@pytest.mark.parametrize("name", ["observation/policy/left_shoulder_pitch[12]", "x" * 90])
def test_that_no_two_words_lie_over_each_other(name):
    session = hand.judged_session(long_names(name))
    document = session_document(session, hand.DATE, figures=())
    for _, found in words(document):
        for one, two in combinations(found, 2):
            across = min(one[2], two[2]) - max(one[0], two[0])
            down = min(one[3], two[3]) - max(one[1], two[1])
            assert not (across > 1 and down > 3), (one, two)
