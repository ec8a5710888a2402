"""Notes word for word: a change of wording is a change to look at.

Renew them with ``python -m tests.findings.test_golden`` and read the difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import case, trace, wander
from tests.findings import hand
from tracescope.findings.follow_up import Frozen, Link, factors_of
from tracescope.findings.note import render
from tracescope.findings.note.document import NoteDocument, NoteOptions
from tracescope.findings.result_schema import PredictedEntry
from tracescope.model.check import CheckResult
from tracescope.model.trace import Clock, Source, Trace
from tracescope.session.export import session_document
from tracescope.session.judge import judge
from tracescope.session.session import Session, SideChoices

FOLDER = Path(__file__).with_name("golden")
OPTIONS = NoteOptions(
    title="Golden", author="A. Person", policy="ckpt_1", command="tracescope check a b"
)


def the_hand_built_case() -> Session:
    return hand.judged_session()


def a_follow_up() -> Session:
    """The hand-built case as the test of two predictions: one refuted, one that was not measured."""
    session = hand.judged_session()
    predicted = [
        PredictedEntry("scale", "obs[0]", (0.95, 1.05), ""),
        PredictedEntry("latency", "action[0]", (-0.025, 0.025), "s"),
    ]
    before = factors_of(hand.case())
    frozen = Frozen(
        "The note before",
        "2026-11-29T10:00:00+01:00",
        "ab" * 32,
        "observation-scaling",
        "Replay the target's episode with the observation normalisation corrected.",
        predicted,
        ["observation-scaling", "action"],
        replace_factors(before),
        [Link("The first note", "2026-11-28T10:00:00+01:00", "cd" * 32, "held")],
    )
    return replace(session, prediction=frozen)


def replace_factors(factors):
    import msgspec

    return msgspec.structs.replace(factors, corrections=["obs[0] ÷ 2"], sim_interval_s=0.1)


def nothing_decided() -> Session:
    results = tuple(
        CheckResult.inconclusive(name, "the traces share too few rows", settle="a longer pair")
        for name in ("alignment", "observation-scaling", "action")
    )
    return hand.judged_session(results)


def one_trace_alone() -> Session:
    sim = replace(trace(0.05, wander(40, 2, seed=1)), source=Source("sim.csv", "12" * 32))
    empty = Trace(Source(""), Clock(kind="rows"), sim.time_s[:0], ())
    made = case(sim, empty)
    return judge(Session(made.pair, SideChoices("sim.csv"), SideChoices(""), made.alignment))


CASES: dict[str, Callable[[], Session]] = {
    "note": the_hand_built_case,
    "follow-up": a_follow_up,
    "undecided": nothing_decided,
    "alone": one_trace_alone,
}
FILES = [("note", "md"), ("note", "html"), ("note", "json")]
FILES += [(name, "md") for name in CASES if name != "note"]


def document(name: str) -> NoteDocument:
    return session_document(CASES[name](), hand.DATE, OPTIONS, figures=())


def golden_text(name: str, fmt: str) -> str:
    """Return a note without what others declare or install: tolerances, style sheet, versions."""
    text = render(document(name), fmt).decode("utf-8")
    if fmt == "json":
        content = json.loads(text)
        content.pop("tracescope")
        content["omission_log"].pop("tracescope")
        for key in ("tolerances", "versions"):
            content["note"].pop(key)
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    end = {"md": "### Tolerances in force", "html": "<h3>Tolerances in force"}[fmt]
    text = re.sub(r"<style>.*?</style>", "", text[: text.index(end)], flags=re.DOTALL)
    return re.sub(r"(tracescope|Python|numpy|scipy|pandas|h5py) \d[\w.]*", r"\1 N", text)


@pytest.mark.parametrize(("name", "fmt"), FILES)
def test_that_the_note_reads_as_it_was_approved(name, fmt):
    assert golden_text(name, fmt) == (FOLDER / f"{name}.{fmt}").read_text("utf-8")


if __name__ == "__main__":
    for name, fmt in FILES:
        (FOLDER / f"{name}.{fmt}").write_text(golden_text(name, fmt), encoding="utf-8")
