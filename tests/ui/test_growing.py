"""A recording that is still being written: its writer is never in the way, and reading again shows more."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.ui import hands
from tests.ui.conftest import drop, wait_judged

ROWS, MORE = 120, 40

TEXT_WRITER = """
import math, sys
path, rows, more = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def line(i):
    return f"{i * 0.02:.2f},{math.sin(i * 0.3):.6f},{math.cos(i * 0.3):.6f}\\n"
file = open(path, "a", buffering=1)
print("ready", flush=True)
for _ in sys.stdin:
    file.writelines(line(i) for i in range(rows, rows + more))
    file.write("9")  # inside the next row
    file.flush()
    print("written", flush=True)
"""
HDF5_WRITER = """
import h5py, numpy, sys
path, rows, more = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
file = h5py.File(path, "r+")
print("ready", flush=True)
for _ in sys.stdin:
    i = numpy.arange(rows, rows + more)
    for name, new in (("t", i * 0.02), ("obs_x", numpy.sin(i * 0.3)), ("action_x", numpy.cos(i * 0.3))):
        file[name].resize((rows + more,))
        file[name][rows:] = new
    file.flush()
    file.close()
    file = h5py.File(path, "r+")  # a reader's lock would refuse this
    print("written", flush=True)
"""


def text(path: Path, rows: int) -> None:
    i = np.arange(rows)
    lines = zip(i * 0.02, np.sin(i * 0.3), np.cos(i * 0.3), strict=True)
    path.write_text(
        "t,obs_x,action_x\n" + "".join(f"{t:.2f},{o:.6f},{a:.6f}\n" for t, o, a in lines)
    )


def hdf5(path: Path, rows: int) -> None:
    import h5py

    i = np.arange(rows)
    with h5py.File(path, "w") as file:
        for name, data in (
            ("t", i * 0.02),
            ("obs_x", np.sin(i * 0.3)),
            ("action_x", np.cos(i * 0.3)),
        ):
            file.create_dataset(name, data=data, maxshape=(None,), chunks=(32,))


@contextmanager
def writer(code: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a writer that has the file open all the time and appends when it is told to."""
    command = [sys.executable, "-c", code, str(path), str(ROWS), str(MORE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None
            assert run.stdout.readline().strip() == "ready"
            yield run
        finally:
            run.kill()


def held(path: Path) -> bool:
    """Whether this process has a file open."""
    own = Path("/proc/self/fd")
    return str(path) in {str(entry.resolve()) for entry in own.iterdir()}


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
@pytest.mark.parametrize(
    ("make", "code", "name"),
    [(text, TEXT_WRITER, "target.csv"), (hdf5, HDF5_WRITER, "target.h5")],
)
def test_that_a_writer_appends_while_the_window_shows_its_file(
    empty_window, tmp_path, make, code, name
):
    sim, target = tmp_path / "sim.csv", tmp_path / name
    text(sim, ROWS + MORE)
    make(target, ROWS)
    with writer(code, target) as run:
        drop(empty_window, sim, target)
        wait_judged(empty_window)
        before = empty_window.model.open_session
        assert len(before.pair.target) == ROWS
        assert not held(target)
        assert run.stdin is not None
        assert run.stdout is not None
        run.stdin.write("go\n")
        run.stdin.flush()
        assert run.stdout.readline().strip() == "written"
        assert len(empty_window.model.open_session.pair.target) == ROWS
        drop(empty_window, sim, target)
        hands.wait_for(
            lambda: len(empty_window.model.open_session.pair.target) == ROWS + MORE, "new rows", 30
        )
        wait_judged(empty_window)
        assert run.poll() is None
    shown = empty_window.model.open_session.pair.target
    assert shown["obs_x"].value[ROWS:] == pytest.approx(
        np.sin(np.arange(ROWS, ROWS + MORE) * 0.3), abs=1e-6
    )
    empty_window.model.undo_stack.setClean()
