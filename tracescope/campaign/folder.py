"""Find the pairs of a folder by their names, without a manifest.

Two rules, both looked for: a subfolder that holds ``sim.*`` and ``target.*`` is the episode of the subfolder's
name; ``NAME_sim.*`` and ``NAME_target.*`` in the folder itself are the episode ``NAME``. ``real`` may stand for
``target``. What stands behind the dot may differ between the sides; a recording that is a folder is called ``sim``
or ``NAME_sim`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tracescope.campaign.model import Campaign, Entry
from tracescope.model.errors import Problem, UsageError

MANIFESTS = ("manifest.csv", "manifest.toml")
SIDES = ("sim", "target")
CALLED = {"sim": "sim", "target": "target", "real": "target"}
"""What a file is called → its side."""

_BESIDE = ".md .txt .toml .yaml .yml .png .jpg .svg .mp4 .pdf .html .log .bak .tmp .tracescope"
NOT_DATA = frozenset(_BESIDE.split())
"""Endings of what lies beside recordings and is none."""

_NAMED = re.compile(r"(?P<name>.+)_(?P<side>sim|target|real)(?P<ending>\..*)?", re.DOTALL)

_Found = dict[str, dict[str, list[str]]]
"""Episode id → side → paths from the folder."""


def folder_campaign(folder: Path) -> Campaign:
    """Return the pairs of a folder in natural order of their names.

    Raises:
        UsageError: with every episode that has one side only or several files of one side, or where there is
            no pair at all.
    """
    from natsort import natsorted

    found: _Found = {}
    for entry in _listed(folder):
        named = _NAMED.fullmatch(entry.name)
        if named and not (named["ending"] and entry.is_dir()):
            sides = found.setdefault(named["name"], {})
            sides.setdefault(CALLED[named["side"]], []).append(entry.name)
        elif entry.is_dir():
            for inside in _listed(entry):
                side = CALLED.get(_stem(inside))
                if side:
                    sides = found.setdefault(entry.name, {})
                    sides.setdefault(side, []).append(f"{entry.name}/{inside.name}")
    problems = [
        problem for name, sides in found.items() for problem in _faults(folder, name, sides)
    ]
    if not found:
        what = "the folder holds no pairs"
        todo = (
            "give each episode a subfolder with sim.* and target.*, call files NAME_sim.* and"
            " NAME_target.*, or write a manifest"
        )
        problems.append(Problem(what, str(folder), todo=todo))
    if problems:
        raise UsageError(problems)
    return Campaign(
        tuple(
            Entry(name, found[name]["sim"][0], found[name]["target"][0])
            for name in natsorted(found)
        ),
        folder.absolute(),
    )


def _listed(folder: Path) -> Iterable[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        what = f"cannot be listed: {error.strerror}"
        raise UsageError(Problem(what, str(folder), todo="check its permissions")) from error
    return [e for e in entries if e.name[0] != "." and e.suffix.lower() not in NOT_DATA]


def _stem(entry: Path) -> str:
    return entry.name if entry.is_dir() else entry.name.partition(".")[0]


def _faults(folder: Path, name: str, sides: dict[str, list[str]]) -> Iterable[Problem]:
    for side in SIDES:
        files = sides.get(side, [])
        if not files:
            other = next(path for paths in sides.values() for path in paths)
            what = f"the episode {name} has no {side} file"
            yield Problem(what, str(folder), other, f"put it beside {other}, or write a manifest")
        elif len(files) > 1:
            what = f"the episode {name} has {len(files)} {side} files"
            yield Problem(what, str(folder), ", ".join(files), "keep one, or write a manifest")
