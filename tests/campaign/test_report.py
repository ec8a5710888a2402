"""The report: every format, what a person typed kept harmless, and no word too many."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import msgspec
import pytest

from tests.campaign.made import mixed_run
from tests.findings.lint import ANYWHERE, CAUSES
from tracescope.campaign.analysis import analysed
from tracescope.campaign.model import CampaignRun, FailedEpisode
from tracescope.campaign.report import FORMATS, need_report_format, render, report_bytes
from tracescope.campaign.report_page import page_of
from tracescope.findings import wording
from tracescope.model.errors import UsageError

TYPED = (
    "<script>alert('x')</script>",
    "**bold** | pipe",
    '=HYPERLINK("http://x")',
    "\u202eright to left",
    "🤖 émoji",
    "[x](javascript:alert(1))",
    "nul\x00 and \x1b[31mescape",
    "a" * 10_000,
)


@pytest.fixture(scope="module")
def result():
    run = mixed_run(seed=3, failed=[FailedEpisode("broken", "a.csv: empty\n  → give a log")])
    earlier = analysed(mixed_run(seed=4))
    return analysed(run, "..", earlier)


@pytest.fixture(scope="module")
def typed():
    """A campaign in which everything a person types is hostile."""
    run = mixed_run(seed=3)
    results = [
        replace(
            r,
            id=f"{TYPED[k % len(TYPED)]} {k}",
            label=TYPED[(k + 1) % len(TYPED)],
            outcome=TYPED[(k + 2) % len(TYPED)],
            params=(*r.params, ("<b>p</b>", TYPED[k % len(TYPED)])),
        )
        for k, r in enumerate(run.results)
    ]
    failed = (FailedEpisode(TYPED[0], TYPED[0]),)
    return analysed(CampaignRun(tuple(results), failed), TYPED[0])


class Tags(HTMLParser):
    """Every tag, attribute and piece of text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("fmt", FORMATS)
def test_that_the_same_result_gives_the_same_bytes(result, fmt):
    assert render(result, fmt, "2026-11-30") == render(result, fmt, "2026-11-30")


@pytest.mark.parametrize("fmt", ["html", "md"])
def test_that_every_kind_is_told_with_what_to_do_and_what_would_show_that_wrong(result, fmt):
    text = render(result, fmt).decode()
    plain = " ".join(Tags(text).texts) if fmt == "html" else text.replace("\\", "")
    plain = " ".join(plain.split())
    for cluster in result.clusters:
        for wanted in (cluster.name, cluster.do, cluster.would_be_wrong_if, cluster.lead):
            assert " ".join(wanted.split()) in plain
        assert ", ".join(cluster.exemplars) in plain
        assert cluster.growth.because in plain
    for heading in ("What to look at first", "Since the earlier campaign", "Not usable", "Method"):
        assert heading in plain
    assert "mass" in plain
    assert "broken" in plain


def test_that_the_page_stands_alone_and_runs_nothing(result):
    page = Tags(render(result, "html").decode())
    assert {"script", "link", "iframe", "img", "object"} & set(page.tags) == set()
    loaded = [v for name, v in page.attributes if name in {"src", "href", "xlink:href"}]
    assert all(v is not None and v.startswith("#") for v in loaded)
    assert page.tags.count("figure") == 2
    assert page.tags.count("svg") >= 2 + len(result.episodes)
    assert len([v for n, v in page.attributes if n == "id"]) == len(
        {v for n, v in page.attributes if n == "id"}
    )


def test_that_states_are_told_by_shape_and_in_words(result):
    text = render(result, "html").decode()
    assert "observation-scaling: fail" in text
    assert {"circle", "path"} <= set(Tags(text).tags)


def test_that_what_was_typed_is_shown_and_never_obeyed(typed):
    text = render(typed, "html").decode()
    page = Tags(text)
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert "<script>" not in text
    assert any("alert('x')" in data for data in page.texts)
    assert "\x00" not in text
    assert "\x1b" not in text


def test_that_markdown_keeps_typed_text_in_its_cell(typed):
    text = render(typed, "md").decode()
    assert "<script>" not in text.replace("\\<", "")
    assert "](javascript" not in text.replace("]\\(", "")
    head = next(line for line in text.splitlines() if line.startswith("| episode |"))
    rows = text[text.index(head) :].split("\n\n")[0].splitlines()
    assert len(rows) == 2 + len(typed.episodes)
    columns = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert len(columns) == 1
    assert "\x00" not in text


