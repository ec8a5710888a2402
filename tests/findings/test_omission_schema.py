"""The omission log fits its published schema, by a reading of that schema that shares nothing with ours."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tests.findings import hand
from tracescope.cli.sample_command import sample_names
from tracescope.findings.note import render
from tracescope.resources_path import resources
from tracescope.session.export import session_document

pytestmark = IN_ONE_PROCESS

TYPES = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool, "null": type(None),
}  # fmt: skip


def faults(value: Any, schema: Any, root: dict[str, Any], at: str = "$") -> list[str]:
    """Return where a value does not fit a schema (JSON Schema 2020-12, the words that ours uses)."""
    if schema is False:
        return [f"{at}: nothing may stand here"]
    if "$ref" in schema:
        return faults(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    if "anyOf" in schema:
        tried = [faults(value, option, root, at) for option in schema["anyOf"]]
        return [] if any(not found for found in tried) else [f"{at}: fits none of its forms"]
    named = schema.get("type")
    if named is not None and not _is(value, named):
        return [f"{at}: is no {named}"]
    if isinstance(value, dict):
        return _of_object(value, schema, root, at)
    return _of_array(value, schema, root, at) if isinstance(value, list) else []


def _is(value: Any, named: str) -> bool:
    if isinstance(value, bool):
        return named == "boolean"
    return isinstance(value, TYPES[named])


def _of_object(value: dict[str, Any], schema: Any, root: dict[str, Any], at: str) -> list[str]:
    found = [f"{at}: lacks {key}" for key in schema.get("required", ()) if key not in value]
    known = schema.get("properties", {})
    for key, inner in value.items():
        if key in known:
            found += faults(inner, known[key], root, f"{at}.{key}")
    return found


def _of_array(value: list[Any], schema: Any, root: dict[str, Any], at: str) -> list[str]:
    found = []
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        found.append(f"{at}: has {len(value)} items")
    heads = schema.get("prefixItems", [])
    for place, inner in enumerate(value):
        wanted = heads[place] if place < len(heads) else schema.get("items", {})
        found += faults(inner, wanted, root, f"{at}[{place}]")
    return found


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    content = (resources() / "schema" / "omission-log-1.json").read_text("utf-8")
    return json.loads(content)


def fragment(name: str) -> dict[str, Any]:
    document = session_document(judged(name), hand.DATE, figures=())
    return json.loads(render(document, "json"))["omission_log"]


@pytest.mark.parametrize("name", sample_names())
def test_that_every_samples_fragment_fits_the_schema(name, schema):
    assert faults(fragment(name), schema, schema) == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("schema",), "one"),
        (("sources", 0, "sha256"), None),
        (("omissions", 0, "mechanism"), 3),
        (("omissions", 0, "measured", "estimate"), "1.5"),
        (("omissions", 0, "budget"), [0.9]),
        (("omissions", 0, "evidence"), {}),
    ],
)
def test_that_the_schema_refuses_what_is_wrong(path, wrong, schema):
    broken = copy.deepcopy(fragment("latch"))
    inner: Any = broken
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = wrong
    assert faults(broken, schema, schema)


def test_that_a_missing_key_is_a_fault(schema):
    broken = fragment("latch")
    del broken["omissions"][0]["measured"]
    assert faults(broken, schema, schema) == ["$.omissions[0]: lacks measured"]


def test_that_the_latch_names_stiffness_and_command_lag_with_what_was_measured():
    log = fragment("latch")
    named = {o["mechanism"].split(":")[0]: o for o in log["omissions"]}
    lag, stiffness = named["command lag"], named["contact stiffness"]
    assert lag["status"] == "shown"
    assert lag["measured"]["unit"] == "rows"
    assert lag["measured"]["interval"][0] > lag["budget"][1]
    low, high = stiffness["measured"]["interval"]
    assert low <= 6 <= high  # 18000 N/m against 3000 N/m
    assert stiffness["states_affected"] == ["obs/force_z"]
    assert stiffness["budget"] == [0.9, 1.1]
    assert stiffness["status"] == "open"
    assert {s["side"] for s in log["sources"]} == {"simulator", "target"}
    assert all(len(s["sha256"]) == 64 for s in log["sources"])
