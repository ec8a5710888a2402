"""A reader as a plug-in, for a tiny text format.

tinytrace 0.02
obs:x obs:y action:u
0.1 0.2 -0.5
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Channel, Clock, Role, Source, Trace
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader

MAGIC = b"tinytrace "
ROLES = {"obs": Role.OBSERVATION, "action": Role.ACTION, "reward": Role.REWARD}


def claims(head: FileHead) -> Claim | None:
    return Claim(1.0, "it begins with the word tinytrace") if head.head.startswith(MAGIC) else None


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    return (EpisodeInfo("", len(read(path, None, choices, silent))),)


def read(path: Path, episode: str | None, choices: ImportChoices, progress: Progress) -> Trace:
    del episode, choices
    lines = path.read_text("utf-8").splitlines()
    try:
        interval_s = float(lines[0].split()[1])
        names = lines[1].split()
        table = np.array([[float(cell) for cell in line.split()] for line in lines[2:]])
        columns = table.reshape(len(lines) - 2, len(names)).T
    except (IndexError, ValueError) as error:
        problem = Problem("is a damaged tinytrace file", str(path), str(error), "write it again")
        raise TraceReadError(problem) from error
    progress(1.0, "reading")
    time_s = interval_s * np.arange(columns.shape[1])
    channels = tuple(
        Channel(
            name.partition(":")[2],
            ROLES.get(name.partition(":")[0], Role.OTHER),
            time_s,
            column.copy(),
        )
        for name, column in zip(names, columns, strict=True)
    )
    return Trace(
        Source(str(path)),
        Clock("nominal", rate_hz=1 / interval_s, because="the first line says so"),
        time_s,
        channels,
        np.arange(time_s.size),
    )


READER = Reader("tinytrace", "Tiny text traces", claims, episodes, read)
