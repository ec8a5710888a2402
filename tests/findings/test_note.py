"""The note in its four formats: same numbers, safe text, same bytes."""

import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from tests.findings import hand
from tracescope.findings.note import FORMATS, render
from tracescope.findings.note.document import Item, NoteOptions
from tracescope.findings.note.html import typed_html
from tracescope.findings.note.markdown import plain, typed
from tracescope.findings.numbers import band_text, count_text, estimate_text
from tracescope.model.correction import Correction
from tracescope.model.errors import UsageError
from tracescope.session.export import export_note, note_format, session_document

NASTY = (
    "<script>alert(1)</script> **bold** <img src=x onerror=alert(2)> 😀 שלום عالم\n\n"
    "- item [link](javascript:alert(3)) `code` $x^2$ #set page(fill: red) {{ 7*7 }}\x00\x1b[31m"
)


@pytest.fixture(scope="module")
def document():
    return session_document(
        hand.judged_session(), hand.DATE, NoteOptions(command="tracescope check a b")
    )


@pytest.fixture(scope="module")
def again():
    return session_document(
        hand.judged_session(), hand.DATE, NoteOptions(command="tracescope check a b")
    )


@pytest.fixture(scope="module")
def nasty():
    session = hand.with_text(hand.judged_session(), NASTY)
    options = NoteOptions(title="<b>T</b> & 😀", author='"A" <a@b>', policy="step_10*_2|x")
    return session_document(session, hand.DATE, options)


def text_of(document, fmt: str) -> str:
    content = render(document, fmt)
    if fmt != "pdf":
        return content.decode("utf-8")
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    run = subprocess.run(
        ["pdftotext", "-layout", "-", "-"], input=content, capture_output=True, check=True
    )
    return run.stdout.decode("utf-8").replace("\u200b", "")


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_every_measurement_stands_in_the_note_as_in_the_json(document, fmt):
    shown = text_of(document, fmt)
    result = json.loads(render(document, "json"))
    checked = 0
    for check in result["checks"]:
        for m in check["measurements"]:
            estimate, interval = estimate_text(m["estimate"], m["interval"], m["unit"])
            wanted = [estimate, interval, band_text(m["tolerance"], m["unit"]), count_text(m["n"])]
            if fmt == "json":
                assert m["quantity"] in shown
            else:
                for word in filter(None, wanted):
                    assert word in shown, (m["quantity"], word)
                    checked += 1
    assert checked > 20 or fmt == "json"


@pytest.mark.parametrize("fmt", ["md", "html"])
def test_that_no_number_of_a_table_is_unknown_to_the_json(document, fmt):
    """Every cell of the table of measurements reads back to a number of the result file."""
    result = json.loads(render(document, "json"))
    known = {
        text
        for check in result["checks"]
        for m in check["measurements"]
        for text in (
            *estimate_text(m["estimate"], m["interval"], m["unit"]),
            band_text(m["tolerance"], m["unit"]),
            count_text(m["n"]),
        )
    }
    shown = {
        cell
        for row in document.measurements
        for cell in (row.estimate, row.interval, row.tolerance, row.n)
    }
    assert shown <= known
    assert all(cell in text_of(document, fmt) for cell in shown)


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_the_same_session_gives_the_same_bytes(fmt, document, again):
    assert render(document, fmt) == render(again, fmt)


@pytest.mark.parametrize("fmt", ["md", "html", "pdf"])
def test_that_every_heading_is_there_in_order(document, fmt):
    shown = text_of(document, fmt)
    places = [
        re.search(rf"^\W*(<h2>)?\s*{heading}", shown, re.MULTILINE).start()
        for heading in (
            "Sources", "Alignment", "Corrections", "Checks", "Observed", "Inferred", "Untested",
            "Hypotheses", "Next test", "Supported region", "Residual mismatch", "Appendix",
        )
        if heading not in {"Alignment", "Next test"}  # both stand on the first page too
    ]  # fmt: skip
    assert places == sorted(places)


def test_that_the_alignment_is_told_in_words_with_interval_and_convention(document):
    said = " ".join(document.alignment)
    assert "moved left 10 ms, 0.2 samples" in said
    assert "9.980 to 10.020 ms" in said
    assert "positive offset says that the target's stamps are late" in said


def test_that_the_summary_names_states_without_any_score(document):
    assert document.summary[0] == "Outside tolerance: observation scaling, action."
    assert "Could not be decided: timing, dynamics." in document.summary
    assert document.summary[3] == "Could not be decided: timing, dynamics."
    assert not re.search(r"\b(score|overall|\d+ of \d+ checks)\b", " ".join(document.summary))


def test_that_a_note_of_passes_alone_claims_no_equality():
    passing = replace(hand.scaling().measurements[0], estimate=1.0, interval=(0.99, 1.01))
    result = type(hand.scaling()).from_measurements("observation-scaling", "inside", [passing])
    said = " ".join(session_document(hand.judged_session((result,)), hand.DATE).summary)
    assert "speaks only for the range it covered" in said
    assert "not a proof that there is none" in said


@pytest.mark.parametrize(("count", "said_more"), [(1, ""), (6, ""), (9, " and 3 more")])
def test_that_a_note_after_corrections_never_says_that_no_difference_was_shown(count, said_more):
    passing = replace(hand.scaling().measurements[0], estimate=1.0, interval=(0.99, 1.01))
    result = type(hand.scaling()).from_measurements("observation-scaling", "inside", [passing])
    session = hand.judged_session((result,))
    corrections = tuple(Correction(f"obs[{i}]", 651.9) for i in range(count))
    document = session_document(replace(session, corrections=corrections), hand.DATE)
    said = " ".join(document.summary)
    assert f"obs[{min(count, 6) - 1}]{said_more}." in said
    assert "No difference was shown;" not in said
    assert "are differences of the recordings" in said


