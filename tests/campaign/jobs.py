"""Jobs that processes of a pool are given by tests: they end well, die, hang, or wait for their killer."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tracescope.campaign.model import EpisodeResult
    from tracescope.campaign.pipeline import PairJob, Unusable


def double(value: int) -> int:
    return 2 * value


def threads_allowed(_: int) -> str | None:
    return os.environ.get("OPENBLAS_NUM_THREADS")


def own_number(_: int) -> int:
    return os.getpid()


def die_of(name: str) -> str:
    """Die of a signal, or end by oneself; ``""`` lives."""
    if name == "exit":
        os._exit(3)
    if name:
        os.kill(os.getpid(), signal.Signals[name])
    return "lives"


def die_first(mark: str) -> str:
    """Die the first time, live the second."""
    path = Path(mark)
    if path.exists():
        return "lives"
    path.touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return ""


def hang(value: int) -> int:
    """Never end for 0."""
    if value == 0:
        threading.Event().wait()
    return value


def hears_interrupts(_: int) -> bool:
    """Return whether the interrupt key reaches this process, in its work or while it started."""
    blocked = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    return not (blocked and signal.getsignal(signal.SIGINT) is signal.SIG_IGN)


def judge_but_die(job: PairJob) -> EpisodeResult | Unusable:
    """Judge a pair as a campaign does, and die of those whose path asks for it."""
    from tracescope.campaign.pipeline import judge_pair

    if job.target.endswith("crash.csv"):
        os.kill(os.getpid(), signal.SIGSEGV)
    return judge_pair(job)
