"""What the packages carry: desktop files that validate, one version everywhere, licences of all parts."""

from __future__ import annotations

import configparser
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from tracescope import __version__

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
ID = "org.tracescope.Tracescope"


def loaded(name: str) -> ModuleType:
    """Import a script of packaging/app, which is no package."""
    path = ROOT / "packaging" / "app" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"packaging_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_validates(*command: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def desktop_entry() -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(LINUX / f"{ID}.desktop", encoding="utf-8")
    return parser["Desktop Entry"]


def test_that_the_desktop_entry_validates():
    assert_validates("desktop-file-validate", str(LINUX / f"{ID}.desktop"))


def test_that_the_appstream_metadata_validates():
    assert_validates("appstreamcli", "validate", "--no-net", str(LINUX / f"{ID}.metainfo.xml"))


def test_that_desktop_entry_metadata_and_mime_type_speak_of_one_program():
    entry = desktop_entry()
    info = ET.parse(LINUX / f"{ID}.metainfo.xml").getroot()
    namespace = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    mime = ET.parse(LINUX / "tracescope.xml").getroot().find("m:mime-type", namespace)
    assert mime is not None
    assert entry["MimeType"].rstrip(";") == mime.get("type")
    assert info.findtext("provides/mediatype") == mime.get("type")
    assert info.findtext("launchable") == f"{info.findtext('id')}.desktop" == f"{ID}.desktop"
    assert info.findtext("provides/binary") == entry["Exec"].split()[0]
    glob = mime.find("m:glob", namespace)
    assert glob is not None
    assert glob.get("pattern") == "*.tracescope"


def test_that_the_newest_release_named_is_this_version():
    info = ET.parse(LINUX / f"{ID}.metainfo.xml").getroot()
    release = info.find("releases/release")
    assert release is not None
    assert release.get("version") == __version__
    assert loaded("deb").version() == __version__


def test_that_the_window_carries_the_desktop_entrys_name():
    text = (ROOT / "tracescope" / "ui" / "app.py").read_text("utf-8")
    assert f'setDesktopFileName("{ID}")' in text


def test_that_every_dependency_has_its_licence_gathered(tmp_path):
    count = loaded("licences").gather(tmp_path / "licences")
    index = (tmp_path / "licences" / "LICENCES.md").read_text("utf-8")
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = [re.split(r"[<>=!~\[; ]", need)[0].lower() for need in needs]
    assert count > len(names)
    for name in names:
        assert f"| {name} |" in index.lower(), name
    assert "GNU Lesser General Public License" in index
    assert (tmp_path / "licences" / "LGPL-3.0.txt").stat().st_size > 5000


def test_that_bundled_libraries_of_the_system_have_their_licences_gathered(tmp_path):
    if shutil.which("dpkg-query") is None:
        pytest.skip("dpkg-query is not installed")
    (tmp_path / "licences").mkdir()
    for name in ("libgcc_s.so.1", "libnobodyhas.so.7"):
        (tmp_path / name).touch()
    assert loaded("licences").gather_system(tmp_path) >= 1
    index = (tmp_path / "licences" / "LICENCES.md").read_text("utf-8")
    [row] = [line for line in index.splitlines() if "libgcc_s.so.1" in line]
    assert "libnobodyhas" not in index
    paper = tmp_path / "licences" / "system" / f"{row.split()[1]}.txt"
    assert paper.stat().st_size > 500
    assert "bootloader" in index


def test_that_what_is_under_the_gpl_alone_is_not_frozen():
    spec = (ROOT / "packaging" / "app" / "tracescope.spec").read_text("utf-8")
    assert '"readline",' in spec.partition("EXCLUDED = [")[2].partition("]")[0]


@pytest.mark.skipif(os.name == "nt", reason="Debian packages need file modes")
def test_that_a_package_is_built_of_its_own_version_and_for_every_reader(tmp_path, monkeypatch):
    deb = loaded("deb")
    (tmp_path / "_internal" / "tracescope-0.0.1.dist-info").mkdir(parents=True)
    (tmp_path / "tracescope").touch()
    monkeypatch.setattr("sys.argv", ["deb.py", "--from", str(tmp_path), "--to", str(tmp_path)])
    with pytest.raises(SystemExit) as refused:
        deb.main()
    assert refused.value.code == 2
    mask = os.umask(0o077)
    try:
        (tmp_path / "root").mkdir()
        deb.control(tmp_path / "root", "0.0.1")
    finally:
        os.umask(mask)
    for path, mode in (("", 0o755), ("DEBIAN", 0o755), ("DEBIAN/control", 0o644)):
        assert (tmp_path / "root" / path).stat().st_mode & 0o777 == mode


def test_that_the_icon_is_drawn_in_every_size(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c",
         ("import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path;"
         "from icons import write_icons; write_icons(Path(sys.argv[2]))"),
         str(ROOT / "packaging" / "app"), str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    from PIL import Image

    for size in loaded("icons").SIZES:
        with Image.open(tmp_path / f"tracescope-{size}.png") as picture:
            assert picture.size == (size, size)
            assert picture.convert("RGBA").getextrema()[3][1] == 255  # something opaque is drawn
    with Image.open(tmp_path / "tracescope.ico") as icon:
        assert (16, 16) in icon.info["sizes"]
