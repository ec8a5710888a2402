"""The bundled pairs, judged as they are: once a process, for every test that only reads the result."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import h5py
import pytest

from tracescope.cli.sample_command import sample_pair
from tracescope.resources_path import samples
from tracescope.session.judge import judge
from tracescope.session.open import open_session, side_of
from tracescope.session.session import Session

IN_ONE_PROCESS = pytest.mark.xdist_group("bundled pairs")
"""For files whose tests ask for many of them: each is then judged in one process alone."""


@cache
def judged(name: str) -> Session:
    """Return a bundled pair with its results."""
    sim, target = sample_pair(samples() / name)
    return judge(open_session(side_of(str(sim)), side_of(str(target))))


def first_rows(name: str, rows: int, folder: Path) -> tuple[Path, Path]:
    """Write the first rows of a bundled HDF5 pair as a pair of its own: judged in a part of the time."""

    def cut(source: Path) -> Path:
        out = folder / f"{name}_{source.stem}.h5"
        with h5py.File(source) as whole, h5py.File(out, "w") as part:
            part.attrs.update(whole.attrs)
            for key, data in whole.items():
                part[key] = data[:rows]
                part[key].attrs.update(data.attrs)
        return out

    sim, target = map(cut, sample_pair(samples() / name))
    return sim, target
