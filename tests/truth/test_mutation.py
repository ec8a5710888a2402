"""The mutation run chooses, counts and names as it says; the run itself is ``python -m tests.mutation``."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from tests import mutation
from tests.mutation import (
    PLACES,
    ROOT,
    Result,
    chosen,
    counts,
    difference,
    made,
    module_of,
    report,
    results,
    share,
    table,
)

NAMES = [f"tracescope.{m}.x_f__mutmut_{i}" for m in ("analysis.a", "checks.b") for i in range(50)]


def test_that_a_sample_is_the_same_for_a_seed_and_a_larger_one_continues_it():
    one = chosen(NAMES, 10, 1, {})
    assert one == chosen(reversed(NAMES), 10, 1, {})
    assert one != chosen(NAMES, 10, 2, {})
    assert len(one) == 20
    assert {module_of(name) for name in one} == {"analysis.a", "checks.b"}
    assert set(one) < set(chosen(NAMES, 20, 1, {}))
    assert len(chosen(NAMES, 1000, 1, {})) == 100


def test_that_modules_named_are_tried_more_closely():
    more = counts("analysis.a,checks.b:7")
    assert more == {"analysis.a": None, "checks.b": 7}
    picked = chosen(NAMES, 2, 1, more)
    assert picked[:50] == sorted(NAMES[:50])
    assert len(picked) == 57
    assert counts("") == {}


def folder_with(tmp_path: Path, lines: list[tuple[str, str, str]]) -> Path:
    meta = tmp_path / "mutants" / "tracescope" / "analysis" / "a.py.meta"
    meta.parent.mkdir(parents=True)
    found = {
        "exit_code_by_key": dict.fromkeys(NAMES[:6]),
        "hash_by_function_name": {"x_f": "now"},
    }
    meta.write_text(json.dumps(found), encoding="utf-8")
    tried = [
        json.dumps(
            {"mutant": name, "state": state, "test": "t.py::test_it", "cpu_s": 2.0, "of": of}
        )
        for name, state, of in lines
    ]
    (tmp_path / "mutants" / "tried.jsonl").write_text("\n".join(tried), encoding="utf-8")
    return tmp_path


def test_that_results_of_a_function_that_changed_since_do_not_count(tmp_path: Path):
    folder = folder_with(
        tmp_path,
        [
            (NAMES[0], "survived", "now"),
            (NAMES[1], "survived", "before"),
            (NAMES[2], "killed", "now"),
            (NAMES[0], "killed", "now"),
            (NAMES[0], "survived what was run", "now"),
        ],
    )
    names = made(folder)
    assert list(names) == NAMES[:6]
    found = results(folder, names)
    assert {name: (one.first, one.state) for name, one in found.items()} == {
        NAMES[0]: ("survived", "killed"),
        NAMES[2]: ("killed", "killed"),
    }


def test_that_the_table_counts_by_module_and_weighs_by_their_mutants():
    found = {
        NAMES[0]: Result("survived", "killed", "tests/a.py::test_new"),
        NAMES[1]: Result("killed", "killed"),
        NAMES[50]: Result("survived", "survived"),
    }
    lines = table(found, [*NAMES, *NAMES[50:]])
    assert lines == [("analysis.a", 50, 2, 1, 2), ("checks.b", 100, 1, 0, 0), ("all", 150, 3, 1, 2)]
    assert share(lines, 3) == pytest.approx((50 * 0.5 + 100 * 0) / 150)
    assert share(lines, 4) == pytest.approx(50 / 150)
    assert table({}, NAMES) == [("all", 0, 0, 0, 0)]
    assert share(table({}, NAMES), 3) == 0


def test_that_survivors_are_named_with_what_was_found_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    looked = tmp_path / "looked.toml"
    looked.write_text(
        '["checks.b.x_f__mutmut_0"]\nkind = "words"\nwhy = "a comma"\n', encoding="utf-8"
    )
    monkeypatch.setattr(mutation, "LOOKED_AT", looked)
    found = {
        NAMES[0]: Result("survived", "killed", "tests/a.py::test_new"),
        NAMES[1]: Result("killed", "killed"),
        NAMES[2]: Result("too slow", "too slow"),
        NAMES[50]: Result("survived", "survived"),
        NAMES[51]: Result("no test runs it", "no test runs it"),
    }
    text = report(found, dict.fromkeys(NAMES, ""), "abc", 1)
    assert "5 of 100 mutants tried, a seeded sample of every module\n" in text
    timed = {name: replace(one, cpu_s=0.5) for name, one in found.items()}
    assert "; 0.5 s of processor time each\n" in report(timed, dict.fromkeys(NAMES, ""), "abc", 1)
    assert (
        "## caught since, by a test added or not reached at first (1)\n\n* `analysis.a.x_f__mutmut_0`: test_new"
        in text
    )
    assert "## words (1)\n\n* `checks.b.x_f__mutmut_0`: a comma" in text
    assert "## not looked at (1)\n\n* `checks.b.x_f__mutmut_1`: no test runs it" in text


def test_that_the_difference_of_a_mutant_is_shown(tmp_path: Path):
    place = tmp_path / "mutants" / "tracescope" / "analysis"
    place.mkdir(parents=True)
    mark = "  # type: ignore # mutmut generated"
    source = f"def x_f__mutmut_orig(a):{mark}\n    b = a{mark}\n    return b + 1{mark}\n"
    source += source.replace("orig", "1").replace("+ 1", "- 1")
    (place / "a.py").write_text(source, encoding="utf-8")
    lines = difference(tmp_path, "tracescope.analysis.a.x_f__mutmut_1").splitlines()
    assert lines[1:] == ["     b = a", "-    return b + 1", "+    return b - 1"]


def test_that_every_module_that_verdicts_rest_on_is_mutated():
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
    assert {"tracescope/analysis/*.py", "tracescope/checks/*.py"} <= set(tool["only_mutate"])
    for place in (*tool["also_copy"], *PLACES):
        assert (ROOT / place).exists(), place


@pytest.mark.slow
def test_that_most_changes_of_the_state_rule_are_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    mutation.main(["--folder", str(tmp_path / "clone"), "--each", "0", "--of", "model.check"])
    row = next(line for line in capsys.readouterr().out.splitlines() if "model.check |" in line)
    there, tried, _, caught = (int(cell) for cell in row.strip("| ").split(" | ")[1:])
    assert tried == there
    assert caught >= 0.85 * tried
