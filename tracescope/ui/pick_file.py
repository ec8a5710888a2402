"""The file dialogs, behind three functions: the only place that blocks on a person's choice."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

_ENDINGS = "csv tsv txt dat h5 hdf5 hdf mat npz npy json parquet mcap bag db3"
TRACES = f"Traces ({' '.join(f'*.{ending}' for ending in _ENDINGS.split())});;Every file (*)"
SESSIONS = "Sessions (*.tracescope)"
PROFILES = "Map files and profiles (*.toml)"
NOTES = "Web page (*.html);;Markdown (*.md);;PDF (*.pdf);;JSON (*.json)"


def open_file(parent: QWidget, title: str, kinds: str = TRACES, folder: str = "") -> Path | None:
    """Ask for a file to read, or ``None`` where the person cancels."""
    path, _ = QFileDialog.getOpenFileName(parent, title, folder, kinds)
    return Path(path) if path else None


def save_file(parent: QWidget, title: str, kinds: str, suggested: str = "") -> Path | None:
    """Ask where to write, or ``None`` where the person cancels."""
    path, _ = QFileDialog.getSaveFileName(parent, title, suggested, kinds)
    return Path(path) if path else None


def open_folder(parent: QWidget, title: str, folder: str = "") -> Path | None:
    """Ask for a folder (a recording that spans several files), or ``None``."""
    path = QFileDialog.getExistingDirectory(parent, title, folder)
    return Path(path) if path else None
