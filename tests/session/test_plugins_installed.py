"""Packages that are really installed: a sound one is used, a broken one is sentences and never a crash."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import wander
from tests.session.files import exercise_files
from tracescope.model.check import CHECK_IDS

TESTS = Path(__file__).resolve().parents[1]
SOUND, BROKEN = TESTS / "plugin_example", TESTS / "plugin_broken"


def install(package: Path, folder: Path) -> Path:
    """Install a package into a folder, from a copy, so that no build leaves traces in the source."""
    import shutil

    source = folder / "source"
    shutil.copytree(package, source, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--no-compile"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder / "site")]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return install(SOUND, tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    return install(BROKEN, tmp_path_factory.mktemp("broken"))


@pytest.fixture
def run(tmp_path):
    def with_plugins(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join([str(site), str(TESTS.parent)])
        environment = os.environ | {
            "PYTHONPATH": path,
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "HOME": str(tmp_path / "home"),
        }
        command = [sys.executable, "-m", "tracescope", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
        )

    return with_plugins


@pytest.fixture
def pair(tmp_path):
    return [str(path) for path in exercise_files(tmp_path)]


def test_that_plugins_are_listed_with_their_tolerances(sound, run):
    done = run(sound, "plugins")
    assert done.returncode == 0, done.stderr
    assert "Is the target commanded as smoothly" in done.stdout
    assert "smoothness.roughness: −0.1 to 0.1; a command a tenth rougher" in done.stdout
    assert "tinytrace" in done.stdout
    origin = "from tracescope-smoothness 1.2.0 (tracescope_smoothness.check:CHECK): in use"
    assert f"tracescope.checks: smoothness {origin}" in done.stdout
    order = [done.stdout.index(f"  {check_id}") for check_id in (*CHECK_IDS, "smoothness")]
    assert order == sorted(order)


def test_that_a_plugins_check_runs_after_the_built_in_ones(sound, run, pair):
    done = run(sound, "check", *pair, "--json", "r.json", "--note", "n.md", "--note", "n.html")
    assert done.returncode == 1, done.stderr
    assert "Smoothness" in done.stdout
    result = json.loads((Path(pair[0]).parent / "r.json").read_text("utf-8"))
    assert [check["id"] for check in result["checks"]] == [*CHECK_IDS, "smoothness"]
    own = result["checks"][-1]
    assert own["state"] in {"pass", "fail", "inconclusive"}
    assert {m["quantity"] for m in own["measurements"]} == {"roughness", "largest step"}
    note = (Path(pair[0]).parent / "n.md").read_text("utf-8")
    assert "smoothness.largest-step" in note
    assert "### Smoothness" in note


@pytest.mark.parametrize(("band", "state"), [("-1,1", "pass"), ("0.9,1", "fail")])
def test_that_tolerance_sets_a_plugins_keys(sound, run, pair, band, state):
    given = [f"smoothness.roughness={band}", "smoothness.largest-step=0,5"]
    options = [word for text in given for word in ("--tolerance", text)]
    done = run(sound, "check", *pair, *options, "--json", "-")
    own = json.loads(done.stdout)["checks"][-1]
    assert own["state"] == state
    assert own["measurements"][0]["tolerance"] == [float(end) for end in band.split(",")]


def test_that_an_unknown_key_names_a_plugins(sound, run, pair):
    done = run(sound, "check", *pair, "--tolerance", "smoothness.rough=0,1")
    assert done.returncode == 2
    assert "smoothness.roughness" in done.stderr


def test_that_a_plugins_reader_reads(sound, run, tmp_path):
    value = wander(120, 2, seed=4)
    rows = "\n".join(f"{a!r} {b!r}" for a, b in value.tolist())
    for name in ("sim.tiny", "target.tiny"):
        (tmp_path / name).write_text(f"tinytrace 0.02\nobs:x action:u\n{rows}\n", "utf-8")
    done = run(sound, "inspect", "sim.tiny", "--json", "-")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["layout"] == "tinytrace"
    assert [c["name"] for c in seen["episodes"][0]["channels"]] == ["x", "u"]
    done = run(sound, "check", "sim.tiny", "target.tiny", "--json", "-")
    own = json.loads(done.stdout)["checks"][-1]
    assert own["id"] == "smoothness"
    assert own["state"] == "pass"
    (tmp_path / "cut.tiny").write_text("tinytrace 0.02\nobs:x\n1 2\n", "utf-8")
    assert run(sound, "inspect", "cut.tiny").returncode == 2


SENTENCES = {
    "absent": "not usable: ModuleNotFoundError: No module named 'tracescope_broken.absent'",
    "crash": "not usable: RuntimeError: this module never loads",
    "text": "not usable: is a str, not a Check",
    "twin": "not usable: 'timing' exists already",
    "unprefixed": "not usable: the tolerance 'limit' does not begin with 'unprefixed.'",
    "nameless": "not usable: its id is None, not a name",
    "raising": "in use",
}


def test_that_each_broken_plugin_is_one_sentence(broken, run):
    done = run(broken, "plugins")
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    for name, said in SENTENCES.items():
        (line,) = [line for line in lines if line.startswith(f"  tracescope.checks: {name} ")]
        assert said in line
    (reader,) = [line for line in lines if line.startswith("  tracescope.readers: reader ")]
    assert "is a str, not a Reader" in reader


def test_that_broken_plugins_are_sentences_in_the_table(broken, run, pair):
    done = run(broken, "check", *pair, "--json", "r.json")
    assert done.returncode == 1
    assert done.stderr == ""
    shown = " ".join(done.stdout.split())
    for name, said in SENTENCES.items():
        if said != "in use":
            assert f"{name} from tracescope-broken 0.1.0" in shown
            assert said in shown
    result = json.loads((Path(pair[0]).parent / "r.json").read_text("utf-8"))
    answering, raising = result["checks"][-2:]
    assert [check["id"] for check in result["checks"]][:7] == list(CHECK_IDS)
    assert raising["state"] == answering["state"] == "inconclusive"
    assert "ZeroDivisionError: by design" in raising["reason"]
    assert "not a result of its own" in answering["reason"]
