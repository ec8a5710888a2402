"""HDF5 files that are cut, open elsewhere, being written, or no HDF5 at all; the writer is never in the way."""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note, put
from tests.readers.layouts import d4rl, minari, ramp, robomimic, write
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.growing import writer_of
from tracescope.readers.hdf5_marked import lookup3
from tracescope.readers.hdf5_tools import open_hdf5
from tracescope.readers.native import write_native


def good(path: Path, rows: int = 400) -> Path:
    return write(path, {"t": np.arange(rows) * 0.01, "obs": ramp(rows, 3), "action": ramp(rows)})


@contextmanager
def process(code: str, *arguments: object):
    """Run code in another process until the block ends; it prints ``ready`` when it is set up."""
    run = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert run.stdout is not None
        assert run.stdout.readline().strip() == "ready"
        yield run
    finally:
        run.kill()
        run.communicate()


HOLDER = """
import h5py, sys
file = h5py.File(sys.argv[1], sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("share", [0.6, 0.9])
def test_that_a_cut_file_says_how_much_of_it_is_there(tmp_path, share):
    data = good(tmp_path / "log.h5").read_bytes()
    cut = put(tmp_path, data[: int(len(data) * share)], "cut.h5")
    with pytest.raises(
        TraceReadError, match=rf"shorter than it says: {cut.stat().st_size} of {len(data)}"
    ):
        open_trace(cut)


def test_that_a_file_cut_inside_its_header_is_told(tmp_path):
    data = good(tmp_path / "log.h5").read_bytes()
    with pytest.raises(TraceReadError, match=r"shorter than it says: 96 of"):
        open_trace(put(tmp_path, data[:96], "cut.h5"))
    with pytest.raises(TraceReadError, match=r"damaged|shorter"):
        open_trace(put(tmp_path, data[:20], "cut.h5"))


@pytest.mark.parametrize("maker", [robomimic, minari])
def test_that_a_cut_file_of_a_layout_is_told(tmp_path, maker):
    data = maker(tmp_path / "log.h5", {0: 20, 1: 20}).read_bytes()
    with pytest.raises(TraceReadError, match="shorter than it says"):
        open_trace(put(tmp_path, data[: len(data) * 6 // 10], "cut.h5"))


KILLED = """
import h5py, os, signal, sys
file = h5py.File(sys.argv[1], "w", libver=sys.argv[2])
t = file.create_dataset("t", data=[0.0, 0.1, 0.2], maxshape=(None,))
file.create_dataset("obs", data=[1.0, 2.0, 3.0], maxshape=(None,))
if sys.argv[3] == "flushed":
    file.flush()
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("flushed", ["flushed", "never"])
def test_that_a_file_whose_writer_was_killed_is_read_or_explained(tmp_path, libver, flushed):
    path = tmp_path / "log.h5"
    with process(KILLED, path, libver, flushed) as run:
        run.wait(20)
    before = path.read_bytes()
    try:
        trace = open_trace(path)
    except TraceReadError as error:
        text = str(error)
        assert "empty" in text or "copy" in text
        assert flushed == "never" or libver == "latest"
    else:
        assert trace["obs"].value.tolist() == [1.0, 2.0, 3.0]
        assert ("open-for-writing" in keys(trace)) == (libver == "latest")
    assert path.read_bytes() == before


def marked(path: Path, flags: int) -> Path:
    """A file with its mark of being written set, its checksum right."""
    with h5py.File(path, "w", libver="latest") as file:
        file["t"], file["obs"] = np.arange(5.0), np.arange(5.0)
    data = bytearray(path.read_bytes())
    assert lookup3(bytes(data[:44])) == struct.unpack_from("<I", data, 44)[0]
    data[11] |= flags
    struct.pack_into("<I", data, 44, lookup3(bytes(data[:44])))
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize("flags", [1, 5])
def test_that_a_mark_of_writing_is_seen_past_and_explained(tmp_path, flags):
    path = marked(tmp_path / "log.h5", flags)
    before = path.read_bytes()
    trace = open_trace(path)
    assert trace["obs"].value.tolist() == list(range(5))
    assert "h5clear -s on a copy" in note(trace, "open-for-writing").done
    assert "inconsistent" in note(trace, "open-for-writing").done
    assert path.read_bytes() == before


@pytest.mark.parametrize("flags", [1, 5])
@pytest.mark.parametrize("where", ["superblock", "object"])
def test_that_a_marked_and_damaged_file_is_never_waited_for(tmp_path, flags, where):
    data = bytearray(marked(tmp_path / "log.h5", flags).read_bytes())
    data[20 if where == "superblock" else data.find(b"OHDR") + 6] ^= 0xFF
    with pytest.raises(TraceReadError, match="never closed"):
        open_trace(put(tmp_path, bytes(data), "bad.h5"))


