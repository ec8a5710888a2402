"""The files that loading is measured on: the same numbers, written in several ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np

SIGNALS = 24
IN_FIRST = 18
"""Elements of the first vector of a row; the others are in the second."""

_REPEATED = 20_000
"""Rows of different text; longer files repeat them behind their own stamps, which parses no faster."""


def samples(rows: int, seed: int = 1) -> np.ndarray:
    """Return robot-like signals, shape ``(SIGNALS, rows)``, float32."""
    rng = np.random.default_rng(seed)
    out = np.empty((SIGNALS, rows), np.float32)
    along = np.linspace(0, 2 * np.pi, rows, dtype=np.float32)
    for place in range(SIGNALS):
        np.sin(along * np.float32(8 + place), out=out[place])
        out[place] += 0.002 * rng.standard_normal(rows, dtype=np.float32)
    return out


def _lines(rows: int) -> list[list[str]]:
    value = samples(min(rows, _REPEATED)).T
    return [[f"{x:.9g}" for x in row] for row in value.tolist()]


def wide_csv(folder: Path, rows: int) -> Path:
    """Write one column a signal."""
    path = folder / f"wide_{rows}.csv"
    if not path.exists():
        names = ",".join(f"s{place}" for place in range(SIGNALS))
        texts = [",".join(row) for row in _lines(rows)]
        _write(path, f"time_s,{names}\n", texts, rows)
    return path


def vector_csv(folder: Path, rows: int) -> Path:
    """Write two vectors a row, each in a quoted cell."""
    path = folder / f"vectors_{rows}.csv"
    if not path.exists():
        texts = [
            f'"[{", ".join(row[:IN_FIRST])}]","[{", ".join(row[IN_FIRST:])}]"'
            for row in _lines(rows)
        ]
        _write(path, "time_s,obs,action\n", texts, rows)
    return path


def _write(path: Path, header: str, texts: list[str], rows: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(header)
        for start in range(0, rows, len(texts)):
            stop = min(start + len(texts), rows)
            file.write(
                "".join(f"{(start + i) / 1000:.3f},{texts[i]}\n" for i in range(stop - start))
            )


def hdf5(folder: Path, rows: int, kind: str = "signals", side: str = "sim") -> Path:
    """Write HDF5: ``signals`` (a dataset each), ``matrix`` ``(N, D)`` or ``packed`` (that, gzip in chunks)."""
    import h5py

    path = folder / f"{kind}_{side}_{rows}.h5"
    if path.exists():
        return path
    value = samples(rows, seed=1 if side == "sim" else 2)
    with h5py.File(path, "w") as file:
        file["time_s"] = np.arange(rows) * 1e-3 + (0.0 if side == "sim" else 0.0123)
        if kind == "signals":
            for place in range(SIGNALS):
                file[f"s{place}"] = value[place]
        elif kind == "matrix":
            file["obs"] = np.ascontiguousarray(value.T)
        else:
            rows_a_chunk = max(1, min(rows, 4096))
            file.create_dataset(
                "obs",
                data=np.round(value.T, 3),
                chunks=(rows_a_chunk, SIGNALS),
                compression="gzip",
                compression_opts=1,
                shuffle=True,
            )
    return path
