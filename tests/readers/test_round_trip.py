"""Any trace that was read, whatever its layout, comes back bit for bit from the native layout."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.readers import layouts
from tests.readers.helpers import put
from tests.readers.test_native import assert_same
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.frames import load_frame
from tracescope.readers.native import write_native

T0 = 1_700_000_000_000_000_000


def stamped_csv(folder):
    rows = "".join(f"{T0 + 20_000_001 * i},{i * 0.1},{i % 3 == 0},run\n" for i in range(20))
    return put(folder, "stamp_ns,obs [rad],done,mode\n" + rows, "log.csv")


def union_csv(folder):
    rows = "".join(
        f"{i * 0.01},{i if i % 3 == 0 else ''},{-i if i % 2 else ''}\n" for i in range(30)
    )
    return put(folder, "t,obs,action\n" + rows, "log.csv")


def archive(folder):
    np.savez(
        folder / "log.npz", t=np.arange(9) * 0.1, obs=layouts.ramp(9, 2), big=np.arange(9) + 2**60
    )
    return folder / "log.npz"


def rollout(folder):
    rows = [{"obs": [i, i / 3], "action": None if i == 5 else i, "note": "x"} for i in range(6)]
    return put(folder, json.dumps(rows), "log.json")


MAKERS = {
    "csv": stamped_csv,
    "union": union_csv,
    "npz": archive,
    "json": rollout,
    "robomimic": lambda f: layouts.robomimic(f / "x.h5", {0: 5, 1: 6}),
    "robosuite": lambda f: layouts.robosuite(f / "x.h5", {1: 5}),
    "libero": lambda f: layouts.libero(f / "x.h5", 6),
    "isaaclab": lambda f: layouts.isaaclab(f / "x.h5", 6),
    "aloha": lambda f: layouts.aloha(f / "x.h5", 6),
    "packed": lambda f: layouts.aloha_packed(f / "x.h5", 4)[0],
    "minari": lambda f: layouts.minari(f / "x.h5", {0: 6}, json_infos=True),
    "d4rl": lambda f: layouts.d4rl(f / "x.h5", 20, terminals=[9], timeouts=[15]),
    "droid": lambda f: layouts.droid(f / "x.h5", 8, skipped=[2]),
    "maniskill": lambda f: layouts.maniskill(f / "x.h5", {0: 5}),
}


@pytest.mark.parametrize("layout", MAKERS)
def test_that_a_trace_of_any_layout_reads_back_equal(tmp_path, layout):
    found = inspect_file(MAKERS[layout](tmp_path))
    for i, trace in enumerate(found.traces):
        target = tmp_path / f"again{i}.h5"
        write_native(trace, target)
        back = open_trace(target)
        assert_same(trace, back)
        for one, two in zip(trace.frames, back.frames, strict=True):
            assert np.array_equal(load_frame(one, 0), load_frame(two, 0))


@pytest.mark.parametrize(
    "name",
    [
        "layouts/d4rl-flat/expert_no_aug_1k.hdf5",
        "layouts/minari/pendulum-v0/data/main_data.hdf5",
        "layouts/lerobot-parquet",
        "layouts/px4-ulog2csv",
        "go2-observation-and-motor-delay/mujoco_S2_turn_delay1_20260203_234117.h5",
        "ball-and-beam/hardware__experiment_b__RL_trial_11.first76rows.csv",
        "so101-sage/h1_2/0-Subject_4_F_5",
        "servo/rollout01_step_real.csv",
    ],
)
def test_that_real_recordings_read_back_equal(shared_data, tmp_path, name):
    trace = open_trace(shared_data / name)
    write_native(trace, tmp_path / "again.h5")
    assert_same(trace, open_trace(tmp_path / "again.h5"))
