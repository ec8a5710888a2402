"""``tracescope campaign`` as people and scripts use it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaign.generated import Generated, Recipe, write_campaign
from tests.campaign.in_process import break_three
from tracescope.campaign.model import CampaignRun
from tracescope.cli.main import main
from tracescope.model.check import CHECK_IDS

pytestmark = pytest.mark.xdist_group("small campaign")


@pytest.fixture
def cache(judged: tuple[CampaignRun, Path]) -> str:
    """The cache of the small campaign, which was judged before."""
    return str(judged[1])


def test_that_a_campaign_is_told_and_written(
    small: Generated, cache: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    reports = [str(tmp_path / f"report.{ending}") for ending in ("html", "md", "csv", "json")]
    flags = [word for report in reports for word in ("--report", report)]
    command = ["campaign", str(small.manifest), "--cache", cache, "--date", "2026-11-30"]
    assert main([*command, "--json", str(out), *flags]) == 0
    told = capsys.readouterr().out
    for name in small.kind:
        [line] = [line for line in told.splitlines() if line.startswith(name)]
        signs = line.split()[1]
        assert len(signs) == len(CHECK_IDS)
        assert set(signs) <= set("✓✕?")
    result = json.loads(out.read_text())
    assert result["schema"] == 1
    assert [episode["id"] for episode in result["episodes"]] == list(small.kind)
    assert (out.parent / result["folder"]).resolve() == small.manifest.parent
    assert all(Path(report).stat().st_size > 100 for report in reports)


def test_that_json_on_standard_output_comes_alone_and_twice_the_same(
    small: Generated, cache: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    said = []
    for jobs in ("1", "2"):
        command = ["campaign", str(small.manifest), "--json", "-", "--jobs", jobs]
        assert main([*command, "--cache", cache]) == 0
        said.append(capsysbinary.readouterr().out)
    assert said[0] == said[1]
    assert json.loads(said[0])["failed"] == []


def test_that_three_broken_files_of_twenty_are_listed_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = write_campaign(tmp_path, Recipe(seed=5, pairs=20, rows=40, weeks=2))
    words = break_three(made.manifest)
    out = tmp_path / "out.json"
    command = [
        "campaign",
        str(made.manifest),
        "--cache",
        str(tmp_path / "cache"),
        "--json",
        str(out),
    ]
    assert main(command) == 1
    told = capsys.readouterr().out
    result = json.loads(out.read_text())
    assert [failed["id"] for failed in result["failed"]] == list(words)
    assert len(result["episodes"]) == 17
    for name in words:
        assert f"not used  {name}" in told
    assert main([*command, "--quiet"]) == 1
    quiet = capsys.readouterr()
    assert not quiet.out
    assert all(name in quiet.err for name in words)


def test_that_a_manifest_of_no_use_ends_with_status_2_and_every_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("id,sim,target\na,x.csv,y.csv\na,z.csv,\n")
    assert main(["campaign", str(manifest)]) == 2
    told = capsys.readouterr().err
    assert told.count("line 2: ") == 2
    assert told.count("line 3: ") == 3


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--jobs", "0"], ["at least one process"]),
        (["--timeout", "-1"], ["takes no time"]),
        (["--scheduler", "tcp://127.0.0.1:9", "--timeout", "5"], ["this machine alone"]),
        (["--tolerance", "scale=1,2"], ["no tolerance is called"]),
        (["--confidence", "2"], ["between 0.5 and 1"]),
        (["--report", "report.docx", "--json", "no/such/folder/out.json"], ["docx", "no/such"]),
        (["--earlier", "nothing.json"], ["nothing.json"]),
        (["--report", "a.csv", "--json", "./a.csv"], ["a.csv", "same name"]),
        (["--date", "yesterday"], ["ISO 8601"]),
        (["--map", "nothing.toml"], ["map file"]),
    ],
)
def test_that_a_command_of_no_use_is_refused_before_anything_is_judged(
    small: Generated,
    flags: list[str],
    words: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tracescope.cli.campaign_command.run_campaign", lambda *_: 1 / 0)
    assert main(["campaign", str(small.manifest), *flags]) == 2
    told = capsys.readouterr().err
    assert all(word in told for word in words)


def test_that_recordings_and_manifest_are_never_written_onto(
    own_small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = own_small.parent / "pair_003" / "target.csv"
    before = own_small.read_bytes(), target.read_bytes()
    for path in (own_small, target):
        for folder in (own_small, own_small.parent):
            assert main(["campaign", str(folder), "--report", str(path)]) == 2
    assert capsys.readouterr().err.count("never written") == 4
    assert before == (own_small.read_bytes(), target.read_bytes())


def test_that_nothing_the_command_reads_is_written_onto(
    own_small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The result of last week's campaign is not this week's to overwrite."""
    for option in ("earlier", "tolerances", "map"):
        path = tmp_path / f"{option}.json"
        path.write_text("kept")
        command = ["campaign", str(own_small), f"--{option}", str(path), "--json", str(path)]
        assert main(command) == 2
        assert "what is read is never written" in capsys.readouterr().err
        assert path.read_text() == "kept"


def test_that_a_later_campaign_says_which_kinds_shrank(
    small: Generated, cache: str, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    command = ["campaign", str(small.manifest), "--cache", cache, "--quiet"]
    assert main([*command, "--json", str(first)]) == 0
    assert main([*command, "--json", str(second), "--earlier", str(first)]) == 0
    result = json.loads(second.read_text())
    assert len(result["earlier"]) == len(json.loads(first.read_text())["clusters"])


def test_that_help_of_the_command_tells_manifest_and_statuses() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tracescope", "campaign", "--help"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "param.NAME" in run.stdout
    assert "130 interrupted" in run.stdout


@pytest.mark.parametrize(
    ("flag", "broken", "word"),
    [
        ("--cache=.", False, "run the same command again"),
        ("--cache=.", True, "nothing was kept"),
        ("--no-cache", False, "nothing was kept"),
    ],
)
def test_that_an_interruption_says_whether_anything_was_kept(
    small: Generated,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    flag: str,
    word: str,
    *,
    broken: bool,
) -> None:
    def interrupted(_campaign, _options, _pool, cache, _progress) -> CampaignRun:
        if cache is not None:
            cache.broken = broken
        return CampaignRun((), (), interrupted=True)

    monkeypatch.setattr("tracescope.cli.campaign_command.run_campaign", interrupted)
    assert main(["campaign", str(small.manifest), "--quiet", flag]) == 130
    assert word in capsys.readouterr().err


BEGUN = tuple(f"judging: {done} of 8" for done in range(1, 7))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_that_the_interrupt_key_ends_it_at_once_and_it_goes_on_from_there(
    small: Generated, tmp_path: Path
) -> None:
    command = [
        sys.executable, "-m", "tests.campaign.pressed", "campaign", str(small.manifest),
        "--cache", str(tmp_path / "cache"), "--jobs", "2", "--json", str(tmp_path / "out.json"),
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith(BEGUN):  # on a busy machine two pairs may end between two looks
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers as well
            break
    _, told = process.communicate()  # ends when nobody is left who could write
    assert process.returncode == 130
    assert "of 8 pairs judged; run the same command again" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out.json").exists()
    again = subprocess.run([*command, "--jobs", "1"], capture_output=True, text=True, check=True)
    unchanged = [line for line in again.stderr.splitlines() if "unchanged" in line]
    assert "8 of 8 pairs, " in unchanged[-1]
    assert len(json.loads((tmp_path / "out.json").read_text())["episodes"]) == 8
