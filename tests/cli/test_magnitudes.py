"""Numbers whose squares leave a float's reach: never a verdict of it, never a fault inside a check."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.builders import exercise
from tests.cli.test_breakage import wave
from tracescope.cli.main import main
from tracescope.readers.native import write_native


def checked(sim, target, out):
    status = main(["check", str(sim), str(target), "--json", str(out), "--quiet"])
    return status, json.loads(out.read_text("utf-8"))["checks"]


def scaled(trace, change):
    channels = (replace(c, value=change(c.value.astype(np.float64))) for c in trace)
    return replace(trace, channels=tuple(channels))


def spike(size):
    def change(value):
        return np.where(np.arange(value.size) == 77, size, value)

    return change


NATIVE = {
    "both 1e200": (lambda v: v * 1e200,) * 2,
    "both 1e-200": (lambda v: v * 1e-200,) * 2,
    "one 1e160": (lambda v: v, lambda v: v * 1e160),
    "spike 1e69": (lambda v: v, spike(1e69)),
    "spike 1e300": (lambda v: v, spike(1e300)),
    "spikes 1e160": (spike(1e160), spike(1e160)),
}
"""Of files of our own layout, which hold what was written to the bit."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's word on each overflow: to the log
@pytest.mark.parametrize("name", NATIVE)
def test_that_no_check_breaks_where_squares_overflow_or_vanish(tmp_path, name):
    paths = tmp_path / "sim.h5", tmp_path / "target.h5"
    for path, trace, change in zip(paths, exercise(n=120), NATIVE[name], strict=True):
        write_native(scaled(trace, change), path)
    status, checks = checked(*paths, tmp_path / "result.json")
    assert status == 3
    assert not [c["reason"] for c in checks if "itself failed" in c["reason"]]


TEXTS = {
    "sim as it is": lambda v: v,
    "1e69 of it": lambda v: v * 1e69,
    "1e-120 of it": lambda v: v * 1e-120,
    "1e-160 of it": lambda v: v * 1e-160,
    "a spike of 1e69": spike(1e69),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("both", [True, False])
def test_that_what_is_no_quantity_is_judged_as_missing_or_still(tmp_path, name, both):
    sim, target = tmp_path / "sim.csv", tmp_path / "target.csv"
    sim.write_text(wave(120, change=TEXTS[name] if both else lambda v: v), "utf-8")
    target.write_text(wave(120, change=TEXTS[name]), "utf-8")
    status, checks = checked(sim, target, tmp_path / "result.json")
    assert status == 3
    assert not [c["reason"] for c in checks if "itself failed" in c["reason"]]


@pytest.mark.parametrize("column", ["obs_x", "action_u", "reward"])
def test_that_words_on_both_sides_are_never_found_equal_by_their_codes(tmp_path, column):
    paths = tmp_path / "sim.csv", tmp_path / "target.csv"
    for path, gain in zip(paths, (1.0, 3.0), strict=True):
        names, *rows = (line.split(",") for line in wave(120).splitlines())
        at = names.index(column)
        for row in rows:
            row[at] = f"{gain * float(row[at]):.9f} units"
        path.write_text("\n".join(",".join(row) for row in (names, *rows)) + "\n", "utf-8")
    _, checks = checked(*paths, tmp_path / "result.json")
    measured = {m["channel"] for check in checks for m in check["measurements"]}
    assert column not in measured
    asked = {"obs_x": None, "action_u": "action", "reward": "reward"}[column]
    states = {check["id"]: check["state"] for check in checks}
    assert asked is None or states[asked] == "inconclusive"
