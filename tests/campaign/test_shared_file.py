"""Many episodes in one file: it is hashed once a process, and again as soon as it changes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.campaign.in_process import Here
from tracescope.campaign import pipeline
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.runner import run_campaign
from tracescope.readers import files
from tracescope.readers.files import hashes_lasting, sha256_of


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every file that is read through for its hash, in order."""
    found: list[Path] = []
    real = files._hashed  # noqa: SLF001  # what is counted

    def counted(path, progress):
        found.append(path)
        return real(path, progress)

    monkeypatch.setattr(files, "_hashed", counted)
    monkeypatch.setattr(files, "SETTLED_S", -1.0)  # files of tests are new
    return found


def test_that_a_file_is_hashed_once_until_it_changes(tmp_path: Path, hashed: list[Path]) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"one")
    known: files.Hashes = {}
    with hashes_lasting(known):
        assert {sha256_of(path) for _ in range(3)} == {hashlib.sha256(b"one").hexdigest()}
        assert len(hashed) == 1
        path.write_bytes(b"two")
        assert sha256_of(path) == hashlib.sha256(b"two").hexdigest()
    sha256_of(path)
    assert len(hashed) == 3


def test_that_a_file_changed_just_now_is_hashed_each_time(
    tmp_path: Path, hashed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "SETTLED_S", 3600.0)
    path = tmp_path / "data.csv"
    path.write_bytes(b"one")
    with hashes_lasting({}):
        sha256_of(path)
        sha256_of(path)
    assert len(hashed) == 2


def test_that_episodes_of_one_file_are_pairs_of_their_own(
    tmp_path: Path, hashed: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "_HASHES", {})
    rng = np.random.default_rng(0)
    lines = ["id,sim,target"]
    for side in ("sim", "target"):
        with h5py.File(tmp_path / f"{side}.h5", "w") as file:
            for number in range(3):
                demo = file.create_group(f"data/demo_{number}")
                demo["actions"] = rng.normal(size=(40 + number, 1))
                demo["obs/position"] = np.cumsum(rng.normal(size=(40 + number, 2)), axis=0)
    lines += [f"e{n},sim.h5::data/demo_{n},target.h5::data/demo_{n}" for n in range(3)]
    manifest = tmp_path / "manifest.csv"
    manifest.write_text("\n".join(lines) + "\n")
    cache = Cache(tmp_path / "cache")
    run = run_campaign(read_campaign(manifest), pool=Here(), cache=cache)
    assert [result.steps for result in run.results] == [(40, 40), (41, 41), (42, 42)]
    assert len({result.sim_sha256 for result in run.results}) == 1
    assert sorted(path.name for path in hashed) == ["sim.h5"] * 2 + ["target.h5"] * 2
    again = Here()
    assert run_campaign(read_campaign(manifest), pool=again, cache=cache).reused == 3
    assert not again.done
