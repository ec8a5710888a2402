"""Probes of a session: marked, measured, told, saved; and their budget file."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.session.files import exercise_files
from tracescope.checks.probing import BUDGETS, DEFAULTS, Probe
from tracescope.cli.main import main
from tracescope.findings.omission import omission_log
from tracescope.model.check import State
from tracescope.model.errors import UsageError
from tracescope.session.budgets import budgets_text, read_budgets, write_budgets
from tracescope.session.catalogue import all_checks
from tracescope.session.judge import judge
from tracescope.session.open import open_session, side_of
from tracescope.session.probe import (
    check_probes,
    parse_probe,
    probe_results,
    told_report,
    with_probe,
    without_probe,
)
from tracescope.session.result_file import session_result
from tracescope.session.store import load_session, save_session

LATCH = Path(__file__).resolve().parents[2] / "samples" / "latch"


@pytest.fixture(scope="module")
def latch():
    return open_session(side_of(str(LATCH / "sim.h5")), side_of(str(LATCH / "target.h5")))


def test_that_the_latch_shows_onset_peak_and_impulse(latch):
    session = with_probe(latch, Probe("v_cmd", "force_z", (0.0, 12.0), ("contact",)))
    (result,) = probe_results(session)
    assert result.state is State.FAIL
    for place in (1, 2, 3):
        peak, impulse, onset = (
            result.measured(f"{quantity}, contact {place} of 3")[0]
            for quantity in ("peak force", "contact impulse", "contact onset")
        )
        assert peak.state is State.FAIL
        assert peak.interval[0] > 15
        assert impulse.state is State.FAIL
        assert onset.interval[0] > 0  # its commands act 60 ms late
        assert onset.interval[1] < 150


def test_that_a_span_of_the_latch_without_contact_is_inconclusive(latch):
    (result,) = probe_results(with_probe(latch, Probe("v_cmd", "force_z", (0.0, 1.5))))
    assert result.state is State.INCONCLUSIVE
    assert "the span holds no event" in result.reason


def test_that_probes_are_added_and_taken_away(latch):
    first, second = Probe("", "force_z", (0, 3)), Probe("", "gripper_z", (0, 3))
    session = with_probe(with_probe(latch, first), second)
    assert without_probe(session, 0).probes == (second,)
    assert session.revision == latch.revision
    assert probe_results(latch) == ()
    with pytest.raises(UsageError, match="'forze'"):
        with_probe(latch, Probe("", "forze", (0, 3)))
    with pytest.raises(UsageError, match="'nothing'"):
        check_probes(replace(latch, probes=(Probe("", "nothing", (0, 3)), first)))


def test_that_a_report_tells_each_probe_apart(latch):
    session = latch
    for span in ((0.0, 4.0), (4.0, 8.0)):
        session = with_probe(session, Probe("v_cmd", "force_z", span))
    probed = probe_results(session)
    report = told_report(session, probed)
    ids = [finding.id for finding in report.observed]
    assert len(ids) == len(set(ids))
    assert any("probe v_cmd → force_z, 4 s to 8 s" in o.text for o in report.observed)
    assert all(o.check == "probe" for o in report.observed)
    assert any(u.check == "probe" for u in report.untested)


def test_that_probes_and_budgets_are_saved_with_the_session(latch, tmp_path):
    budgets = DEFAULTS.with_band("probe.peak-force", (-60.0, float("inf")))
    session = replace(with_probe(latch, Probe("v_cmd", "force_z", (0.0, 4.0))), budgets=budgets)
    save_session(session, tmp_path / "a.tracescope")
    loaded = load_session(tmp_path / "a.tracescope")
    assert loaded.probes == session.probes
    assert loaded.budgets == budgets
    save_session(loaded, tmp_path / "b.tracescope")
    assert (tmp_path / "a.tracescope").read_bytes() == (tmp_path / "b.tracescope").read_bytes()


def test_that_a_probe_waits_for_an_alignment_that_does_not_pass(tmp_path):
    sim, target = exercise_files(tmp_path)
    session = judge(open_session(side_of(str(sim)), side_of(str(target))))
    session = with_probe(session, Probe("", "obs_0", (0.0, 2.0), ("distribution",)))
    (free,) = probe_results(session)
    undecided = tuple(
        replace(r, state=State.INCONCLUSIVE) if r.id == "alignment" else r for r in session.results
    )
    (waiting,) = probe_results(replace(session, results=undecided))
    assert waiting.measurements[0].blocked
    assert not free.measurements[0].blocked


@pytest.mark.parametrize(
    ("text", "probe"),
    [
        ("a,b,0,1.5", Probe("a", "b", (0.0, 1.5))),
        (",b,-1,1e1", Probe("", "b", (-1.0, 10.0))),
        ("a, b[0]+b[1] ,0,1,centroid", Probe("a", "b[0]+b[1]", (0.0, 1.0), ("centroid",))),
        ("a,b,0,1,phase@8+step", Probe("a", "b", (0.0, 1.0), ("phase", "step"), 8.0)),
        ("a,b,0,1,timing@100", Probe("a", "b", (0.0, 1.0), ("timing",), 10.0, 100.0)),
    ],
)
def test_that_a_probe_is_read_from_text(text, probe):
    assert parse_probe(text) == probe


@pytest.mark.parametrize(
    "text", ["", "a,b", "a,b,0", "a,b,x,1", "a,b,0,1,step@3", "a,b,0,1,phase@"]
)
def test_that_text_that_is_no_probe_says_how_one_reads(text):
    with pytest.raises(UsageError, match="COMMAND,RESPONSE"):
        parse_probe(text)


def test_that_a_budget_file_is_written_and_read(tmp_path):
    budgets = DEFAULTS.with_band("probe.phase-lag", (-3.0, 4.5))
    write_budgets(budgets, tmp_path / "b.toml")
    read = read_budgets(tmp_path / "b.toml")
    assert all(read[budget] == budgets[budget] for budget in BUDGETS)
    assert "phase-lag = [-3.0, 4.5]" in budgets_text(budgets)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema = 1\n[budgets]\nphase = [-1, 1]\n", "did you mean"),
        ("schema = 1\n[budgets]\nphase-lag = [1]\n", "a budget is"),
        ("schema = 1\n[budgets]\nphase-lag = [2, 1]\n", "low must not exceed high"),
        ("schema = 1\n[budgets]\njitter = [-1, 1]\n", "outside the allowed range"),
        ("schema = 2\n", "not a budget file"),
        ("schema = 1\n[tolerances]\n", "not a part of a budget file"),
        ("schema =", "not a TOML file"),
    ],
)
def test_that_a_budget_file_that_is_wrong_says_what(tmp_path, text, said):
    path = tmp_path / "b.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=said):
        read_budgets(path)


def test_that_the_command_line_probes(tmp_path, capsys):
    (tmp_path / "b.toml").write_text("schema = 1\n[budgets]\npeak-force = [-1, 100]\n", "utf-8")
    out, note = tmp_path / "r.json", tmp_path / "n.md"
    pair = [str(LATCH / "sim.h5"), str(LATCH / "target.h5")]
    asked = ["--probe", "v_cmd,force_z,0,12,contact", "--budgets", str(tmp_path / "b.toml")]
    assert main(["check", *pair, *asked, "--json", str(out), "--note", str(note)]) == 1
    (probed,) = json.loads(out.read_text("utf-8"))["probes"]
    assert probed["id"] == "probe"
    assert probed["state"] == "fail"
    peaks = [m for m in probed["measurements"] if m["quantity"].startswith("peak force")]
    assert [m["state"] for m in peaks] == ["pass"] * 3
    assert peaks[0]["tolerance"] == [-1.0, 100.0]
    assert "Probed v_cmd → force_z, 0 s" in " ".join(capsys.readouterr().out.split())
    text = note.read_text("utf-8")
    assert "## Probing" in text
    assert "--probe v_cmd,force_z,0,12,contact --budgets" in text or "--budgets" in text
    assert "| probe.peak-force | −1 to 100 N | set by a person |" in text


def test_that_a_probe_of_no_channel_ends_with_two(capsys):
    pair = [str(LATCH / "sim.h5"), str(LATCH / "target.h5")]
    assert main(["check", *pair, "--probe", "v_cmd,forze_z,0,12"]) == 2
    assert "closest names: obs/force_z" in capsys.readouterr().err


def test_that_what_a_probe_shows_stands_in_the_omission_log(latch):
    probed = with_probe(latch, Probe("v_cmd", "force_z", (0.0, 12.0), ("contact",)))
    session = judge(probed, checks=[check for check in all_checks() if check.id == "alignment"])
    log = omission_log(session_result(session, "2026-11-30T09:12:44+01:00"))
    shown = [o for o in log.omissions if o.check == "probe"]
    assert {o.measured.quantity.split(",")[0] for o in shown} == {
        "peak force",
        "contact impulse",
        "contact rise",
    }
    assert all(o.status == "shown" and o.states_affected == ["obs/force_z"] for o in shown)
