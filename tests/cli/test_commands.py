"""The command line as a person and a script use it."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.session.files import exercise_files, shifted_files
from tracescope import __version__
from tracescope.cli.main import OUR_BUG, main
from tracescope.cli.sides import parse_correction
from tracescope.model.correction import Correction
from tracescope.model.errors import UsageError

DATE = "2026-11-30T09:12:44+01:00"


@pytest.fixture
def files(tmp_path):
    sim, target = exercise_files(tmp_path)
    return str(sim), str(target)


def test_that_check_prints_a_table_and_fails_with_one(files, capsys):
    assert main(["check", *files]) == 1
    shown = capsys.readouterr().out
    assert "Observation scaling" in shown
    assert "✕ fail" in shown
    assert "Clock offset 10 ms" in shown
    assert "next test" in shown


def test_that_json_on_standard_output_is_json_alone(files, capsysbinary):
    assert main(["check", *files, "--json", "-", "--date", DATE]) == 1
    content = json.loads(capsysbinary.readouterr().out)
    assert content["schema"] == 1
    assert content["created"] == DATE
    assert content["alignment"]["offset_s"] == pytest.approx(0.01, abs=1e-9)
    states = {check["id"]: check["state"] for check in content["checks"]}
    assert states["observation-scaling"] == "fail"


def test_that_corrections_are_named_in_the_result(files, tmp_path):
    out = tmp_path / "r.json"
    given = ["--correct", "obs_0=1.5", "--correct", "obs_1=1.5,0.0"]
    main(["check", *files, *given, "--json", str(out), "--quiet"])
    content = json.loads(out.read_text("utf-8"))
    assert [(c["channel"], c["scale"]) for c in content["corrections"]] == [
        ("obs_0", 1.5),
        ("obs_1", 1.5),
    ]
    assert {c["id"]: c["state"] for c in content["checks"]}["observation-scaling"] == "pass"


def test_that_correct_auto_applies_what_the_checks_fitted(files, tmp_path):
    out = tmp_path / "r.json"
    main(["check", *files, "--correct", "auto", "--json", str(out), "--quiet"])
    content = json.loads(out.read_text("utf-8"))
    assert {c["channel"] for c in content["corrections"]} == {"obs_0", "obs_1"}
    assert all(c["scale"] == pytest.approx(1.5, abs=0.05) for c in content["corrections"])
    assert {c["id"]: c["state"] for c in content["checks"]}["observation-scaling"] == "pass"


def test_that_everything_asked_for_is_written(files, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    asked = ["--note", f"{out}/n.md", "--note", f"{out}/n.html", "--note", f"{out}/n.pdf"]
    asked += ["--note", f"{out}/n.json", "--figures", f"{out}/figs", "--json", f"{out}/r.json"]
    asked += ["--session", f"{out}/s.tracescope", "--date", DATE, "--quiet"]
    assert main(["check", *files, *asked]) == 1
    assert {p.name for p in out.iterdir()} == {
        "n.md", "n.html", "n.pdf", "n.json", "n_figures", "figs", "r.json", "s.tracescope"
    }  # fmt: skip
    assert (out / "n.pdf").read_bytes().startswith(b"%PDF")
    assert {p.suffix for p in (out / "figs").iterdir()} == {".png", ".svg"}
    note = json.loads((out / "n.json").read_text("utf-8"))
    result = json.loads((out / "r.json").read_text("utf-8"))
    assert {k: note[k] for k in result} == result
    assert note["note"]["command"].startswith("tracescope check ")


def test_that_the_same_command_and_date_write_the_same_bytes(files, tmp_path):
    written = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.html"
        main(["check", *files, "--note", str(path), "--date", DATE, "--quiet"])
        written.append(path.read_bytes())
    assert written[0] == written[1]


def test_that_sources_are_left_alone(files, capsys):
    before = [Path(f).read_bytes() for f in files]
    assert main(["check", *files, "--json", files[0]]) == 2
    assert main(["check", *files, "--session", files[1]]) == 2
    assert "never written" in capsys.readouterr().err
    assert [Path(f).read_bytes() for f in files] == before


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (["--correct", "obs_0"], "CHANNEL=SCALE"),
        (["--correct", "obs_0=0"], "CHANNEL=SCALE"),
        (["--correct", "nope=1.5"], "no channel 'nope'"),
        (["--tolerance", "observation-scaling.scal=0,1"], "observation-scaling.scale"),
        (["--tolerances", "/none.toml"], "cannot be read"),
        (["--note", "note.docx"], ".html"),
        (["--date", "yesterday"], "ISO 8601"),
        (["--confidence", "2"], "confidence"),
        (["--map", "/none.toml"], "none.toml"),
    ],
)
def test_that_a_command_that_cannot_be_used_says_what_to_do(files, capsys, extra, said):
    assert main(["check", *files, *extra]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("missing.csv", None),
        ("empty.csv", b""),
        ("text.h5", b"this is no recording\n"),
        ("cut.h5", b"\x89HDF\r\n\x1a\n" + b"\x00" * 88),
    ],
)
def test_that_an_unusable_file_ends_with_two_and_says_where(files, tmp_path, capsys, name, content):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert main(["check", str(path), files[1]]) == 2
    said = capsys.readouterr().err
    assert name in said
    assert "→" in said


def test_that_an_offset_may_be_negative_and_small(files, tmp_path):
    out = tmp_path / "r.json"
    main(["check", *files, "--offset=-1e-3", "--json", str(out), "--quiet"])
    alignment = json.loads(out.read_text("utf-8"))["alignment"]
    assert (alignment["offset_s"], alignment["how"]) == (-0.001, "given")


def test_that_time_alignment_is_estimated_where_it_is_clear(tmp_path):
    sim, target = shifted_files(tmp_path, 0.137)
    out = tmp_path / "r.json"
    main(["check", str(sim), str(target), "--json", str(out), "--quiet"])
    alignment = json.loads(out.read_text("utf-8"))["alignment"]
    assert alignment["how"] == "estimated"
    assert alignment["offset_s"] == pytest.approx(0.137, abs=0.002)
    low, high = alignment["offset_interval_s"]
    assert low <= alignment["offset_s"] <= high


def test_that_inspect_says_what_is_in_a_file(files, capsys):
    assert main(["inspect", files[0]]) == 0
    shown = capsys.readouterr().out
    assert "40 rows" in shown
    assert "obs_0" in shown
    assert "20 Hz" in shown


def test_that_inspect_writes_json_of_its_schema(files, capsysbinary):
    assert main(["inspect", files[0], "--json", "-"]) == 0
    content = json.loads(capsysbinary.readouterr().out)
    assert list(content) == [
        "schema", "path", "sha256", "layout", "layout_because", "episodes", "health"
    ]  # fmt: skip
    episode = content["episodes"][0]
    assert episode["steps"] == 40
    assert {c["name"]: c["role"] for c in episode["channels"]}["obs_0"] == "observation"


def test_that_a_file_without_a_trace_ends_inspect_with_two(tmp_path, capsys):
    path = tmp_path / "page.h5"
    path.write_text("<!doctype html><html></html>", encoding="utf-8")
    assert main(["inspect", str(path)]) == 2
    assert "page.h5" in capsys.readouterr().err


def test_that_samples_are_listed_and_copied_once(tmp_path, capsys):
    assert main(["sample"]) == 0
    assert "exercise" in capsys.readouterr().out
    to = tmp_path / "ex"
    assert main(["sample", "exercise", "--to", str(to)]) == 0
    assert {"sim.csv", "target.csv", "truth.toml"} <= {p.name for p in to.iterdir()}
    assert main(["sample", "exercise", "--to", str(to)]) == 2
    assert main(["sample", "none"]) == 2
    assert "exercise" in capsys.readouterr().err


def test_that_plugins_lists_what_is_built_in(capsys):
    assert main(["plugins"]) == 0
    shown = capsys.readouterr().out
    assert "observation-scaling" in shown
    assert "one self-contained HTML file" in shown


@pytest.mark.parametrize(
    ("argument", "said"), [("--version", __version__), ("--help", "exit status of check")]
)
def test_that_version_and_help_answer(argument, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main([argument])
    assert ended.value.code == 0
    assert said in capsys.readouterr().out


def test_that_a_fault_of_ours_is_neither_a_verdict_nor_silent(files, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    def broken(*_):
        raise RuntimeError("odd")

    monkeypatch.setattr("tracescope.cli.check_command.open_session", broken)
    assert main(["check", *files]) == OUR_BUG
    said = capsys.readouterr().err
    assert "odd" in said
    assert "errors.log" in said


def test_that_more_than_two_traces_are_refused(capsys):
    assert main(["a.csv", "b.csv", "c.csv"]) == 2
    assert "simulator's and a target's trace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "correction"),
    [
        ("obs[0]=1.5", Correction("obs[0]", 1.5)),
        ("obs[0]=1.5,-0.2", Correction("obs[0]", 1.5, -0.2)),
        ("a=b=2", Correction("a=b", 2.0)),
    ],
)
def test_that_a_correction_reads_channel_scale_offset(text, correction):
    assert parse_correction(text) == replace(correction, by_hand=True)


@pytest.mark.parametrize("text", ["", "x", "x=", "=2", "x=0", "x=nan", "x=1,2,3", "x=1,inf"])
def test_that_a_correction_without_meaning_is_refused(text):
    with pytest.raises(UsageError):
        parse_correction(text)


def test_that_help_is_quick():
    """At most four times a bare interpreter, and without any heavy module."""

    def seconds(*arguments: str) -> float:
        best = float("inf")
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            best = min(best, time.perf_counter() - start)
        return best

    command = "from tracescope.cli.main import main; main(['--help'])"
    assert seconds("-c", command) <= 4 * seconds("-c", "pass")


def test_that_a_terminal_without_the_signs_still_gets_the_table(files):
    run = subprocess.run(
        [sys.executable, "-m", "tracescope", "check", *files],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert run.returncode == 1
    assert b"x fail" in run.stdout
    assert run.stderr == b""


def test_that_inspect_says_why_one_of_several_stages_is_the_applied_action(tmp_path, capsys):
    rows = [f"{n * 0.02:.2f},{n},{n % 7},{n % 5},{n % 3}" for n in range(30)]
    head = "time_s,obs_q,action_raw,action_used,setpoint_sent"
    path = tmp_path / "staged.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    assert main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "setpoint_sent is taken as applied action: a command ('sent'): what was sent" in out
    assert "action_used is not taken: a stage ('used') between emitted and applied action" in out
    assert "action_applied = [...] under [both.roles]" in out


def test_that_inspect_names_the_step_counter_by_which_rows_are_paired(tmp_path, capsys):
    rows = [f"{n + 3},{n * 0.02:.2f},{n % 7}" for n in range(30)]
    counted, timed = tmp_path / "counted.csv", tmp_path / "timed.csv"
    counted.write_text("\n".join(["step,time_s,obs_q", *rows]) + "\n")
    timed.write_text("\n".join(["time_s,obs_q", *(r.partition(",")[2] for r in rows)]) + "\n")
    assert main(["inspect", str(counted)]) == 0
    assert "step counter 3 to 32: rows can be paired by it" in capsys.readouterr().out
    assert main(["inspect", str(timed)]) == 0
    assert "step counter" not in capsys.readouterr().out


def test_that_inspect_is_silent_where_only_one_can_be_the_applied_action(files, capsys):
    assert main(["inspect", str(files[1])]) == 0
    assert "taken as applied action" not in capsys.readouterr().out
