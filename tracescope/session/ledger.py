"""Read the prediction that an earlier note froze, for the pair that tests it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import msgspec

from tracescope.findings.follow_up import Factors, FollowUp, Frozen, Link, follow_up
from tracescope.findings.result_schema import HypothesisEntry, NextTestEntry, ResultFile
from tracescope.model.errors import Problem, UsageError
from tracescope.session.session import Session


class _Note(msgspec.Struct, frozen=True):
    title: str
    date: str
    factors: Factors
    follow_up: FollowUp | None = None


class _NoteFile(msgspec.Struct, frozen=True):
    """What of a JSON note a follow-up needs."""

    next_test: NextTestEntry | None
    hypotheses: list[HypothesisEntry]
    note: _Note


def read_prediction(path: Path | str) -> Frozen:
    """Read the prediction of a JSON note.

    Raises:
        UsageError: where the file is no JSON note or predicts nothing.
    """
    path = Path(path)
    where = str(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(Problem(f"cannot be read: {error.strerror}", where)) from error
    try:
        file = msgspec.json.decode(content, type=_NoteFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        todo = "give the note that was exported as .json"
        raise UsageError(Problem("is not a JSON note", where, str(error), todo)) from error
    if file.next_test is None or not file.next_test.predicted:
        raise UsageError(
            Problem(
                "predicts nothing: there is nothing to follow up",
                where,
                todo="check the pair alone",
            )
        )
    chain: list[Link] = []
    if file.note.follow_up is not None:
        before = file.note.follow_up
        link = Link(
            before.prediction.title,
            before.prediction.date,
            before.prediction.sha256,
            before.outcome,
        )
        chain = [*before.prediction.chain, link]
    return Frozen(
        file.note.title,
        file.note.date,
        hashlib.sha256(content).hexdigest(),
        file.next_test.family,
        file.next_test.do,
        file.next_test.predicted,
        [h.family for h in file.hypotheses],
        file.note.factors,
        chain,
    )


def followed(session: Session, prediction: Frozen | None) -> Session:
    """Return the session as the follow-up of a prediction; results stay."""
    return replace(session, prediction=prediction)


def session_follow_up(session: Session, result: ResultFile) -> FollowUp | None:
    """Hold the session's prediction, where it has one, against its result."""
    if session.prediction is None:
        return None
    return follow_up(session.prediction, result, session.case)
