"""The campaign's report: HTML (one file), Markdown, JSON and CSV from one result."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

from tracescope.campaign.report_page import checks_of, lead_text, page_of
from tracescope.campaign.result import campaign_json
from tracescope.campaign.result_schema import CampaignFile
from tracescope.model.errors import Problem, UsageError

STATE_MARKS = {"pass": "✓", "fail": "✕", "inconclusive": "?"}

_LIKE_A_FORMULA = re.compile(r"^[=+\-@\t\r]")


def render(result: CampaignFile, fmt: str, created: str = "") -> bytes:
    """Return the report as ``html`` (self-contained), ``md``, ``json`` or ``csv`` (one row an episode).

    The same result gives the same bytes.

    Args:
        result: The campaign's result.
        fmt: One of :data:`FORMATS`.
        created: Date to show in HTML and Markdown, as given.

    Raises:
        UsageError: for another format, or where an overridden template does not render.
    """
    return _writer(fmt, "report")(result, created)


def need_report_format(path: Path) -> None:
    """Make sure that a path's ending names a format of the report.

    Raises:
        UsageError: where it does not.
    """
    _writer(path.suffix, str(path))


def report_bytes(result: CampaignFile, path: Path, created: str = "") -> bytes:
    """Return the report in the format that the path's ending names.

    Raises:
        UsageError: where it names none, or where an overridden template does not render.
    """
    return _writer(path.suffix, str(path))(result, created)


def _writer(fmt: str, where: str) -> Callable[[CampaignFile, str], bytes]:
    writer = _WRITERS.get(fmt.lower().removeprefix("."))
    if writer is None:
        raise UsageError(
            Problem("no report format is called that", where, fmt, f"one of: {', '.join(FORMATS)}")
        )
    return writer


def _html(result: CampaignFile, created: str) -> bytes:
    from tracescope.campaign.report_figures import report_figures
    from tracescope.campaign.report_strips import strip_legend, strip_svg

    return _rendered(
        "campaign.html.j2",
        escape=True,
        filters={"strip": strip_svg},
        page=page_of(result, created),
        figures=report_figures(result),
        legend=strip_legend(),
    ).encode("utf-8")


def _markdown(result: CampaignFile, created: str) -> bytes:
    from tracescope.findings.note.markdown import plain

    text = _rendered(
        "campaign.md.j2",
        escape=False,
        filters={"md": plain, "strip": _strip_text},
        page=page_of(result, created),
    )
    return re.sub(r"\n{3,}", "\n\n", text).encode("utf-8")


def _strip_text(states: tuple[tuple[str, str], ...]) -> str:
    return "".join(STATE_MARKS.get(state, "·") for _, state in states)


def _json(result: CampaignFile, _created: str) -> bytes:
    return campaign_json(result)


def _csv(result: CampaignFile, _created: str) -> bytes:
    """Write one row an episode, UTF-8 with a mark so that spreadsheets read it so."""
    checks = checks_of(result)
    params = list(dict.fromkeys(name for episode in result.episodes for name in episode.params))
    cluster_of = {cluster.id: cluster for cluster in result.clusters}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    head = ["id", "sim", "target", "date", "label", "outcome", "kind", "cluster", "name", "lead"]
    writer.writerow([*head, "growing", *checks, *(f"param.{name}" for name in params)])
    for e in result.episodes:
        found = cluster_of.get(e.cluster or "")
        about = (
            [found.id, found.name, lead_text(found), found.growth.growing] if found else [""] * 4
        )
        row = [e.id, e.sim, e.target, e.date or "", e.label, e.outcome, e.of_kind, *about]
        row += [e.states.get(check, "") for check in checks]
        writer.writerow([*map(_cell, row), *(_cell(e.params.get(name, "")) for name in params)])
    for one in result.failed:
        writer.writerow([_cell(one.id), *[""] * 5, "failed", "", _cell(one.problem)])
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8")


def _cell(value: float | str) -> float | str:
    """Return a text that no spreadsheet takes for a formula."""
    if isinstance(value, str) and _LIKE_A_FORMULA.match(value):
        return f"'{value}"
    return value


def _rendered(
    name: str, *, escape: bool, filters: dict[str, Callable[..., object]], **values: object
) -> str:
    from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    from tracescope.findings.note.templating import printable
    from tracescope.findings.wording import template_folders

    environment = SandboxedEnvironment(
        loader=FileSystemLoader([str(folder) for folder in template_folders()]),
        autoescape=escape,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    try:
        return environment.get_template(name).render(**values)
    except TemplateError as error:
        raise UsageError(Problem("the template does not render", name, str(error))) from error


_WRITERS: dict[str, Callable[[CampaignFile, str], bytes]] = {
    "html": _html,
    "md": _markdown,
    "json": _json,
    "csv": _csv,
}
FORMATS = tuple(_WRITERS)
