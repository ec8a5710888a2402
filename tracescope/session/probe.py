"""Probe a session: measure what a person marked, and tell it with the findings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tracescope.analysis.rows import paired_rows
from tracescope.checks.probing import Probe, probe, probed_names
from tracescope.findings.observe import observed_of
from tracescope.model.check import CheckResult
from tracescope.model.errors import Problem, UsageError
from tracescope.model.finding import Report, Untested
from tracescope.session.edits import edited_report
from tracescope.session.session import Session

_TEXT = re.compile(r"^(?P<command>.*?),(?P<response>.+),(?P<first>[^,]+),(?P<last>[^,]+)$")
_KINDS = re.compile(r",(?P<kinds>[a-z]+(@[\d.]+)?(\+[a-z]+(@[\d.]+)?)*)$")


def probe_results(session: Session) -> tuple[CheckResult, ...]:
    """Measure every probe of a session, in order; nothing is stored, so that nothing can be stale.

    Raises:
        UsageError: where a probe names a channel that one side does not have.
    """
    if not session.probes:
        return ()
    case = session.case
    upstream = {} if session.stale else {result.id: result for result in session.results}
    rows = paired_rows(case)
    return tuple(probe(case, p, session.budgets, upstream, rows) for p in session.probes)


def with_probe(session: Session, added: Probe) -> Session:
    """Return the session with one more probe; the results of the checks stay as they are.

    Raises:
        UsageError: where it names a channel that one side does not have.
    """
    probed_names(session.case, added)
    return replace(session, probes=(*session.probes, added))


def without_probe(session: Session, place: int) -> Session:
    """Return the session without the probe at a place."""
    return replace(session, probes=tuple(p for i, p in enumerate(session.probes) if i != place))


def check_probes(session: Session) -> None:
    """Raise UsageError with every channel that a session's probes name and one side does not have."""
    problems: list[Problem] = []
    for marked in session.probes:
        try:
            probed_names(session.case, marked)
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(problems)


def parse_probe(text: str) -> Probe:
    """Read ``COMMAND,RESPONSE,FIRST_S,LAST_S[,KIND+KIND]``; ``phase@8`` and ``timing@100`` name a frequency.

    Raises:
        UsageError: where it does not read like that.
    """
    found = _KINDS.search(text)
    kinds = found["kinds"].split("+") if found else []
    match = _TEXT.match(text[: found.start()] if found else text)
    hertz = {"phase": 10.0, "timing": 50.0}
    try:
        if match is None:
            raise ValueError(text)
        span_s = (float(match["first"]), float(match["last"]))
        names = []
        for kind in kinds:
            name, at, number = kind.partition("@")
            if at:
                if name not in hertz:
                    raise ValueError(kind)
                hertz[name] = float(number)
            names.append(name)
    except ValueError as error:
        raise UsageError(
            Problem(
                "a probe reads COMMAND,RESPONSE,FIRST_S,LAST_S[,KIND+KIND]",
                "--probe",
                found=text,
                todo="for example: --probe v_cmd,force_z,2.0,4.0,contact+phase@8",
            )
        ) from error
    command, response = match["command"].strip(), match["response"].strip()
    return Probe(command, response, span_s, tuple(names), hertz["phase"], hertz["timing"])


def told_report(session: Session, probed: Sequence[CheckResult]) -> Report:
    """Return the findings as the person left them, with what was probed among the observed and untested."""
    if not probed:
        return edited_report(session)
    report = session.report
    observed, untested = list(report.observed), list(report.untested)
    for place, result in enumerate(probed, start=1):
        mark = f"{result.id}-{place}"
        observed += [
            replace(
                o, id=o.id.replace(result.id, mark, 1), text=_about(o.text, result, len(probed))
            )
            for o in observed_of(result)
        ]
        untested += [
            Untested(u.text, u.would_need, result.id, f"{mark}/untested/{i}")
            for i, u in enumerate(result.untested)
        ]
    report = replace(report, observed=tuple(observed), untested=tuple(untested))
    return edited_report(replace(session, report=report))


def _about(text: str, result: CheckResult, count: int) -> str:
    """Say which probe a sentence is of, where there are several."""
    return text if count == 1 else f"{text.rstrip('.')}; probe {result.coverage[0].statement}."
