"""Writers of small files in the layouts of others, with values that tell where they came from."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np


def ramp(*shape: int, dtype: str = "<f4", start: float = 0.0) -> np.ndarray:
    """Distinct values in row order: nothing can be swapped unnoticed."""
    return (
        (np.arange(int(np.prod(shape)), dtype=np.float64) / 7 + start).reshape(shape).astype(dtype)
    )


def write(path: Path, tree: dict, attrs: dict | None = None, mode: str = "w") -> Path:
    """Write datasets by path and attributes by ``group@name``."""
    with h5py.File(path, mode) as file:
        for name, data in tree.items():
            if data is None:
                file.require_group(name)
            else:
                file.create_dataset(name, data=data)
        for where, value in (attrs or {}).items():
            group, name = where.split("@")
            file.require_group(group or "/").attrs[name] = value
    return path


def robomimic(path: Path, lengths: dict[int, int], **extra) -> Path:
    """Demos of the given lengths; ``extra`` are further root datasets."""
    tree: dict = {"data": None, **extra}
    env = {"env_name": "Lift", "type": 1, "env_kwargs": {"control_freq": 20, "pad": "x" * 5000}}
    attrs: dict = {"data@env_args": json.dumps(env), "data@total": sum(lengths.values())}
    for demo, n in lengths.items():
        at = f"data/demo_{demo}"
        tree |= {
            f"{at}/actions": ramp(n, 3, dtype="<f8", start=demo),
            f"{at}/rewards": ramp(n, dtype="<f8"),
            f"{at}/dones": np.arange(n) == n - 1,
            f"{at}/states": ramp(n, 5, dtype="<f8"),
            f"{at}/obs/joint_pos": ramp(n, 2, dtype="<f8", start=100 * demo),
            f"{at}/obs/cam": np.full((n, 20, 24, 3), demo, np.uint8),
            f"{at}/next_obs/joint_pos": ramp(n, 2, dtype="<f8"),
        }
        attrs |= {f"{at}@num_samples": n, f"{at}@model_file": "<mujoco/>" * 3000}
    return write(path, tree, attrs)


def robosuite(path: Path, lengths: dict[int, int]) -> Path:
    tree, attrs = {"data": None}, {"data@env": "Lift", "data@repository_version": "1.4.1"}
    attrs["data@env_info"] = json.dumps({"control_freq": 20})
    for demo, n in lengths.items():
        states = ramp(n, 4, dtype="<f8")
        states[:, 0] = np.arange(1, n + 1) * 0.05
        tree |= {f"data/demo_{demo}/states": states, f"data/demo_{demo}/actions": ramp(n, 2)}
        attrs[f"data/demo_{demo}@model_file"] = "<mujoco/>"
    return write(path, tree, attrs)


def libero(path: Path, n: int, *, rewards: np.ndarray | None = None) -> Path:
    at, last = "data/demo_0", (np.arange(n) == n - 1).astype(np.uint8)
    tree = {
        f"{at}/actions": ramp(n, 7), f"{at}/states": ramp(n, 9), f"{at}/robot_states": ramp(n, 9),
        f"{at}/rewards": last if rewards is None else rewards, f"{at}/dones": last,
        f"{at}/obs/ee_states": ramp(n, 6), f"{at}/obs/gripper_states": ramp(n, 2),
        f"{at}/obs/agentview_rgb": np.zeros((n, 128, 128, 3), np.uint8),
    }  # fmt: skip
    attrs = {
        "data@env_args": json.dumps({"env_kwargs": {"control_freq": 20}}),
        "data@problem_info": "{}", "data@bddl_file_name": "pick.bddl", "data@num_demos": 1,
        f"{at}@num_samples": n, f"{at}@init_state": np.arange(9.0),
    }  # fmt: skip
    return write(path, tree, attrs)


def isaaclab(
    path: Path, n: int, *, default: tuple = (0.5, -1.0), success: bool | None = True
) -> Path:
    at = "data/demo_0"
    absolute = ramp(n + 1, 2)
    tree = {
        f"{at}/actions": ramp(n, 2, start=5),
        f"{at}/processed_actions": ramp(n, 2, start=6),
        f"{at}/obs/joint_pos": absolute[:-1] - np.array(default, np.float32),
        f"{at}/obs/actions": ramp(n, 2, start=4),
        f"{at}/initial_state/articulation/robot/joint_position": absolute[:1],
        f"{at}/states/articulation/robot/joint_position": absolute[1:],
        f"{at}/states/articulation/robot/root_pose": ramp(n, 7),
        f"{at}/obs/datagen_info/eef_pose/left": ramp(n, 4, 4),
    }
    attrs = {"data@env_args": json.dumps({"env_name": "Isaac-Lift", "type": 2}), "data@total": n}
    attrs[f"{at}@num_samples"] = n
    if success is not None:
        attrs[f"{at}@success"] = np.bool_(success)
    return write(path, tree, attrs)


def jpeg(value: int, size: tuple[int, int] = (24, 32)) -> bytes:
    """One grey picture."""
    import io

    from PIL import Image

    out = io.BytesIO()
    noise = np.random.default_rng(value).integers(0, 8 * (value + 1), (*size, 3), dtype=np.uint8)
    Image.fromarray(noise).save(out, "JPEG")
    return out.getvalue()


def aloha(path: Path, n: int, *, obs: int | None = None) -> Path:
    rows = n if obs is None else obs
    tree = {
        "action": ramp(n, 14), "observations/qpos": ramp(rows, 14, start=3),
        "observations/qvel": ramp(rows, 14), "observations/images/top": np.zeros((rows, 48, 64, 3), np.uint8),
    }  # fmt: skip
    return write(path, tree, {"@sim": True})


def aloha_packed(
    path: Path, n: int, *, lengths: bool = True
) -> tuple[Path, dict[str, list[bytes]]]:
    """The compressed form; cameras are listed in an order that is not that of their names."""
    order = ("wrist", "high", "low")
    pictures = {c: [jpeg(10 * k + i) for i in range(n)] for k, c in enumerate(order)}
    longest = max(len(p) for c in order for p in pictures[c])
    tree = {
        "action": ramp(n, 14), "base_action": ramp(n, 2), "observations/qpos": ramp(n, 14),
        "observations/qvel": ramp(n, 14), "observations/effort": ramp(n, 14),
    }  # fmt: skip
    for camera in order:
        padded = np.zeros((n, longest), np.uint8)
        for i, picture in enumerate(pictures[camera]):
            padded[i, : len(picture)] = np.frombuffer(picture, np.uint8)
        tree[f"observations/images/{camera}"] = padded
    if lengths:
        tree["compress_len"] = np.array([[len(p) for p in pictures[c]] for c in order], np.float32)
    return write(path, tree, {"@sim": False, "@compress": True}), pictures


def minari(
    path: Path, lengths: dict[int, int], *, json_infos: bool = False, nested: bool = False
) -> Path:
    tree: dict = {}
    attrs: dict = {}
    for i, n in lengths.items():
        at = f"episode_{i}"
        if nested:
            tree[f"{at}/observations/achieved"] = ramp(n + 1, 2)
            tree[f"{at}/observations/inner/_index_0"] = ramp(n + 1, 3, start=2)
            tree[f"{at}/actions/_index_0"] = ramp(n, 1)
            tree[f"{at}/actions/_index_1"] = np.arange(n)
        else:
            tree[f"{at}/observations"] = ramp(n + 1, 3, start=10 * i)
            tree[f"{at}/actions"] = ramp(n, 1)
        ends = np.arange(n) == n - 1
        tree |= {f"{at}/rewards": ramp(n, dtype="<f8"), f"{at}/terminations": np.zeros(n, bool)}
        tree[f"{at}/truncations"] = ends
        if json_infos:
            texts = [json.dumps({"success": k > 1, "pose": [k, k / 2]}) for k in range(n + 1)]
            tree[f"{at}/infos"] = texts
        else:
            tree[f"{at}/infos/success"] = np.arange(n + 1) > 1
        attrs |= {f"{at}@id": i, f"{at}@seed": 7, f"{at}@total_steps": n}
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, tree, attrs)


def d4rl(path: Path, n: int, *, terminals=(), timeouts=None, more: dict | None = None) -> Path:
    """A flat file; ``terminals`` and ``timeouts`` list the rows that are flagged."""
    flag = np.zeros(n, bool)
    flag[list(terminals)] = True
    tree = {
        "observations": ramp(n, 3, dtype="<f8"), "actions": ramp(n, 2), "rewards": ramp(n),
        "terminals": flag, **(more or {}),
    }  # fmt: skip
    if timeouts is not None:
        tree["timeouts"] = np.zeros(n, bool)
        tree["timeouts"][list(timeouts)] = True
    return write(path, tree)


EPOCH_MS = 1_700_000_000_000


def droid(path: Path, n: int, *, stamps: bool = True, skipped=()) -> Path:
    moving = np.ones(n, bool)
    moving[list(skipped)] = False
    tree = {
        "action/joint_position": ramp(n, 7, dtype="<f8"),
        "action/cartesian_position": ramp(n, 6, dtype="<f8"),
        "action/cartesian_velocity": ramp(n, 6, dtype="<f8"),
        "action/gripper_position": ramp(n, dtype="<f8"),
        "observation/robot_state/joint_positions": ramp(n, 7, dtype="<f8", start=4),
        "observation/robot_state/gripper_position": ramp(n, dtype="<f8", start=9),
        "observation/controller_info/movement_enabled": moving,
        "observation/camera_type/123": np.zeros(n, np.int64),
    }
    if stamps:
        at = EPOCH_MS + 66 * np.arange(n, dtype=np.int64)
        tree["observation/timestamp/robot_state/read_start"] = at
        tree["observation/timestamp/robot_state/read_end"] = at + 2
        tree["observation/timestamp/cameras/123_read_start"] = at - 11
    return write(path, tree, {"@success": True, "@failure": False})


def maniskill(path: Path, lengths: dict[int, int], *, obs: str = "nested") -> Path:
    tree: dict = {}
    for i, n in lengths.items():
        at = f"traj_{i}"
        tree |= {
            f"{at}/actions": ramp(n, 4), f"{at}/terminated": np.zeros(n, bool),
            f"{at}/truncated": np.arange(n) == n - 1, f"{at}/success": np.zeros(n, bool),
            f"{at}/env_states/actors/cube": ramp(n + 1, 13),
            f"{at}/env_states/articulations/panda": ramp(n + 1, 31),
        }  # fmt: skip
        if obs == "nested":
            tree |= {
                f"{at}/obs/agent/qpos": ramp(n + 1, 9),
                f"{at}/obs/extra/tcp_pose": ramp(n + 1, 7),
            }
            tree[f"{at}/obs/sensor_data/cam/rgb"] = np.zeros((n + 1, 32, 32, 3), np.uint8)
            tree[f"{at}/obs/sensor_data/cam/depth"] = np.zeros((n + 1, 32, 32, 1), np.int16)
        elif obs == "array":
            tree[f"{at}/obs"] = ramp(n + 1, 5)
    return write(path, tree)
