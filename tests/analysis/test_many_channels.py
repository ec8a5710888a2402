"""Work that grows with the channels, not with their square, and is done once."""

from types import SimpleNamespace

import numpy as np

from tests.builders import case, exercise
from tracescope.analysis import workbench
from tracescope.analysis.response_rows import response_rows
from tracescope.checks.observation_scaling_words import untested
from tracescope.model.trace import Role


class Counted(str):
    """A name that counts how often it is held against another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_that_what_stands_still_is_found_without_holding_every_name_against_every_other():
    names = tuple(Counted(f"obs_{i}") for i in range(400))
    moving = names[::2]
    values = {name: np.zeros(5) for name in names}
    bench = SimpleNamespace(
        observations=names,
        live_in_both=lambda _: moving,
        rows=SimpleNamespace(sim=values, target=values),
    )
    facts = SimpleNamespace(thin=())
    Counted.compared = 0
    told = untested(bench, facts, ())
    assert len(told) == 200
    assert Counted.compared < 10 * len(names)


def test_that_a_channel_is_asked_once_whether_it_moves(monkeypatch):
    asked = []
    plain = workbench.moves
    monkeypatch.setattr(
        workbench, "moves", lambda values, name: asked.append(name) or plain(values, name)
    )
    bench = workbench.Workbench(case(*exercise()))
    first = bench.live_in_both(bench.observations)
    assert asked
    asked.clear()
    assert bench.live_in_both(bench.observations) == first
    assert first
    assert not asked


def test_that_nothing_is_gathered_for_actions_that_are_not_there():
    sides = response_rows(case(*exercise()), Role.TERMINATED)
    assert all(side.outputs == () for side in sides)
    assert sides[0].usable(4) == len(sides[0].run) - 5
