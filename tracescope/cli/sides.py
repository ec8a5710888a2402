"""Turn arguments into what the session package takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from tracescope.model.correction import Correction
from tracescope.model.errors import Problem, UsageError
from tracescope.readers.base import ImportChoices
from tracescope.session.open import OpenOptions, side_of
from tracescope.session.session import SideChoices
from tracescope.session.tolerances import chosen_tolerances

AUTO = "auto"


def both_sides(
    sim: str, target: str, options: argparse.Namespace
) -> tuple[SideChoices, SideChoices, tuple[tuple[str, str], ...]]:
    """Return both sides' choices and the correspondences of the map file, where one was given.

    Raises:
        UsageError: where the map file cannot be used.
    """
    for place, text in (("SIM", sim), ("TARGET", target)):
        require_path(text, place)
    sim_choices, target_choices = ImportChoices(), ImportChoices()
    pairs: tuple[tuple[str, str], ...] = ()
    if options.map:
        from tracescope.readers.mapfile import read_map

        mapped = read_map(Path(options.map))
        sim_choices, target_choices = mapped.sim, mapped.target
        pairs = tuple((a, b) for a, b in mapped.pairs)
    return (
        side_of(sim, options.sim_episode, sim_choices),
        side_of(target, options.target_episode, target_choices),
        pairs,
    )


def require_path(text: str, place: str) -> None:
    """Refuse an argument without a path (an unset shell variable): it would mean the current folder.

    Raises:
        UsageError: where there is no path before an episode's mark.
    """
    if not side_of(text).path.strip():
        raise UsageError(
            Problem(f"{place} names no file", "command line", repr(text), "give a file or a folder")
        )


def parse_correction(text: str) -> Correction:
    """Read ``CHANNEL=SCALE[,OFFSET]``; the channel may hold ``=`` itself.

    Raises:
        UsageError: where it does not read like that.
    """
    channel, equals, numbers = text.rpartition("=")
    parts = numbers.split(",")
    try:
        if not (equals and channel.strip() and len(parts) <= 2):
            raise ValueError(text)
        scale, offset = float(parts[0]), float(parts[1]) if len(parts) == 2 else 0.0
        return Correction(channel.strip(), scale, offset, by_hand=True)
    except ValueError as error:
        raise UsageError(
            Problem(
                "a correction reads CHANNEL=SCALE[,OFFSET], with a finite scale other than 0",
                "--correct",
                found=text,
                todo="for example: --correct 'obs[0]=1.5'; or --correct auto",
            )
        ) from error


def _said_twice(channels: list[str]) -> list[Problem]:
    twice = sorted({channel for channel in channels if channels.count(channel) > 1})
    return [
        Problem(f"{channel} is corrected more than once", "--correct", todo="keep one of them")
        for channel in twice
    ]


def open_options(options: argparse.Namespace, pairs: tuple[tuple[str, str], ...]) -> OpenOptions:
    """Return the options of ``check`` as the session package takes them.

    Raises:
        UsageError: with everything that is wrong with them.
    """
    problems: list[Problem] = []
    corrections = []
    for text in options.correct:
        if text == AUTO:
            continue
        try:
            corrections.append(parse_correction(text))
        except UsageError as error:
            problems += error.problems
    problems += _said_twice([correction.channel for correction in corrections])
    path = Path(options.tolerances) if options.tolerances else None
    try:
        tolerances = chosen_tolerances(path, options.tolerance)
    except UsageError as error:
        raise UsageError([*problems, *error.problems]) from error
    if problems:
        raise UsageError(problems)
    return OpenOptions(
        options.align,
        options.offset,
        options.drift_ppm,
        options.step_shift,
        tuple(corrections),
        pairs,
        tolerances,
        options.confidence,
    )
