"""``tracescope sample``: list the bundled pairs, or copy one out."""

from __future__ import annotations

import argparse
import shutil
import tomllib
from pathlib import Path

from tracescope.cli.output import told
from tracescope.model.errors import Problem, UsageError
from tracescope.resources_path import samples
from tracescope.session.atomic import unmade_folder


def run(options: argparse.Namespace) -> int:
    """List the samples, or copy the named one; return 0.

    Raises:
        UsageError: for an unknown name, or a folder that exists already or cannot be written.
    """
    known = sample_names()
    if options.name is None:
        for name in known:
            print(f"{name:14}{sample_title(name)}")
        return 0
    if options.name not in known:
        raise UsageError(
            Problem(
                f"no sample is called {options.name!r}",
                "sample",
                todo=f"one of: {', '.join(known)}",
            )
        )
    to = Path(options.to or options.name)
    try:
        to.mkdir(parents=True, exist_ok=True)
        copied = _copied(samples() / options.name, to)
    except OSError as error:
        raise unmade_folder(to, error) from error
    sim, target = sample_pair(to)
    print(told(f"{len(copied)} files copied to {to}"))
    print(told(f"try: tracescope check {sim} {target}"))
    return 0


def sample_names() -> tuple[str, ...]:
    """Return the names of the bundled pairs, in order."""
    folder = samples()
    if not folder.is_dir():
        return ()
    return tuple(sorted(p.name for p in folder.iterdir() if (p / "truth.toml").is_file()))


def sample_title(name: str) -> str:
    """Return a sample's one-line title."""
    truth = tomllib.loads((samples() / name / "truth.toml").read_text("utf-8"))
    return str(truth.get("title", ""))


def sample_pair(folder: Path) -> tuple[Path, Path]:
    """Return the simulator's and the target's file of a sample."""
    found = {path.stem: path for path in sorted(folder.iterdir()) if path.stem in {"sim", "target"}}
    return found["sim"], found["target"]


def _copied(source: Path, to: Path) -> list[Path]:
    copied = []
    for path in sorted(source.iterdir()):
        if not path.is_file():
            continue
        goal = to / path.name
        if goal.exists():
            raise UsageError(
                Problem("exists already", str(goal), todo="choose another folder with --to")
            )
        shutil.copyfile(path, goal)
        copied.append(goal)
    return copied
