"""Every inference names its gap channel and the class of safeguard usually considered for it."""

from __future__ import annotations

import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tests.findings import hand
from tracescope.cli.sample_command import sample_names
from tracescope.findings.note import render
from tracescope.findings.safeguard import GAP_CHANNELS, safeguard_of
from tracescope.model.check import CHECK_IDS
from tracescope.session.export import session_document

pytestmark = IN_ONE_PROCESS


@pytest.mark.parametrize("family", CHECK_IDS)
def test_that_every_family_has_a_channel_and_a_safeguard(family):
    channel, safeguard = safeguard_of(family)
    assert channel in GAP_CHANNELS
    assert safeguard


@pytest.mark.parametrize(
    ("family", "kind", "channels", "channel", "words"),
    [
        ("dynamics", "contact stiffness", ("force_z",), "dynamics", "approach-speed envelope"),
        ("action", "smoothing", ("action[0]",), "dynamics", "low-pass"),
        ("action", "rate limit", ("action[0]",), "dynamics", "slew"),
        ("observation-scaling", "hold", ("obs[0]",), "sensing", "hold-over filters and fusion"),
        ("timing", "delay", (), "timing", "delay injection"),
        ("observation-scaling", "scale", ("camera/feature_x",), "appearance", "randomisation"),
        ("observation-scaling", "scale", ("obs[0]",), "sensing", "calibration"),
        ("a-plug-in", "", (), "", ""),
    ],
)
def test_that_the_kind_decides_then_the_family(family, kind, channels, channel, words):
    found = safeguard_of(family, kind, channels)
    assert found[0] == channel
    assert words in found[1]


@pytest.mark.parametrize("name", sample_names())
def test_that_every_inference_of_a_sample_names_both(name):
    for inferred in judged(name).report.inferred:
        assert inferred.gap_channel in GAP_CHANNELS
        assert inferred.safeguard


def test_that_the_note_calls_it_a_lead():
    note = render(session_document(hand.judged_session(), hand.DATE, figures=()), "md").decode()
    assert "Gap channel: sensing; usually considered, as a lead: calibration" in note


def test_that_a_team_may_name_its_own(tmp_path, monkeypatch):
    own = '[safeguard]\nreward = ["sensing", "ours"]\n'
    (tmp_path / "wording.toml").write_text(own, encoding="utf-8")
    monkeypatch.setenv("TRACESCOPE_TEMPLATES", str(tmp_path))
    assert safeguard_of("reward") == ("sensing", "ours")
    assert safeguard_of("timing")[0] == "timing"
