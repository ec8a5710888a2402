"""The JSON schema of the result file, as published in ``resources/schema``."""

from __future__ import annotations

import json

import msgspec

from tracescope.findings.result_schema import ResultFile


def result_schema_text() -> str:
    """Return the result file's JSON schema (2020-12) as text, ending in a newline."""
    schema = msgspec.json.schema(ResultFile)
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tracescope result file, schema 1",
        **schema,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