def test_that_a_file_another_process_has_open_for_writing_is_read_and_said(tmp_path):
    path = good(tmp_path / "log.h5")
    with process(HOLDER, path, "r+"):
        trace = open_trace(path)
        held = writer_of(path)
    assert len(trace) == 400
    assert ("locked-by-writer" in keys(trace)) == (held is not None)
    if held is not None:
        assert "inconsistent" in note(trace, "locked-by-writer").done
    assert "locked-by-writer" not in keys(open_trace(path))


def test_that_locks_that_cannot_be_had_are_no_obstacle(tmp_path, monkeypatch):
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "TRUE")
    path = good(tmp_path / "log.h5")
    real, asked = h5py.File, []

    def strict(*arguments, **options):
        asked.append(options.get("locking"))
        if options.get("locking") is not False:
            raise OSError("[Errno 37] unable to lock file, errno = 37, 'No locks available'")
        return real(*arguments, **options)

    monkeypatch.setattr(h5py, "File", strict)
    assert len(open_trace(path)) == 400
    assert set(asked) == {False}


APPENDER = """
import h5py, sys
path = sys.argv[1]
print("ready", flush=True)
for line in sys.stdin:
    with h5py.File(path, "r+") as file:
        n = len(file["t"])
        for name in ("t", "obs"):
            file[name].resize((n + 10,))
            file[name][n:] = [0.01 * i for i in range(n, n + 10)]
    print(n + 10, flush=True)
"""


def growing(path: Path) -> Path:
    with h5py.File(path, "w") as file:
        for name in ("t", "obs"):
            file.create_dataset(name, data=np.arange(10) * 0.01, maxshape=(None,), chunks=(64,))
    return path


def test_that_a_writer_reopens_at_will_and_new_rows_are_seen(tmp_path):
    path = growing(tmp_path / "log.h5")
    with process(APPENDER, path) as run:
        for rows in (20, 30, 40, 50):
            trace = open_trace(path)
            assert len(trace) == rows - 10
            run.stdin.write("go\n")
            run.stdin.flush()
            assert run.stdout.readline().strip() == str(rows)
            assert len(trace) == rows - 10
    assert len(open_trace(path)) == 50


def test_that_a_writer_is_not_blocked_while_the_file_is_open_here(tmp_path):
    path = growing(tmp_path / "log.h5")
    with process(APPENDER, path) as run, open_hdf5(path) as file:
        assert file["t"].shape == (10,)
        run.stdin.write("go\n")
        run.stdin.flush()
        assert run.stdout.readline().strip() == "20"


SWMR = """
import h5py, sys
file = h5py.File(sys.argv[1], "w", libver="latest")
sets = [file.create_dataset(n, (0,), maxshape=(None,), chunks=(8,), dtype="f8") for n in ("t", "obs")]
file.swmr_mode = True
print("ready", flush=True)
for line in sys.stdin:
    n = len(sets[0])
    for one in sets:
        one.resize((n + 8,))
        one[n:] = [0.5 * i for i in range(n, n + 8)]
        one.flush()
    print(n + 8, flush=True)
"""


def test_that_a_file_in_single_writer_mode_is_read_as_it_grows(tmp_path):
    path = tmp_path / "log.h5"
    with process(SWMR, path) as run:
        for rows in (8, 16, 24):
            run.stdin.write("go\n")
            run.stdin.flush()
            assert run.stdout.readline().strip() == str(rows)
            trace = open_trace(path)
            assert trace["obs"].value.tolist() == [0.5 * i for i in range(rows)]
            assert "open-for-writing" in keys(trace)


def test_that_a_file_that_changes_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    from tracescope.readers import hdf5_general

    path = good(tmp_path / "log.h5")
    real, calls = hdf5_general.group_table, []

    def torn(*arguments, **options):
        calls.append(1)
        if len(calls) == 1:
            path.touch()
            raise TraceReadError(hdf5_general_problem)
        return real(*arguments, **options)

    from tracescope.model.errors import Problem

    hdf5_general_problem = Problem("torn", str(path))
    monkeypatch.setattr(hdf5_general, "group_table", torn)
    assert len(open_trace(path)) == 400
    assert len(calls) == 2


def test_that_a_change_during_reading_is_said(tmp_path, monkeypatch):
    from tracescope.readers import hdf5_general

    path = good(tmp_path / "log.h5")
    real = hdf5_general.group_table

    def slow(*arguments, **options):
        import os

        os.utime(path, ns=(1, 1))
        return real(*arguments, **options)

    monkeypatch.setattr(hdf5_general, "group_table", slow)
    assert note(open_trace(path), "changed-while-read").severity == "warning"


