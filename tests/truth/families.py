"""How often the findings name the family that is at fault, on pairs of known truth.

``python -m tests.truth.families [--pairs N] [--seed S] [--jobs J] [--only one|two|none]
[--population wild|grid]``

Pairs with one fault beyond twice its tolerance: how often its family is ranked first where any is named;
firmly where a check of that family fails, softly where only a lead names it: alone, or in a tie that the
findings say this pair does not tell apart (how many tie, and how many families at once, is told too).
Pairs with two faults of different families: how often both are named, as the pair is and once everything is
applied that checks fitted and failed on. Pairs whose faults all lie upstream of the plant: how often dynamics
is named. All of these, and pairs with nothing wrong: how often a family that is not at fault is named as
undecided.

The population says how often logs lack what checks would like to read: as often as in the wild one of
:mod:`tests.truth.report`, or as in its grid.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from tests.truth.faults import BAD, MAKERS
from tests.truth.pairs import LENGTHS, TruthPair, make_pair
from tests.truth.plants import PLANTS
from tests.truth.recording import EVEN, WILD, Missing
from tracescope.checks.registry import BUILT_IN
from tracescope.model.check import State
from tracescope.session.judge import judge, pending_corrections
from tracescope.session.session import Session, SideChoices

UPSTREAM = frozenset({"alignment", "observation-scaling", "action", "timing"})
MIN_TIMES = 2.0
ROUNDS = 3
LONG_ENOUGH = 300
"""Rows from which two faults are asked to be named both."""

ATTEMPTS = 40
LACKING = {"wild": WILD, "grid": EVEN}
NONE, SOFT, FIRM = "none", "softly", "firmly"


@dataclass(frozen=True)
class Named:
    """What the findings of one pair name, beside what is wrong with it.

    Attributes:
        seed, rows: Make the pair again, with ``kinds``.
        kinds: Keys of the faults' makers.
        families: The checks that should see them.
        ranked: Families in the order of the hypotheses, of the pair as it is.
        firm: Those of them whose check failed.
        later: Families that hypotheses name once what was fitted is applied.
        later_firm: Those of them whose check failed then.
        decided: Checks that passed or failed, as the pair is or later.
        suspects: Families that only undecided numbers point to, as the pair is or later.
        tied: Families of the first rank that the findings do not tell apart, of the pair as it is; none where
            one leads alone.
        like_dynamics: Families that the findings do not tell apart from dynamics, at whatever rank.
        about: The pair in words.
    """

    seed: int
    rows: int
    kinds: tuple[str, ...]
    families: tuple[str, ...]
    ranked: tuple[str, ...]
    firm: frozenset[str]
    later: tuple[str, ...]
    later_firm: frozenset[str]
    decided: frozenset[str]
    suspects: frozenset[str]
    tied: tuple[str, ...]
    like_dynamics: frozenset[str]
    about: str

    @property
    def how(self) -> str:
        """Whether anything is named, and whether the leader's check failed."""
        if not self.ranked:
            return NONE
        return FIRM if self.ranked[0] in self.firm else SOFT

    @property
    def first(self) -> bool:
        """Whether a family at fault leads alone."""
        return bool(self.ranked) and not self.tied and self.ranked[0] in self.families

    @property
    def first_or_tied(self) -> bool:
        """Whether a family at fault leads, or ties for the lead."""
        return self.first or any(family in self.families for family in self.tied)

    @property
    def both(self) -> bool:
        return set(self.families) <= {*self.ranked, *self.later}

    @property
    def both_decided(self) -> bool:
        return set(self.families) <= self.decided

    @property
    def upstream(self) -> bool:
        return set(self.families) <= UPSTREAM


def session_of(pair: TruthPair) -> Session:
    """Return a session on a pair, aligned as the product does on its own."""
    side = SideChoices("")
    return Session(pair.case.pair, side, side, pair.case.alignment)


def named(pair: TruthPair, kinds: Sequence[str]) -> Named:
    """Judge a pair, with what was fitted applied until nothing is left, and read off what is named."""
    session = judge(session_of(pair), checks=BUILT_IN, sensitivity=False)
    last, raw = session, session
    decided = _decided(raw)
    for _ in range(ROUNDS):
        pending = pending_corrections(last)
        if not pending:
            break
        corrected = last.corrected((*last.corrections, *pending))
        last = judge(corrected, checks=BUILT_IN, sensitivity=False)
        decided |= _decided(last)
    return Named(
        pair.seed,
        pair.rows,
        tuple(kinds),
        tuple(f.family for f in pair.faults if f.family),
        _ranked(raw),
        _failed(raw),
        _ranked(last),
        _failed(last),
        frozenset(decided),
        _undecided(raw) | _undecided(last),
        _tied(raw),
        _like_dynamics(raw),
        str(pair),
    )


def _ranked(session: Session) -> tuple[str, ...]:
    return tuple(h.family for h in session.report.hypotheses)


