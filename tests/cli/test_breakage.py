"""Bad files and odd commands: told in words with the exit status of unusable input, never a traceback."""

import io
import json
import os
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from tests.session.files import exercise_files
from tracescope.cli.main import UNUSABLE, _print_anything, main
from tracescope.model.errors import UsageError
from tracescope.readers import open_trace
from tracescope.session.atomic import write_beside
from tracescope.session.catalogue import all_checks


@pytest.fixture
def files(tmp_path):
    sim, target = exercise_files(tmp_path)
    return str(sim), str(target)


def told(capsys, *arguments):
    """Run a command that must be refused; return what it says."""
    status = main([str(argument) for argument in arguments])
    said = capsys.readouterr().err
    assert status == UNUSABLE, said
    assert "Traceback" not in said
    return said


def test_that_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(pipe.read_bytes()))
    reader.start()
    write_beside(pipe, b"content", ())
    reader.join(timeout=10)
    assert seen == [b"content"]
    assert pipe.is_fifo()


def test_that_an_output_link_stays_a_link(tmp_path):
    real = tmp_path / "elsewhere" / "result.json"
    real.parent.mkdir()
    link = tmp_path / "result.json"
    link.symlink_to(real)
    write_beside(link, b"content", ())
    assert link.is_symlink()
    assert real.read_bytes() == b"content"


@pytest.mark.parametrize("kind", ["folder", "loop", "no folder"])
def test_that_an_output_nobody_can_write_is_told(tmp_path, kind):
    out = tmp_path / "out.json"
    if kind == "folder":
        out.mkdir()
    elif kind == "loop":
        out.symlink_to(out)
    else:
        out = tmp_path / "gone" / "out.json"
    with pytest.raises(UsageError, match="cannot be written"):
        write_beside(out, b"content", ())


def test_that_a_fault_inside_a_check_goes_to_the_log_and_not_to_the_terminal(
    files, monkeypatch, capsys, tmp_path
):
    def judge(*_):
        warnings.warn("mean of an empty slice", RuntimeWarning, stacklevel=1)
        raise ValueError("a number too large to square")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(type(all_checks()[-1]), "judge", judge)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        main(["check", *files])
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "ValueError" in shown.out
    log = (tmp_path / "state" / "tracescope" / "log" / "errors.log").read_text("utf-8")
    assert "a number too large to square" in log
    assert "mean of an empty slice" in log
    assert warnings.showwarning.__module__ != "logging"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_that_a_terminal_without_the_sign_still_shows_a_minus(monkeypatch, encoding):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding=encoding))
    _print_anything()
    sys.stdout.write("−2.3 → 观 …")
    sys.stdout.flush()
    shown = raw.getvalue().decode(encoding)
    assert shown.startswith("-2.3 -> ? ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "", "TARGET"],
        ["check", "SIM", "  "],
        ["check", "::demo", "TARGET"],
        ["inspect", ""],
        ["inspect", "::0"],
        ["", "TARGET"],
    ],
)
def test_that_an_empty_path_never_means_the_current_folder(files, capsys, arguments):
    known = dict(zip(("SIM", "TARGET"), files, strict=True))
    assert "names no file" in told(capsys, *(known.get(word, word) for word in arguments))


@pytest.mark.parametrize("word", ["chek", "inspec", "frobnicate"])
def test_that_a_mistyped_command_is_told_as_one(capsys, word):
    said = told(capsys, word, "a.csv", "b.csv")
    assert "neither a command nor a file" in said
    assert "inspect" in said or "tracescope check" in said


@pytest.mark.parametrize(
    "options",
    [
        ["--offset", "nan"],
        ["--offset", "inf"],
        ["--offset", "1e300"],
        ["--drift-ppm", "1e12"],
        ["--step-shift", "9" * 30],
        ["--step-shift", str(-(2**63))],
        ["--confidence", "99"],
        ["--tolerance", "nonsense"],
        ["--tolerance", "observation-scaling.scale=2,1"],
        ["--correct", "nope=2"],
        ["--correct", "obs_0=0"],
        ["--correct", "obs_0=nan"],
        ["--correct", "obs_0=2", "--correct", "obs_0=3"],
        ["--date", "nonsense"],
        ["--map", "gone.toml"],
        ["--note", "note.txt"],
        ["--sim-episode", "no-such"],
    ],
)
def test_that_what_an_option_cannot_mean_is_refused_with_its_name(files, capsys, options):
    said = told(capsys, "check", *files, *options)
    assert options[0] in said or options[1].split("=")[0] in said


@pytest.mark.parametrize("value", [1.7976931348623157e308, -1e300, 1e155])
def test_that_a_number_no_machine_has_is_missing_and_told(tmp_path, value):
    path = tmp_path / "a.csv"
    rows = (f"{0.02 * k},{value if k % 3 else 0.5 * k},{k % 7}" for k in range(60))
    path.write_text("timestamp,obs_x,action_u\n" + "\n".join(rows) + "\n", "utf-8")
    trace = open_trace(str(path))
    assert np.isnan(trace["obs_x"].value).sum() == 40
    note = next(note for note in trace.health if note.key == "sentinels")
    assert (note.severity, note.count) == ("repaired", 40)


