"""``tracescope check``: judge a pair without a window."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace

from tracescope.checks.probing import DEFAULTS
from tracescope.cli.output import progress_for, write_out
from tracescope.cli.outputs import refuse_outputs
from tracescope.cli.sides import AUTO, both_sides, open_options
from tracescope.findings.note.document import NoteOptions
from tracescope.model.check import CheckResult, State
from tracescope.session.budgets import read_budgets
from tracescope.session.export import Drawings, export_figures, export_notes, note_format
from tracescope.session.judge import judge, judge_corrected
from tracescope.session.ledger import followed, read_prediction
from tracescope.session.open import open_session
from tracescope.session.probe import check_probes, parse_probe, probe_results
from tracescope.session.result_file import dated, result_json
from tracescope.session.session import Session
from tracescope.session.store import save_session, source_paths

PASSED, FAILED, UNDECIDED = 0, 1, 3


def run(options: argparse.Namespace) -> int:
    """Judge a pair, write what was asked for, print the table; return the exit status.

    Raises:
        TracescopeError: where input or command cannot be used.
    """
    created = dated(options.date)
    for path in options.note:
        note_format(path)
    sim, target, pairs = both_sides(options.sim, options.target, options)
    refuse_outputs(options, (sim.path, target.path))
    opening = open_options(options, pairs)
    probes = tuple(parse_probe(text) for text in options.probe)
    budgets = read_budgets(options.budgets) if options.budgets else DEFAULTS
    prediction = read_prediction(options.follow_up) if options.follow_up else None
    with progress_for(quiet=options.quiet) as progress:
        session = open_session(sim, target, opening, progress)
        session = replace(followed(session, prediction), probes=probes, budgets=budgets)
        check_probes(session)
        correcting = AUTO in options.correct
        session = (judge_corrected if correcting else judge)(session, progress)
        _write(session, options, created)
    if not options.quiet and options.json != "-":
        from tracescope.cli.table import print_session

        print_session(session, sys.stdout)
    return status_of((*session.results, *probe_results(session)))


def status_of(results: tuple[CheckResult, ...]) -> int:
    """Return 0 where every check passed, 1 where one failed, 3 where one is inconclusive (or none ran)."""
    states = {result.state for result in results}
    if State.FAIL in states:
        return FAILED
    return PASSED if states == {State.PASS} else UNDECIDED


def _write(session: Session, options: argparse.Namespace, created: str) -> None:
    if options.json:
        write_out(options.json, result_json(session, created), source_paths(session))
    note = NoteOptions(
        title=options.title or "",
        author=options.author,
        policy=options.policy,
        command=command_line(options),
        paper=options.paper,
    )
    drawings = Drawings(session)
    if options.note:
        export_notes(session, options.note, created, note, drawings=drawings)
    if options.figures:
        export_figures(session, options.figures, drawings)
    if options.session:
        save_session(session, options.session)


def command_line(options: argparse.Namespace) -> str:
    """Return the command that reproduces the note's numbers: only what bears on them."""
    words = ["tracescope", "check", options.sim, options.target]
    plain = {
        "--sim-episode": options.sim_episode,
        "--target-episode": options.target_episode,
        "--map": options.map,
        "--align": None if options.align == "auto" else options.align,
        "--offset": options.offset,
        "--drift-ppm": options.drift_ppm,
        "--step-shift": options.step_shift,
        "--tolerances": options.tolerances,
        "--budgets": options.budgets,
        "--confidence": None if options.confidence == 0.99 else options.confidence,
    }
    for flag, value in plain.items():
        if value is not None:
            words += [flag, str(value)]
    repeated = {
        "--correct": options.correct,
        "--tolerance": options.tolerance,
        "--probe": options.probe,
    }
    for flag, values in repeated.items():
        for value in values:
            words += [flag, value]
    return shlex.join(words)
