"""Campaigns that several tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign.generated import Generated, Recipe, write_campaign
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import CampaignRun
from tracescope.campaign.pool import LocalPool
from tracescope.campaign.runner import run_campaign

SMALL = Recipe(seed=3, pairs=8, rows=240, weeks=2, growing="")


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """Eight short pairs on disk; to be copied, not changed."""
    return write_campaign(tmp_path_factory.mktemp("small"), SMALL)


@pytest.fixture(scope="session")
def judged(small: Generated, tmp_path_factory: pytest.TempPathFactory) -> tuple[CampaignRun, Path]:
    """The eight pairs judged once by processes, and the cache that was filled."""
    folder = tmp_path_factory.mktemp("cache")
    campaign = read_campaign(small.manifest)
    return run_campaign(campaign, pool=LocalPool(2), cache=Cache(folder)), folder


@pytest.fixture
def own_small(small: Generated, tmp_path: Path) -> Path:
    """A copy of the eight pairs that a test may damage; returns its manifest."""
    import shutil

    return Path(shutil.copytree(small.manifest.parent, tmp_path / "copy")) / "manifest.csv"
