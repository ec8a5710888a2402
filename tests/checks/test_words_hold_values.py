"""Sentences of the seven checks hold numbers and names, also where many channels are not predicted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.builders import trace
from tests.checks.test_timing import driven
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks.registry import BUILT_IN
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Role, Trace


def noisy(seed: int, channels: int, delay: int = 0) -> Trace:
    """A driven plant beside sensors of nothing but noise, which no state predicts."""
    whole = driven(300, delay=delay, seed=seed)
    seen = [c.as_float() for c in whole.of_role(Role.OBSERVATION)]
    rng = np.random.default_rng(seed)
    noise = [rng.standard_normal(300) for _ in range(channels)]
    return trace(0.02, np.column_stack((*seen, *noise)), whole.of_role(Role.ACTION)[0].as_float())


def judged(sim: Trace, target: Trace) -> dict[str, CheckResult]:
    both = pair_traces(sim, target)
    bench = Workbench(Case(both, initial_alignment(both)[0]))
    found: dict[str, CheckResult] = {}
    for check in BUILT_IN:
        found[check.id] = check.judge(bench, found)
    return found


def sentences(result: CheckResult) -> Iterator[str]:
    yield from (result.reason, result.settle)
    yield from (m.note for m in result.measurements)
    yield from (m.blocked for m in result.measurements)
    yield from (lead.text for lead in result.leads)
    yield from (told.text for told in result.untested)
    yield from (told.would_need for told in result.untested)
    yield from (covered.statement for covered in result.coverage)
    yield from (shown.caption for shown in result.evidence)


@pytest.mark.parametrize(("channels", "delay"), [(0, 2), (2, 0), (9, 0)])
def test_that_no_sentence_names_what_is_not_there(channels: int, delay: int):
    found = judged(noisy(1, channels), noisy(2, channels, delay))
    for result in found.values():
        for sentence in sentences(result):
            assert "None" not in sentence, sentence
            assert sentence == sentence.strip()
    for shown in found["timing"].evidence:
        assert shown.span_s[0] < shown.span_s[1]


def test_that_channels_no_state_predicts_are_told_one_by_one_or_by_their_number():
    few = judged(noisy(1, 2), noisy(2, 2))["dynamics"]
    told = [one.text for one in few.untested]
    seen = {
        m.channel: m for m in few.measurements if m.quantity == "one-step gap" and not m.covered
    }
    assert {"obs[2]", "obs[3]"} <= set(seen)
    assert all("do not predict it" in seen[name].note for name in ("obs[2]", "obs[3]"))
    assert "the one-step motion of obs[2]" in told
    many = judged(noisy(1, 9), noisy(2, 9))["dynamics"]
    assert any(text.endswith("and 3 more") for text in (one.text for one in many.untested))
