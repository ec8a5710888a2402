"""What scripts and notebooks call: open a pair, check it, export what was found. Free of Qt.

>>> import tracescope
>>> sim, target = tracescope.sample("exercise")
>>> session = tracescope.check(tracescope.open_session(sim, target))
>>> [result.id for result in session.results if result.state == "fail"]
['observation-scaling', 'action']
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tracescope.model.alignment import Interval
from tracescope.model.correction import Correction
from tracescope.model.errors import Problem, UsageError
from tracescope.readers.base import ImportChoices
from tracescope.session.open import AlignBy, OpenOptions, side_of
from tracescope.session.open import open_session as open_sides
from tracescope.session.session import Session, SideChoices

AnyPath = Path | str
SESSION, NOTE = ".tracescope", ".json"


def open_session(  # noqa: PLR0913  # each is an option of the command line, by keyword
    sim: AnyPath,
    target: AnyPath | None = None,
    *,
    map: AnyPath | None = None,  # noqa: A002  # the option's name on the command line
    align: AlignBy = "auto",
    offset_s: float | None = None,
    drift_ppm: float | None = None,
    step_shift: int | None = None,
    tolerances: Mapping[str, Interval] | None = None,
    confidence: float = 0.99,
) -> Session:
    """Read and align a pair, or reopen a saved session or a JSON note (``sim`` alone).

    Args:
        sim: The simulator's file; ``file.h5::data/demo_3`` names an episode inside it.
        target: The target's file of the same episode.
        map: A map file that says which column is what.
        align: ``auto``, ``step``, ``time`` or ``first-sample``, as ``--align``.
        offset_s: Clock offset, seconds; positive where the target's stamps are late.
        drift_ppm: Clock drift, parts per million.
        step_shift: Target step k + shift belongs to sim step k.
        tolerances: Bands by key, as ``--tolerance``: ``{"observation-scaling.scale": (0.9, 1.1)}``.
        confidence: Of every interval, 0.5 to 1.

    Returns:
        The session, not yet checked.

    Raises:
        TraceReadError: with the problems of both files.
        UsageError: where an option, the map or the session file cannot be used.
    """
    if target is None:
        return _reopened(Path(sim))
    sides, pairs = _sides(sim, target, map)
    options = OpenOptions(
        align=align,
        offset_s=offset_s,
        drift_ppm=drift_ppm,
        step_shift=step_shift,
        pairs=pairs,
        confidence=confidence,
    )
    session = open_sides(*sides, options)
    return session if not tolerances else _with_tolerances(session, tolerances)


def check(session: Session, *, correct: bool | Mapping[str, float] = False) -> Session:
    """Run every check and put the findings into words.

    Args:
        session: From :func:`open_session`.
        correct: ``True``: also apply whatever the checks fitted and failed on, and check again, as
            ``--correct auto``. A mapping of channels to scales lays those over the target first:
            ``{"obs[0]": 1.5}``.

    Returns:
        The session with ``results`` (one a check: ``id``, ``state``, ``reason``, ``measurements``) and
        ``report`` (``observed``, ``inferred``, ``untested``, ``hypotheses``, ``next_test``). The one given
        is not changed.

    Raises:
        UsageError: where a channel to correct does not exist.
    """
    from tracescope.session.judge import judge, judge_corrected
    from tracescope.session.open import corrections_for

    if correct is True:
        return judge_corrected(session)
    if correct:
        given = [
            Correction(channel, float(scale), by_hand=True) for channel, scale in correct.items()
        ]
        session = session.corrected(corrections_for(session.pair, given))
    return judge(session)


def export(
    session: Session,
    *paths: AnyPath,
    date: str | None = None,
    title: str = "",
    author: str = "",
) -> tuple[Path, ...]:
    """Write a checked session: notes (.md, .html, .pdf, .json) and session files (.tracescope).

    Args:
        session: From :func:`check`.
        paths: Each ending says what is written there; the recordings themselves are refused.
        date: ISO 8601, for notes that come out the same again; ``None`` is now.
        title, author: Of the notes.

    Returns:
        The paths written.

    Raises:
        UsageError: where the session is not checked, or a path or the date cannot be used.
    """
    from tracescope.findings.note.document import NoteOptions
    from tracescope.session.export import export_notes
    from tracescope.session.store import save_session

    if session.stale:
        raise UsageError(
            Problem("the session is not checked", "export", todo="give what check() returned")
        )
    wanted = tuple(Path(path) for path in paths)
    notes = [path for path in wanted if path.suffix != SESSION]
    if notes:
        export_notes(session, notes, date, NoteOptions(title=title, author=author))
    for path in wanted:
        if path.suffix == SESSION:
            save_session(session, path)
    return wanted


def result(session: Session, date: str | None = None) -> dict[str, object]:
    """Return a checked session as the value of the result file (``--json``, schema 1).

    Raises:
        UsageError: where the session is not checked, or the date is not ISO 8601.
    """
    import msgspec

    from tracescope.session.result_file import result_json

    if session.stale:
        raise UsageError(
            Problem("the session is not checked", "result", todo="give what check() returned")
        )
    return msgspec.json.decode(result_json(session, date), type=dict[str, object])


def sample(name: str) -> tuple[Path, Path]:
    """Return the simulator's and the target's file of a bundled pair.

    Raises:
        UsageError: where no bundled pair has this name.
    """
    from tracescope.resources_path import samples

    home = samples() / name
    found = {path.stem: path for path in sorted(home.glob("*")) if path.suffix in {".csv", ".h5"}}
    if not {"sim", "target"} <= found.keys():
        known = sorted(truth.parent.name for truth in samples().glob("*/truth.toml"))
        raise UsageError(
            Problem(f"no sample is called {name!r}", "sample", todo=f"one of: {', '.join(known)}")
        )
    return found["sim"], found["target"]


def _sides(
    sim: AnyPath, target: AnyPath, map_path: AnyPath | None
) -> tuple[tuple[SideChoices, SideChoices], tuple[tuple[str, str], ...]]:
    choices = (ImportChoices(), ImportChoices())
    pairs: tuple[tuple[str, str], ...] = ()
    if map_path is not None:
        from tracescope.readers.mapfile import read_map

        mapped = read_map(Path(map_path))
        choices = (mapped.sim, mapped.target)
        pairs = tuple((a, b) for a, b in mapped.pairs)
    sides = (
        side_of(str(sim), choices=choices[0]),
        side_of(str(target), choices=choices[1]),
    )
    return sides, pairs


def _reopened(path: Path) -> Session:
    from tracescope.session.store import load_session

    if path.suffix not in {SESSION, NOTE}:
        raise UsageError(
            Problem("a pair is two files", str(path), todo="give the target's file as well")
        )
    return load_session(path)


def _with_tolerances(session: Session, bands: Mapping[str, Interval]) -> Session:
    from tracescope.model.tolerance import checked_tolerances
    from tracescope.session.tolerances import all_tolerances

    return session.tolerated(checked_tolerances(bands, all_tolerances(), "tolerances"))
