"""What a report of verdicts beside the truth prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.truth.faults import BAD, SOUND
from tests.truth.pairs import LENGTHS
from tracescope.model.check import CHECK_IDS

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

SPLITS: tuple[tuple[str, Callable[[Verdict], bool], str, str], ...] = (
    ("alignment", lambda v: v.counter, "rows counted", "no counter"),
    ("action", lambda v: v.applied, "applied logged", "not logged"),
    ("timing", lambda v: v.counter, "rows counted", "no counter"),
    ("timing", lambda v: v.explored, "explored", "no exploration"),
    ("termination", lambda v: v.counter, "rows counted", "no counter"),
    ("termination", lambda v: v.two_flags, "two end flags", "done alone"),
)
"""What is not logged keeps a check from deciding: shares beside each other."""


@dataclass(frozen=True)
class Verdict:
    """What one check said about one pair, as it is and corrected, beside the truth.

    Attributes:
        seed, rows, check, truth: Of the pair.
        raw, corrected: What the check said.
        reason: Why; of the corrected pair where that is the one that counts.
        about: The pair in words.
        counter, applied: Whether rows are counted, and the target's applied action logged.
        explored: Whether actions hold noise of their own beside what the policy makes of observations.
        two_flags: Whether failures and time limits have a flag each.
        magnitude: The only fault, by kind and tolerances; empty where there is none or more than one.
        about_it: Whether that fault is this check's to see.
    """

    seed: int
    rows: int
    check: str
    truth: str
    raw: str
    corrected: str
    reason: str
    about: str
    counter: bool = True
    applied: bool = True
    explored: bool = True
    two_flags: bool = True
    magnitude: str = ""
    about_it: bool = False

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


def table(found: Sequence[Verdict]) -> str:
    """The confusion table as text."""
    lines = [
        f"{'check':20} {'wrong PASS':>14} {'wrong FAIL':>14}   decided % at "
        + " / ".join(map(str, LENGTHS))
        + "   | reference"
    ]
    for check in CHECK_IDS:
        mine = _judged(found, check)
        if not mine:
            continue
        wrong = Counter(v.wrong for v in mine)
        truth = Counter(v.truth for v in mine)
        a, b, c = REFERENCE[check]
        lines.append(
            f"{check:20} {wrong['wrong pass']:>6} / {truth[BAD]:<5} {wrong['wrong fail']:>6} / "
            f"{truth[SOUND]:<5}   {_shares(mine):24} | {a}, {b}, {' / '.join(map(str, c))}"
        )
    return "\n".join(lines)


def _judged(found: Sequence[Verdict], check: str) -> list[Verdict]:
    return [v for v in found if v.check == check and v.truth in (BAD, SOUND)]


def _share(found: Sequence[Verdict]) -> str:
    return f"{100 * sum(v.decided for v in found) / len(found):.0f}" if found else "–"


def _shares(found: Sequence[Verdict]) -> str:
    return " / ".join(_share([v for v in found if v.rows == length]) for length in LENGTHS)


def splits(found: Sequence[Verdict]) -> str:
    """Shares decided where something is logged and where it is not."""
    lines = ["", f"{'decided % at ' + ' / '.join(map(str, LENGTHS)):>40}"]
    for check, has, yes, no in SPLITS:
        mine = _judged(found, check)
        for words, part in (
            (yes, [v for v in mine if has(v)]),
            (no, [v for v in mine if not has(v)]),
        ):
            lines.append(f"{check:14} {words:16} {len(part):>6} pairs   {_shares(part)}")
    return "\n".join(lines)


def by_magnitude(found: Sequence[Verdict]) -> str:
    """Of every fault that a check should see: pairs, wrong verdicts and shares decided by magnitude."""
    lines = []
    for check in CHECK_IDS:
        kinds = Counter(v.magnitude for v in _judged(found, check) if v.about_it)
        if kinds:
            lines.append(
                f"\n## {check}: pairs, wrong, decided % at " + " / ".join(map(str, LENGTHS))
            )
        for kind in sorted(kinds):
            mine = [v for v in _judged(found, check) if v.magnitude == kind and v.about_it]
            truth = "/".join(sorted({v.truth for v in mine}))
            wrong = sum(bool(v.wrong) for v in mine)
            lines.append(f"{kind:34} {truth:10} {len(mine):>5} {wrong:>3}   {_shares(mine)}")
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
