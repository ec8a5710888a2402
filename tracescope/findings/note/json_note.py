"""The note as JSON: the result file, and what a person added, under ``note``."""

from __future__ import annotations

from tracescope.findings.note.document import NoteDocument
from tracescope.findings.omission import omission_log


def json_note(document: NoteDocument) -> bytes:
    """Return the result file's content with two more keys, ``omission_log`` and ``note``."""
    import msgspec

    content = msgspec.to_builtins(document.result)
    by_hand = [
        item.text
        for items in (*(g.items for g in document.observed), document.inferred, document.untested)
        for item in items
        if item.by_hand
    ]
    content["omission_log"] = msgspec.to_builtins(omission_log(document.result))
    content["note"] = {
        "title": document.title,
        "date": document.date,
        "author": document.author,
        "policy": document.policy,
        "summary": list(document.summary),
        "alignment": list(document.alignment),
        "corrections": list(document.corrections),
        "by_hand": by_hand,
        "tolerances": [
            {"key": t.key, "band": t.band, "default": t.is_default} for t in document.tolerances
        ],
        "versions": dict(document.versions),
        "command": document.command,
        "factors": msgspec.to_builtins(document.factors),
        "follow_up": msgspec.to_builtins(document.follow_up_value),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"