def test_that_no_two_threads_have_files_open_at_once(tmp_path):
    paths = [good(tmp_path / f"{i}.h5") for i in range(3)]
    inside, most, guard = [0], [0], threading.Lock()

    def use(path):
        for _ in range(5):
            with open_hdf5(path):
                with guard:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                with guard:
                    inside[0] -= 1

    threads = [threading.Thread(target=use, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML page"),
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"),
        (b"\0" * 4096, "zero bytes"),
        (b"\x89HDF\r\n\x1a\n" + b"\xff" * 500, "damaged"),
        (b"\x89HDF\r\n\x1a\n", "damaged"),
    ],
)
def test_that_what_is_no_hdf5_is_named_by_its_content(tmp_path, data, what):
    with pytest.raises(TraceReadError, match=what):
        open_trace(put(tmp_path, data, "log.h5"))


def test_that_no_other_file_is_ever_read(tmp_path):
    write(tmp_path / "other.h5", {"secret": ramp(9)})
    path = write(tmp_path / "log.h5", {"t": np.arange(9.0), "obs": ramp(9)})
    layout = h5py.VirtualLayout((9,), "f8")
    layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "secret", (9,))
    with h5py.File(path, "r+") as file:
        file["linked"] = h5py.ExternalLink("other.h5", "secret")
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("raw", (9,), "f8", external=[(str(tmp_path / "raw.bin"), 0, 72)])
    trace = open_trace(path)
    assert [c.name for c in trace] == ["obs"]
    assert {n.where for n in trace.health if n.key == "dataset-left-out"} == {"virtual", "raw"}


def test_that_links_of_a_layout_to_other_files_are_not_followed(tmp_path):
    robomimic(tmp_path / "other.h5", {0: 5})
    path = robomimic(tmp_path / "log.h5", {0: 4})
    with h5py.File(path, "r+") as file:
        file["data/demo_1"] = h5py.ExternalLink("other.h5", "data/demo_0")
        file["data/demo_2"] = h5py.SoftLink("/nowhere")
    assert [e.key for e in inspect_file(path).episodes] == ["data/demo_0"]


def test_that_bit_fields_and_opaque_data_cost_only_themselves(tmp_path):
    path = good(tmp_path / "log.h5", 5)
    with h5py.File(path, "r+") as file:
        space = h5py.h5s.create_simple((5,))
        h5py.h5d.create(file.id, b"bits", h5py.h5t.STD_B8LE, space)
        h5py.h5d.create(file.id, b"opaque", h5py.h5t.create(h5py.h5t.OPAQUE, 7), space)
        file["refs"] = np.array([file["obs"].ref] * 5, dtype=h5py.ref_dtype)
    trace = open_trace(path)
    assert "obs[0]" in trace
    assert trace["bits"].value.tolist() == [0] * 5
    assert not [c for c in trace if c.name in {"opaque", "refs"}]
    assert {n.where for n in trace.health} >= {"opaque", "refs"}


def test_that_a_saved_trace_never_lands_on_its_source(tmp_path):
    from tracescope.model.errors import UsageError

    path = good(tmp_path / "log.h5")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="never written over"):
        write_native(open_trace(path), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["log.h5"]


def test_that_one_damaged_episode_or_file_does_not_end_the_others(tmp_path):
    paths = [d4rl(tmp_path / f"{i}.h5", 20, terminals=[9]) for i in range(3)]
    paths[1].write_bytes(paths[1].read_bytes()[:1000])
    read, failed = [], []
    for path in paths:
        try:
            read.append(open_trace(path))
        except TraceReadError as error:
            failed.append(error)
    assert (len(read), len(failed)) == (2, 1)
    assert str(paths[1]) in str(failed[0])


@pytest.mark.parametrize("block", [0, 512, 4096])
@pytest.mark.parametrize("width", [4, 8])
def test_that_user_blocks_and_narrow_addresses_are_no_damage(tmp_path, block, width):
    plist = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    plist.set_userblock(block)
    plist.set_sizes(width, width)
    path = tmp_path / "log.h5"
    with h5py.File(h5py.h5f.create(str(path).encode(), h5py.h5f.ACC_TRUNC, plist)) as file:
        for name in ("t", "policy/obs", "policy/gone", "action"):
            file[name] = np.arange(9.0)
        del file["policy/gone"]
        file["text"] = ["x"] * 9
    trace = open_trace(path)
    assert trace["policy/obs"].value.tolist() == list(range(9))
    assert trace["text"].labels == ("x",)
