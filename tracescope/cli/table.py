"""Tables on standard output."""

from __future__ import annotations

from typing import TextIO

from tracescope.cli.output import told
from tracescope.findings.note.rows import NOT_JUDGED, alignment_lines, check_row, follow_up_text
from tracescope.findings.ties import tied_words
from tracescope.session.catalogue import broken_checks
from tracescope.session.ledger import session_follow_up
from tracescope.session.result_file import session_result
from tracescope.session.session import Session

COLOUR = {"pass": "green", "fail": "red", "inconclusive": "yellow"}
PLAIN_WIDTH = 120


def print_session(session: Session, out: TextIO) -> None:
    """Print alignment, corrections, one line a check, the leader and the next test."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=out, width=None if out.isatty() else PLAIN_WIDTH, highlight=False)
    result = session_result(session, "")
    console.print(f"simulator  {_shown(session.pair.sim.source.path)}")
    console.print(f"target     {_shown(session.pair.target.source.path)}")
    for line in alignment_lines(session.case, result)[:3]:
        console.print(f"alignment  {_shown(line)}")
    for correction in session.corrections:
        console.print(f"corrected  {_shown(correction.in_full)}")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading, share in (
        ("check", None),
        ("state", None),
        ("what was found", 5),
        ("key measurement", 4),
    ):
        table.add_column(heading, ratio=share, no_wrap=share is None)
    for check in (*result.checks, *result.probes):
        row = check_row(check)
        state = f"[{COLOUR[row.state]}]{row.mark} {row.state}[/]"
        found = row.reason + (f" Would be {row.would}." if row.would else "")
        interval = f" ({row.interval})" if row.interval else ""
        band = f", tolerance {row.tolerance}" if row.tolerance else ""
        band = ", not judged" if row.tolerance == NOT_JUDGED else band
        key = f"{row.key}{interval}{band}"
        table.add_row(row.title, state, _shown(found), _shown(key))
    console.print(table)
    for plugin in broken_checks():
        words = f"{plugin.name} from {plugin.origin}: not usable: {plugin.problem}"
        console.print(f"plug-in    {_shown(words)}")
    follow = session_follow_up(session, result)
    if follow is not None:
        for line in follow_up_text(follow).lines[1:]:
            console.print(f"follow-up  {_shown(line)}")
    if session.report.hypotheses:
        leader = session.report.hypotheses[0]
        tied = tied_words(session.report.hypotheses)
        words = f"1 = {tied}: not told apart on this pair" if tied else leader.text
        console.print(f"leading hypothesis (inferred)  {_shown(words)}")
    if session.report.next_test is not None:
        console.print(f"next test  {_shown(session.report.next_test.do)}")


def _shown(text: str) -> str:
    """Return a text as rich prints it literally: no markup, no signs that steer a terminal."""
    from rich.markup import escape

    return escape(told(text))
