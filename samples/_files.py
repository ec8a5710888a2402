"""Write logs in the formats that people use: wide CSV, CSV with list cells, plain HDF5."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
from _systems import Array, Log

WHOLE = ("step", "done", "terminated", "truncated")
"""Fields written as whole numbers."""


def rounded(value: Array) -> Array:
    """Round to nine significant digits, so that the last bit of a maths library does not show."""
    return np.array([float(f"{v:.9g}") for v in value.ravel()]).reshape(value.shape)


def _text(name: str, value: float) -> str:
    return str(int(value)) if name in WHOLE else repr(float(value))


def write_list_csv(log: Log, path: Path) -> None:
    """Write one row a step, vectors as JSON lists in quoted cells."""
    fields = {name: rounded(value) for name, value in log.fields.items()}
    lines = [",".join(fields)]
    for i in range(len(fields["step"])):
        cells = [
            f'"{json.dumps([float(v) for v in value[i]])}"'
            if value.ndim == 2
            else _text(name, value[i])
            for name, value in fields.items()
        ]
        lines.append(",".join(cells))
    path.write_bytes(("\n".join(lines) + "\n").encode())


def write_wide_csv(log: Log, path: Path) -> None:
    """Write one row a step, one column a vector component: ``obs_0``, ``obs_1`` …"""
    columns: dict[str, tuple[str, Array]] = {}
    for name, value in log.fields.items():
        if value.ndim == 1:
            columns[name] = (name, rounded(value))
            continue
        for k in range(value.shape[1]):
            columns[f"{name}_{k}"] = (name, rounded(value[:, k]))
    lines = [",".join(columns)]
    lines += [
        ",".join(_text(name, value[i]) for name, value in columns.values())
        for i in range(len(log.fields["step"]))
    ]
    path.write_bytes(("\n".join(lines) + "\n").encode())


def write_hdf5(log: Log, path: Path) -> None:
    """Write one dataset a field at the root, with ``names`` and ``unit`` as attributes."""
    path.unlink(missing_ok=True)
    with h5py.File(path, "w") as file:
        for name, value in log.fields.items():
            stored = value.astype(np.int64) if name == "step" else rounded(value)
            if name in WHOLE[1:]:
                stored = value.astype(np.bool_)
            data = file.create_dataset(name, data=stored, track_times=False)
            text = h5py.string_dtype()
            if name in log.names:
                data.attrs.create("names", list(log.names[name]), dtype=text)
            if name in log.units:
                unit = log.units[name]
                if len(unit) == 1:
                    data.attrs["unit"] = unit[0]
                else:
                    data.attrs.create("unit", list(unit), dtype=text)
        for name, frames in log.pictures.items():
            file.create_dataset(
                f"images/{name}", data=frames, track_times=False, chunks=(10, *frames.shape[1:]),
                compression="gzip", compression_opts=9, shuffle=False,
            )  # fmt: skip


WRITERS = {
    "list": (write_list_csv, "csv"),
    "wide": (write_wide_csv, "csv"),
    "hdf5": (write_hdf5, "h5"),
}
