"""The note of the hand-built case, word for word: a change of wording is a change to look at.

Renew it with ``python -m tests.findings.test_golden`` and read the difference.
"""

import re
from pathlib import Path

from tests.findings import hand
from tracescope.findings.note import render
from tracescope.findings.note.document import NoteOptions
from tracescope.session.export import session_document

GOLDEN = Path(__file__).with_name("golden_note.md")


def golden_text() -> str:
    options = NoteOptions(
        title="Golden", author="A. Person", policy="ckpt_1", command="tracescope check a b"
    )
    document = session_document(hand.judged_session(), hand.DATE, options, figures=())
    text = render(document, "md").decode("utf-8")
    text = text[: text.index("### Tolerances in force")]  # declared elsewhere, changed elsewhere
    return re.sub(r"(tracescope|Python|numpy|scipy|pandas|h5py) \d[\w.]*", r"\1 N", text)


def test_that_the_note_reads_as_it_was_approved():
    assert golden_text() == GOLDEN.read_text("utf-8")


if __name__ == "__main__":
    GOLDEN.write_text(golden_text(), encoding="utf-8")
