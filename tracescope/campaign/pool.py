"""Processes on this machine that work through a list of jobs, one job at a time each.

A pool of ``concurrent.futures`` breaks as a whole when one of its processes dies, and cannot say which job
killed it. Here every process has a pipe of its own, so a crash costs the one pair that caused it.
"""

from __future__ import annotations

import contextlib
import logging
import math
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from tracescope.model.progress import Pulse, never

log = logging.getLogger(__name__)

J = TypeVar("J")
R = TypeVar("R")

TRIES = 2
"""A job whose process died is tried once more: it may have been another's fault (memory, an operator)."""

PULSE_S = 0.2
MOST_ON_WINDOWS = 60
"""More pipes than this cannot be waited for at once there."""

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Died(Exception):  # noqa: N818  # told as the outcome of a job, never raised
    """What became of a job whose process died each time it was tried."""


class TookTooLong(Died):
    """What became of a job that was given up: trying it again would take as long."""


class Pool(Protocol):
    """Whatever works through a list of jobs, here or elsewhere."""

    def __enter__(self) -> Self:
        """Return the pool."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End whatever still runs."""

    def run(
        self, function: Callable[[J], R], jobs: Sequence[J], pulse: Pulse = never
    ) -> Iterator[tuple[int, R | Died]]:
        """Yield (number of the job, its outcome) as jobs end; ``pulse`` is called now and then.

        ``function`` lies at the top of a module and does not raise. To cancel, stop iterating or let
        ``pulse`` raise.
        """


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class LocalPool:
    """Processes of this machine; they start with the first job and are kept until the pool is left."""

    def __init__(
        self,
        processes: int | None = None,
        limit_s: float | None = None,
        setup: Callable[[], None] | None = None,
    ) -> None:
        """Say how to run.

        Args:
            processes: How many at most; one a core where that is not said.
            limit_s: How long a job may take.
            setup: Called once in every process before its first job: where its log goes.
        """
        self._most = processes or usable_cores()
        if os.name == "nt":
            self._most = min(self._most, MOST_ON_WINDOWS)
        self._limit_s = limit_s
        self._setup = setup
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        """Return the pool; nothing starts yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Kill the processes: they hold nothing that could be lost."""
        for worker in self._workers:
            worker.kill()
        self._workers.clear()

    def run(
        self, function: Callable[[J], R], jobs: Sequence[J], pulse: Pulse = never
    ) -> Iterator[tuple[int, R | Died]]:
        """Yield (number of the job, its outcome) as jobs end; a cancelled run leaves no process behind."""
        waiting = deque((number, 1) for number in range(len(jobs)))
        try:
            while waiting or self._busy:
                pulse()
                self._hand_out(function, jobs, waiting)
                for worker in self._answering():
                    number, tried = worker.holds
                    outcome = worker.outcome
                    if isinstance(outcome, Died):
                        self._workers.remove(worker)
                        log.warning("job %d: %s", number, outcome)
                        if not isinstance(outcome, TookTooLong):
                            if tried < TRIES:
                                waiting.append((number, tried + 1))
                                continue
                            outcome = Died(f"{outcome}; tried {TRIES} times")
                    yield number, outcome
        finally:
            for worker in tuple(self._workers):
                if worker.busy or worker.pipe.closed:  # nobody will ask for what it holds
                    worker.kill()
                    self._workers.remove(worker)

    @property
    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.busy]

    def _hand_out(
        self,
        function: Callable[[J], R],
        jobs: Sequence[J],
        waiting: deque[tuple[int, int]],
    ) -> None:
        """Give every idle process a job; start processes as long as there are jobs for them."""
        while waiting:
            idle = next((worker for worker in self._workers if not worker.busy), None)
            if idle is None:
                if len(self._workers) >= self._most:
                    return
                idle = _Worker(self._setup)
                self._workers.append(idle)
            number, tried = waiting.popleft()
            idle.take(number, tried, (function, jobs[number]))

    def _answering(self) -> list[_Worker]:
        """Wait a moment; return the processes that have ended a job, died or run out of time."""
        busy = {worker.pipe: worker for worker in self._busy}
        ready = wait(list(busy), timeout=PULSE_S)
        found = [worker for pipe, worker in busy.items() if pipe in ready and worker.ended()]
        if self._limit_s is not None:
            late = time.monotonic() - self._limit_s
            for worker in busy.values():
                if worker not in found and worker.since_s < late:
                    worker.stop(f"it took longer than {self._limit_s:g} s")
                    found.append(worker)
        return found


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, setup: Callable[[], None] | None) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, setup), daemon=True)
        with _alone():
            self._process.start()
        theirs.close()
        self.busy = False
        self.holds = (0, 0)
        self.since_s = 0.0
        self.outcome: Any = None
        self._started = False

    def take(self, number: int, tried: int, work: tuple[Callable[[Any], Any], Any]) -> None:
        """Send a job; a process that is gone shows when it is asked for the outcome."""
        self.busy, self.holds = True, (number, tried)
        self.since_s = time.monotonic() if self._started else math.inf
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send(work)

    def ended(self) -> bool:
        """Take what the process sent; return whether that ends its job."""
        try:
            ended, self.outcome = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self._process.join(5)
            ended, self.outcome = True, Died(_end_of(self._process.exitcode))
            self.kill()
        if not ended:  # it has started: only now its time runs
            self._started, self.since_s = True, time.monotonic()
        self.busy = not ended
        return bool(ended)

    def stop(self, why: str) -> None:
        """Kill the process for a reason that the job's outcome will give."""
        self.kill()
        self.busy, self.outcome = False, TookTooLong(why)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.join(5)
        self.pipe.close()


def _end_of(code: int | None) -> str:
    """Say how a process ended."""
    if code is None or code >= 0:
        return f"its process ended with status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    memory = ", as happens where memory runs out" if name == "SIGKILL" else ""
    return f"its process was ended by {name}{memory}"


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Start a process with one numerical thread and deaf to the interrupt key, which is its parent's.

    Both are inherited. The pairs already run side by side; more threads would only compete.
    """
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # starting it would unblock the signal again
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else set()
    try:
        yield
    finally:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _serve(pipe: Connection, setup: Callable[[], None] | None) -> None:
    """Work through jobs until the other end goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if setup is not None:
        setup()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError, OSError):
        pipe.send((False, None))
        while True:
            function, job = pipe.recv()
            pipe.send((True, function(job)))
