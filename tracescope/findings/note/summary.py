"""The first page: what a reviewer who reads only that takes away, without being misled."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracescope.findings.follow_up import FollowUp
from tracescope.findings.numbers import clipped, listed, share_text
from tracescope.findings.observe import capitalised, title_of
from tracescope.findings.result_schema import ResultFile
from tracescope.findings.ties import leaders
from tracescope.model.finding import Hypothesis, Report
from tracescope.model.words import counted

MOST_OPEN = 160
MOST_SHOWN = 260
MOST_OTHERS = 2
MOST_MARKS = 2
MARKED = "Marked by hand"
MOST_OF_IT = 0.5
"""A share below which the leading hypothesis leaves more open than it explains."""

FAMILIES = {
    "fail": "Outside tolerance",
    "inconclusive": "Could not be decided",
    "pass": "Inside tolerance",
}


def summary_lines(
    result: ResultFile, report: Report, follow: FollowUp | None = None
) -> tuple[str, ...]:
    """Return the summary, one sentence a line: states by name, leader, what stays open. No score."""
    lines = []
    if follow is not None:
        lines.append(
            f'Follow-up of "{follow.prediction.title}": its prediction is {follow.outcome}.'
        )
    if result.pair.sim.sha256 and result.pair.sim.sha256 == result.pair.target.sha256:
        lines.append("Both sides are the same file: a recording is compared with itself.")
    for state, heading in FAMILIES.items():
        names = [title_of(check.id).lower() for check in result.checks if check.state == state]
        if names:
            lines.append(f"{heading}: {', '.join(names)}.")
        if state == "fail":
            lines += _shown(result)
    lines += [f"{capitalised(p.reason.rstrip('.'))}: {p.state}." for p in result.probes]
    if not result.checks:
        lines.append("No check was run: this note holds sources and alignment only.")
        alone = [u.text for u in report.untested if u.id == "pair/alone"]
        lines += [f"{text}." for text in alone]
    if any(check.state == "pass" for check in result.checks):
        lines.append("A check inside its tolerance speaks only for the range it covered.")
    lines += _corrected(result)
    lines += _leader(report)
    lines += _others(report)
    lines += _open_ends(result, report)
    marked = _marked(report)
    lines += marked
    if result.checks and not any(check.state == "fail" for check in result.checks):
        lines.append(
            "No difference was shown besides the corrections above, which are differences of the"
            " recordings; that is not a proof that there is no other."
            if result.corrections
            else f"No difference was shown{' by a check' * bool(marked)};"
            " that is not a proof that there is none."
        )
    flipping = [title_of(c.id).lower() for c in result.checks if c.depends_on_alignment]
    if flipping:
        lines.append(f"Depends on the alignment inside its own interval: {', '.join(flipping)}.")
    return tuple(lines)


def _shown(result: ResultFile) -> list[str]:
    """Say of every failing check what lies outside: a name alone sends the reader to page three."""
    return [
        f"{title_of(check.id)}: {_sentence(check.reason, MOST_SHOWN)}"
        for check in result.checks
        if check.state == "fail" and check.reason
    ]


def _sentence(text: str, most: int) -> str:
    """Return a text with its full stop, or as much of it as there is room for."""
    cut = clipped(" ".join(text.split()).rstrip("."), most)
    return cut if cut.endswith("…") else f"{cut}."


def _marked(report: Report) -> list[str]:
    """Say where a person saw something: the words stand pages further on, behind all that was counted."""
    texts = [finding.text for finding in report.observed if finding.by_hand and not finding.check]
    marks = [text.partition(": ")[0] for text in texts if text.startswith(MARKED)][:MOST_MARKS]
    rest = len(texts) - len(marks)
    more = counted(rest, f"{'more ' * bool(marks)}finding")
    said = marks + [f"{more} written by hand"] * bool(rest)
    return [f"{'; '.join(said)}: the words stand under Observed."] if said else []


def _corrected(result: ResultFile) -> list[str]:
    """Say that the checks saw other values than were recorded: the note is wrong without it."""
    if not result.corrections:
        return []
    names, more = listed([c.channel for c in result.corrections])
    rest = f" and {more} more" if more else ""
    return [f"Values of the target were corrected before these checks: {names}{rest}."]


def _others(report: Report) -> list[str]:
    """Name the next hypotheses, so that the leader does not stand for all there is."""
    lines = []
    after = len(leaders(report.hypotheses))
    for other in report.hypotheses[after : after + MOST_OTHERS]:
        said = next((i.text for i in report.inferred if i.family == other.family), other.text)
        words = clipped(" ".join(said.split()).rstrip("."), MOST_OPEN)
        lines.append(
            f"Another hypothesis: {title_of(other.family).lower()}; {words[:1].lower()}{words[1:]}."
        )
    left = len(report.hypotheses) - after - MOST_OTHERS
    if left > 0:
        lines.append(f"And {left} more under Hypotheses.")
    return lines


def _open_ends(result: ResultFile, report: Report) -> list[str]:
    """Count what stays untested and name one item, of a check that passes if there is one.

    Checks that could not be decided stand in a line of their own already.
    """
    if not report.untested or not result.checks:
        return []
    passing = {check.id for check in result.checks if check.state == "pass"}
    count = len(report.untested)
    said = [u for u in report.untested if not u.id.endswith("/undecided")]
    first = next((u for u in said if u.check in passing), (said or list(report.untested))[0])
    what = clipped(" ".join(first.text.split()).rstrip("."), MOST_OPEN)
    if not first.by_hand and re.match(r"[A-Z](?:[a-z]+)?[ ']", what):
        what = what[:1].lower() + what[1:]
    return [f"Left untested: {count} item{'s' if count > 1 else ''}, among them: {what}."]


def _leader(report: Report) -> list[str]:
    if not report.hypotheses:
        return []
    tied = leaders(report.hypotheses)
    named = " or ".join(f"{title_of(h.family).lower()}{_about(h)}" for h in tied)
    start = (
        "Leading hypotheses, inferred, not shown and not told apart on this pair"
        if len(tied) > 1
        else "Leading hypothesis, inferred and not shown"
    )
    return [f"{start}: {named}; {_removed(tied)}."]


def _removed(tied: Sequence[Hypothesis]) -> str:
    """Say how much corrections remove: in one clause where they are shares of one thing, else one by one."""
    known = [h.explains for h in tied if h.explains is not None]
    if len(tied) > 1 and len(known) == len(tied) and len({h.explains_of for h in tied}) == 1:
        ends = list(dict.fromkeys(map(share_text, (min(known), max(known)))))
        said = f"correcting any one of them alone removes {' to '.join(ends)} of the {_of(tied[0])}"
    else:
        said = "; ".join(_removed_alone(h, alone=len(tied) == 1) for h in tied)
    return f"{said}; most of it stays open" if known and max(known) < MOST_OF_IT else said


def _removed_alone(hypothesis: Hypothesis, *, alone: bool) -> str:
    it = "it" if alone else title_of(hypothesis.family).lower()
    if hypothesis.explains is None:
        return f"no correction of {it} could be tried on this pair"
    return (
        f"correcting {it} alone removes {share_text(hypothesis.explains)} of the {_of(hypothesis)}"
    )


def _of(hypothesis: Hypothesis) -> str:
    named = {"residual": "aligned residual", "one-step misfit": "one-step misfit, as modelled"}
    return named.get(hypothesis.explains_of, hypothesis.explains_of)


def _about(hypothesis: Hypothesis) -> str:
    channels, more = listed(hypothesis.channels, 4)
    return f" ({channels}{f' and {more} more' if more else ''})" if channels else ""
