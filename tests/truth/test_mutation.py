"""The mutation run chooses, counts and names as it says; the run itself is ``python -m tests.mutation``."""

import json
import tomllib
from pathlib import Path

from tests.mutation import ROOT, chosen, module_of, results, table

NAMES = [f"tracescope.{m}.x_f__mutmut_{i}" for m in ("analysis.a", "checks.b") for i in range(50)]


def test_that_a_sample_is_the_same_for_a_seed_and_holds_the_modules_named():
    one = chosen(NAMES, 20, 1, [""])
    assert one == chosen(reversed(NAMES), 20, 1, [""])
    assert one != chosen(NAMES, 20, 2, [""])
    assert len(one) == 20
    assert {module_of(name) for name in one} == {"analysis.a", "checks.b"}
    assert set(chosen(NAMES, 5, 1, ["analysis.a"])) >= set(NAMES[:50])
    assert len(chosen(NAMES, 1000, 1, [])) == 100


def test_that_results_are_read_and_counted_by_module(tmp_path: Path):
    meta = tmp_path / "mutants" / "tracescope" / "analysis" / "a.py.meta"
    meta.parent.mkdir(parents=True)
    codes = dict(zip(NAMES[:6], (1, 0, 33, 36, None, -9), strict=True))
    meta.write_text(json.dumps({"exit_code_by_key": codes}), encoding="utf-8")
    found = results(tmp_path)
    assert list(found.values()) == [
        "killed",
        "survived",
        "no test runs it",
        "too slow",
        "",
        "exit -9",
    ]
    lines = table(found).splitlines()
    assert "5 tried,  40 % caught" in lines[0]
    assert lines[0].startswith("analysis.a")
    assert lines[1].startswith("all")
    assert lines[2:] == [f"survived: {NAMES[1]}", f"no test runs it: {NAMES[2]}"]
    assert "0 tried" in table({})


def test_that_every_module_that_verdicts_rest_on_is_mutated():
    made = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
    assert {"tracescope/analysis/*.py", "tracescope/checks/*.py"} <= set(made["only_mutate"])
    for place in (*made["also_copy"], *made["pytest_add_cli_args_test_selection"]):
        assert (ROOT / place).exists(), place
