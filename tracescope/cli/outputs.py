"""What a command would write, tried before anything is computed: a long run must not end in a refusal."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from tracescope.model.errors import Problem, ProblemsError, UsageError
from tracescope.session.atomic import refuse_source, refuse_unwritable, refuse_unwritable_folder

STANDARD_OUTPUT = "-"
SESSION_ENDING = ".tracescope"


def refuse_outputs(options: argparse.Namespace, sources: Iterable[str]) -> None:
    """Refuse what could not be written, every such path at once.

    Raises:
        UsageError: for a path that is one of the ``sources``, that its folder does not take, or a session
            that the window would not open by its name.
    """
    problems = tuple(_problems(options, tuple(sources)))
    if problems:
        raise UsageError(problems)


def _problems(options: argparse.Namespace, sources: tuple[str, ...]) -> Iterator[Problem]:
    for path in _files(options):
        try:
            refuse_source(path, sources)
            refuse_unwritable(path)
        except ProblemsError as error:
            yield from error.problems
    for folder in _folders(options):
        try:
            refuse_unwritable_folder(folder)
        except ProblemsError as error:
            yield from error.problems
    session = options.session
    if session and Path(session).suffix != SESSION_ENDING:
        yield Problem(
            f"a session's name ends in {SESSION_ENDING}",
            "--session",
            session,
            f"--session {Path(session).with_suffix(SESSION_ENDING)}",
        )


def _files(options: argparse.Namespace) -> Iterator[Path]:
    asked = [*options.note, options.session]
    if options.json != STANDARD_OUTPUT:
        asked.append(options.json)
    yield from (Path(path) for path in asked if path)


def _folders(options: argparse.Namespace) -> Iterator[Path]:
    if options.figures:
        yield Path(options.figures)
    for note in map(Path, options.note):
        if note.suffix.lower() in (".md", ".markdown"):
            yield note.parent / f"{note.stem}_figures"
