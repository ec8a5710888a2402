"""Damages files at random and reads them, in a process of its own with bounded memory.

``python damage.py SEED COUNT SECONDS FILE…`` prints one line of JSON: how many were read, refused, and what
went wrong. Before each input its recipe goes to standard error, so that a crash or hang can be repeated.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace

MEMORY = 2 * 1024**3
"""Address space: libraries map about half of it before anything is read."""


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return data with a few bytes set, swapped, dropped, repeated or cut."""
    out = bytearray(data)
    # most damage into the first part, where the structure lies
    for _ in range(chance.randint(1, 6)):
        reach = len(out) if chance.random() < 0.5 else min(len(out), 4096)
        at = chance.randrange(max(reach, 1))
        what = chance.random()
        if what < 0.4:
            out[at : at + 1] = bytes([chance.randrange(256)])
        elif what < 0.6:
            size = chance.choice([2, 4, 8])
            value = chance.choice([0, 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), at, len(out)])
            out[at : at + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")
        elif what < 0.75:
            other = chance.randrange(max(reach, 1))
            out[at : at + 16] = out[other : other + 16]
        elif what < 0.85:
            del out[at : at + chance.randint(1, 16)]
        elif what < 0.95:
            out[at:at] = out[at : at + chance.randint(1, 16)]
        else:
            del out[max(at, 1) :]
    return bytes(out)


def read(path: Path, *, inspect: bool) -> str:
    """Read a file; return ``read``, ``refused`` or what went wrong."""
    try:
        open_trace(path)
        if inspect:
            inspect_file(path)
    except TraceReadError as error:
        return (
            "refused"
            if error.problems and str(path) in error.problems[0].where
            else f"unplaced: {error}"
        )
    except Exception as error:  # noqa: BLE001  # this is what the run looks for
        return f"{type(error).__name__}: {error}"[:300]
    return "read"


def peak_mib() -> int:
    """Return what this process held at most. ``ru_maxrss`` would count the parent's memory at the fork."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(v for v in status.read_text("ascii").splitlines() if v.startswith("VmHWM:"))
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    seed, count, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sources = [(Path(name), Path(name).read_bytes()) for name in sys.argv[4:]]
    found = {"read": 0, "refused": 0}
    wrong: list[str] = []
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            if time.monotonic() > end:
                break
            chance = random.Random(number)
            name, data = chance.choice(sources)
            sys.stderr.write(f"{number} {name}\n")
            sys.stderr.flush()
            path = Path(folder) / f"log{name.suffix}"
            path.write_bytes(damaged(data, chance))
            signal.alarm(20)  # a hang ends the process
            result = read(path, inspect=number % 4 == 0)
            signal.alarm(0)
            if result in found:
                found[result] += 1
            else:
                wrong.append(f"{number} {name}: {result}")
    memory = peak_mib()
    sys.stdout.write(json.dumps({**found, "wrong": wrong, "memory_mib": memory}) + "\n")


if __name__ == "__main__":
    main()
