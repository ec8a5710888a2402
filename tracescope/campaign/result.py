"""The campaign's result file: written for scripts, byte for byte the same from the same run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tracescope.campaign.result_schema import SCHEMA, CampaignFile
from tracescope.model.errors import Problem, UsageError


def campaign_json(result: CampaignFile) -> bytes:
    """Return the result file, schema 1, ending in a newline."""
    return msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n"


def campaign_schema_text() -> str:
    """Return the result file's JSON schema (2020-12) as text, ending in a newline."""
    import json

    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tracescope campaign result, schema 1",
        **msgspec.json.schema(CampaignFile),
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def read_result(path: Path) -> CampaignFile:
    """Read a result file.

    Raises:
        UsageError: where it cannot be read or is not a campaign's result of this schema.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            Problem("cannot be read", str(path), str(error), "name a file written by --json")
        ) from error
    try:
        result = msgspec.json.decode(data, type=CampaignFile)
    except msgspec.MsgspecError as error:
        raise UsageError(
            Problem(
                "is not the result of a campaign",
                str(path),
                str(error),
                "name a file written by `tracescope campaign … --json`",
            )
        ) from error
    if result.schema != SCHEMA:
        raise UsageError(
            Problem(
                f"has schema {result.schema}", str(path), todo=f"this version reads schema {SCHEMA}"
            )
        )
    return result


def is_result(path: Path) -> bool:
    """Say whether a file looks like a campaign's result, without reading all of it."""
    if path.suffix.lower() != ".json":
        return False
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    return b'"schema"' in head and b'"episodes"' in head
