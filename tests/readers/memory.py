"""How much memory a piece of work takes at most."""

from __future__ import annotations

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST = 1024**3
_STATUS = Path("/proc/self/status")


def _status(what: str) -> int:
    found = re.search(rf"{what}:\s+(\d+) kB", _STATUS.read_text("ascii"))
    assert found is not None
    return int(found[1]) * 1024


@contextmanager
def bounded_memory(most: int = MOST) -> Iterator[None]:
    """Fail where the block takes more than ``most`` bytes beside what the process has already.

    The limit is set on the address space, so that what asks for more gets none of it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = _status("VmSize") if _STATUS.exists() else None
    if now is not None:
        resource.setrlimit(resource.RLIMIT_AS, (now + most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
