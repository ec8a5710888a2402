"""From names to roles: what each column is in the episode, and why that was believed.

Names are cut into words (``obs_q_FL_hip`` → obs, q, fl, hip). Outspoken words (obs, action, reward,
done …) decide first. Only where a file has no outspoken observation (action) do the words of mechanics
(position, torque …) and of commanding (cmd, target, setpoint …) decide, so that they can never dilute
what a file names itself. Of several stages of one action (raw, used, sent) the first is what the policy
emitted and the last what was applied. What nothing fits is *other*.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence

from tracescope.model.trace import END_ROLES, Channel, Role
from tracescope.readers.base import ImportChoices
from tracescope.readers.table import Column

Guess = tuple[Role, str]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_OBSERVATION = {"obs", "observation", "observations", "ob"}
_STATE = {"state", "states"}
"""Says observation only as the first word (``state_motor``): ``nav_state`` is a mode."""
_ACTION = {"action", "actions", "act", "acts"}
_REWARD = {"reward", "rewards", "rew", "rews"}
_DONE = {"done", "dones", "terminal", "terminals"}
_TERMINATED = {"terminated", "termination", "terminations", "terminate"}
_TRUNCATED = {"truncated", "truncation", "truncations", "timeout", "timeouts"}
_LATENCY = {"latency", "latencies"}
_RAW = {"raw", "unscaled", "unfiltered"}
_APPLIED = {"applied", "executed", "sent", "written"}
_BETWEEN = {"used", "clipped", "filtered", "smoothed", "scaled", "desired"}
_COMMAND = {"cmd", "cmds", "command", "commands", "commanded", "ctrl", "control", "controls"} | {
    "target", "targets", "setpoint", "setpoints", "goal", "desired", "u",
}  # fmt: skip
_MEASURED = {
    "q", "dq", "qd", "qdd", "qdot", "qddot", "qpos", "qvel", "pos", "position", "positions", "vel",
    "velocity", "velocities", "torque", "torques", "effort", "efforts", "angle", "angles", "theta",
    "dtheta", "thdot", "phi", "psi", "omega", "x", "y", "z", "xyz", "dx", "dy", "dz", "xdot", "ydot",
    "zdot", "vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az", "tx", "ty", "tz", "qx", "qy", "qz",
    "qw", "roll", "pitch", "yaw", "rpy", "quat", "gyro", "accel", "acceleration", "imu", "force",
    "forces", "speed", "height", "tau", "current", "meas", "measured", "measurement", "sensor", "joint",
    "joints", "distance", "pressure",
}  # fmt: skip
_NEVER = {
    "prev", "previous", "last", "info", "infos", "metadata", "logprob", "prob", "probs",
    "mask", "index", "idx", "id", "error", "err", "count", "mean", "std", "init", "initial", "env",
    "mode", "present", "enabled", "health", "status", "flag", "valid", "lost",
}  # fmt: skip
_UNIT_WORDS = {"deg", "rad", "mm", "cm", "m", "rpm", "counts"}


def words_of(name: str) -> tuple[str, ...]:
    """Cut a name into lower-case words at every separator, digit and capital."""
    return tuple(word.lower() for word in _WORD.findall(name))


def roles_for(columns: Sequence[Column], choices: ImportChoices) -> list[Guess]:
    """Return (role, reason) for every column.

    A layout's own word (``column.role``) stands unless a person said otherwise; once a person gave any
    role, what they did not name is *other*. Words are never taken for numbers.
    """
    return [_of_numbers(c, g) for c, g in zip(columns, _roles(columns, choices), strict=True)]


WORDS = "its cells are words, not numbers"


def _of_numbers(column: Column, guess: Guess) -> Guess:
    """Keep words out of the roles whose numbers are compared.

    Their codes count texts in the order in which they appear: two files number the same texts
    differently, and different texts alike.
    """
    is_text = bool(column.labels) and column.dtype == "text"
    if is_text and guess[0] not in (Role.OTHER, Role.FRAME, *END_ROLES):
        return Role.OTHER, f"{guess[1]}, but {WORDS}"
    return guess


def _roles(columns: Sequence[Column], choices: ImportChoices) -> list[Guess]:
    given = [_given(column, choices) for column in columns]
    if any(given):
        return [guess or (Role.OTHER, "no role given for it") for guess in given]
    guesses = [(c.role, c.role_because) if c.role else _by_name(c) for c in columns]
    found: set[Role] = {guess[0] for guess in guesses if guess}
    words = [words_of(column.name) for column in columns]
    for i, column in enumerate(columns):
        if guesses[i] is None:
            guesses[i] = _implied(column, words[i], found)
    settled = [guess or (Role.OTHER, "its name tells no role") for guess in guesses]
    _settle_stages(columns, words, settled)
    _settle_other_units(words, settled)
    return settled


def _by_name(column: Column) -> Guess | None:
    """Let a vector's own name decide before those of its elements (``obs`` with a joint ``hand_index``)."""
    whole = _outspoken(column.column) if column.index is not None and column.column else None
    return whole or _outspoken(column.name)


