"""Gather the licences of everything that the frozen application carries.

One folder a distribution with the files that it ships, and an index that says how each licence is met.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

WORDS = ("licen", "copying", "notice", "copyright", "authors")
TEXTS = Path(__file__).resolve().parents[1] / "licences"
PAPERS = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")
SYSTEM = """
## Libraries of the system

Copied unmodified from the packages of the system that the application was built on, and loaded as shared
libraries from `_internal/`; what each package says of its licence lies in `system/`, beside the licences
that it refers to. You may put your own build in the place of any of them.

| package | libraries |
|---|---|
"""
PROGRAM = """
The program that starts the application is PyInstaller's bootloader (GPL-2.0-or-later with an exception that
lets programs of any licence be distributed with it; see pyinstaller.org).
"""
QT = """\
## Qt and PySide6

Qt and its Python binding PySide6 are used under the GNU Lesser General Public License, version 3
(LGPL-3.0.txt, with GPL-3.0.txt beside it). They are the unmodified libraries of the PyPI packages
`PySide6_Essentials` {pyside} and `shiboken6` {pyside}, loaded as shared libraries from
`_internal/PySide6/` and `_internal/shiboken6/`. You may replace them by your own build of the same
version: put its files in their place. The source of these versions is published by The Qt Company at
download.qt.io, under official_releases/QtForPython and official_releases/qt. Nothing in the terms of
tracescope keeps you from modifying the libraries or from reverse engineering for debugging such
modifications.
"""


def bundled(name: str, extras: tuple[str, ...] = ()) -> dict[str, Distribution]:
    """Return a distribution and everything that it requires here, by name.

    Raises:
        PackageNotFoundError: where ``name`` itself is not installed.
    """
    from packaging.requirements import Requirement

    found = {name.lower(): distribution(name)}
    waiting = [(name, extras)]
    while waiting:
        one, wanted = waiting.pop()
        for text in distribution(one).requires or ():
            need = Requirement(text)
            if need.marker is not None and not any(
                need.marker.evaluate({"extra": extra}) for extra in ("", *wanted)
            ):
                continue
            key = need.name.lower().replace("_", "-")
            if key in found:
                continue
            try:
                found[key] = distribution(need.name)
            except PackageNotFoundError:
                continue
            waiting.append((need.name, tuple(need.extras)))
    return found


def licence_files(dist: Distribution) -> list[Path]:
    """Return the licence files that a distribution ships, wherever it keeps them."""
    return [
        Path(str(dist.locate_file(path)))
        for path in dist.files or ()
        if any(word in path.name.lower() for word in WORDS) and path.suffix not in (".py", ".pyc")
    ]


def licence_name(dist: Distribution) -> str:
    """Return what a distribution says its licence is, in a few words."""
    said = dist.metadata.get("License-Expression") or ""
    if not said:
        classes = [c for c in dist.metadata.get_all("Classifier") or () if c.startswith("License")]
        said = "; ".join(c.rsplit(" :: ", 1)[-1] for c in classes)
    return said or (dist.metadata.get("License") or "see its files").strip().splitlines()[0][:80]


def system_packages(libraries: set[str]) -> dict[str, list[str]]:
    """Return the Debian packages that ship these libraries, and which; empty where none can be asked."""
    if not libraries or shutil.which("dpkg-query") is None:
        return {}
    patterns = [f"*/{name}" for name in sorted(libraries)]
    asked = subprocess.run(
        ["dpkg-query", "-S", *patterns], capture_output=True, text=True, check=False
    )
    found: dict[str, list[str]] = {}
    for line in asked.stdout.splitlines():
        packages, _, path = line.rpartition(": ")
        name = path.rsplit("/", 1)[-1]
        for package in packages.split(", "):
            known = found.setdefault(package.partition(":")[0], [])
            if name in libraries and name not in known:
                known.append(name)
    return found


def gather_system(internal: Path) -> int:
    """Write what the bundled libraries of the system say of their licences; return how many packages."""
    to = internal / "licences"
    libraries = {path.name for path in internal.glob("*.so*") if not path.is_symlink()}
    packages = system_packages(libraries)
    lines = []
    for package, names in sorted(packages.items()):
        paper = PAPERS / package / "copyright"
        if paper.is_file():
            (to / "system").mkdir(exist_ok=True)
            shutil.copyfile(paper, to / "system" / f"{package}.txt")
        lines.append(f"| {package} | {', '.join(sorted(names))} |")
    if packages and COMMON.is_dir():
        for text in COMMON.iterdir():
            if text.is_file() and text.resolve().is_relative_to(COMMON):
                shutil.copyfile(text, to / "system" / f"common-{text.name}.txt")
    with (to / "LICENCES.md").open("a", encoding="utf-8") as index:
        index.write(PROGRAM)
        if lines:
            index.write(SYSTEM + "\n".join(lines) + "\n")
    return len(packages)


def gather(to: Path, extras: tuple[str, ...] = ()) -> int:
    """Write the folder of licences; return how many distributions it names."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for text in TEXTS.glob("*.txt"):
        shutil.copy(text, to / text.name)
    head = ("| part | version | licence | files |", "|---|---|---|---|")
    lines = ["# Licences of the bundled parts", "", *head]
    python = Path(sys.base_prefix) / "LICENSE.txt"
    for candidate in (python, *Path(sys.base_prefix).glob("lib/python3.*/LICENSE.txt")):
        if candidate.is_file():
            shutil.copy(candidate, to / "Python.txt")
    lines.append(f"| Python | {platform.python_version()} | PSF-2.0 | Python.txt |")
    parts = bundled("tracescope", extras)
    for name in sorted(parts):
        dist = parts[name]
        folder = to / re.sub(r"[^A-Za-z0-9._-]", "_", name)
        for path in licence_files(dist):
            if path.is_file():
                folder.mkdir(exist_ok=True)
                shutil.copy(path, folder / path.name)
        files = f"{folder.name}/" if folder.is_dir() else "named above"
        lines.append(f"| {name} | {dist.version} | {licence_name(dist)} | {files} |")
    lines += ["", QT.format(pyside=parts["pyside6-essentials"].version)]
    (to / "LICENCES.md").write_text("\n".join(lines), encoding="utf-8")
    return len(parts)
