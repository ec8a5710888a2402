"""What a note supports and leaves open: nothing that fails is missing, nothing that passes is listed."""

import json
from dataclasses import replace

import msgspec
import pytest

from tests.findings import hand
from tracescope.findings.note import render
from tracescope.findings.omission import (
    OmissionLog,
    omission_log,
    omission_schema_text,
    status_of,
)
from tracescope.findings.result_schema import MeasurementEntry
from tracescope.model.check import CheckResult
from tracescope.resources_path import resources
from tracescope.session.export import session_document
from tracescope.session.result_file import session_result


@pytest.fixture(scope="module")
def log():
    return omission_log(session_result(hand.judged_session(), hand.DATE))


def test_that_every_failing_measurement_is_an_omission_with_its_numbers(log):
    shown = {(o.check, o.measured.quantity, *o.states_affected) for o in log.omissions}
    assert shown == {
        ("observation-scaling", "scale", "obs[0]"),
        ("observation-scaling", "scale", "obs[1]"),
        ("action", "bound ratio", "action[0]"),
    }
    first = log.omissions[0]
    assert first.measured.interval == (1.473, 1.528)
    assert first.budget == (0.95, 1.05)
    assert first.evidence[0].channel == "obs[0]"


def test_that_a_measurement_that_may_not_speak_is_no_difference(log):
    assert "dynamics" not in {o.check for o in log.omissions}


@pytest.mark.parametrize(
    ("estimate", "tolerance", "state", "status"),
    [
        (1.5, (0.95, 1.05), "fail", "shown"),
        (1.2, (0.95, 1.05), "inconclusive", "open"),
        (1.0, (0.95, 1.05), "inconclusive", ""),
        (1.0, (0.95, 1.05), "pass", ""),
        (None, (0.95, 1.05), "inconclusive", ""),
        (0.5, (0.95, None), "inconclusive", "open"),
        (1.5, None, "inconclusive", ""),
    ],
)
def test_that_a_status_follows_from_estimate_and_state(estimate, tolerance, state, status):
    entry = MeasurementEntry("q", "c", estimate, None, 0.99, "", 9, tolerance, state, "")
    assert status_of(entry) == status


def test_that_only_passing_checks_support_a_range(log):
    assert log.supported == []
    scaling = hand.scaling()
    inside = tuple(replace(m, estimate=1.0, interval=(0.99, 1.01)) for m in scaling.measurements)
    passing = CheckResult.from_measurements(
        "observation-scaling", "inside", inside, coverage=scaling.coverage
    )
    log = omission_log(session_result(hand.judged_session((passing,)), hand.DATE))
    assert [(s.channel, s.range, s.check) for s in log.supported] == [
        ("obs[0]", (-0.3, 0.42), "observation-scaling")
    ]
    assert log.omissions == []


def test_that_the_fragment_fits_its_published_schema():
    document = session_document(hand.judged_session(), hand.DATE, figures=())
    fragment = json.loads(render(document, "json"))["omission_log"]
    assert msgspec.convert(fragment, OmissionLog).schema == 1
    published = (resources() / "schema" / "omission-log-1.json").read_text("utf-8")
    assert published == omission_schema_text()
    assert {s["side"] for s in fragment["sources"]} == {"simulator", "target"}


def test_that_the_mechanism_is_a_lead_of_the_channel_or_what_the_family_means(log):
    by_check = {o.check: o.mechanism for o in log.omissions}
    assert (
        by_check["observation-scaling"]
        == "Consistent with the observation being read on another scale"
    )
    assert all(o.mechanism for o in log.omissions)
