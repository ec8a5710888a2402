"""MCAP recordings and ROS bags: each topic on its own clock, each number a channel of its own name."""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest

from tests.readers.helpers import note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.base import ImportChoices

mcap_writer = pytest.importorskip("mcap.writer")
rosbags = pytest.importorskip("rosbags")

T0 = 1_700_000_000_123_456_789
TWIST = (
    "float64 x\nfloat64 y\nfloat64[3] gains\nbuiltin_interfaces/Time stamp\n"
    + "=" * 80
    + ("\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n")
)


def joint_state(store, i):
    t = store.types
    stamp = t["builtin_interfaces/msg/Time"](sec=1_700_000_000, nanosec=1_000_000 * i)
    return t["sensor_msgs/msg/JointState"](
        header=t["std_msgs/msg/Header"](stamp=stamp, frame_id="base"),
        name=["hip", "knee"],
        position=np.array([0.1 * i, -0.1 * i]),
        velocity=np.array([1.0 * i, 2.0 * i]),
        effort=np.zeros(0),
    )


def json_mcap(path, *, finish=True):
    with path.open("wb") as file:
        writer = mcap_writer.Writer(
            file, compression=mcap_writer.CompressionType.NONE, use_chunking=finish
        )
        writer.start()
        schema = writer.register_schema("State", "jsonschema", b"{}")
        state = writer.register_channel("/state", "json", schema)
        command = writer.register_channel("/cmd", "json", schema)
        odd = writer.register_channel("/odd", "protobuf", schema)
        for i in range(20):
            data = json.dumps(
                {"q": [i, i / 2], "ok": i > 3, "mode": "run", "at": {"sec": 7, "nsec": i}}
            )
            writer.add_message(state, T0 + 10_000_000 * i, data.encode(), T0)
            if i % 4 == 0:
                cut = b"{" if i == 8 else json.dumps({"u": -i}).encode()
                writer.add_message(command, T0 + 10_000_000 * i + 1, cut, T0)
            writer.add_message(odd, T0, b"\x08\x01", T0)
        if finish:
            writer.finish()
    return path


def test_that_json_messages_keep_clocks_and_names_of_their_topics(tmp_path):
    trace = open_trace(json_mcap(tmp_path / "log.mcap"))
    assert trace.source.layout == "mcap"
    assert values(trace, "/state/q[1]") == [i / 2 for i in range(20)]
    assert values(trace, "/state/ok") == [i > 3 for i in range(20)]
    assert values(trace, "/state/at") == [7 * 10**9 + i for i in range(20)]
    assert values(trace, "/cmd/u") == [0, -4, -12, -16]
    assert (trace.clock.column, trace.clock.unit, trace.clock.origin_ns) == (
        "/state/log_time",
        "ns",
        T0,
    )
    assert trace.clock.is_epoch
    own = trace["/cmd/u"].time_s
    assert np.rint(own * 1e9).astype(int).tolist() == [10_000_000 * i + 1 for i in (0, 4, 12, 16)]
    assert (str(trace["/cmd/u"].role), str(trace["/state/q[0]"].role)) == ("action", "observation")
    assert dict(trace.metadata)["/state/mode"] == "run"
    assert "protobuf" in note(trace, "topic-left-out").what
    assert note(trace, "broken-messages").count == 1


def test_that_a_recording_never_finished_gives_what_was_written(tmp_path):
    path = json_mcap(tmp_path / "log.mcap", finish=False)
    path.write_bytes(path.read_bytes()[:-30])
    trace = open_trace(path)
    assert len(trace) == 20
    assert "after" in note(trace, "truncated").what
    with pytest.raises(TraceReadError, match="damaged"):
        open_trace(put(tmp_path, path.read_bytes()[:40], "cut.mcap"))


