"""How often the checks are wrong on pairs of known truth.

``python -m tests.truth.report [--pairs N] [--seed S] [--jobs J] [--only CHECK] [--show SEED]
[--population wild|grid] [--offsets N]``

Prints, by check: wrong passes among bad pairs, wrong failures among sound ones, and the share decided by
length, beside what a reference of the same methods reached on its own pairs. Each pair is judged as it
is, and again with everything applied that checks fitted and failed on; a wrong verdict in either counts.

Two populations. **wild**: no, one or two faults, six magnitudes around each tolerance, odd lengths, 25 % of the
pairs without the applied action and 30 % without a counter: the harder one, for error rates. **grid**: what the
reference was measured on, as far as is known: one fault of one grade or none, every plant, 40 / 100 / 300 /
1,000 rows, evenly (:func:`tests.truth.pairs.grid`, 2,580 places, gone through in a mixed order), one pair in
eight without the applied action and one in eight without a counter. Shares decided are to be compared there.

``--offsets`` adds how far estimated clock offsets lie from the truth (:mod:`tests.truth.offsets`).
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

from tests.truth.offsets import offset_errors, offset_table
from tests.truth.pairs import TruthPair, UnstableLoopError, make_grid_pair, make_pair
from tests.truth.tables import (
    UPSTREAM,
    Verdict,
    by_magnitude,
    offenders,
    splits,
    table,
    undecided,
)
from tracescope.checks.base import Check
from tracescope.model.check import CHECK_IDS, CheckResult, State
from tracescope.session.run import run_checks

ROUNDS = 3


def built_in() -> tuple[Check, ...]:
    """Every built-in check that can be imported, in order."""
    found = []
    for check_id in CHECK_IDS:
        try:
            module = importlib.import_module(f"tracescope.checks.{check_id.replace('-', '_')}")
            found.append(module.CHECK)
        except (ImportError, AttributeError):
            continue
    return tuple(found)


def judged(pair: TruthPair, checks: Sequence[Check]) -> tuple[list[CheckResult], list[CheckResult]]:
    """Judge a pair as it is, and again until nothing that checks fitted is left to apply."""
    raw = list(run_checks(pair.case, checks))
    case, results = pair.case, raw
    for _ in range(ROUNDS):
        taken = {c.channel for c in case.corrections}
        pending = {c.channel: c for r in results for c in r.pending if c.channel not in taken}
        if not pending:
            break
        case = replace(case, corrections=(*case.corrections, *pending.values()))
        results = list(run_checks(case, checks))
    return raw, results


def verdicts_of(seed: int, rows: int | None = None, population: str = "wild") -> list[Verdict]:
    """Make the pair of a seed, judge it and lay the truth beside; nothing where every loop ran away."""
    try:
        pair = make_pair(seed, rows) if population == "wild" else make_grid_pair(seed)
    except UnstableLoopError:
        return []
    raw, corrected = judged(pair, built_in())
    only = pair.faults[0] if len(pair.faults) == 1 else None
    out = []
    for a, b in zip(raw, corrected, strict=True):
        reason = a.reason if a.state is not State.INCONCLUSIVE or a.id in UPSTREAM else b.reason
        out.append(
            Verdict(
                seed,
                pair.rows,
                a.id,
                pair.truth[a.id],
                a.state.value,
                b.state.value,
                reason,
                str(pair),
                counter=bool(pair.notes["counter"]),
                applied=pair.notes["applied"] in ("both", "target"),
                explored=pair.notes["exploration"] != "none",
                two_flags=pair.notes["flags"] == "two",
                magnitude=""
                if only is None
                else f"{only.kind} {only.value:+.4g} ({only.times:g} tol)",
                about_it=only is not None and only.family == a.id,
            )
        )
    return out


def verdicts(seeds: Sequence[int], jobs: int, population: str = "wild") -> Iterator[list[Verdict]]:
    """Judge many seeds, in order."""
    of_one = partial(verdicts_of, population=population)
    if jobs <= 1:
        yield from map(of_one, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(of_one, seeds, chunksize=4)


def show(seed: int, population: str = "wild") -> str:
    """One pair in full: every measurement of every check, as it is and corrected."""
    pair = make_pair(seed) if population == "wild" else make_grid_pair(seed)
    lines = [str(pair), str(pair.case.alignment)]
    for title, results in zip(("as it is", "corrected"), judged(pair, built_in()), strict=True):
        lines.append(f"--- {title}")
        for result in results:
            lines.append(f"{result.id} [{pair.truth[result.id]}]: {result.state}: {result.reason}")
            lines += [
                f"    {m.state.value:12} {m.quantity} {m.channel} {m.estimate:.5g} {m.interval} "
                f"tol {m.tolerance} n {m.n:.0f} {m.blocked or m.note}"
                for m in result.measurements
            ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.truth.report")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--population", choices=("wild", "grid"), default="wild")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--offsets", type=int, default=0, help="seeds of clock offsets estimated")
    parser.add_argument("--only", choices=CHECK_IDS, help="list only this check's offenders")
    parser.add_argument("--show", type=int, metavar="SEED", help="one pair in full")
    chosen = parser.parse_args(arguments)
    if chosen.show is not None:
        sys.stdout.write(show(chosen.show, chosen.population) + "\n")
        return
    start = time.monotonic()
    seeds = range(chosen.seed, chosen.seed + chosen.pairs)
    judged_pairs = list(verdicts(seeds, chosen.jobs, chosen.population))
    unstable = sum(not of_one for of_one in judged_pairs)
    found = [v for of_one in judged_pairs for v in of_one]
    if chosen.only:
        found = [v for v in found if v.check == chosen.only]
    head = f"{chosen.pairs} {chosen.population} pairs, seeds {seeds.start} to {seeds.stop - 1}"
    took = f"{time.monotonic() - start:.0f} s, {unstable} left out: no loop of theirs is stable"
    tables: tuple[str, ...] = (table(found), splits(found), by_magnitude(found))
    if chosen.offsets:
        tables += (offset_table(offset_errors(range(chosen.seed, chosen.seed + chosen.offsets))),)
    parts = (f"{head}, {took}", *tables, offenders(found), undecided(found))
    sys.stdout.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
