"""A preview holds the very rows of the file, spread over all of it, or there is none."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from tracescope.model.errors import Cancelled
from tracescope.readers import hdf5_preview, open_trace
from tracescope.readers.base import ImportChoices
from tracescope.readers.preview import preview_trace

ROWS = 40_000


def values(rows: int = ROWS) -> np.ndarray:
    return np.random.default_rng(4_100_000).standard_normal((rows, 3)).astype(np.float32)


def written(path: Path, layout: str, rows: int = ROWS) -> Path:
    value = values(rows)
    with h5py.File(path, "w", userblock_size=512 if layout == "user block" else 0) as file:
        file["time_s"] = 5.0 + np.arange(rows) * 1e-3
        file["time_s"].attrs["note"] = "kept"
        if layout in {"signals", "user block"}:
            for place in range(3):
                file[f"joint{place}"] = value[:, place]
                file[f"joint{place}"].attrs["unit"] = "rad"
        elif layout == "matrix":
            file["obs"] = value
        elif layout == "big-endian":
            file.create_dataset("obs", data=value, dtype=">f4")
        else:
            chunks = {"chunked": {}, "packed": {"compression": "gzip", "shuffle": True}}[layout]
            file.create_dataset("obs", data=value, chunks=(500, 3), **chunks)
        file["contact"] = value[:, 0] > 0
        file["code"] = np.arange(rows, dtype=np.int16) % 7
    return path


@pytest.mark.parametrize(
    "layout", ["signals", "matrix", "big-endian", "chunked", "packed", "user block"]
)
def test_that_a_preview_holds_the_files_own_rows_from_first_to_last(tmp_path, layout):
    path = written(tmp_path / "long.h5", layout)
    preview, exact = preview_trace(path, least_values=0), open_trace(path)
    assert preview is not None
    trace = preview.trace
    assert preview.rows_in_file == ROWS
    assert 2 < preview.one_in < 20
    assert trace.time_s[[0, -1]].tolist() == exact.time_s[[0, -1]].tolist()
    rows = np.searchsorted(exact.time_s, trace.time_s)
    np.testing.assert_array_equal(exact.time_s[rows], trace.time_s)
    assert [c.name for c in trace] == [c.name for c in exact]
    for channel in trace:
        twin = exact[channel.name]
        np.testing.assert_array_equal(channel.value, twin.value[rows])
        assert (channel.unit, channel.role) == (twin.unit, twin.role)
    assert np.diff(rows).max() < 2 * ROWS / 2**preview.halvings


def test_that_a_preview_bears_no_hash_and_no_health(tmp_path):
    preview = preview_trace(written(tmp_path / "long.h5", "signals"), least_values=0)
    assert preview is not None
    assert preview.trace.source.sha256 == ""
    assert preview.trace.source.rows_in_file == ROWS
    assert preview.trace.health == ()


def test_that_rows_without_stamps_stand_where_they_are_in_the_file(tmp_path):
    path = tmp_path / "long.h5"
    with h5py.File(path, "w") as file:
        file["q"] = np.arange(ROWS, dtype=np.float64)
    by_row = preview_trace(path, least_values=0)
    by_rate = preview_trace(path, choices=ImportChoices(rate_hz=50.0), least_values=0)
    assert by_row is not None
    assert by_rate is not None
    np.testing.assert_array_equal(by_row.trace.time_s, by_row.trace["q"].value)
    np.testing.assert_allclose(by_rate.trace.time_s, by_rate.trace["q"].value / 50.0)


def test_that_a_tight_budget_reads_fewer_places_and_a_limit_is_kept(tmp_path):
    path = written(tmp_path / "long.h5", "matrix", 400_000)
    whole = preview_trace(path, least_values=0, budget_s=60.0)
    hasty = preview_trace(path, least_values=0, budget_s=0.0)
    limited = preview_trace(path, least_values=0, budget_s=60.0, most_halvings=6)
    found = [None if p is None else (p.halvings, len(p.trace)) for p in (whole, hasty, limited)]
    assert found == [(9, 512 * 64), (5, 32 * 64), (6, 64 * 64)]


@pytest.mark.parametrize("periods", [31, 64, 512, 1024, 2000, 4096])
@pytest.mark.parametrize("suffix", ["h5", "csv"])
def test_that_no_periodic_signal_stands_still_or_turns_slow_in_a_preview(tmp_path, periods, suffix):
    """Of places at even distances a signal of their period shows one phase only, its neighbours a slow beat."""
    rows, path = 400_000, tmp_path / f"long.{suffix}"
    turn = 2 * np.pi * periods / rows
    if suffix == "h5":
        with h5py.File(path, "w") as file:
            file["q"] = np.sin(turn * np.arange(rows))
    else:
        path.write_text("q\n" + "".join(f"{row:07d}.5\n" for row in range(rows)), encoding="utf-8")
    preview = preview_trace(path, least_values=0, budget_s=60.0)
    assert preview is not None
    row = preview.trace.time_s
    starts = row[np.flatnonzero(np.diff(row, prepend=-2.0) > 1.5)]
    assert starts.size > 200
    for slow in range(-40, 41):  # what 41 slow periods would look like, and every other slow beat
        phase = np.exp(1j * (turn * starts - 2 * np.pi * slow * starts / rows))
        if abs(periods - slow) > 1:
            assert abs(phase.mean()) < 0.5
    again = preview_trace(path, least_values=0, budget_s=60.0)
    assert again is not None
    np.testing.assert_array_equal(again.trace.time_s, row)


def test_that_a_slow_disk_gets_no_preview(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5_preview, "GIVE_UP_S", -1.0)
    assert preview_trace(written(tmp_path / "long.h5", "matrix"), least_values=0) is None


@pytest.mark.parametrize(
    "case", ["short", "few values", "episode", "missing", "text", "open quotes", "runs"]
)
def test_that_what_is_short_or_not_plain_has_no_preview(tmp_path, case):
    path = written(tmp_path / "long.h5", "signals", 500 if case == "short" else ROWS)
    if case == "few values":
        assert preview_trace(path) is None
        return
    if case == "text":
        path = tmp_path / "long.csv"
        path.write_bytes(("t,q\n" + "0.1,1\n" * 400_000).encode("utf-16"))
    if case == "open quotes":
        path = tmp_path / "long.csv"
        path.write_text("t,q,note\n" + '0.1,1,"two\nlines"\n' * 100_000, encoding="utf-8")
    if case == "runs":
        with h5py.File(path, "a") as file:
            del file["time_s"]
            file["time_s"] = np.tile(np.arange(ROWS // 4) * 1e-3, 4)
    if case == "missing":
        path = tmp_path / "nowhere.h5"
    episode = "0" if case == "episode" else None
    assert preview_trace(path, episode, least_values=0) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_that_a_preview_of_a_long_text_holds_its_own_rows_from_first_to_last(tmp_path, end):
    path = tmp_path / "long.csv"
    time_s, value = np.arange(200_000) * 1e-3, np.round(values(200_000)[:, 0].astype(float), 4)
    with path.open("w", encoding="utf-8", newline=end or "\n") as file:
        file.write("# recorded by a rig\ntime_s,q [rad]\n")
        file.writelines(f"{t:.3f},{q:.4f}\n" for t, q in zip(time_s, value, strict=True))
    if not end:
        path.write_bytes(path.read_bytes().rstrip(b"\n"))
    preview, exact = preview_trace(path, least_values=0), open_trace(path)
    assert preview is not None
    rows = np.searchsorted(exact.time_s, preview.trace.time_s)
    np.testing.assert_array_equal(exact.time_s[rows], preview.trace.time_s)
    np.testing.assert_array_equal(exact["q [rad]"].value[rows], preview.trace["q [rad]"].value)
    assert preview.trace["q [rad]"].unit == exact["q [rad]"].unit
    assert rows[0] == 0
    assert rows[-1] >= len(exact) - 2
    assert preview.rows_in_file == pytest.approx(len(exact), rel=0.02)
    assert preview.trace.source.path == str(path)
    assert 2 < preview.one_in < 50


def test_that_rows_of_a_long_text_without_stamps_stand_about_where_they_are(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("q\n" + "".join(f"{row:07d}.5\n" for row in range(400_000)), encoding="utf-8")
    preview = preview_trace(path, least_values=0)
    assert preview is not None
    where = preview.trace["q"].value - 0.5
    np.testing.assert_allclose(preview.trace.time_s, where, atol=40)


def test_that_a_file_cut_short_has_no_preview_and_reading_it_says_why(tmp_path):
    path = written(tmp_path / "long.h5", "signals")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert preview_trace(path, least_values=0) is None


def test_that_a_preview_can_be_stopped(tmp_path):
    def stop(done: float, what: str) -> None:
        raise Cancelled(f"{what} {done}")

    with pytest.raises(Cancelled):
        preview_trace(written(tmp_path / "long.h5", "matrix"), progress=stop, least_values=0)


def test_that_the_share_read_grows_through_reading_and_hashing(tmp_path):
    told: list[tuple[float, str]] = []
    open_trace(written(tmp_path / "long.h5", "signals"), progress=lambda *now: told.append(now))
    shares = [done for done, _ in told]
    assert shares == sorted(shares)
    assert told[-1] == (1.0, "hashing")
