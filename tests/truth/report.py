"""How often the checks are wrong on pairs of known truth.

``python -m tests.truth.report [--pairs N] [--seed S] [--jobs J] [--only CHECK] [--show SEED]``

Prints, by check: wrong passes among bad pairs, wrong failures among sound ones, and the share decided by
length, beside what a reference of the same methods reached on its own pairs. Each pair is judged as it
is, and again with everything applied that checks fitted and failed on; a wrong verdict in either counts.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from tests.truth.faults import BAD, SOUND
from tests.truth.pairs import LENGTHS, TruthPair, make_pair
from tracescope.checks.base import Check
from tracescope.model.check import CHECK_IDS, CheckResult, State
from tracescope.session.run import run_checks

REFERENCE = {
    "alignment": ("0 / 96", "0 / 2240", (94, 95, 95, 97)),
    "observation-scaling": ("0 / 536", "1 / 1792", (22, 51, 63, 68)),
    "action": ("0 / 374", "0 / 1920", (76, 77, 81, 85)),
    "timing": ("0 / 346", "0 / 1954", (3, 32, 85, 90)),
    "dynamics": ("0 / 330", "3 / 1886", (37, 68, 78, 81)),
    "reward": ("0 / 96", "4 / 2240", (18, 35, 62, 75)),
    "termination": ("0 / 32", "0 / 2144", (90, 91, 91, 93)),
}

UPSTREAM = CHECK_IDS[:3]
"""Judged as the pair is; what stands behind them, with what they fitted applied."""

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


@dataclass(frozen=True)
class Verdict:
    """What one check said about one pair, as it is and corrected, beside the truth."""

    seed: int
    rows: int
    check: str
    truth: str
    raw: str
    corrected: str
    reason: str
    about: str

    @property
    def wrong(self) -> str:
        """``wrong pass``, ``wrong fail`` or ``""``."""
        said = (self.raw,) if self.check in UPSTREAM else (self.raw, self.corrected)
        if self.truth == BAD and "pass" in said:
            return "wrong pass"
        if self.truth == SOUND and "fail" in said:
            return "wrong fail"
        return ""

    @property
    def decided(self) -> bool:
        said = self.raw if self.check in UPSTREAM else self.corrected
        return said != "inconclusive"


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


def verdicts_of(seed: int, rows: int | None = None) -> list[Verdict]:
    """Make the pair of a seed, judge it and lay the truth beside."""
    pair = make_pair(seed, rows)
    raw, corrected = judged(pair, built_in())
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
            )
        )
    return out


def verdicts(seeds: Sequence[int], jobs: int) -> Iterator[list[Verdict]]:
    """Judge many seeds, in order."""
    if jobs <= 1:
        yield from map(verdicts_of, seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(verdicts_of, seeds, chunksize=4)


def table(found: Sequence[Verdict]) -> str:
    """The confusion table as text."""
    lines = [
        f"{'check':20} {'wrong PASS':>14} {'wrong FAIL':>14}   decided % at "
        + " / ".join(map(str, LENGTHS))
        + "   | reference"
    ]
    for check in CHECK_IDS:
        mine = [v for v in found if v.check == check and v.truth in (BAD, SOUND)]
        if not mine:
            continue
        wrong = Counter(v.wrong for v in mine)
        truth = Counter(v.truth for v in mine)
        shares = []
        for length in LENGTHS:
            at = [v for v in mine if v.rows == length]
            shares.append(f"{100 * sum(v.decided for v in at) / len(at):.0f}" if at else "–")
        a, b, c = REFERENCE[check]
        lines.append(
            f"{check:20} {wrong['wrong pass']:>6} / {truth[BAD]:<5} {wrong['wrong fail']:>6} / "
            f"{truth[SOUND]:<5}   {' / '.join(shares):24} | {a}, {b}, {' / '.join(map(str, c))}"
        )
    return "\n".join(lines)


def offenders(found: Sequence[Verdict], most: int = 25) -> str:
    """Wrong verdicts with what makes them again."""
    lines = []
    for check in CHECK_IDS:
        bad = [v for v in found if v.check == check and v.wrong]
        if bad:
            lines.append(f"\n## {check}: {len(bad)} wrong")
        lines += [
            f"- {v.wrong} (as is: {v.raw}, corrected: {v.corrected}) {v.about}\n    {v.reason}"
            for v in bad[:most]
        ]
    return "\n".join(lines)


def undecided(found: Sequence[Verdict], most: int = 6) -> str:
    """The commonest reasons for no verdict at 300 rows and more, where the truth is known."""
    lines = []
    for check in CHECK_IDS:
        open_ = [
            v
            for v in found
            if v.check == check and not v.decided and v.rows >= 300 and v.truth in (BAD, SOUND)
        ]
        if not open_:
            continue
        lines.append(f"\n## {check}: {len(open_)} undecided at 300 rows and more, e.g.")
        lines += [f"- {v.about} [{v.truth}]\n    {v.reason}" for v in open_[:most]]
    return "\n".join(lines)


def show(seed: int) -> str:
    """One pair in full: every measurement of every check, as it is and corrected."""
    pair = make_pair(seed)
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
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=CHECK_IDS, help="list only this check's offenders")
    parser.add_argument("--show", type=int, metavar="SEED", help="one pair in full")
    chosen = parser.parse_args(arguments)
    if chosen.show is not None:
        sys.stdout.write(show(chosen.show) + "\n")
        return
    start = time.monotonic()
    seeds = range(chosen.seed, chosen.seed + chosen.pairs)
    found = [v for part in verdicts(seeds, chosen.jobs) for v in part]
    if chosen.only:
        found = [v for v in found if v.check == chosen.only]
    head = f"{chosen.pairs} pairs, seeds {seeds.start} to {seeds.stop - 1}"
    took = f"{time.monotonic() - start:.0f} s"
    parts = (f"{head}, {took}", table(found), offenders(found), undecided(found))
    sys.stdout.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
