"""The result file holds every key that scripts rely on, with the shape that was published."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tracescope.cli.main import main

EXERCISE = Path(__file__).resolve().parents[2] / "samples" / "exercise"
NUMBER, TEXT = (int, float), (str,)
MAYBE_NUMBER, MAYBE_TEXT = (int, float, type(None)), (str, type(None))

SIDE = {
    "path": TEXT, "sha256": TEXT, "layout": TEXT, "episode": MAYBE_TEXT, "steps": (int,),
    "duration_s": MAYBE_NUMBER, "interval_s": MAYBE_NUMBER,
    "channels": [{"name": TEXT, "role": TEXT, "unit": TEXT}],
    "health": [{"what": TEXT, "where": TEXT, "count": (int,), "done": TEXT}],
}  # fmt: skip
RESULT: dict[str, Any] = {
    "schema": (int,), "tracescope": TEXT, "created": TEXT,
    "pair": {"sim": SIDE, "target": SIDE},
    "alignment": {
        "mode": TEXT, "how": TEXT, "offset_s": NUMBER, "offset_interval_s": [MAYBE_NUMBER],
        "drift_ppm": NUMBER, "drift_interval_ppm": [MAYBE_NUMBER], "step_shift": (int,),
        "overlap_steps": (int,), "rivals": [{"offset_s": NUMBER, "score": NUMBER}],
    },
    "corrections": [{"channel": TEXT, "scale": NUMBER, "offset": NUMBER}],
    "checks": [{
        "id": TEXT, "state": TEXT, "reason": TEXT,
        "measurements": [{
            "quantity": TEXT, "channel": TEXT, "estimate": MAYBE_NUMBER,
            "interval": (list, type(None)), "confidence": NUMBER, "unit": TEXT, "n": MAYBE_NUMBER,
            "tolerance": (list, type(None)), "state": TEXT,
        }],
        "coverage": [{"channel": TEXT, "range": (list, type(None)), "statement": TEXT}],
        "applied": [TEXT],
        "would": (dict, type(None)),
        "evidence": [{"channel": TEXT, "span_s": [NUMBER]}],
    }],
    "findings": {
        "observed": [{"text": TEXT, "check": TEXT}],
        "inferred": [{"text": TEXT, "rests_on": [TEXT], "would_be_wrong_if": TEXT, "family": TEXT}],
        "untested": [{"text": TEXT, "would_need": TEXT}],
    },
    "hypotheses": [{"family": TEXT, "channels": [TEXT], "explains": MAYBE_NUMBER, "rank": (int,)}],
    "next_test": {
        "family": TEXT, "do": TEXT, "falsifies": TEXT,
        "predicted": [{"quantity": TEXT, "channel": TEXT, "interval": [MAYBE_NUMBER]}],
    },
}  # fmt: skip
INSPECT: dict[str, Any] = {
    "schema": (int,), "path": TEXT, "sha256": TEXT, "layout": TEXT, "layout_because": TEXT,
    "episodes": [{
        "key": MAYBE_TEXT, "steps": (int,), "duration_s": MAYBE_NUMBER, "interval_s": MAYBE_NUMBER,
        "clock": {"column": MAYBE_TEXT, "unit": TEXT, "origin": TEXT},
        "channels": [{
            "name": TEXT, "role": TEXT, "role_because": TEXT, "unit": TEXT, "dtype": TEXT,
            "range": (list, type(None)), "nonfinite": (int,),
        }],
    }],
    "health": [{"what": TEXT, "where": TEXT, "count": (int,), "done": TEXT}],
}  # fmt: skip


def unlike(value: Any, shape: Any, at: str = "$") -> list[str]:
    """Return where a value lacks a key or has another type; further keys are allowed."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{at}: {value!r}"]
        missing = [f"{at}.{key}: missing" for key in shape if key not in value]
        held = [k for k in shape if k in value]
        return missing + [f for k in held for f in unlike(value[k], shape[k], f"{at}.{k}")]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{at}: {value!r}"]
        return [f for i, one in enumerate(value) for f in unlike(one, shape[0], f"{at}[{i}]")]
    return [] if isinstance(value, shape) else [f"{at}: {value!r}"]


def no_constant(name: str) -> float:
    raise AssertionError(f"JSON holds {name}")


@pytest.fixture
def result(capsysbinary: pytest.CaptureFixture[bytes]) -> dict[str, Any]:
    sides = [str(EXERCISE / f"{side}.csv") for side in ("sim", "target")]
    main(["check", *sides, "--correct", "obs[0]=1.5", "--json", "-"])
    found = json.loads(capsysbinary.readouterr().out, parse_constant=no_constant)
    assert isinstance(found, dict)
    return found


def test_that_the_result_has_every_published_key(result: dict[str, Any]) -> None:
    assert unlike(result, RESULT) == []
    assert result["schema"] == 1


def test_that_what_may_be_empty_was_not(result: dict[str, Any]) -> None:
    for part in ("corrections", "checks", "hypotheses"):
        assert result[part], part
    assert all(result["findings"][heading] for heading in ("observed", "inferred", "untested"))
    assert result["next_test"]["predicted"]
    would = next(c["would"] for c in result["checks"] if c["would"])
    assert set(would) >= {"corrections", "state", "reason"}


def test_that_the_checks_stand_in_their_order_with_known_words(result: dict[str, Any]) -> None:
    assert [c["id"] for c in result["checks"]] == [
        "alignment", "observation-scaling", "action", "timing", "dynamics", "reward", "termination",
    ]  # fmt: skip
    states = {m["state"] for c in result["checks"] for m in c["measurements"]}
    assert states <= {"pass", "fail", "inconclusive"}
    assert result["alignment"]["mode"] in {"step", "time"}
    assert result["alignment"]["how"] in {"assumed", "estimated", "given", "anchors"}


def test_that_shares_of_the_residual_are_shares(result: dict[str, Any]) -> None:
    for one in result["hypotheses"]:
        assert one["explains"] is None or 0 <= one["explains"] <= 1
        assert one["explains"] is None or math.isfinite(one["explains"])
    assert [one["rank"] for one in result["hypotheses"]] == [
        k + 1 for k in range(len(result["hypotheses"]))
    ]


def test_that_inspect_has_every_published_key(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["inspect", str(EXERCISE / "target.csv"), "--json", "-"]) == 0
    found = json.loads(capsysbinary.readouterr().out, parse_constant=no_constant)
    assert unlike(found, INSPECT) == []


def test_that_a_missing_key_would_be_found() -> None:
    assert unlike({"schema": 1}, {"schema": (int,), "path": TEXT}) == ["$.path: missing"]
    assert unlike([{"n": "4"}], [{"n": NUMBER}]) == ["$[0].n: '4'"]