def test_that_ros_2_messages_in_mcap_are_decoded(tmp_path):
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(TWIST, "pkg/msg/Aim"))
    kinds = store.types
    path = tmp_path / "log.mcap"
    with path.open("wb") as file:
        writer = mcap_writer.Writer(file)
        writer.start()
        good = writer.register_schema("pkg/msg/Aim", "ros2msg", TWIST.encode())
        bad = writer.register_schema("pkg/msg/Bad", "ros2msg", b"nonsense[[")
        aim = writer.register_channel("/aim", "cdr", good)
        other = writer.register_channel("/bad", "cdr", bad)
        for i in range(12):
            stamp = kinds["builtin_interfaces/msg/Time"](sec=5, nanosec=i)
            message = kinds["pkg/msg/Aim"](
                x=1.0 * i, y=2.0, gains=np.array([i, 1.0, 2.0]), stamp=stamp
            )
            raw = bytes(store.serialize_cdr(message, "pkg/msg/Aim"))
            writer.add_message(aim, T0 + 1000 * i, raw, T0)
            writer.add_message(other, T0, raw, T0)
        writer.finish()
    trace = open_trace(path)
    assert values(trace, "/aim/x") == [1.0 * i for i in range(12)]
    assert values(trace, "/aim/gains[0]") == [1.0 * i for i in range(12)]
    assert values(trace, "/aim/stamp") == [5 * 10**9 + i for i in range(12)]
    assert "/bad" in note(trace, "topic-left-out").what


def write_bag2(path, storage):
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    plugin = {"sqlite3": StoragePlugin.SQLITE3, "mcap": StoragePlugin.MCAP}[storage]
    with Writer(path, version=9, storage_plugin=plugin) as writer:
        kind = "sensor_msgs/msg/JointState"
        joints = writer.add_connection("/joint_states", kind, typestore=store)
        image = writer.add_connection("/camera", "sensor_msgs/msg/CompressedImage", typestore=store)
        for i in range(15):
            raw = store.serialize_cdr(joint_state(store, i), kind)
            writer.write(joints, T0 + 10_000_000 * i, raw)
            picture = store.types["sensor_msgs/msg/CompressedImage"](
                header=joint_state(store, i).header, format="jpeg", data=np.zeros(4000, np.uint8)
            )
            writer.write(
                image, T0 + i, store.serialize_cdr(picture, "sensor_msgs/msg/CompressedImage")
            )
    return path


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
def test_that_a_ros_2_bag_is_read_from_its_folder_or_its_file(tmp_path, storage):
    folder = write_bag2(tmp_path / "bag", storage)
    file = next(p for p in folder.iterdir() if p.suffix in {".db3", ".mcap"})
    for path in (folder, file):
        trace = open_trace(path)
        assert values(trace, "/joint_states/position[1]") == [-0.1 * i for i in range(15)]
        assert trace.clock.origin_ns == T0
        assert dict(trace.metadata)["/joint_states/name[1]"] == "knee"
        assert "/camera: data" in note(trace, "dataset-left-out").what
        stamps = values(trace, "/joint_states/header.stamp")
        assert stamps == [1_700_000_000 * 10**9 + 1_000_000 * i for i in range(15)]
    sensor = open_trace(folder, None, ImportChoices(time_column="/joint_states/header.stamp"))
    assert np.rint(sensor.time_s * 1e9).astype(int).tolist() == [1_000_000 * i for i in range(15)]
    assert inspect_file(folder).episodes[0].steps == 15


def write_bag1(path):
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    kind = "geometry_msgs/msg/Vector3"
    with Writer(path) as writer:
        connection = writer.add_connection("/force", kind, typestore=store)
        for i in range(10):
            message = store.types[kind](x=1.0 * i, y=-2.0, z=0.5)
            writer.write(connection, T0 + 1_000_000 * i, store.serialize_ros1(message, kind))
    return path


def test_that_a_ros_1_bag_is_read(tmp_path):
    path = write_bag1(tmp_path / "log.bag")
    trace = open_trace(path)
    assert trace.source.layout == "rosbag"
    assert values(trace, "/force/x") == [1.0 * i for i in range(10)]
    with pytest.raises(TraceReadError, match="cannot be read"):
        open_trace(put(tmp_path, path.read_bytes()[:200], "cut.bag"))


@pytest.mark.parametrize(
    ("start", "name"), [(b"\x89MCAP0\r\n", "mcap"), (b"#ROSBAG V2.0\n", "rosbags")]
)
def test_that_a_missing_library_is_named_with_its_command(tmp_path, monkeypatch, start, name):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n, *a: None if n == name else real(n, *a)
    )
    with pytest.raises(TraceReadError, match=r"pip install 'tracescope\[ros\]'"):
        open_trace(put(tmp_path, start + b"\0" * 100, "log.bin"))


def test_that_an_sqlite_database_that_is_no_bag_is_refused(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "x.db3") as database:
        database.execute("CREATE TABLE people (name TEXT)")
    database.close()
    with pytest.raises(TraceReadError, match="SQLite"):
        open_trace(tmp_path / "x.db3")
