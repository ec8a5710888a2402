"""The main job done once with real X events, from the start page to the exported note."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui import xvfb_session
from tracescope.session.store import load_session


@pytest.mark.slow
def test_that_a_person_gets_from_the_start_page_to_a_note(tmp_path: Path, pair):
    missing = xvfb_session.missing_tools()
    if missing:
        pytest.skip(f"a screen with real X events needs {', '.join(missing)}")
    screen = xvfb_session.Screen(tmp_path / "screen")
    try:
        note = xvfb_session.sitting(screen, *pair)
        status = screen.ended()
    finally:
        screen.close()
    assert status == 0
    text = note.read_text("utf-8")
    assert "observation" in text.lower()
    kept = load_session(tmp_path / "sitting.tracescope")
    assert kept.corrections, "the corrections taken from the palette were not kept"
    step = {path.stem.split("-", 1)[1]: path.read_bytes() for path in screen.pictures}
    assert step["zoomed-about-the-pointer"] != step["opened-and-judged"]
    assert step["target-dragged"] != step["fitted"]
    assert step["drag-taken-back"] != step["target-dragged"]
    log = tmp_path / "screen" / "home" / "state" / "tracescope" / "tracescope.log"
    loud = [
        line
        for line in log.read_text("utf-8").splitlines()
        if " WARNING " in line or " ERROR " in line
    ]
    assert not loud
    assert (tmp_path / "screen" / "stderr.txt").read_text("utf-8") == ""
