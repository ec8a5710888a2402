"""Large and wide text tables: streamed, with progress, in bounded memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.readers.helpers import put
from tracescope.model.errors import Cancelled
from tracescope.readers import open_trace

MEASURE = """
import resource, sys
import numpy, pandas, h5py, tracescope.readers
from tracescope.readers import open_trace
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
trace = open_trace(sys.argv[1])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(trace), len(trace.channels), (after - before) * 1024)
"""


def peak(path):
    out = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    return [int(word) for word in out.stdout.split()]


def block(rows, dims):
    value = np.random.default_rng(0).normal(size=(rows, dims)).round(4)
    return "".join(
        f'{i * 0.002:.3f},"[{", ".join(map(str, v))}]"\n' for i, v in enumerate(value.tolist())
    )


def test_that_a_large_table_is_read_in_bounded_memory(tmp_path):
    rows, dims, times = 20_000, 12, 8
    body = block(rows, dims)
    text = "episode,timestamp,obs\n" + "".join(
        f"0,{line}\n" for line in (body * times).splitlines()
    )
    path = put(tmp_path, text.replace("episode,", "run,", 1))
    read_rows, channels, extra = peak(path)
    numbers = rows * times * (dims + 2) * 8
    assert (read_rows, channels) == (rows, dims + 1)
    assert extra < 3 * numbers + 60 * 2**20


def test_that_progress_rises_to_the_end_and_can_stop_the_reading(tmp_path, monkeypatch):
    path = put(tmp_path, "timestamp,obs\n" + block(3000, 6))
    seen = []
    open_trace(path, progress=lambda done, what: seen.append((done, what)))
    shares = [done for done, _ in seen]
    assert "reading" in {what for _, what in seen}
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    calls = []

    def stop_at_once(done, what):
        calls.append(what)
        raise Cancelled

    with pytest.raises(Cancelled):
        open_trace(path, progress=stop_at_once)
    assert len(calls) == 1
