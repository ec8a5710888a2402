"""Compose a note's document from a judged case."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath

from tracescope.findings.follow_up import FollowUp, factors_of
from tracescope.findings.note import rows
from tracescope.findings.note.document import (
    Group,
    HypothesisRow,
    Item,
    NextTestText,
    NoteDocument,
    NoteOptions,
    PredictedRow,
    ToleranceRow,
    figures_by_check,
)
from tracescope.findings.note.figure import NoteFigure
from tracescope.findings.note.summary import summary_lines
from tracescope.findings.numbers import (
    band_text,
    clipped,
    listed,
    share_text,
    unit_of,
    unit_of_band,
)
from tracescope.findings.observe import title_of
from tracescope.findings.omission import omission_log
from tracescope.findings.result_schema import ResultFile
from tracescope.model.case import Case
from tracescope.model.finding import Inferred, NextTest, Observed, Report, Untested
from tracescope.model.tolerance import Tolerance, Tolerances
from tracescope.model.words import told_apart

MOST_TITLE, MOST_NAME = 240, 120
"""Longer ones are cut: the summary stays on one page."""
PACKAGES = ("numpy", "scipy", "pandas", "h5py")


@dataclass(frozen=True, slots=True)
class Judged:
    """What a note is made of: the case, its findings as the person left them, and the numbers' value."""

    case: Case
    report: Report
    result: ResultFile
    figures: tuple[NoteFigure, ...] = ()
    declared: tuple[Tolerance, ...] = ()
    follow_up: FollowUp | None = None
    budgets: tuple[Tolerance, ...] = ()
    budgets_in_force: Tolerances = Tolerances()


def compose(judged: Judged, options: NoteOptions) -> NoteDocument:
    """Return the note's document."""
    case, report, result = judged.case, judged.report, judged.result
    checks = tuple(rows.check_row(check) for check in result.checks)
    alignment = rows.alignment_lines(case, result)
    log = omission_log(result)
    return NoteDocument(
        title=clipped(options.title, MOST_TITLE) or _title(result),
        date=result.created,
        author=clipped(options.author, MOST_NAME),
        policy=clipped(options.policy, MOST_NAME),
        paper=options.paper,
        version=result.tracescope,
        summary=summary_lines(result, report, judged.follow_up),
        sources=(
            rows.source_row("simulator", result.pair.sim),
            rows.source_row("target", result.pair.target),
        ),
        alignment=alignment,
        corrections=tuple(c.in_full for c in case.corrections),
        checks=checks,
        probes=tuple(rows.check_row(probe) for probe in result.probes),
        observed=_observed(report, judged.figures),
        inferred=tuple(_inferred(i) for i in report.inferred),
        untested=tuple(_untested(u) for u in report.untested),
        hypotheses=tuple(_hypotheses(report)),
        next_test=_next_test(report.next_test),
        supported=tuple(rows.supported_row(s) for s in log.supported),
        mismatches=tuple(rows.open_row(o) for o in log.omissions),
        measurements=tuple(
            rows.measurement_row(check.id, m)
            for check in (*result.checks, *result.probes)
            for m in check.measurements
        ),
        tolerances=tuple(_tolerances(judged)),
        versions=_versions(result),
        command=options.command,
        figure_folder=options.figure_folder,
        follow_up=None if judged.follow_up is None else rows.follow_up_text(judged.follow_up),
        factors=factors_of(case),
        follow_up_value=judged.follow_up,
        result=result,
        no_test=_no_test(result, report),
    )


def _no_test(result: ResultFile, report: Report) -> str:
    if report.next_test is not None:
        return ""
    if not result.checks:
        return "None: no check was run."
    return "None: every check passed and nothing was named as untested."


def _title(result: ResultFile) -> str:
    """Name both files, with their folder where it is one and the same: many are called alike."""
    sim, target = (result.pair.sim.path, result.pair.target.path)
    if not (sim and target):
        return clipped(f"Findings: {rows.file_name(sim or target)} alone", MOST_TITLE)
    names = told_apart(sim, target)
    title = "Findings: " + " against ".join(names)
    folders = {PurePath(path).parent.name for path in (sim, target)}
    plain = all(len(PurePath(name).parts) == 1 for name in names)
    folder = folders.pop() if len(folders) == 1 and plain else ""
    return clipped(f"{title} ({folder})" if folder else title, MOST_TITLE)


def _observed(report: Report, figures: Sequence[NoteFigure]) -> tuple[Group, ...]:
    by_check: dict[str, list[Observed]] = {}
    for finding in report.observed:
        by_check.setdefault(finding.check, []).append(finding)
    pictures = figures_by_check(figures)
    order = [*by_check, *(check for check in pictures if check not in by_check)]
    return tuple(
        Group(
            title_of(check) if check else "Marked or written by hand",
            tuple(Item(o.text, o.by_hand) for o in by_check.get(check, ())),
            pictures.get(check, ()),
        )
        for check in order
    )


def _inferred(finding: Inferred) -> Item:
    details = [
        ("Rests on", "; ".join(finding.rests_on)),
        ("Would be wrong if", finding.would_be_wrong_if),
    ]
    if finding.not_told_apart:
        apart = ", ".join(name.replace("-", " ") for name in finding.not_told_apart)
        details.append(("Not told apart from", apart))
    if finding.gap_channel:
        words = f"{finding.gap_channel}; usually considered, as a lead: {finding.safeguard}"
        details.append(("Gap channel", words))
    return Item(finding.text, finding.by_hand, tuple(details))


def _untested(finding: Untested) -> Item:
    return Item(finding.text, finding.by_hand, (("Would need", finding.would_need),))


def _hypotheses(report: Report) -> list[HypothesisRow]:
    return [
        HypothesisRow(
            f"{h.rank} =" if h.not_told_apart else str(h.rank),
            title_of(h.family),
            h.text,
            listed(h.channels, 8)[0] or "not tied to a channel",
            share_of(h.explains, h.explains_of),
        )
        for h in report.hypotheses
    ]


def share_of(share: float | None, of: str) -> str:
    """Write a share and, where it is not of the residual, of what; or that none could be computed."""
    if share is None:
        return "no correction to try"
    return share_text(share) if of == "residual" else f"{share_text(share)} of the {of}"


def _next_test(test: NextTest | None) -> NextTestText | None:
    if test is None:
        return None
    predicted = tuple(
        PredictedRow(
            f"{p.quantity} of {p.channel}" if p.channel else p.quantity,
            band_text(p.interval, unit_of(p.quantity, p.unit)),
        )
        for p in test.predicted
    )
    return NextTestText(test.do, test.falsifies, predicted)


def _tolerances(judged: Judged) -> list[ToleranceRow]:
    declared = (
        (judged.case.tolerances, judged.declared),
        (judged.budgets_in_force, judged.budgets),
    )
    return [
        ToleranceRow(
            t.key,
            band_text(chosen[t], unit_of_band(t.key, t.unit)),
            chosen.is_default(t),
            t.why,
        )
        for chosen, tolerances in declared
        for t in tolerances
    ]


def _versions(result: ResultFile) -> tuple[tuple[str, str], ...]:
    found = [("tracescope", result.tracescope), ("Python", platform.python_version())]
    for package in PACKAGES:
        try:
            found.append((package, version(package)))
        except PackageNotFoundError:
            continue
    return tuple(found)
