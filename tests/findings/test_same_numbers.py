"""Every number that a note shows is one of its JSON's, written with the digits its interval supports."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tests.findings.lint import sections
from tracescope.cli.sample_command import sample_names
from tracescope.findings.note import render
from tracescope.findings.numbers import (
    band_text,
    count_text,
    estimate_text,
    interval_text,
    number,
    percent,
    range_text,
    share_text,
    unit_of,
    value_text,
)
from tracescope.session.export import session_document

pytestmark = IN_ONE_PROCESS

DATE = "2026-11-30T09:12:44+01:00"
NUMBER = re.compile(r"(?<![\w.])[−+-]?\d+(?:\.\d+)?(?:e[−-]?\d+)?")
MEASURED = ("Observed", "Supported region", "Residual mismatch")
TABLES = ("Summary", "Sources", "Alignment", "Hypotheses", "Next test")


def numbers_in(text: str) -> set[str]:
    text = text.replace("SHA-256", "hash")
    return {found.lstrip("+").replace("-", "−") for found in NUMBER.findall(text)}


def words_of(value: Any) -> str:
    """Return every text of a JSON value, and its plain counts."""
    if isinstance(value, dict):
        return " ".join(f"{key} {words_of(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " ".join(map(words_of, value))
    return str(value) if isinstance(value, str | int) else ""


def as_written(result: dict[str, Any]) -> str:
    """Return every number of the result's own fields as a note writes it."""
    out: list[str] = []
    for check in result["checks"]:
        for m in check["measurements"]:
            unit = unit_of(m["quantity"], m["unit"])
            out += estimate_text(m["estimate"], m["interval"], unit, m["tolerance"])
            out += [band_text(m["tolerance"], unit), count_text(m["n"])]
            out += [percent(m["confidence"]), value_text(m["estimate"], None, unit)]
        for c in check["coverage"]:
            out += [interval_text(c["range"]), range_text(c["range"])]
        out += [str(sum(m["state"] == "fail" for m in check["measurements"]) - 1)]
    a = result["alignment"]
    out += [*estimate_text(a["offset_s"], a["offset_interval_s"], "s"), number(a["drift_ppm"])]
    out += [interval_text(a["drift_interval_ppm"], "ppm")]
    for rival in a["rivals"]:
        out += [value_text(rival["offset_s"], None, "s"), number(rival["score"])]
    for hypothesis in result["hypotheses"]:
        if hypothesis["explains"] is not None:
            out.append(share_text(hypothesis["explains"]))
    test = result["next_test"] or {"predicted": []}
    out += [band_text(p["interval"], unit_of(p["quantity"], p["unit"])) for p in test["predicted"]]
    for side in result["pair"].values():
        out += [value_text(side[key], None, "s") for key in ("duration_s", "interval_s")]
    return " ".join(out)


def own_words(result: dict[str, Any]) -> str:
    """Return names, reasons, counts and mechanisms: words that a sentence or a table may repeat."""
    mechanisms = [omission["mechanism"] for omission in result["omission_log"]["omissions"]]
    return words_of({"checks": result["checks"], "pair": result["pair"], "m": mechanisms})


@pytest.fixture(scope="module", params=sample_names())
def note(request) -> tuple[dict[str, Any], dict[str, str]]:
    document = session_document(judged(request.param), DATE, figures=())
    markdown = render(document, "md").decode("utf-8")
    return json.loads(render(document, "json")), dict(sections(markdown))


@pytest.mark.parametrize("heading", MEASURED)
def test_that_what_was_measured_is_the_jsons_measurement(note, heading):
    result, parts = note
    listed = r"(on|and) \d+ (channels|more)"  # how many are told in one sentence
    text = re.sub(listed, "", parts[heading])
    assert numbers_in(text) <= numbers_in(as_written(result) + " " + own_words(result))


@pytest.mark.parametrize("heading", TABLES)
def test_that_every_other_number_stands_in_the_json(note, heading):
    result, parts = note
    known = numbers_in(f"{as_written(result)} {words_of(result)}")
    ranks = {str(h["rank"]) for h in result["hypotheses"]}
    assert numbers_in(parts[heading]) <= known | ranks


def test_that_the_lint_of_numbers_notices_a_wrong_one(note):
    result, parts = note
    known = numbers_in(as_written(result) + " " + own_words(result))
    assert numbers_in(parts["Observed"] + " 987.654321 ms") - known >= {"987.654321"}
