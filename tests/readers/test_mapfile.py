"""Map files: read, refused with every fault, written and read back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.helpers import put
from tracescope.model.errors import UsageError
from tracescope.readers import open_trace
from tracescope.readers.base import CsvChoices, ImportChoices
from tracescope.readers.mapfile import MapFile, map_of, map_text, read_map, write_map

EXAMPLE = """
schema = 1
pairs = [["position", "meas_pos"]]
[both]
time = { column = "timestamp", unit = "s" }
step = { column = "step" }
[both.roles]
observation = ["position", "speed"]
action = ["goal_position"]
action_applied = []
[both.units]
position = "rad"
[sim]
time = { column = "t" }
[target.roles]
observation = ["meas_*"]
[target.csv]
delimiter = ";"
header_line = 3
"""


def test_that_both_applies_to_both_and_a_side_overrides_key_by_key(tmp_path):
    found = read_map(put(tmp_path, EXAMPLE, "map.toml"))
    assert found.pairs == (("position", "meas_pos"),)
    assert (found.sim.time_column, found.target.time_column) == ("t", "timestamp")
    assert found.sim.time_unit == found.target.time_unit == "s"
    assert dict(found.sim.roles)["observation"] == ("position", "speed")
    assert dict(found.target.roles) == {
        "observation": ("meas_*",),
        "action": ("goal_position",),
        "action_applied": (),
    }
    assert found.target.csv == CsvChoices(delimiter=";", header_line=3)
    assert found.sim.units == (("position", "rad"),)


def test_that_every_fault_is_said_at_once(tmp_path):
    text = """
schema = 2
pairs = ["a"]
[both.time]
colum = "t"
unit = "minutes"
[sim.roles]
observatoin = ["x"]
action = "y"
[target.csv]
header_line = "3"
[tarjet]
"""
    with pytest.raises(UsageError) as caught:
        read_map(put(tmp_path, text, "map.toml"))
    found = "\n".join(str(problem) for problem in caught.value.problems)
    assert len(caught.value.problems) == 8
    for word in ("schema must be 1", "pairs must be", "did you mean column", "s, ms, us, ns",
                 "did you mean observation", "sim.roles.action must be list",
                 "target.csv.header_line must be int", "did you mean target"):  # fmt: skip
        assert word in found


@pytest.mark.parametrize("text", ["a = ", "\x00", "[both"])
def test_that_no_toml_is_said_to_be_none(tmp_path, text):
    with pytest.raises(UsageError, match="no TOML"):
        read_map(put(tmp_path, text, "map.toml"))
    with pytest.raises(UsageError, match="cannot be read"):
        read_map(tmp_path / "missing.toml")


SAFE = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)
CHOICES = st.builds(
    ImportChoices,
    time_column=st.none() | SAFE,
    time_unit=st.none() | st.sampled_from(["s", "ms", "us", "ns"]),
    rate_hz=st.none() | st.floats(0.01, 1e6),
    step_column=st.none() | SAFE,
    roles=st.just(())
    | st.tuples(st.tuples(st.just("observation"), st.lists(SAFE, max_size=3).map(tuple))),
    units=st.dictionaries(SAFE, SAFE, max_size=3).map(lambda d: tuple(sorted(d.items()))),
    order=st.sampled_from(["sort", "rows", "split"]),
    csv=st.builds(
        CsvChoices,
        st.none() | st.just("\t"),
        st.none() | st.just(","),
        st.none() | st.integers(0, 9),
    ),
    row_type=st.none() | SAFE,
)


@given(st.builds(MapFile, st.lists(st.tuples(SAFE, SAFE), max_size=3).map(tuple), CHOICES, CHOICES))
@settings(max_examples=150, deadline=None)
def test_that_what_was_written_reads_back_equal(mapfile):
    import tomllib

    assert map_of(tomllib.loads(map_text(mapfile))) == mapfile


def test_that_a_written_map_applies_to_files_of_the_same_shape(tmp_path):
    choices = ImportChoices(time_column="clk", time_unit="ms", roles=(("observation", ("a",)),))
    write_map(MapFile(sim=choices, target=choices), tmp_path / "map.toml")
    found = read_map(tmp_path / "map.toml")
    trace = open_trace(put(tmp_path, "clk,a,b\n0,1,2\n20,2,3\n40,3,4\n"), choices=found.sim)
    assert trace.interval_s == pytest.approx(0.02)
    assert [str(c.role) for c in trace] == ["observation", "other"]


PAIRED = """
schema = 1
pairs = [["position", "meas_pos"]]
[both.roles]
observation = ["position", "speed"]
[both.units]
position = "rad"
speed = "rad/s"
"""


def test_that_both_speaks_of_a_paired_channel_by_the_simulators_name(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(PAIRED, encoding="utf-8")
    found = read_map(path)
    assert found.sim.roles == (("observation", ("position", "speed")),)
    assert found.target.roles == (("observation", ("meas_pos", "speed")),)
    assert found.sim.units == (("position", "rad"), ("speed", "rad/s"))
    assert found.target.units == (("meas_pos", "rad"), ("speed", "rad/s"))


def test_that_the_targets_own_words_go_before_the_paired_name(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(PAIRED + '[target.roles]\nobservation = ["speed"]\n', encoding="utf-8")
    assert read_map(path).target.roles == (("observation", ("speed",)),)


def test_that_a_shared_name_with_a_pair_survives_writing(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text(PAIRED + '[target.roles]\nobservation = ["position", "speed"]\n', "utf-8")
    found = read_map(path)
    assert found.target.roles == (("observation", ("position", "speed")),)
    write_map(found, path)
    assert read_map(path) == found
