"""Trajectories of poses: TUM (time x y z quaternion), EuRoC (nanoseconds, commas), KITTI (3 × 4 matrices).

The formats have no header, or only a comment, so columns are known by their number, and believed only
where the quaternions have unit length, or the matrices are rotations. Quaternions are said to be x y z w in
TUM's files, w x y z in EuRoC's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Role, Samples, Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.notes import noticed, repaired
from tracescope.readers.table import Column, Table

_PROBED = 40
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf)", re.IGNORECASE)
_PLAIN = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?")
_UNIT_LENGTH = 0.02

_TUM = ("timestamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw")
_EUROC = ("timestamp", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz",
          "bwx", "bwy", "bwz", "bax", "bay", "baz")  # fmt: skip
_KITTI = tuple(f"T[{i}][{j}]" for i in range(3) for j in range(4))


@dataclass(frozen=True, slots=True)
class _Form:
    """One of the formats: its columns, whether commas separate them, and what to say of it."""

    name: str
    columns: tuple[str, ...]
    comma: bool
    because: str


_FORMS = (
    _Form(
        "tum", _TUM, comma=False, because="eight numbers a line, the last four a unit quaternion"
    ),
    _Form("euroc", _EUROC[:8], comma=True, because="nanoseconds, a position and a unit quaternion"),
    _Form(
        "euroc", _EUROC, comma=True, because="nanoseconds and the 16 states of EuRoC's ground truth"
    ),
    _Form("kitti", _KITTI, comma=False, because="twelve numbers a line: a rotation and a position"),
)


def claims(head: FileHead) -> Claim | None:
    """Claim texts whose first lines are poses."""
    if head.path.is_dir() or b"\0" in head.head[:4096]:
        return None
    text = head.head[:16_384].decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.splitlines()
    whole = lines if head.size <= 16_384 else lines[:-1]
    form = _form_of(_data_lines(whole)[:_PROBED], whole)
    if form is None:
        return None
    return Claim(0.7, f"{form.name.upper()} trajectory: {form.because}")


def _data_lines(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _form_of(data: Sequence[str], lines: Sequence[str]) -> _Form | None:
    """Return the format all of some lines follow, or ``None``."""
    if len(data) < 2:
        return None
    for form in _FORMS:
        cells = [_cells(line, form) for line in data[:-1]]  # the last line may be cut
        if all(len(row) == len(form.columns) and all(map(_NUMBER.fullmatch, row)) for row in cells):
            value = np.array([[float(cell) for cell in row] for row in cells])
            if _believable(form, value, lines):
                return form
    return None


def _cells(line: str, form: _Form) -> list[str]:
    return [cell.strip() for cell in line.split(",")] if form.comma else line.split()


def _believable(form: _Form, value: Samples, lines: Sequence[str]) -> bool:
    value = value[np.isfinite(value).all(axis=1)]
    if not len(value):
        return False
    if form.name == "kitti":
        turn = value.reshape(-1, 3, 4)[:, :, :3]
        identity = np.swapaxes(turn, 1, 2) @ turn
        return bool(np.abs(identity - np.eye(3)).max() < _UNIT_LENGTH)
    length = np.linalg.norm(value[:, 4:8], axis=1)
    if np.abs(length - 1).max() > _UNIT_LENGTH or (np.diff(value[:, 0]) < 0).mean() > 0.5:
        return False
    if form.name == "euroc":
        said = any("timestamp" in line.lower() for line in lines[:3] if line.startswith("#"))
        return said or bool(
            (value[:, 0] > 1e17).all() and (value[:, 0] == np.floor(value[:, 0])).all()
        )
    return True


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes: runs between restarts of the clock."""
    return episode_infos(placed(read_table(path), choices))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read the trajectory."""
    table = read_table(path, progress)
    return trace_of(placed(table, choices), choices, episode)


def read_table(path: Path, progress: Progress = silent) -> Table:
    """Read the poses.

    Raises:
        TraceReadError: with the line of every cell (the first few) that is no number.
    """
    lines = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    numbered = [
        (i, x) for i, x in enumerate(lines, 1) if x.strip() and not x.lstrip().startswith("#")
    ]
    form = _form_of([x for _, x in numbered[:_PROBED]], lines)
    if form is None:
        raise TraceReadError(
            Problem("the lines are no poses", str(path), todo="were they written again meanwhile?")
        )
    rows: list[list[str]] = []
    problems: list[Problem] = []
    notes = []
    for at, (number, line) in enumerate(numbered):
        cells = _cells(line, form)
        if len(cells) == len(form.columns) and all(map(_NUMBER.fullmatch, cells)):
            rows.append(cells)
        elif at == len(numbered) - 1:
            what = f"the last line is incomplete, ignored, 1 of {len(numbered)}"
            notes.append(repaired("truncated-line", what, f"line {number}", 1, "ignored"))
        elif len(problems) < 5:
            wanted = f"{len(form.columns)} numbers"
            problems.append(
                Problem(f"expected {wanted}", f"{path}:{number}", line[:60], "mend the line")
            )
        if at % 50_000 == 0:
            progress(at / len(numbered), "reading poses")
    if problems:
        raise TraceReadError(problems)
    comments = [("comment", x.strip("# ")) for x in lines[:10] if x.lstrip().startswith("#")]
    order = {"tum": "x y z w", "euroc": "w x y z"}.get(form.name)
    if order is not None:
        what = f"quaternions are taken in the order {order}, as {form.name.upper()} defines it"
        notes.append(noticed("quaternion-order", what, "q…", 1))
    about = [("trajectory format", form.name.upper()), *comments]
    return Table(_columns(form, rows), len(rows), notes, tuple(about), source_name=str(path))


def _columns(form: _Form, rows: list[list[str]]) -> list[Column]:
    columns = []
    for i, name in enumerate(form.columns):
        cells = [row[i] for row in rows]
        value = np.array([float(cell) for cell in cells])
        if name == "timestamp":
            columns.append(_clock(cells, value, "ns" if form.name == "euroc" else "s"))
        else:
            role = Role.OTHER if name.startswith("b") else Role.OBSERVATION
            columns.append(Column(name, value, role=role, role_because="part of the pose"))
    return columns


def _clock(cells: list[str], value: Samples, unit: str) -> Column:
    """Return the stamps with all digits that the texts had."""
    found = [_PLAIN.fullmatch(cell) for cell in cells]
    column = Column("timestamp", value, unit=unit, is_clock=True)
    if all(found):
        decimals = max(len(m[3] or "") for m in found if m)
        digits = [int(m[1] + m[2] + (m[3] or "").ljust(decimals, "0")) for m in found if m]
        if decimals <= 18 and max(map(abs, digits), default=0) < 2**63:
            whole: NDArray[np.int64] = np.array(digits, dtype=np.int64)
            column.exact = (whole, decimals)
            if decimals == 0:
                column.value = whole
    return column


READER = Reader("poses", "Trajectory of poses (TUM, EuRoC, KITTI)", claims, episodes, read)
