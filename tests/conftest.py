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
