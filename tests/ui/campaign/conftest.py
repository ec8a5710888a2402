"""Campaigns to look at: forty finished episodes, and three pairs that nobody judged yet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from tests.campaign.generated import Recipe, write_campaign
from tests.campaign.made import mixed_run
from tests.ui import hands
from tests.ui.campaign.view import MARKUP, wait_read
from tracescope.campaign.analysis import analysed
from tracescope.campaign.model import FailedEpisode
from tracescope.campaign.pool import LocalPool
from tracescope.campaign.result import campaign_json
from tracescope.resources_path import samples
from tracescope.ui.campaign_window import CampaignWindow
from tracescope.ui.look import Look


@pytest.fixture(scope="module")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty episodes of three kinds, one that could not be used; the first one's pair exists."""
    folder = tmp_path_factory.mktemp("campaign")
    run = mixed_run(failed=[FailedEpisode("broken", f"target.csv: empty {MARKUP}")])
    path = folder / "campaign.json"
    path.write_bytes(campaign_json(analysed(run, ".")))
    pair = folder / run.results[0].id
    pair.mkdir()
    for side in ("sim", "target"):
        shutil.copy(samples() / "exercise" / f"{side}.csv", pair / f"{side}.csv")
    return path


@pytest.fixture
def view(qtbot, look: Look, quiet_log, result_file: Path) -> Iterator[CampaignWindow]:
    """The campaign's window on the forty episodes."""
    window = CampaignWindow(look, lambda: LocalPool(1))
    window.resize(1480, 900)
    with qtbot.waitExposed(window):
        window.show()
    window.desk.open_path(result_file)
    wait_read(window)
    window.activateWindow()
    hands.settle()
    gone: list[bool] = []
    window.destroyed.connect(lambda: gone.append(True))
    yield window
    window.close()
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
    assert gone, "the window outlived its closing"


@pytest.fixture
def small_manifest(tmp_path: Path) -> Path:
    recipe = Recipe(seed=11, pairs=3, rows=120, kinds=("scale",), growing="")
    return write_campaign(tmp_path / "small", recipe).manifest


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
