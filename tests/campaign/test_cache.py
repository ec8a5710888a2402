"""Results kept between runs: whole or not at all, and only for what they were computed from."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tracescope.campaign.cache import Cache, fingerprint, key_of, open_cache
from tracescope.campaign.matching import Rollout
from tracescope.campaign.pipeline import Options
from tracescope.model.errors import UsageError
from tracescope.model.tolerance import Tolerances
from tracescope.session.open import OpenOptions

VALUE = Rollout(1.5, ("x",), ("u",), (0.1,), (0.2, 0.3), (1.0, 1e-300), ((0.0, 1.0),))
KEY = key_of("rollout", "digest", Options())


def the_file(cache: Cache) -> Path:
    [path] = cache.folder.rglob("*.json")
    return path


def test_that_an_entry_reads_back_as_it_was(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "folder")
    assert cache.get(KEY, Rollout) is None
    cache.put(KEY, VALUE)
    assert cache.get(KEY, Rollout) == VALUE
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-10],
        lambda content: content[:0],
        lambda content: content.replace(b"0.2", b"0.7"),
        lambda content: bytes(len(content)),
        lambda content: content + b"more",
    ],
)
def test_that_a_damaged_entry_is_no_entry_and_is_replaced(tmp_path: Path, damage) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, VALUE)
    path = the_file(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY, Rollout) is None
    cache.put(KEY, VALUE)
    assert cache.get(KEY, Rollout) == VALUE


def test_that_an_entry_of_another_shape_is_no_entry(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, {"something": "else"})
    assert cache.get(KEY, Rollout) is None


def test_that_keys_differ_with_whatever_a_result_depends_on() -> None:
    loose = OpenOptions(tolerances=Tolerances((("timing.latency", (float("-inf"), 0.1)),)))
    open_ended = OpenOptions(
        tolerances=Tolerances((("timing.latency", (float("-inf"), float("inf"))),))
    )
    keys = [
        KEY,
        key_of("rollout", "other digest", Options()),
        key_of("pair", "digest", Options()),
        key_of("rollout", "digest", Options(corrected=True)),
        key_of("rollout", "digest", Options(loose)),
        key_of("rollout", "digest", Options(open_ended)),
        key_of("rollout", "digest", Options(OpenOptions(confidence=0.95))),
    ]
    assert len(set(keys)) == len(keys)
    assert key_of("rollout", "digest", Options()) == KEY


def test_that_another_product_means_another_key(monkeypatch) -> None:
    monkeypatch.setattr("tracescope.__version__", "99")
    fingerprint.cache_clear()
    try:
        assert key_of("rollout", "digest", Options()) != KEY
    finally:
        monkeypatch.undo()
        fingerprint.cache_clear()


def test_that_a_full_or_forbidden_folder_costs_nothing_but_time(tmp_path: Path, caplog) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file")
    cache.put(KEY, VALUE)
    cache.put(KEY, VALUE)
    assert cache.get(KEY, Rollout) is None
    assert sum("cannot be kept" in record.message for record in caplog.records) == 1
    with pytest.raises(UsageError, match="in its way"):
        open_cache(tmp_path / "file")


def test_that_what_no_run_asked_for_is_dropped_in_time(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(KEY, VALUE)
    assert cache.prune() == 0
    old = time.time() - 1000
    os.utime(the_file(cache), (old, old))
    assert cache.get(KEY, Rollout) == VALUE  # asking for it renews it
    assert cache.prune(kept_s=500) == 0
    os.utime(the_file(cache), (old, old))
    assert cache.prune(kept_s=500) == 1
    assert cache.get(KEY, Rollout) is None


def test_that_nothing_but_its_own_entries_is_ever_dropped(tmp_path: Path) -> None:
    """A person may name any folder as the cache, that of the recordings as well."""
    cache = Cache(tmp_path)
    cache.put(KEY, VALUE)
    entry, recording = the_file(cache), tmp_path / "01" / "sim.csv"
    beside, draft = entry.with_name("notes.json"), entry.with_name(f".{entry.name}.1234.tmp")
    recording.parent.mkdir()
    for path in (recording, beside, draft):
        path.write_text("x")
    old = time.time() - 1000
    for path in (recording, beside, draft, entry):
        os.utime(path, (old, old))
    assert cache.prune(kept_s=500) == 2
    assert recording.exists()
    assert beside.exists()
    assert not draft.exists()
    assert not entry.exists()


def test_that_a_frozen_product_is_known_by_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "tracescope"
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr("sys.executable", str(program))
    seen = set()
    for content in (b"one", b"two"):
        program.write_bytes(content)
        fingerprint.cache_clear()
        seen.add(fingerprint())
    monkeypatch.undo()
    fingerprint.cache_clear()
    assert len(seen) == 2
