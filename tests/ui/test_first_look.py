"""What a newcomer reads first: the gallery's order, and the next test in short lines."""

from __future__ import annotations

import pytest

from tracescope.model.finding import NextTest, Prediction
from tracescope.ui.panels.findings_panel import next_test_text
from tracescope.ui.panels.gallery import bundled_samples


def test_that_the_exercise_comes_first():
    assert bundled_samples()[0].name == "exercise"


@pytest.mark.parametrize(
    ("places", "order"),
    [({}, "abc"), ({"c": "place = 1"}, "cab"), ({"b": 'place = "first"', "c": "place = 2"}, "cab")],
)
def test_that_a_sample_may_ask_for_its_place(tmp_path, places, order):
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "truth.toml").write_text(places.get(name, ""), "utf-8")
        for side in ("sim", "target"):
            (tmp_path / name / f"{side}.csv").touch()
    assert "".join(sample.name for sample in bundled_samples(tmp_path)) == order


@pytest.mark.parametrize("count", [0, 1, 8])
def test_that_each_predicted_quantity_has_a_line_with_its_interval(count):
    predicted = tuple(
        Prediction("latency", f"action[{i}]", (-0.025, 0.025), "s") for i in range(count)
    )
    text = next_test_text(NextTest("timing", "Do it.", "Wrong if not.", predicted))
    lines = [line for line in text.splitlines() if line.startswith("• ")]
    assert lines == [f"• latency of action[{i}]: −25 to 25 ms" for i in range(count)]
    assert ("Predicted:" in text) == bool(count)
    assert all(len(line) < 60 for line in lines)
