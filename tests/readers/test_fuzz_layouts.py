"""Files of every layout, damaged byte by byte: values or a problem; no other error, crash, hang or flood."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.readers import layouts

ROOT = Path(__file__).parents[2]
COUNTS = {"hdf5": 1600, "others": 1800, "messages": 300}
"""Damaged files of each kind in every run; those of real recordings come on top."""
REAL = 600
SECONDS = 240
"""No run is cut short for being slow: a test that reaches this fails."""


def run(files: list[Path], seed: int, count: int, seconds: float = SECONDS) -> dict:
    """Damage and read files in another process; fails with the recipe where it crashed or hung."""
    command = [sys.executable, "-m", "tests.readers.damage", str(seed), str(count), str(seconds)]
    threads = {
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    done = subprocess.run(
        [*command, *map(str, files)], cwd=ROOT, env=os.environ | threads,
        capture_output=True, text=True, timeout=seconds + 60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"ended with {done.returncode} after {done.stderr[-400:]}"
    return json.loads(done.stdout.splitlines()[-1])


def latest(path: Path) -> Path:
    """A file of the newest format, whose structure has checksums."""
    with h5py.File(path, "w", libver="latest") as file:
        file["t"] = np.arange(20) * 0.02
        file.create_dataset("obs", data=layouts.ramp(20, 3), chunks=(4, 3), compression="gzip")
        file.create_dataset("grows", data=np.arange(20.0), maxshape=(None,), chunks=(4,))
        file["obs"].attrs["names"] = json.dumps(["a", "b", "c"])
    return path


def hdf5_files(folder: Path) -> list[Path]:
    return [
        layouts.robomimic(folder / "robomimic.h5", {0: 5, 1: 4}),
        layouts.libero(folder / "libero.h5", 4),
        layouts.isaaclab(folder / "isaaclab.h5", 6),
        layouts.aloha_packed(folder / "aloha.h5", 3)[0],
        layouts.minari(folder / "minari.h5", {0: 6, 1: 4}, json_infos=True),
        layouts.d4rl(folder / "d4rl.h5", 20, terminals=[9]),
        layouts.droid(folder / "droid.h5", 8),
        layouts.maniskill(folder / "maniskill.h5", {0: 5}),
        latest(folder / "latest.h5"),
    ]


def other_files(folder: Path) -> list[Path]:
    np.savez(folder / "plain.npz", t=np.arange(9) * 0.1, obs=layouts.ramp(9, 2))
    np.savez_compressed(folder / "packed.npz", t=np.arange(9) * 0.1, obs=layouts.ramp(9, 2))
    np.save(folder / "one.npy", layouts.ramp(9, 2))
    rows = [{"t": i, "obs": [i, i / 3], "note": "x"} for i in range(9)]
    (folder / "log.json").write_text(json.dumps(rows))
    files = [folder / name for name in ("plain.npz", "packed.npz", "one.npy", "log.json")]
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"timestamp": [0.1 * i for i in range(9)], "obs": [[i, 1.0] for i in range(9)]}),
                   folder / "log.parquet")  # fmt: skip
    return [*files, folder / "log.parquet"]


def message_files(folder: Path) -> list[Path]:
    pytest.importorskip("rosbags")
    from tests.readers.test_layouts_messages import json_mcap, write_bag1, write_bag2

    bag2 = write_bag2(folder / "bag2", "sqlite3")
    packed = write_bag2(folder / "bag3", "mcap")
    found = [next(bag2.glob("*.db3")), next(packed.glob("*.mcap"))]
    return [*found, json_mcap(folder / "log.mcap"), write_bag1(folder / "log.bag")]


def assert_ended_well(found: dict, count: int) -> None:
    assert not found["wrong"], found["wrong"][:5]
    assert found["read"] + found["refused"] == count
    assert found["read"] > 0
    assert found["refused"] > 0
    assert found["memory_mib"] < 1024


def test_that_damaged_files_of_every_hdf5_layout_end_well(tmp_path):
    count = COUNTS["hdf5"]
    assert_ended_well(run(hdf5_files(tmp_path), 0, count), count)


def test_that_damaged_files_of_other_formats_end_well(tmp_path):
    count = COUNTS["others"]
    assert_ended_well(run(other_files(tmp_path), 10_000, count), count)


def test_that_damaged_recordings_of_messages_end_well(tmp_path):
    count = COUNTS["messages"]
    assert_ended_well(run(message_files(tmp_path), 15_000, count), count)


def test_that_damaged_real_recordings_end_well(shared_data):
    files = [
        *shared_data.glob("layouts/d4rl-flat/*.hdf5"), *shared_data.glob("layouts/minari/*/data/*.hdf5"),
        *shared_data.glob("go2-observation-and-motor-delay/*delay1*.h5"), *shared_data.glob("servo/*.csv"),
        *shared_data.glob("ball-and-beam/*.csv"), *shared_data.glob("layouts/lerobot-parquet/data/*/*3.parquet"),
        *shared_data.glob("so101-sage/*/*/event.csv"), *shared_data.glob("layouts/px4-ulog2csv/*status*.csv"),
    ]  # fmt: skip
    assert len({path.suffix for path in files}) == 4
    assert_ended_well(run(files, 20_000, REAL), REAL)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100_000, 600_000, 100_000))
def test_that_very_many_damaged_files_end_well(tmp_path, seed):
    files = [*hdf5_files(tmp_path), *other_files(tmp_path), *message_files(tmp_path)]
    assert_ended_well(run(files, seed, 4000, 900), 4000)
