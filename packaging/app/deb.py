"""Build a Debian package from the frozen application.

python packaging/app/deb.py --from dist/tracescope --icons build/app/icons [--to dist]
"""

from __future__ import annotations

import argparse
import gzip
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
ID = "org.tracescope.Tracescope"
# What the frozen application does not carry: the C library, graphics drivers, fonts. xcb parts are carried.
DEPENDS = (
    "libc6, libegl1, libgl1, libfontconfig1, fontconfig, fonts-dejavu-core | fonts-freefont-ttf"
)
RECOMMENDS = "shared-mime-info, desktop-file-utils, hicolor-icon-theme, xdg-utils"


def version() -> str:
    """Return the product's version."""
    text = (ROOT / "tracescope" / "__init__.py").read_text("utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    if found is None:
        raise SystemExit("tracescope/__init__.py names no __version__")
    return found[1]


def architecture() -> str:
    """Return Debian's name of this machine's architecture."""
    known = {"x86_64": "amd64", "aarch64": "arm64"}
    return known.get(platform.machine(), platform.machine())


def put(source: Path, target: Path, mode: int = 0o644) -> None:
    """Copy a file with the mode that a package wants."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def lay_out(root: Path, app: Path, icons: Path) -> None:
    """Lay everything but the control file out under a root folder."""
    home = root / "usr" / "lib" / "tracescope"
    shutil.copytree(app, home, symlinks=True)
    (root / "usr" / "bin").mkdir(parents=True)
    (root / "usr" / "bin" / "tracescope").symlink_to("../lib/tracescope/tracescope")
    share = root / "usr" / "share"
    put(LINUX / f"{ID}.desktop", share / "applications" / f"{ID}.desktop")
    put(LINUX / f"{ID}.metainfo.xml", share / "metainfo" / f"{ID}.metainfo.xml")
    put(LINUX / "tracescope.xml", share / "mime" / "packages" / "tracescope.xml")
    themes = share / "icons" / "hicolor"
    vector = ROOT / "resources" / "icons" / "tracescope.svg"
    for kind, name in (("apps", "tracescope"), ("mimetypes", "application-x-tracescope-session")):
        put(vector, themes / "scalable" / kind / f"{name}.svg")
        for picture in icons.glob("tracescope-*.png"):
            size = picture.stem.rsplit("-", 1)[-1]
            put(picture, themes / f"{size}x{size}" / kind / f"{name}.png")
    papers = share / "doc" / "tracescope"
    put(ROOT / "LICENSE", papers / "copyright")
    papers.joinpath("changelog.gz").write_bytes(
        gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0)
    )


def tidy(root: Path) -> None:
    """Give every file the mode that the policy asks for: programs and folders 755, all else 644."""
    for path in root.rglob("*"):
        if path.is_symlink():
            continue
        program = path.is_dir() or (path.name == "tracescope" and path.parent.name == "tracescope")
        path.chmod(0o755 if program else 0o644)


def control(root: Path, name: str) -> None:
    """Write the control file."""
    size = sum(p.stat().st_size for p in root.rglob("*") if p.is_file() and not p.is_symlink())
    folder = root / "DEBIAN"
    folder.mkdir()
    (folder / "control").write_text(
        f"""Package: tracescope
Version: {name}
Section: science
Priority: optional
Architecture: {architecture()}
Depends: {DEPENDS}
Recommends: {RECOMMENDS}
Installed-Size: {size // 1024}
Maintainer: The tracescope developers <tracescope@localhost>
Description: take the two traces of a robot episode apart by hand
 Loads the log of a simulator and the log of a target machine of the same
 episode, aligns them, judges seven checks in order, and exports a dated
 findings note that keeps what was observed, what is inferred and what is
 untested apart.
""",
        encoding="utf-8",
    )
    (folder / "control").chmod(0o644)
    for made in (folder, root):  # whatever the builder's mask is
        made.chmod(0o755)


def frozen_version(app: Path) -> str:
    """Return which version was frozen, ``""`` where that cannot be told."""
    found = sorted((app / "_internal").glob("tracescope-*.dist-info"))
    return found[0].name.removeprefix("tracescope-").removesuffix(".dist-info") if found else ""


def main() -> int:
    """Lay the package out and build it."""
    parser = argparse.ArgumentParser(description="Build a Debian package")
    parser.add_argument("--from", dest="app", type=Path, default=ROOT / "dist" / "tracescope")
    parser.add_argument("--icons", type=Path, default=ROOT / "build" / "app" / "icons")
    parser.add_argument("--to", type=Path, default=ROOT / "dist")
    chosen = parser.parse_args()
    if not (chosen.app / "tracescope").is_file():
        parser.exit(
            2, f"{chosen.app} holds no frozen application: run packaging/build_app.sh first\n"
        )
    name = version()
    if frozen_version(chosen.app) != name:
        frozen = frozen_version(chosen.app) or "an unknown version"
        parser.exit(2, f"{chosen.app} is {frozen}, not {name}: run packaging/build_app.sh again\n")
    root = ROOT / "build" / "deb"
    shutil.rmtree(root, ignore_errors=True)
    lay_out(root, chosen.app, chosen.icons)
    tidy(root)
    control(root, name)
    package = chosen.to / f"tracescope_{name}_{architecture()}.deb"
    # zstd, which Debian 12 and Ubuntu 22.04 read: xz saves a tenth and takes ten times as long.
    command = [
        "dpkg-deb",
        "--root-owner-group",
        "-Zzstd",
        "-z9",
        "--build",
        str(root),
        str(package),
    ]
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        print(f"{package}: {package.stat().st_size / 2**20:.0f} MiB")
    return status


if __name__ == "__main__":
    sys.exit(main())