def _tied(session: Session) -> tuple[str, ...]:
    """Return the families of the first rank where the note says that it does not tell them apart."""
    hypotheses = session.report.hypotheses
    first = [h for h in hypotheses if h.rank == 1]
    said = [h for h in first if set(h.not_told_apart) == {o.family for o in first if o is not h}]
    return tuple(h.family for h in said) if len(said) > 1 else ()


def _like_dynamics(session: Session) -> frozenset[str]:
    named = [h for h in session.report.hypotheses if h.family == "dynamics"]
    return frozenset(other for h in named for other in h.not_told_apart)


def _failed(session: Session) -> frozenset[str]:
    return frozenset(r.id for r in session.results if r.state is State.FAIL)


def _undecided(session: Session) -> frozenset[str]:
    return frozenset(h.family for h in session.report.hypotheses if h.undecided)


def _decided(session: Session) -> set[str]:
    return {r.id for r in session.results if r.state is not State.INCONCLUSIVE}


def single(seed: int, missing: Missing = WILD) -> Named | None:
    """Name the fault of a pair with one of them; every kind and length in turn."""
    kinds = [name for name, maker in MAKERS.items() if family_of(name)]
    kind = kinds[seed % len(kinds)]
    return first_clear(seed, LENGTHS[seed // len(kinds) % len(LENGTHS)], (kind,), missing)


def two(seed: int, rows: int | None = None, missing: Missing = WILD) -> Named | None:
    """Name the faults of a pair with two of them, of different families; every length in turn."""
    rng = np.random.default_rng([seed, 77])
    kinds = [name for name in MAKERS if family_of(name)]
    while True:
        one, other = (kinds[int(k)] for k in rng.choice(len(kinds), 2, replace=False))
        if family_of(one) != family_of(other):
            break
    return first_clear(seed, rows or LENGTHS[seed % len(LENGTHS)], (one, other), missing)


def sound(seed: int, missing: Missing = WILD) -> Named | None:
    """Judge a pair with nothing wrong, or with something that no check should complain about."""
    kinds = [(), *((name,) for name in MAKERS if not family_of(name))]
    chosen = kinds[seed % len(kinds)]
    rows = LENGTHS[seed // len(kinds) % len(LENGTHS)]
    return named(make_pair(seed, rows, chosen, missing=missing), chosen)


def family_of(kind: str) -> str:
    """Return the check that should see a kind of fault, ``""`` where none should."""
    return MAKERS[kind](PLANTS[0], np.random.default_rng(0)).family


def first_clear(
    seed: int, rows: int, kinds: Sequence[str], missing: Missing = WILD
) -> Named | None:
    """Take the first pair whose faults all lie beyond twice their tolerance; ``None`` where none does."""
    for attempt in range(ATTEMPTS):
        try:
            pair = make_pair(seed + 10_000_019 * attempt, rows, kinds, missing=missing)
        except ValueError:
            continue
        clear = all(f.times >= MIN_TIMES for f in pair.faults)
        if clear and all(pair.truth[f.family] == BAD for f in pair.faults):
            return named(pair, kinds)
    return None


def collected(
    make: Callable[[int], Named | None], seeds: Sequence[int], jobs: int
) -> Iterator[Named]:
    """Judge many seeds, in order."""
    if jobs <= 1:
        yield from filter(None, map(make, seeds))
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from filter(None, pool.map(make, seeds, chunksize=4))


def _row(title: str, found: Sequence[Named]) -> str:
    firm = [n for n in found if n.how == FIRM]
    soft = [n for n in found if n.how == SOFT]
    none = len(found) - len(firm) - len(soft)
    some = [*firm, *soft]
    tied = _per(sum(n.first_or_tied for n in some), len(some))
    return (
        f"{title:24} {len(found):5}   {_share(firm):>16}   {_share(soft):>16}   "
        f"{_share(some):>16}   {tied:>16}   {none:4}"
    )


def _share(found: Sequence[Named]) -> str:
    return _per(sum(n.first for n in found), len(found))


def table_of_single(found: Sequence[Named]) -> str:
    """Say how often the true family comes first, by kind and by length."""
    head = f"{'one fault':24} {'pairs':>5}   {'first, firmly':>16}   {'first, softly':>16}   "
    lines = [f"{head}{'first of named':>16}   {'first or tied':>16}   none"]
    lines += [
        _row(kind, [n for n in found if n.kinds == (kind,)])
        for kind in dict.fromkeys(n.kinds[0] for n in found)
    ]
    lines += [_row(f"{rows} rows", [n for n in found if n.rows == rows]) for rows in LENGTHS]
    return "\n".join([*lines, _row("all", found)])


def table_of_two(found: Sequence[Named]) -> str:
    """Say how often both families are named, by length."""
    lines = [
        f"{'two faults':24} {'pairs':>5}   {'both named':>16}   {'both decided':>12}   of those named"
    ]
    for title, some in [
        *((f"{rows} rows", [n for n in found if n.rows == rows]) for rows in LENGTHS),
        (f"{LONG_ENOUGH} rows and more", [n for n in found if n.rows >= LONG_ENOUGH]),
    ]:
        settled = [n for n in some if n.both_decided]
        both, of_those = sum(n.both for n in some), sum(n.both for n in settled)
        lines.append(
            f"{title:24} {len(some):5}   {_per(both, len(some)):>16}   {len(settled):12}   "
            f"{_per(of_those, len(settled))}"
        )
    return "\n".join(lines)


def _per(part: int, whole: int) -> str:
    return f"{part}/{whole} {100 * part / whole:.0f} %" if whole else "–"


def line_of_ties(title: str, found: Sequence[Named]) -> str:
    """Say in how many pairs families tie for the lead, of how many at once, and what ties with what."""
    tied = [n for n in found if n.tied]
    sizes = Counter(len(n.tied) for n in tied)
    what = Counter(" = ".join(sorted(n.tied)) for n in tied)
    right = sum(n.first_or_tied for n in tied)
    lines = [f"tied for the lead in {len(tied)} of {len(found)} pairs with {title}"]
    if tied:
        lines[0] += (
            f", a family at fault among them in {_per(right, len(tied))}; families at once: "
        )
        lines[0] += ", ".join(f"{size} in {count}" for size, count in sorted(sizes.items()))
        lines += [f"  {count:3}  {names}" for names, count in what.most_common()]
    return "\n".join(lines)


def line_of_upstream(found: Sequence[Named]) -> str:
    """Say how often dynamics is named where every fault lies upstream of the plant."""
    upstream = [n for n in found if n.upstream]
    tied = [n for n in upstream if UPSTREAM & n.like_dynamics]
    counts = (
        sum("dynamics" in n.firm for n in upstream),
        sum("dynamics" in n.later_firm for n in upstream),
        sum(n.ranked[:1] == ("dynamics",) and n not in tied for n in upstream),
        sum("dynamics" in n.ranked and n not in tied for n in upstream),
    )
    return (
        f"dynamics named in {len(upstream)} pairs at fault upstream only: firmly {counts[0]}, firmly once "
        f"corrected {counts[1]}, first in softly {counts[2]}, at any place {counts[3]}, and as one that is not "
        f"told apart from an upstream family {len(tied)}"
    )


def line_of_suspects(title: str, found: Sequence[Named]) -> str:
    """Say in how many pairs a family is named as undecided, and in how many one that is not at fault."""
    some = [n for n in found if n.suspects]
    wrong = [n for n in some if n.suspects - {*n.families}]
    return (
        f"named as undecided in {len(some)} of {len(found)} pairs with {title}, a family that is not at "
        f"fault in {_per(len(wrong), len(found))}"
    )


def offenders(found: Sequence[Named], most: int = 40) -> str:
    """List pairs whose findings mislead, with what makes them again."""
    lines = []
    for n in found:
        single = len(n.families) == 1
        if "dynamics" in {*n.firm, *n.later_firm} and n.upstream:
            why = "dynamics is blamed"
        elif single and n.ranked and not n.first_or_tied:
            why = "another family comes first"
        elif n.suspects - {*n.families}:
            why = f"{' and '.join(sorted(n.suspects - {*n.families}))} named as undecided"
        elif len(n.families) == 2 and n.rows >= LONG_ENOUGH and not n.both:
            why = "not both are named"
        else:
            continue
        lines.append(
            f"- {why}: {' > '.join(n.ranked) or 'nothing'} (failed: {', '.join(sorted(n.firm))}; "
            f"later {' > '.join(n.later)}, failed {', '.join(sorted(n.later_firm))}) "
            f"{' + '.join(n.kinds)}: {n.about}"
        )
    return "\n".join(lines[:most])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.truth.families")
    parser.add_argument("--pairs", type=int, default=200, help="of each sort")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=("one", "two", "none"), help="pairs with so many faults")
    parser.add_argument("--population", choices=tuple(LACKING), default="wild")
    chosen = parser.parse_args(arguments)
    start = time.monotonic()
    seeds = range(chosen.seed, chosen.seed + chosen.pairs)
    missing = LACKING[chosen.population]
    made = {
        word: list(collected(partial(make, missing=missing), seeds, chosen.jobs))
        if chosen.only in (None, word)
        else []
        for word, make in (("one", single), ("two", two), ("none", sound))
    }
    one, both = made["one"], made["two"]
    parts = [
        f"{chosen.population}, seeds {seeds.start} to {seeds.stop - 1}, {time.monotonic() - start:.0f} s"
    ]
    parts += [table_of_single(one)] if one else []
    parts += [table_of_two(both)] if both else []
    titles = {"one": "one fault", "two": "two faults", "none": "nothing wrong"}
    parts += [
        "\n".join(line_of_ties(titles[word], found) for word, found in made.items() if found),
        "\n".join(line_of_suspects(titles[word], found) for word, found in made.items() if found),
        line_of_upstream([*one, *both]),
        offenders([*one, *both, *made["none"]]),
    ]
    sys.stdout.write("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
