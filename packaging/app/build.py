"""Build the frozen application with PyInstaller, in the environment that runs this.

    python packaging/app/build.py [--to DIR]

The folder ``DIR/tracescope`` is the application. ``build_app.sh`` sets a fresh environment up first.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from icons import write_icons  # noqa: E402
from licences import gather, gather_system  # noqa: E402

MIB = 2**20
EXTRAS = ("ros", "filters", "parquet")
"""What build_app.sh and build.ps1 install: licences are gathered of what is frozen, neither more nor less."""


def size_mib(folder: Path) -> float:
    """Return what a folder takes on disk, links counted once."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / MIB


def largest(folder: Path, count: int = 12) -> list[tuple[float, str]]:
    """Return the largest parts of the application, MiB and name."""
    parts = [
        (size_mib(p) if p.is_dir() else p.stat().st_size / MIB, p.name)
        for p in folder.iterdir()
        if p.exists() and not p.is_symlink()
    ]
    return sorted(parts, reverse=True)[:count]


def strip_debugging(folder: Path) -> None:
    """Drop debugging symbols of shared libraries; those of ``*.libs`` were patched and stay as they are."""
    tool = shutil.which("strip") if sys.platform == "linux" else None
    if tool is None:
        return
    for path in folder.rglob("*.so*"):
        if path.is_symlink() or any(part.endswith(".libs") for part in path.parts):
            continue
        subprocess.run([tool, "--strip-debug", str(path)], check=False, stderr=subprocess.DEVNULL)


def main() -> int:
    """Gather licences, draw icons, freeze, and print sizes."""
    parser = argparse.ArgumentParser(description="Build the frozen application")
    parser.add_argument("--to", type=Path, default=ROOT / "dist")
    chosen = parser.parse_args()
    work = ROOT / "build" / "app"
    licences = work / "licences"
    count = gather(licences, EXTRAS)
    icons = write_icons(work / "icons")
    wanted = {"win32": "tracescope.ico", "darwin": "tracescope.icns"}.get(sys.platform)
    icon = icons / wanted if wanted and (icons / wanted).is_file() else None
    environment = {
        **os.environ,
        "TRACESCOPE_LICENCES": str(licences),
        "TRACESCOPE_ICON": str(icon or ""),
    }
    command = [
        sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN",
        "--distpath", str(chosen.to), "--workpath", str(work / "work"), str(HERE / "tracescope.spec"),
    ]  # fmt: skip
    status = subprocess.run(command, env=environment, check=False).returncode
    if status:
        return status
    made = chosen.to / "tracescope"
    strip_debugging(made)
    packages = gather_system(made / "_internal")
    print(
        f"{made}: {size_mib(made):.0f} MiB, licences of {count} parts and {packages} system packages"
    )
    for mib, name in largest(made / "_internal"):
        print(f"  {mib:7.1f} MiB  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
