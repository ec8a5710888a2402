"""Lay what a person wrote and marked over the findings."""

from __future__ import annotations

from dataclasses import replace

from tracescope.model.alignment import Alignment
from tracescope.model.check import Evidence
from tracescope.model.finding import Finding, Inferred, Observed, Report, Untested
from tracescope.session.session import FindingEdit, Mark, Session

KINDS = ("observed", "inferred", "untested")


def kind_of(finding: Finding) -> str:
    """Return the heading a finding stands under."""
    if isinstance(finding, Observed):
        return "observed"
    return "inferred" if isinstance(finding, Inferred) else "untested"


def may_become(finding: Finding, kind: str) -> bool:
    """Say whether a finding may stand under a heading: only ever further from certainty.

    An observation is a measurement and stays one; an inference may be demoted to untested.
    """
    return kind_of(finding) == kind or (isinstance(finding, Inferred) and kind == "untested")


def edited_report(session: Session) -> Report:
    """Return the findings as the person left them: edits applied, marks observed by hand."""
    report = session.report
    if not session.edits and not session.marks:
        return report
    found: list[Finding] = [*report.observed, *report.inferred, *report.untested]
    found += _marked(session)
    edits = {edit.id: edit for edit in session.edits}
    kept: list[Finding] = []
    for finding in found:
        edit = edits.get(finding.id)
        if edit is None:
            kept.append(finding)
        elif not edit.hidden:
            kept.append(_edited(finding, edit))
    kept += [_added(edit) for edit in session.edits if edit.added and not edit.hidden]
    return replace(
        report,
        observed=tuple(f for f in _placed(kept, edits) if isinstance(f, Observed)),
        inferred=tuple(f for f in _placed(kept, edits) if isinstance(f, Inferred)),
        untested=tuple(f for f in _placed(kept, edits) if isinstance(f, Untested)),
    )


def _placed(findings: list[Finding], edits: dict[str, FindingEdit]) -> list[Finding]:
    """Put findings with a place there, counting from 0 under their heading; the others keep order."""
    ordered: list[Finding] = []
    for kind in KINDS:
        group = [f for f in findings if kind_of(f) == kind]
        placed = [(edits[f.id].place, f) for f in group if f.id in edits]
        moved = sorted(
            ((place, f) for place, f in placed if place is not None), key=lambda pair: pair[0]
        )
        rest = [f for f in group if all(f is not other for _, other in moved)]
        for place, finding in moved:
            rest.insert(max(0, min(place, len(rest))), finding)
        ordered += rest
    return ordered


def _marked(session: Session) -> list[Finding]:
    """Return marks as observations; what a person did to one does not pass to its neighbour."""
    same: dict[str, int] = {}
    out: list[Finding] = []
    for mark in session.marks:
        start, end = mark.span_s
        place = f"mark-{mark.side}-{start:.9g}-{end:.9g}"
        same[place] = same.get(place, 0) + 1
        finding_id = place if same[place] == 1 else f"{place}-{same[place]}"
        out.append(_mark_observed(mark, finding_id, session.alignment))
    return out


def _mark_observed(mark: Mark, finding_id: str, alignment: Alignment) -> Observed:
    start, end = mark.span_s
    span = f"at {start:.4g} s" if start == end else f"from {start:.4g} s to {end:.4g} s"
    clock = " of its own clock" if mark.side == "target" else ""
    side = "" if mark.side == "both" else f" in the {mark.side} trace"
    text = f"Marked by hand{side} {span}{clock}: {mark.text or 'no text'}"
    evidence = (Evidence(mark.channel, mark.on_sim(alignment), mark.text),)
    return Observed(text, "", finding_id, evidence, by_hand=True)


def _edited(finding: Finding, edit: FindingEdit) -> Finding:
    text = finding.text if edit.text is None else edit.text
    written = edit.text is not None and edit.text != finding.text
    by_hand = finding.by_hand or written
    if isinstance(finding, Inferred) and edit.kind == "untested":
        need = edit.would_need or f"settled by: {finding.would_be_wrong_if}"
        return Untested(text, need, finding.family, finding.id, by_hand=by_hand)
    if isinstance(finding, Untested):
        need = edit.would_need or finding.would_need
        return replace(finding, text=text, would_need=need, by_hand=by_hand)
    return replace(finding, text=text, by_hand=by_hand)


def _added(edit: FindingEdit) -> Finding:
    """Build a finding that a person wrote; an explanation by hand still needs a test, so it is untested."""
    text = edit.text or ""
    if edit.kind == "observed":
        return Observed(text, "", edit.id, by_hand=True)
    need = edit.would_need or "a test that could show it wrong"
    return Untested(text, need, "", edit.id, by_hand=True)
