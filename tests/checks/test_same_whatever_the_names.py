"""What the seven checks find does not rest on how columns are called or when the clocks and counters began."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import pytest

from tests.truth.pairs import make_pair
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks.registry import BUILT_IN
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Role, Trace

pytestmark = pytest.mark.xdist_group("names")  # which judge the same pairs as they are

SEEDS = (4_130_001, 4_130_004)


@cache
def traces(seed: int) -> tuple[Trace, Trace]:
    pair = make_pair(seed, rows=300).case.pair
    return pair.sim, pair.target


def judged(
    sim: Trace, target: Trace, given: tuple[tuple[str, str], ...] = ()
) -> dict[str, CheckResult]:
    pair = pair_traces(sim, target, given)
    bench = Workbench(Case(pair, initial_alignment(pair)[0]))
    found: dict[str, CheckResult] = {}
    for check in BUILT_IN:
        found[check.id] = check.judge(bench, found)
    return found


@cache
def as_it_is(seed: int) -> dict[str, CheckResult]:
    return judged(*traces(seed))


def renamed(trace: Trace) -> Trace:
    """The same recording under other column names."""
    return replace(
        trace, channels=tuple(replace(c, name=f"their_{c.name}") for c in trace.channels)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_that_other_names_in_the_target_change_no_finding(seed: int):
    sim, target = traces(seed)
    given = tuple(
        (channel.name, f"their_{channel.name}")
        for channel in target.channels
        if channel.name in sim
    )
    for name, found in judged(sim, renamed(target), given).items():
        called = repr(found).replace("their_applied", "applied")
        assert called == repr(as_it_is(seed)[name])


@pytest.mark.parametrize("seed", SEEDS)
def test_that_clocks_that_both_began_earlier_change_no_finding(seed: int):
    later = [
        replace(
            trace,
            time_s=trace.time_s + 256,
            channels=tuple(replace(c, time_s=c.time_s + 256) for c in trace.channels),
        )
        for trace in traces(seed)
    ]
    for name, found in judged(*later).items():
        before = as_it_is(seed)[name]
        assert found.state is before.state
        assert len(found.measurements) == len(before.measurements)
        for one, other in zip(before.measurements, found.measurements, strict=True):
            same(one, other)
        for one, other in zip(before.evidence, found.evidence, strict=True):
            assert other.channel == one.channel
            assert other.span_s == pytest.approx([end + 256 for end in one.span_s], abs=1e-4)


def same(one: Measurement, other: Measurement) -> None:
    assert (one.quantity, one.channel, one.state) == (other.quantity, other.channel, other.state)
    assert (one.unit, one.tolerance, one.required) == (other.unit, other.tolerance, other.required)
    assert (one.blocked == "") == (other.blocked == "")
    for a, b in zip(
        (one.estimate, *(one.interval or ())),
        (other.estimate, *(other.interval or ())),
        strict=True,
    ):
        assert (math.isfinite(a) and b == pytest.approx(a, rel=1e-4, abs=1e-5)) or repr(a) == repr(
            b
        )


@pytest.mark.parametrize("unit", [2.0**-16, 2.0**16])
@pytest.mark.parametrize("seed", SEEDS)
def test_that_another_unit_of_every_observation_on_both_sides_changes_no_finding(
    seed: int, unit: float
):
    for name, found in judged(*(in_unit(trace, unit) for trace in traces(seed))).items():
        before = as_it_is(seed)[name]
        assert found.state is before.state, (name, found.reason, before.reason)
        assert len(found.measurements) == len(before.measurements)
        for one, other in zip(before.measurements, found.measurements, strict=True):
            assert (one.quantity, one.channel, one.state) == (
                other.quantity,
                other.channel,
                other.state,
            )
            if one.unit in ("rows", "s", "ms", "ppm", "steps", "periods"):
                assert other.estimate == pytest.approx(
                    one.estimate, rel=1e-3, abs=1e-3, nan_ok=True
                )
        assert [(lead.kind, lead.channels) for lead in found.leads] == [
            (lead.kind, lead.channels) for lead in before.leads
        ]


def in_unit(trace: Trace, unit: float) -> Trace:
    """The same recording with every observation counted in another unit."""
    return replace(
        trace,
        channels=tuple(
            replace(c, value=c.as_float() * unit) if c.role is Role.OBSERVATION else c
            for c in trace.channels
        ),
    )
