"""One of a thing is told as one, by every note that counts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.builders import trace
from tracescope.model.words import counted
from tracescope.readers import open_trace
from tracescope.readers.health import sentinel_notes, stamp_notes, value_notes


def test_that_a_noun_follows_its_number() -> None:
    assert [counted(n, "row") for n in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert counted(1, "row has", "rows have") == "1 row has"
    assert counted(2, "row has", "rows have") == "2 rows have"


@pytest.mark.parametrize("many", [1, 2])
def test_that_values_are_counted_in_words(many: int) -> None:
    values = np.arange(40.0).reshape(20, 2)
    values[3 : 3 + many, 0] = np.nan
    values[9 : 9 + many, 1] = np.inf
    empty = {f"lost{k}": np.full(20, np.nan) for k in range(many)}
    said = [note.what for note in value_notes(trace(0.02, values, other=empty))]
    said += [note.what for note in sentinel_notes([("a", many)])]
    s = "" if many == 1 else "s"
    assert f"{many} channel{s} hold{'s' if many == 1 else ''} no value at all" in said
    assert f"{many} NaN or empty cell{s} in 1 channel" in said
    assert f"{many} infinite cell{s} in 1 channel" in said
    assert any(text.startswith(f"{many} number{s} lie{'s' if many == 1 else ''}") for text in said)


@pytest.mark.parametrize("many", [1, 2])
def test_that_stamps_are_counted_in_words(many: int) -> None:
    time_s = np.arange(20) * 0.02
    for k in range(many):
        time_s[4 + 3 * k] = time_s[3 + 3 * k]
    said = [note.what for note in stamp_notes(trace(time_s=time_s, obs=np.arange(20.0)))]
    has = "row has" if many == 1 else "rows have"
    assert f"{many} {has} the stamp of the row before but other values" in said


def test_that_a_file_with_one_of_every_fault_says_one(tmp_path) -> None:
    lines = ["timestamp,step,obs_0,action_0"]
    lines += [f"{k * 0.02:.3f},{k},{k * 0.5},{k % 3}" for k in range(30)]
    lines[6] = ",5,2.5,1"
    lines[11] = "0.200,10,5.0"
    lines[16] = "0.300,15,7.5,0,9"
    path = tmp_path / "one.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = " | ".join(note.what for note in open_trace(str(path)).health)
    assert "1 row has no stamp" in said
    assert not re.search(r"(?<!\d)(?<!of )1 (rows|channels|cells|intervals|periods|values)\b", said)
