"""The result file of ``--json``: written for scripts, validated against a published schema."""

from __future__ import annotations

from datetime import datetime

import msgspec

from tracescope.analysis.workbench import Workbench
from tracescope.findings.result import result_value
from tracescope.findings.result_schema import ResultFile
from tracescope.model.errors import Problem, UsageError
from tracescope.session.probe import probe_results, told_report
from tracescope.session.session import Session


def now() -> str:
    """Return the present time, ISO 8601 with zone, to the second."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def dated(text: str | None) -> str:
    """Return a checked date with zone; without a zone it is taken as UTC, and ``None`` is now.

    Raises:
        UsageError: where it is not ISO 8601.
    """
    if text is None:
        return now()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            Problem(
                "is not an ISO 8601 date", "--date", text, "for example 2026-11-30T09:12:44+01:00"
            )
        ) from error
    return moment.isoformat() if moment.tzinfo is not None else f"{moment.isoformat()}+00:00"


def session_result(session: Session, created: str) -> ResultFile:
    """Return the result file's value of a judged session."""
    overlap = len(Workbench(session.case).rows)
    probed = probe_results(session)
    report = told_report(session, probed)
    return result_value(session.case, session.results, report, overlap, created, probed)


def result_json(session: Session, created: str | None = None) -> bytes:
    """Return the result file, schema 1, ending in a newline."""
    value = session_result(session, dated(created))
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
