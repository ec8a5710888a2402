"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SHARED = Path(
    os.environ.get("TRACESCOPE_SHARED", Path(__file__).parents[2] / "shared" / "data")
).absolute()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real recordings; the test is skipped where there is none."""
    if not SHARED.is_dir():
        pytest.skip(f"no real recordings at {SHARED} (set TRACESCOPE_SHARED to their folder)")
    return SHARED


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file that share a fixture in one process, so that it is made once.

    Fixtures wider than a test are those worth sharing; what a file says of itself (``xdist_group``) stands.
    """
    for item in items:
        file = item.nodeid.partition("::")[0]
        known = getattr(item, "_fixtureinfo", None)
        if known is None or item.get_closest_marker("xdist_group"):
            continue
        made = [each for defs in known.name2fixturedefs.values() for each in defs]
        if any(each.baseid == file and each.scope != "function" for each in made):
            item.add_marker(pytest.mark.xdist_group(file))