def test_that_a_simulation_that_blew_up_is_kept_as_recorded(tmp_path):
    path = tmp_path / "a.csv"
    rows = (f"{0.02 * k},{10.0**k},{k % 7}" for k in range(25))
    path.write_text("timestamp,obs_x,action_u\n" + "\n".join(rows) + "\n", "utf-8")
    assert open_trace(str(path))["obs_x"].value.max() == 1e24


def wave(n, start_s=0.0, change=lambda value: value):
    """Rows of a driven mass: stamp, counter, position, speed, action, reward, done."""
    action = np.random.default_rng(1).normal(size=n)
    speed = np.convolve(action, 0.1 * 0.9 ** np.arange(50))[:n]
    position = 0.02 * np.cumsum(speed)
    cells = [change(position), change(speed), change(action), change(-(position**2))]
    stamps = start_s + 0.02 * np.arange(n)
    rows = [stamps, np.arange(n), *cells, np.arange(n) == n - 1]
    return "timestamp,step,obs_x,obs_v,action_u,reward,done\n" + "".join(
        ",".join(f"{float(column[k])!r}" for column in rows) + "\n" for k in range(n)
    )


EMPTY = {
    "one row": wave(1),
    "two rows": wave(2),
    "three rows": wave(3),
    "nan": wave(80, change=lambda value: np.full(value.shape, np.nan)),
    "inf": wave(80, change=lambda value: np.full(value.shape, np.inf)),
    "largest": wave(80, change=lambda value: np.full(value.shape, 1.7e308)),
    "constant": wave(80, change=np.ones_like),
    "tiny": wave(80, change=lambda value: value * 1e-310),
    "no stamp": wave(80, start_s=np.nan),
    "stamps of 1e300": wave(80, start_s=1e300),
}
"""Recordings of which little or nothing can be told."""

WHOLE = wave(80)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", EMPTY)
def test_that_nothing_fails_where_nothing_can_be_told(tmp_path, capsys, monkeypatch, name):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tracescope.cli.log.start_log", lambda: None)
    bad, whole, out = (tmp_path / file for file in ("bad.csv", "whole.csv", "result.json"))
    bad.write_text(EMPTY[name], "utf-8")
    whole.write_text(WHOLE, "utf-8")
    stamps_alone = "stamp" in name
    for sim, target in ((bad, bad), (bad, whole), (whole, bad)):
        arguments = ["check", str(sim), str(target), "--json", str(out), "--quiet"]
        assert main(arguments) == 3, capsys.readouterr().err
        checks = json.loads(out.read_text("utf-8"))["checks"]
        assert not [c["reason"] for c in checks if "itself failed" in c["reason"]]
        states = {c["id"]: c["state"] for c in checks}
        assert "fail" not in states.values()
        if not stamps_alone:
            assert states["dynamics"] == states["reward"] == states["action"] == "inconclusive"


def test_that_a_link_to_nothing_is_told_as_one_and_never_as_its_own_remedy(tmp_path, capsys):
    link = tmp_path / "run.csv"
    link.symlink_to(tmp_path / "moved.csv")
    said = told(capsys, "inspect", link)
    assert "link leads nowhere" in said
    assert "moved.csv" in said


@pytest.mark.parametrize(("asked", "suggested"), [("rum_04.csv", True), ("missing.csv", False)])
def test_that_only_a_near_name_is_suggested(tmp_path, capsys, asked, suggested):
    (tmp_path / "run_04.csv").write_text(wave(3), "utf-8")
    (tmp_path / "inf.csv").write_text(wave(3), "utf-8")
    assert ("did you mean run_04.csv?" in told(capsys, "inspect", tmp_path / asked)) == suggested


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("flag", ["--json", "--note", "--session"])
@pytest.mark.parametrize("through", ["itself", "link"])
def test_that_no_output_goes_onto_a_recording(tmp_path, capsys, side, flag, through):
    recordings = [tmp_path / "sim.html", tmp_path / "target.html"]
    for recording in recordings:
        recording.write_text(wave(40), "utf-8")
    out = recordings[side]
    if through == "link":
        out = tmp_path / "out.html"
        out.symlink_to(recordings[side])
    before = [recording.read_bytes() for recording in recordings]
    assert "never written" in told(capsys, "check", *recordings, flag, out)
    assert [recording.read_bytes() for recording in recordings] == before


def test_that_the_time_grows_no_faster_than_the_channels(tmp_path):
    def seconds(channels):
        path = tmp_path / f"{channels}.csv"
        names = ",".join(f"obs_{i}" for i in range(channels))
        rows = (f"{0.02 * k}," + ",".join([str(0.1 * k)] * channels) for k in range(3))
        path.write_text(f"timestamp,{names}\n" + "\n".join(rows) + "\n", "utf-8")
        started = time.process_time()
        assert main(["check", str(path), str(path), "--quiet"]) == 3
        return time.process_time() - started

    seconds(20)
    assert seconds(4000) < 10 * max(seconds(1000), 0.5)


def test_that_a_channel_paired_twice_is_refused(files, tmp_path, capsys):
    mapped = tmp_path / "map.toml"
    mapped.write_text('schema = 1\npairs = [["obs_0", "obs_1"], ["obs_0", "obs_0"]]\n', "utf-8")
    assert "in a pair already" in told(capsys, "check", *files, "--map", mapped)
