"""``tracescope campaign``: judge many pairs and group their failures by kind."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tracescope.campaign.cache import Cache, open_cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import Campaign, split_episode
from tracescope.campaign.pipeline import Options
from tracescope.campaign.pool import LocalPool, Pool
from tracescope.campaign.result_schema import CampaignFile
from tracescope.campaign.runner import run_campaign
from tracescope.cli.log import start_log
from tracescope.cli.output import progress_for, write_out
from tracescope.model.errors import Problem, ProblemsError, UsageError
from tracescope.session.atomic import refuse_source, refuse_unwritable
from tracescope.session.open import OpenOptions
from tracescope.session.result_file import dated
from tracescope.session.tolerances import chosen_tolerances

DONE, SOME_FAILED, INTERRUPTED = 0, 1, 130
STANDARD_OUTPUT = "-"


def run(options: argparse.Namespace) -> int:
    """Judge a campaign, write what was asked for, print the table; return the exit status.

    Raises:
        TracescopeError: where manifest or command cannot be used.
    """
    from tracescope.campaign.analysis import analysed

    created = dated(options.date)
    campaign = read_campaign(options.manifest)
    _refuse_outputs(options, campaign)
    judging = _judging(options)
    earlier = _earlier(options)
    cache = _cache(options)
    with progress_for(quiet=options.quiet) as progress:
        done = run_campaign(campaign, judging, _pool(options), cache, progress)
        if done.interrupted:
            kept = cache is not None and not cache.broken
            return _interrupted(len(done.results), len(campaign.entries), kept=kept)
        progress(1.0, "grouping failures")
        result = analysed(done, _folder(options, campaign), earlier)
    _write(result, options, campaign, created)
    if not options.quiet and options.json != STANDARD_OUTPUT:
        from tracescope.cli.campaign_table import print_campaign

        print_campaign(result, sys.stdout)
    elif result.failed:
        _say_failed(result)
    return SOME_FAILED if result.failed else DONE


def _judging(options: argparse.Namespace) -> Options:
    """Return how pairs are opened and judged.

    Raises:
        UsageError: with everything that is wrong with tolerances or map.
    """
    path = Path(options.tolerances) if options.tolerances else None
    tolerances = chosen_tolerances(path, options.tolerance)
    if not 0.5 <= options.confidence < 1:
        raise UsageError(
            Problem("confidence lies between 0.5 and 1", "--confidence", f"{options.confidence}")
        )
    opening = OpenOptions(tolerances=tolerances, confidence=options.confidence)
    if not options.map:
        return Options(opening, options.correct == "auto")
    from dataclasses import replace

    from tracescope.readers.mapfile import read_map

    mapped = read_map(Path(options.map))
    opening = replace(opening, pairs=tuple((a, b) for a, b in mapped.pairs))
    return Options(opening, options.correct == "auto", mapped.sim, mapped.target)


def _earlier(options: argparse.Namespace) -> CampaignFile | None:
    if not options.earlier:
        return None
    from tracescope.campaign.result import read_result

    return read_result(Path(options.earlier))


def _cache(options: argparse.Namespace) -> Cache | None:
    if options.no_cache:
        return None
    return open_cache(Path(options.cache) if options.cache else None)


def _pool(options: argparse.Namespace) -> Pool:
    """Return who judges.

    Raises:
        UsageError: where that makes no sense, or the scheduler cannot be used.
    """
    if options.timeout is not None and not options.timeout > 0:
        raise UsageError(Problem("no pair takes no time", "--timeout", f"{options.timeout:g}"))
    if options.scheduler:
        if options.timeout is not None:
            raise UsageError(
                Problem(
                    "processes of this machine alone are timed", "--timeout", todo="leave it out"
                )
            )
        from tracescope.campaign.cluster_pool import ClusterPool

        return ClusterPool(options.scheduler)
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(Problem("at least one process is needed", "--jobs", f"{options.jobs}"))
    return LocalPool(options.jobs, options.timeout, start_log)


def _interrupted(judged: int, pairs: int, *, kept: bool) -> int:
    todo = "run the same command again to go on from there" if kept else "nothing was kept"
    print(f"tracescope: interrupted with {judged} of {pairs} pairs judged; {todo}", file=sys.stderr)
    return INTERRUPTED


def _folder(options: argparse.Namespace, campaign: Campaign) -> str:
    """Return the campaign's folder as it is found from where the result lies."""
    if not options.json or options.json == STANDARD_OUTPUT:
        return str(campaign.folder)
    beside = Path(options.json).absolute().parent
    try:
        return Path(os.path.relpath(campaign.folder.absolute(), beside)).as_posix()
    except ValueError:  # another drive
        return str(campaign.folder.absolute())