BETWEEN = "between emitted and applied action"
BESIDE = "beside the action"


def also_applied(channels: Iterable[Channel]) -> tuple[Channel, ...]:
    """Return channels that could be the applied action too, where another one was taken for it."""
    kept = tuple(channels)
    if not any(c.role is Role.ACTION_APPLIED for c in kept):
        return ()
    others = (c for c in kept if c.role is Role.OTHER)
    return tuple(c for c in others if c.role_because.endswith((BETWEEN, BESIDE)))


def _given(column: Column, choices: ImportChoices) -> Guess | None:
    names = {column.name, column.column or column.name}
    for role, patterns in choices.roles:
        for pattern in patterns:
            if pattern in names or any(fnmatch.fnmatchcase(n, pattern) for n in names):
                return Role(role), f"given: {pattern}"
    return None


_FIRST_WORD: tuple[tuple[set[str], Role], ...] = (
    (_OBSERVATION, Role.OBSERVATION),
    (_ACTION, Role.ACTION),
    (_REWARD, Role.REWARD),
    (_DONE, Role.DONE),
    (_TERMINATED, Role.TERMINATED),
    (_TRUNCATED, Role.TRUNCATED),
    (_LATENCY, Role.LATENCY),
)


def _outspoken(name: str) -> Guess | None:
    """Let the first outspoken word decide: ``obs/actions`` is an observation."""
    words = words_of(name)
    if not words or _NEVER.intersection(words):
        return None
    if words[0] in _STATE:
        return Role.OBSERVATION, f"its name starts with {words[0]!r}"
    is_next = words[0] == "next"
    for word in words[1:] if is_next else words:
        for known, role in _FIRST_WORD:
            if word in known:
                if is_next and role in (Role.OBSERVATION, Role.ACTION):
                    return Role.OTHER, "the next row's value"
                return _staged(role, word, words)
    return None


def _staged(role: Role, word: str, words: tuple[str, ...]) -> Guess:
    rest = set(words)
    if role is Role.OBSERVATION and rest & _RAW:
        return Role.OBSERVATION_RAW, f"its name has {word!r} and {_first(rest & _RAW)!r}"
    if role is Role.ACTION and rest & _APPLIED:
        return Role.ACTION_APPLIED, f"its name has {word!r} and {_first(rest & _APPLIED)!r}"
    return role, f"its name has {word!r}"


def _first(words: set[str]) -> str:
    return min(words)


def _implied(column: Column, words: tuple[str, ...], found: set[Role]) -> Guess | None:
    """Let words of commanding and of mechanics decide where the file has no outspoken name."""
    have = set(words)
    if column.labels or have & _NEVER:
        return None
    command = have & _COMMAND
    if have & _APPLIED and (command or have & _MEASURED):
        return Role.ACTION_APPLIED, f"a command ({_first(have & _APPLIED)!r}): what was sent"
    if command:
        if Role.ACTION in found:
            return Role.OTHER, f"a command ({_first(command)!r}) {BESIDE}"
        return Role.ACTION, f"guessed: {_first(command)!r} is a word for a command"
    measured = have & _MEASURED
    if measured and Role.OBSERVATION not in found:
        return Role.OBSERVATION, f"guessed: {_first(measured)!r} is a word for a measurement"
    return None


def _settle_stages(
    columns: Sequence[Column], words: list[tuple[str, ...]], settled: list[Guess]
) -> None:
    """Where one action is logged at several stages, keep the first as action, the last as applied."""
    action = [i for i, (role, _) in enumerate(settled) if role is Role.ACTION]
    between = [i for i in action if set(words[i]) & _BETWEEN and columns[i].role is None]
    if not between or len(between) == len(action):
        return
    applied = any(role is Role.ACTION_APPLIED for role, _ in settled)
    for i in between:
        stage = _first(set(words[i]) & _BETWEEN)
        if applied or stage == "desired":
            settled[i] = (Role.OTHER, f"a stage ({stage!r}) {BETWEEN}")
        else:
            settled[i] = (Role.ACTION_APPLIED, f"the later stage ({stage!r}) of the action")


def _settle_other_units(words: list[tuple[str, ...]], settled: list[Guess]) -> None:
    """Drop a guessed observation that is another one said again in another unit (``theta_deg``)."""
    guessed = {
        w for w, (role, why) in zip(words, settled, strict=True)
        if role is Role.OBSERVATION and why.startswith("guessed")
    }  # fmt: skip
    for i, name in enumerate(words):
        if name in guessed and len(name) > 1 and name[-1] in _UNIT_WORDS and name[:-1] in guessed:
            settled[i] = (Role.OTHER, f"{' '.join(name[:-1])} again, in {name[-1]}")
