"""What the commands take. Nothing heavy is imported here: ``--help`` answers at once."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from tracescope import __version__

COMMANDS = ("check", "inspect", "sample", "campaign", "plugins")

_EPILOG = """\
commands (tracescope COMMAND --help tells more):
  check SIM TARGET     judge a pair without a window: a table; note, JSON, figures, session on request
  inspect FILE         what is in this file: layout, episodes, channels, roles, rate, health
  sample [NAME]        list the bundled pairs, or copy one out
  campaign MANIFEST    judge many pairs: one table, the kinds of failure among them, a report
  plugins              what is installed besides the built-ins

SIM and TARGET are logs as people write them: CSV, HDF5 and others (the guide's page Formats lists them), a
file or a folder of tables; file.h5::data/demo_3 names an episode inside a file.

exit status of check: 0 every check passed, 1 at least one failed, 3 none failed and at least one is
inconclusive, 2 the input or the command could not be used.
"""

_EPILOGS = {
    "campaign": """\
A manifest is CSV or TOML with id, sim, target and, where known, date, label, outcome, event_time and
param.NAME for each simulation parameter. sim may be empty: the nearest simulator rollout of the same label
is taken. Paths are relative to the manifest and take ::episode. Of a folder without a manifest, each
subfolder with sim.* and target.* is an episode, and so are NAME_sim.* and NAME_target.*; real may stand for
target.

exit status: 0 done, 1 done but some pairs could not be used (listed), 2 the manifest or the command could
not be used, 130 interrupted (run it again to go on from there).
"""
}


def top_parser() -> argparse.ArgumentParser:
    """Return the parser of ``tracescope`` without a command: it opens the window."""
    parser = argparse.ArgumentParser(
        "tracescope",
        description="Take the two traces of a sim-to-target robot episode apart: align, check, note.",
        usage="tracescope [SIM TARGET | FILE.tracescope] | tracescope COMMAND …",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "traces",
        nargs="*",
        metavar="SIM TARGET",
        help="open the window on a pair, or on a saved session; nothing: the start page",
    )
    parser.add_argument("--version", action="version", version=f"tracescope {__version__}")
    _reading(parser)
    return parser


def command_parser(command: str) -> argparse.ArgumentParser:
    """Return the parser of one command."""
    describe: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
        "check": ("Judge a pair without a window.", _check),
        "inspect": ("Say what is in a file.", _inspect),
        "sample": ("List the bundled pairs, or copy one out.", _sample),
        "campaign": ("Judge many pairs and group their failures by kind.", _campaign),
        "plugins": ("List readers, checks and note formats.", lambda _: None),
    }
    description, fill = describe[command]
    parser = argparse.ArgumentParser(
        f"tracescope {command}",
        description=description,
        epilog=_EPILOGS.get(command),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    fill(parser)
    return parser


def _reading(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("reading")
    group.add_argument("--sim-episode", metavar="K", help="which episode of SIM")
    group.add_argument("--target-episode", metavar="K", help="which episode of TARGET")
    group.add_argument("--map", metavar="FILE.toml", help="which column is what, on either side")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sim", metavar="SIM")
    parser.add_argument("target", metavar="TARGET")
    _reading(parser)
    _lenses(parser)
    _strictness(parser)
    _probing(parser)
    _results(parser)


def _lenses(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("alignment and corrections")
    group.add_argument(
        "--align",
        choices=("auto", "step", "time", "first-sample"),
        default="auto",
        help="auto: by step counters where both have them, else by time as far as it can be estimated",
    )
    group.add_argument(
        "--offset",
        type=float,
        metavar="S",
        help="clock offset, seconds; positive: target's stamps late",
    )
    group.add_argument(
        "--drift-ppm", type=float, metavar="P", help="clock drift, parts per million"
    )
    group.add_argument(
        "--step-shift", type=int, metavar="N", help="target step k + N belongs to sim step k"
    )
    group.add_argument(
        "--correct",
        action="append",
        default=[],
        metavar="CHANNEL=SCALE[,OFFSET]",
        help="divide a target channel; repeatable; 'auto': all that the checks fitted and failed on",
    )


def _strictness(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("strictness")
    group.add_argument("--tolerances", metavar="FILE.toml")
    group.add_argument(
        "--tolerance", action="append", default=[], metavar="KEY=LOW,HIGH", help="repeatable"
    )
    group.add_argument("--confidence", type=float, default=0.99, metavar="0.99")


def _probing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("probing")
    group.add_argument(
        "--probe",
        action="append",
        default=[],
        metavar="COMMAND,RESPONSE,FIRST_S,LAST_S[,KIND+KIND]",
        help="measure a response to a command in a span of the simulator's clock, on both sides; repeatable;"
        " kinds: step, contact, phase[@HZ], latency, distribution, centroid, dropout, timing[@HZ];"
        " without any: what fits the channels; COMMAND may be empty",
    )
    group.add_argument("--budgets", metavar="FILE.toml", help="what probes are held to")


def _results(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("results")
    group.add_argument("--json", metavar="FILE|-", help="the result file; - is standard output")
    group.add_argument(
        "--note", action="append", default=[], metavar="FILE.md|.html|.pdf|.json", help="repeatable"
    )
    group.add_argument("--figures", metavar="DIR", help="every figure as SVG and PNG")
    group.add_argument("--session", metavar="FILE.tracescope", help="save for the window")
    group.add_argument("--date", metavar="ISO8601", help="the note's date, for reproducible notes")
    group.add_argument("--title", help="the note's title")
    group.add_argument("--author", default="", help="who wrote the note")
    group.add_argument("--policy", default="", help="policy checkpoint under test")
    group.add_argument("--paper", choices=("a4", "us-letter"), default="a4")
    group.add_argument(
        "--follow-up",
        metavar="NOTE.json",
        help="hold an earlier note's prediction against this pair",
    )
    group.add_argument("--quiet", action="store_true", help="no table and no progress")


def _campaign(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("manifest", metavar="MANIFEST|DIR")
    parser.add_argument("--map", metavar="FILE.toml", help="which column is what, in every file")
    parser.add_argument(
        "--correct",
        choices=("auto",),
        help="auto: apply what the checks fitted and failed on, and judge again",
    )
    _strictness(parser)
    _workers(parser)
    group = parser.add_argument_group("results")
    group.add_argument("--json", metavar="FILE|-", help="the result file; - is standard output")
    group.add_argument(
        "--report",
        action="append",
        default=[],
        metavar="FILE.html|.md|.csv|.json",
        help="repeatable",
    )
    group.add_argument(
        "--earlier", metavar="FILE.json", help="an earlier campaign's result: which kinds shrank"
    )
    group.add_argument("--date", metavar="ISO8601", help="the report's date")
    group.add_argument("--quiet", action="store_true", help="no table and no progress")


def _workers(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("work")
    who = group.add_mutually_exclusive_group()
    who.add_argument("--jobs", type=int, metavar="N", help="processes (default: one a core)")
    who.add_argument(
        "--scheduler", metavar="ADDRESS", help="a dask.distributed scheduler, tcp://host:8786"
    )
    where = group.add_mutually_exclusive_group()
    where.add_argument("--cache", metavar="DIR", help="where results are kept between runs")
    where.add_argument("--no-cache", action="store_true", help="judge every pair again")
    group.add_argument(
        "--timeout", type=float, metavar="S", help="give a pair up that takes longer"
    )


def _inspect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--map", metavar="FILE.toml", help="which column is what")
    parser.add_argument("--json", metavar="FILE|-")


def _sample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument(
        "--to", metavar="DIR", help="where to copy it (default: a folder of its name)"
    )