def test_that_html_is_self_contained_and_runs_nothing(nasty):
    shown = text_of(nasty, "html")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "javascript:" not in re.sub(r"<li[^>]*>.*?</li>", "", shown)
    assert not re.search(r'(src|href)="(?!#|mailto:|https?://www\.w3\.org)', shown)
    assert not re.search(r"\son\w+\s*=\s*[\"']", shown)
    assert "<strong>bold</strong>" in shown
    assert "&lt;b&gt;T&lt;/b&gt; &amp; 😀" in shown
    assert "שלום" in shown


def test_that_ids_of_figures_in_one_page_are_unique(document):
    ids = re.findall(r'\bid="([^"]+)"', text_of(document, "html"))
    assert len(ids) > 50
    assert len(set(ids)) == len(ids)
    used = set(re.findall(r'xlink:href="#([^"]+)"|url\(#([^)]+)\)', text_of(document, "html")))
    assert {a or b for a, b in used} <= set(ids)


def test_that_markdown_disarms_html_and_links_that_run(nasty):
    shown = text_of(nasty, "md")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "javascript:" not in shown
    assert "**bold**" in shown
    assert "\x00" not in shown
    assert "step_10\\*\\_2\\|x" in shown or "step_10\\*_2\\|x" in shown


def test_that_pdf_takes_text_as_text(nasty):
    shown = text_of(nasty, "pdf")
    assert "<script>alert(1)</script>" in shown
    assert "#set page(fill: red)" in re.sub(r"\s+", " ", shown)
    assert "{{ 7*7 }}" in re.sub(r"\s+", " ", shown)


def test_that_json_keeps_what_was_typed(nasty):
    assert NASTY in json.loads(render(nasty, "json"))["note"]["by_hand"]


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_ten_thousand_characters_are_rendered(fmt):
    long = "x" * 10_000
    document = session_document(hand.with_text(hand.judged_session(), long), hand.DATE, figures=())
    assert text_of(document, fmt).replace("\n", "").replace(" ", "").count("x") >= 10_000


def test_that_typed_html_keeps_markdown_and_drops_the_rest():
    assert (
        typed_html("*a* <b onclick=x>b</b>") == "<p><em>a</em> &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"
    )
    assert "href" not in typed_html("[a](javascript:alert(1))").split("javascript")[0]
    assert 'href="https://x.org"' in typed_html("[a](https://x.org)")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("obs[0]", "obs[0]"),
        ("joint_pos", "joint_pos"),
        ("_x_ *y*", "\\_x\\_ \\*y\\*"),
        ("a|b <c>", "a\\|b \\<c\\>"),
        ("obs[0](x)", "obs[0]\\(x)"),
        ("# head", "\\# head"),
        ("two\nlines", "two lines"),
    ],
)
def test_that_generated_text_is_shown_letter_by_letter(text, escaped):
    assert plain(text) == escaped


def test_that_only_text_by_hand_is_markdown():
    assert typed(Item("**x**")) == "\\*\\*x\\*\\*"
    assert typed(Item("**x**", by_hand=True)) == "*By hand:* **x**"
    assert typed(Item("  ", by_hand=True)) == "*By hand:* (no text)"


@pytest.mark.parametrize("name", ["n.txt", "n", "n.docx"])
def test_that_another_ending_is_refused_with_those_that_exist(name):
    with pytest.raises(UsageError) as caught:
        note_format(name)
    assert ".pdf" in caught.value.problems[0].todo


def test_that_markdown_finds_its_figures(tmp_path):
    export_note(hand.judged_session(), tmp_path / "note.md", hand.DATE)
    links = re.findall(r"\]\(([^)]+\.svg)\)", (tmp_path / "note.md").read_text("utf-8"))
    assert len(links) >= 4
    assert all((tmp_path / link).is_file() for link in links)


def test_that_a_teams_templates_win(tmp_path, monkeypatch, document):
    (tmp_path / "note.md.j2").write_text("OURS {{ doc.title }}", encoding="utf-8")
    (tmp_path / "wording.toml").write_text(
        '[observed]\ncounts = "COUNTED {{ listed }}"\n', encoding="utf-8"
    )
    monkeypatch.setenv("TRACESCOPE_TEMPLATES", str(tmp_path))
    assert render(document, "md").decode().startswith("OURS ")
    observed = hand.judged_session().report.observed
    assert any(o.text == "COUNTED 9 rows bounded, 40 rows" for o in observed)
    assert any(o.text.startswith("Scale of obs[0]") for o in observed)


def test_that_a_broken_template_is_said(tmp_path, monkeypatch, document):
    (tmp_path / "note.md.j2").write_text("{{ doc.nothing }}", encoding="utf-8")
    monkeypatch.setenv("TRACESCOPE_TEMPLATES", str(tmp_path))
    with pytest.raises(UsageError, match=r"note\.md\.j2"):
        render(document, "md")


def test_that_a_note_with_nothing_to_say_is_short_and_honest():
    document = session_document(hand.judged_session(()), hand.DATE, figures=())
    shown = text_of(document, "md")
    assert "No check was run" in shown
    assert "Nothing was measured." in shown
    assert "not the same as everything being tested" in shown or "Only the target" in shown
