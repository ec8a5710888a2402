"""What a campaign's window does with files: read a manifest or a result, judge, group, write the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tracescope.campaign.analysis import analysed
from tracescope.campaign.cache import open_cache
from tracescope.campaign.folder import MANIFESTS
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import Campaign
from tracescope.campaign.pool import Pool
from tracescope.campaign.report import report_bytes
from tracescope.campaign.result import is_result, read_result
from tracescope.campaign.result_schema import CampaignFile
from tracescope.campaign.runner import run_campaign
from tracescope.session.atomic import write_beside
from tracescope.session.result_file import now
from tracescope.ui.campaign_rows import Row
from tracescope.ui.worker import Task

NOT_JUDGED = "not judged yet"
HEAD_BYTES = 4096
KINDS = "Campaigns (*.csv *.toml *.json);;Every file (*)"
REPORTS = "Web page (*.html);;Markdown (*.md);;Result (*.json);;Table (*.csv)"


@dataclass(frozen=True, slots=True)
class Source:
    """What a campaign's window shows: a manifest that can be run, or a result.

    Attributes:
        path: The manifest, folder or result file.
        folder: What the episodes' paths are relative to.
        campaign: The manifest's content, ``None`` for a result.
        result: What is known, ``None`` before it was run.
    """

    path: Path
    folder: Path
    campaign: Campaign | None = None
    result: CampaignFile | None = None

    def located(self, text: str) -> str:
        """Return an episode's path from the root: what opens the pair."""
        return str(self.folder / text)


def is_campaign(path: Path) -> bool:
    """Say whether a file is a campaign's manifest or result, by its beginning, or a folder holds a manifest."""
    if path.is_dir():
        return any((path / name).is_file() for name in MANIFESTS)
    if is_result(path):
        return True
    if path.suffix.lower() not in {".csv", ".toml"} or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES).decode("utf-8-sig", "replace")
    except OSError:
        return False
    if path.suffix.lower() == ".toml":
        return "target" in head and "[[" in head and "id" in head
    first = head.splitlines()[0] if head else ""
    names = {cell.strip(' "') for cell in first.replace(";", ",").replace("\t", ",").split(",")}
    return {"id", "sim", "target"} <= names


def read_source(path: Path) -> Source:
    """Read a manifest, a folder or a result.

    Raises:
        UsageError: with every fault of it.
    """
    if path.suffix.lower() == ".json":
        result = read_result(path)
        return Source(path, path.absolute().parent / result.folder, result=result)
    campaign = read_campaign(path)
    return Source(path, Path(campaign.folder), campaign)


def judged(source: Source, task: Task, pool: Callable[[], Pool | None]) -> Source:
    """Judge every pair of a manifest and group them; what was judged before comes from the cache.

    Raises:
        Cancelled: where the person cancelled; the cache keeps what was done.
    """
    assert source.campaign is not None
    run = run_campaign(source.campaign, pool=pool(), cache=open_cache(None), progress=task.progress)
    task.progress(1.0, "grouping failures")
    result = analysed(run, str(source.folder.absolute()), pulse=task.pulse)
    return Source(source.path, source.folder, source.campaign, result)


def waiting_rows(campaign: Campaign) -> tuple[Row, ...]:
    """Return the episodes of a manifest that was not run yet."""
    return tuple(
        Row(
            entry.id,
            "" if entry.date is None else entry.date.strftime("%Y-%m-%d %H:%M"),
            NOT_JUDGED,
            (),
            entry.outcome,
            entry.label,
            entry.params,
            "",
            entry.sim or "",
            entry.target,
        )
        for entry in campaign.entries
    )


def write_report(source: Source, path: Path) -> Path:
    """Write the report in the format that the path's ending names.

    Raises:
        UsageError: where it names none, or the path cannot be written.
    """
    assert source.result is not None
    episodes = source.result.episodes
    recordings = [source.located(text) for e in episodes for text in (e.sim, e.target)]
    write_beside(path, report_bytes(source.result, path, now()), recordings)
    return path
