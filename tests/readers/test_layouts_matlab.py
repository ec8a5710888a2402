"""MATLAB 7.3 files: axes reversed behind a header of their own."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, values
from tests.readers.layouts import ramp
from tracescope.readers import open_trace
from tracescope.readers.base import ImportChoices


def matlab(path, variables):
    """Write variables (as MATLAB shows them) as MATLAB does: axes reversed, a user block of 512 bytes."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in variables.items():
            dataset = file.create_dataset(name, data=np.asarray(value).T)
            dataset.attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(
            b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024".ljust(
                512
            )
        )
    return path


@pytest.mark.parametrize("column", [True, False])
def test_that_variables_come_back_as_matlab_shows_them(tmp_path, column):
    vector = (-1, 1) if column else (1, -1)
    q, u = ramp(20, 3, dtype="<f8"), ramp(20, dtype="<f8", start=5)
    variables = {
        "t": (np.arange(20) * 0.01).reshape(vector), "log/q": q, "u": u.reshape(vector),
        "sideways": q.T + 1, "gain": np.array([[2.5]]), "#refs#/a": np.zeros((20, 1)),
    }  # fmt: skip
    trace = open_trace(matlab(tmp_path / "log.mat", variables))
    assert trace.source.layout == "matlab"
    assert trace.interval_s == pytest.approx(0.01)
    assert values(trace, "log/q[2]") == q[:, 2].tolist()
    assert values(trace, "sideways[1]") == (q[:, 1] + 1).tolist()
    assert values(trace, "u") == u.tolist()
    assert dict(trace.metadata)["gain"] == "2.5"
    assert not [c for c in trace if "refs" in c.name]
    assert "axes-reversed" in keys(trace)


def test_that_matrices_alone_count_matlabs_rows(tmp_path):
    path = matlab(tmp_path / "log.mat", {"obs": ramp(30, 4), "action": ramp(30, 2)})
    trace = open_trace(path, None, ImportChoices(rate_hz=50.0))
    assert len(trace) == 30
    assert values(trace, "action[1]") == ramp(30, 2)[:, 1].tolist()