def _outputs(options: argparse.Namespace) -> Iterator[Path]:
    yield from (Path(path) for path in options.report)
    if options.json and options.json != STANDARD_OUTPUT:
        yield Path(options.json)


def _read(options: argparse.Namespace, campaign: Campaign) -> tuple[str, ...]:
    """Return what the command reads besides recordings."""
    read = (campaign.manifest, options.earlier, options.tolerances, options.map)
    return tuple(str(path) for path in read if path)


def _sources(options: argparse.Namespace, campaign: Campaign) -> tuple[str, ...]:
    """Return the paths that nothing may ever be written onto: what the command reads, and every recording."""
    texts = [text for entry in campaign.entries for text in (entry.sim, entry.target) if text]
    files = [split_episode(campaign.folder, text)[0] for text in dict.fromkeys(texts)]
    return tuple(dict.fromkeys((*_read(options, campaign), *map(str, files))))


def _refuse_outputs(options: argparse.Namespace, campaign: Campaign) -> None:
    """Refuse what could not be written, every such path at once, before anything is judged.

    Raises:
        UsageError: for a path that is a source or cannot be written, or a report of no known kind.
    """
    from tracescope.campaign.report import need_report_format

    read, sources = _read(options, campaign), _sources(options, campaign)
    problems: list[Problem] = []
    for path in _outputs(options):
        try:
            _refuse_read(path, read)
            refuse_source(path, sources)
            refuse_unwritable(path)
        except ProblemsError as error:
            problems += error.problems
    problems += _written_twice(options)
    for path in options.report:
        try:
            need_report_format(Path(path))
        except ProblemsError as error:
            problems += error.problems
    if problems:
        raise UsageError(problems)


def _written_twice(options: argparse.Namespace) -> Iterator[Problem]:
    """Yield the paths that one output would write over another."""
    paths = [path.resolve() for path in _outputs(options)]
    for path in dict.fromkeys(paths):
        if paths.count(path) > 1:
            todo = "give each output a name of its own"
            yield Problem("two outputs have the same name", str(path), todo=todo)


def _refuse_read(path: Path, read: Sequence[str]) -> None:
    try:
        refuse_source(path, read)
    except UsageError as error:
        what = "is read by this command; what is read is never written"
        raise UsageError(Problem(what, str(path), todo="choose another name")) from error


def _write(
    result: CampaignFile, options: argparse.Namespace, campaign: Campaign, created: str
) -> None:
    from tracescope.campaign.report import report_bytes
    from tracescope.campaign.result import campaign_json

    sources = _sources(options, campaign)
    if options.json:
        write_out(options.json, campaign_json(result), sources)
    for path in options.report:
        write_out(path, report_bytes(result, Path(path), created), sources)


def _say_failed(result: CampaignFile) -> None:
    """Name the pairs that could not be used where no table does: status 1 must be explained."""
    from tracescope.cli.output import told

    for failed in result.failed:
        with contextlib.suppress(BrokenPipeError):
            print(told(f"tracescope: {failed.id}: {failed.problem}"), file=sys.stderr)