def test_that_the_table_reads_back_and_no_cell_is_a_formula(typed, result):
    rows = list(csv.DictReader(io.StringIO(render(result, "csv").decode("utf-8-sig"))))
    assert [row["id"] for row in rows] == [*(e.id for e in result.episodes), "broken"]
    assert [row["cluster"] or None for row in rows[:-1]] == [e.cluster for e in result.episodes]
    assert float(rows[0]["param.mass"]) == result.episodes[0].params["mass"]
    assert rows[-1]["kind"] == "failed"
    hostile = list(csv.reader(io.StringIO(render(typed, "csv").decode("utf-8-sig"), newline="")))
    cells = [cell for row in hostile for cell in row]
    numbers = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?$")
    assert not [c for c in cells if c[:1] in {"=", "+", "-", "@"} and not numbers.match(c)]


def test_that_no_word_claims_a_cause_or_a_score(result):
    text = render(result, "md").decode()
    claimed = re.findall(rf"\b(?:{ANYWHERE}|{CAUSES})\b", text, re.IGNORECASE)
    assert not claimed
    assert "Nothing here adds them up" in text


def test_that_a_campaign_of_noise_says_so_and_claims_nothing():
    sound = tuple(r for r in mixed_run().results if r.id.startswith("sound"))
    result = analysed(CampaignRun(sound))
    text = render(result, "md").decode()
    assert "0 kinds of failure" in text
    assert "No kind of failure came back" in text
    assert "Growing:" not in text
    assert b"<figure" not in render(result, "html")


def test_that_an_interrupted_run_is_said_to_be_one():
    run = replace(mixed_run(), interrupted=True)
    assert "interrupted before the end" in render(analysed(run), "md").decode()


def test_that_the_ending_chooses_the_format_and_another_is_refused(result, tmp_path):
    assert report_bytes(result, tmp_path / "r.JSON") == render(result, "json")
    for name in ("r.docx", "r"):
        with pytest.raises(UsageError, match="html, md, json, csv"):
            need_report_format(tmp_path / name)


def test_that_a_team_may_put_its_own_template(result, tmp_path, monkeypatch):
    (tmp_path / "campaign.md.j2").write_text("{{ page.summary[0] | md }}\n", "utf-8")
    monkeypatch.setenv(wording.OVERRIDE_VARIABLE, str(tmp_path))
    assert render(result, "md").decode() == "40 pairs judged, 1 could not be used.\n"
    (tmp_path / "campaign.md.j2").write_text("{{ page.nothing }}", "utf-8")
    with pytest.raises(UsageError, match="does not render"):
        render(result, "md")


def test_that_no_p_is_shown_for_the_entries_that_made_the_kinds(result):
    pages = page_of(result).clusters
    shown = sum(bool(page.signals) for page in pages)
    assert shown
    for page in pages:
        assert {(row.p, row.told) for row in page.signals} <= {("", "")}
        assert all(row.p and row.told for row in page.parameters)
    html, text = render(result, "html").decode(), render(result, "md").decode()
    assert html.count("p (Holm)") == text.count("p (Holm)") == len(pages)
    assert html.count("test nothing; no p") == shown
    assert "| signal | effect | interval | here | elsewhere |\n" in text


def test_that_growth_is_not_spoken_of_without_kinds_and_said_to_be_open_without_dates():
    sound = tuple(r for r in mixed_run().results if r.id.startswith("sound"))
    assert "growing" not in " ".join(page_of(analysed(CampaignRun(sound))).summary)
    undated = CampaignRun(tuple(replace(r, date=None) for r in mixed_run().results))
    page = page_of(analysed(undated))
    summary = " ".join(page.summary)
    assert "cannot be told: fewer than two different dates" in summary
    assert "No kind is distinguishable" not in summary
    assert all(any("No rate a week." in line for line in c.lines) for c in page.clusters)


def test_that_an_afternoon_gives_no_rate_and_says_why():
    results = mixed_run().results
    first = results[0].date
    assert first is not None
    hurried = [replace(r, date=first + timedelta(minutes=place)) for place, r in enumerate(results)]
    page = page_of(analysed(CampaignRun(tuple(hurried))))
    assert all(any("shorter than a day" in line for line in c.lines) for c in page.clusters)
    assert {p.rate for p in page.priorities} == {"no rate"}


def test_that_a_kind_without_a_place_on_the_map_is_left_out_of_it(result):
    first = result.clusters[0].id
    episodes = [
        msgspec.structs.replace(e, map=None) if e.cluster == first else e for e in result.episodes
    ]
    bare = msgspec.structs.replace(result, episodes=episodes)
    assert b'<figure id="map"' in render(bare, "html")
