"""The session file: JSON, schema 1. Saving what was loaded gives the same bytes."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tracescope.checks.probing import Budgets, Probe
from tracescope.findings.follow_up import Frozen
from tracescope.model.alignment import Alignment, Interval
from tracescope.model.check import CheckResult
from tracescope.model.correction import Correction
from tracescope.model.errors import Problem, TraceReadError, UsageError
from tracescope.model.finding import Report
from tracescope.model.pair import TracePair, pair_traces
from tracescope.model.progress import Progress, silent
from tracescope.model.tolerance import Tolerances
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.base import ImportChoices
from tracescope.session.atomic import write_beside
from tracescope.session.open import read_sides
from tracescope.session.session import FindingEdit, Mark, Session, SideChoices, View

SCHEMA = 1
CHANGED_KEY = "source-changed"
"""Key of the health note that says that a source is not what it was when the session was saved."""


class StoredSide(msgspec.Struct, frozen=True):
    """One source: where it lies relative to the session file, what it was, how it was read."""

    path: str
    sha256: str
    episode: str | None
    choices: ImportChoices


class StoredSession(msgspec.Struct, frozen=True):
    """The session file's content, in the file's order of keys."""

    schema: int
    tracescope: str
    sim: StoredSide
    target: StoredSide
    pairs: list[tuple[str, str]]
    alignment: Alignment
    corrections: tuple[Correction, ...]
    tolerances: list[tuple[str, Interval]]
    confidence: float
    proposal: Alignment | None
    locked: bool
    revision: int
    results_revision: int
    results: tuple[CheckResult, ...]
    report: Report
    marks: tuple[Mark, ...]
    edits: tuple[FindingEdit, ...]
    view: View
    prediction: Frozen | None = None
    probes: tuple[Probe, ...] = ()
    budgets: list[tuple[str, Interval]] = []


def save_session(session: Session, path: Path | str) -> None:
    """Write a session, replacing the file as a whole; the file it replaces is kept as ``.bak``.

    Raises:
        UsageError: where the path is one of the sources or cannot be written.
    """
    path = Path(path)
    write_beside(path, session_bytes(session, path), source_paths(session), backup=True)


def source_paths(session: Session) -> tuple[str, str]:
    """Return the paths that nothing may ever be written onto."""
    return session.sim.path, session.target.path


def session_bytes(session: Session, path: Path | str) -> bytes:
    """Return what :func:`save_session` writes; ``path`` is where it will lie (sources are relative)."""
    from tracescope import __version__

    folder = Path(path).absolute().parent
    pair = session.pair
    stored = StoredSession(
        schema=SCHEMA,
        tracescope=__version__,
        sim=_stored_side(session.sim, pair.sim, folder),
        target=_stored_side(session.target, pair.target, folder),
        pairs=[(m.sim, m.target) for m in pair.matches if m.how == "given"],
        alignment=session.alignment,
        corrections=session.corrections,
        tolerances=list(session.tolerances.chosen),
        confidence=session.confidence,
        proposal=session.proposal,
        locked=session.locked,
        revision=session.revision,
        results_revision=session.results_revision,
        results=session.results,
        report=session.report,
        marks=session.marks,
        edits=session.edits,
        view=session.view,
        prediction=session.prediction,
        probes=session.probes,
        budgets=list(session.budgets.chosen),
    )
    plain = _named_nonfinite(msgspec.to_builtins(_typed(stored)))
    return msgspec.json.format(msgspec.json.encode(plain), indent=1) + b"\n"


def _typed(stored: StoredSession) -> StoredSession:
    """Give every number its declared type: a check may have put an int or a numpy scalar for a float."""
    plain = msgspec.to_builtins(stored, enc_hook=_plain_scalar)
    return msgspec.convert(plain, StoredSession)


def _plain_scalar(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be saved")


def _stored_side(side: SideChoices, trace: Trace, folder: Path) -> StoredSide:
    return StoredSide(_relative(side.path, folder), trace.source.sha256, side.episode, side.choices)


def _relative(path: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(Path(path).absolute(), folder)).as_posix()
    except ValueError:  # another drive: there is no relative path
        return Path(path).absolute().as_posix()


def load_session(path: Path | str, progress: Progress = silent) -> Session:
    """Read a session (or the session that a JSON note holds) and its sources.

    Where a source is no longer what it was, its trace says so in its health and the results are stale.

    Raises:
        UsageError: where it is no session file of this schema or does not fit its sources.
        TraceReadError: where a source is missing or unreadable, with all problems.
        Cancelled: from ``progress``.
    """
    path = Path(path)
    stored = _decoded(path)
    folder = path.absolute().parent
    sides = [_side(side, folder) for side in (stored.sim, stored.target)]
    try:
        traces = read_sides(sides[0], sides[1], progress)
    except TraceReadError as error:
        raise TraceReadError([_moved(problem, path) for problem in error.problems]) from error
    sim, sim_changed = _noticed(traces[0], stored.sim)
    target, target_changed = _noticed(traces[1], stored.target)
    pair = pair_traces(sim, target, stored.pairs)
    changed = int(sim_changed or target_changed)
    return Session(
        pair=pair,
        sim=sides[0],
        target=sides[1],
        alignment=stored.alignment,
        corrections=_fitting(stored.corrections, pair, path),
        tolerances=Tolerances(tuple(stored.tolerances)),
        confidence=stored.confidence,
        proposal=stored.proposal,
        results=stored.results,
        results_revision=stored.results_revision,
        report=stored.report,
        marks=stored.marks,
        edits=stored.edits,
        view=stored.view,
        revision=stored.revision + changed,
        locked=stored.locked,
        prediction=stored.prediction,
        probes=stored.probes,
        budgets=Budgets(tuple(stored.budgets)),
    )


def _decoded(path: Path) -> StoredSession:
    where = str(path)
    try:
        plain = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        todo = "check the path" if isinstance(error, FileNotFoundError) else ""
        raise UsageError(Problem(f"cannot be read: {error.strerror}", where, todo=todo)) from error
    except msgspec.DecodeError as error:
        raise UsageError(
            Problem("is not a session file", where, str(error), _backup_hint(path))
        ) from error
    if isinstance(plain, dict) and isinstance(plain.get("session"), dict):
        plain = plain["session"]  # a JSON note holds the session it was made from
    if not isinstance(plain, dict) or "schema" not in plain or "alignment" not in plain:
        raise UsageError(
            Problem("is JSON, but not a session file", where, todo="open the two traces instead")
        )
    if plain["schema"] != SCHEMA:
        todo = "open it with the release that wrote it, or a newer one"
        raise UsageError(
            Problem(f"is of schema {plain['schema']!r}, this release reads 1", where, todo=todo)
        )
    try:
        return msgspec.convert(_read_nonfinite(plain), StoredSession)
    except (msgspec.ValidationError, ValueError) as error:
        raise UsageError(
            Problem("is damaged or was edited wrongly", where, str(error), _backup_hint(path))
        ) from error


def _backup_hint(path: Path) -> str:
    backup = path.with_name(path.name + ".bak")
    return (
        f"the version before it is {backup}" if backup.exists() else "open the two traces instead"
    )


def _side(stored: StoredSide, folder: Path) -> SideChoices:
    path = folder / stored.path
    if not path.exists() and (folder / Path(stored.path).name).exists():
        path = folder / Path(stored.path).name  # session and sources were moved together, flat
    return SideChoices(os.path.normpath(path), stored.episode, stored.choices)


def _moved(problem: Problem, session_path: Path) -> Problem:
    if Path(problem.where.split("::")[0]).exists():
        return problem
    todo = f"put it back where {session_path.name} expects it, or open the pair from its new place"
    return Problem(problem.what, problem.where, problem.found, todo)


def _noticed(trace: Trace, stored: StoredSide) -> tuple[Trace, bool]:
    if not stored.sha256 or stored.sha256 == trace.source.sha256:
        return trace, False
    note = HealthNote(
        "the file is not what it was when the session was saved",
        trace.source.path,
        done=f"read as it is now; SHA-256 was {stored.sha256[:12]}…, is {trace.source.sha256[:12]}…",
        severity="warning",
        key=CHANGED_KEY,
    )
    return trace.with_health([note]), True


def _fitting(
    corrections: tuple[Correction, ...], pair: TracePair, path: Path
) -> tuple[Correction, ...]:
    lost = [c.channel for c in corrections if c.channel not in pair.target]
    if lost:
        raise UsageError(
            Problem(
                f"corrects channels that {pair.target.source.path} no longer has",
                str(path),
                found=", ".join(lost),
                todo="open the two traces afresh",
            )
        )
    return corrections


_NONFINITE = "float"


def _named_nonfinite(value: Any) -> Any:  # walks any JSON value
    """Write NaN and infinities as ``{"float": "nan"}``: JSON has no word for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return {_NONFINITE: repr(value)}
    if isinstance(value, dict):
        return {key: _named_nonfinite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_named_nonfinite(inner) for inner in value]
    return value


def _read_nonfinite(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_NONFINITE} and value[_NONFINITE] in {"nan", "inf", "-inf"}:
            return float(value[_NONFINITE])
        return {key: _read_nonfinite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_read_nonfinite(inner) for inner in value]
    return value
