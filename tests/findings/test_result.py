"""The result file: what scripts read."""

import json

import msgspec
import pytest

from tests.findings import hand
from tracescope.findings.published_schema import result_schema_text
from tracescope.findings.result import finite, result_value
from tracescope.findings.result_schema import ResultFile
from tracescope.model.check import CHECK_IDS
from tracescope.resources_path import resources
from tracescope.session.result_file import dated, result_json


def refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


@pytest.fixture(scope="module")
def content():
    return json.loads(result_json(hand.judged_session(), hand.DATE), parse_constant=refuse)


def test_that_the_keys_are_those_of_the_contract(content):
    assert list(content) == [
        "schema", "tracescope", "created", "pair", "alignment", "corrections", "checks",
        "findings", "hypotheses", "next_test", "probes",
    ]  # fmt: skip
    assert list(content["alignment"]) == [
        "mode", "how", "offset_s", "offset_interval_s", "drift_ppm", "drift_interval_ppm",
        "step_shift", "overlap_steps", "rivals",
    ]  # fmt: skip
    assert list(content["checks"][0])[:8] == [
        "id", "state", "reason", "measurements", "coverage", "applied", "would", "evidence"
    ]  # fmt: skip
    assert list(content["checks"][0]["measurements"][0])[:9] == [
        "quantity", "channel", "estimate", "interval", "confidence", "unit", "n", "tolerance", "state"
    ]  # fmt: skip
    assert content["schema"] == 1
    assert content["created"] == hand.DATE


def test_that_the_states_are_the_checks(content):
    assert {c["id"]: c["state"] for c in content["checks"]} == {r.id: r.state for r in hand.RESULTS}
    assert {c["id"] for c in content["checks"]} <= set(CHECK_IDS)


def test_that_what_is_not_finite_is_null(content):
    latency = content["checks"][2]["measurements"][2]
    assert latency["estimate"] is None
    assert latency["interval"] is None
    assert content["checks"][1]["measurements"][0]["tolerance"] == [0.95, None]


def test_that_the_alignment_by_hand_is_given():
    made = hand.case()
    by_hand = hand.judged_session().aligned(made.alignment.moved(0.01))
    content = json.loads(result_json(by_hand, hand.DATE))
    assert content["alignment"]["how"] == "given"
    assert content["alignment"]["offset_interval_s"] is None


def test_that_no_overall_score_stands_anywhere(content):
    def keys(value):
        if isinstance(value, dict):
            yield from value
            for inner in value.values():
                yield from keys(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from keys(inner)

    words = {"score", "total", "overall", "grade", "verdict", "quality"}
    assert not words & set(keys({k: v for k, v in content.items() if k != "alignment"}))


def test_that_the_file_fits_the_published_schema(content):
    assert msgspec.convert(content, ResultFile).checks[0].id == "observation-scaling"
    assert (resources() / "schema" / "result-1.json").read_text("utf-8") == result_schema_text()


def test_that_the_same_session_and_date_give_the_same_bytes():
    session = hand.judged_session()
    assert result_json(session, hand.DATE) == result_json(session, hand.DATE)


def test_that_an_unjudged_case_is_a_valid_result():
    made = hand.case()
    report = hand.judged_session(()).report
    value = result_value(made, (), report, 40, hand.DATE)
    assert value.checks == []
    assert value.next_test is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-11-30T09:12:44+01:00", "2026-11-30T09:12:44+01:00"),
        ("2026-11-30T09:12:44", "2026-11-30T09:12:44+00:00"),
        ("2026-11-30", "2026-11-30T00:00:00+00:00"),
        ("2026-11-30T09:12:44Z", "2026-11-30T09:12:44+00:00"),
    ],
)
def test_that_a_date_always_has_a_zone(given, expected):
    assert dated(given) == expected


def test_that_numbers_are_finite_or_nothing():
    assert [finite(v) for v in (1.5, float("nan"), float("inf"), None)] == [1.5, None, None, None]
