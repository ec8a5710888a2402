"""The same jobs on a cluster of ``dask.distributed``; which worker gets what is the scheduler's business.

Workers need the same tracescope, and see the recordings under the same paths.
"""

from __future__ import annotations

import queue
import uuid
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from tracescope.campaign.cache import fingerprint
from tracescope.campaign.pool import PULSE_S, Died
from tracescope.model.errors import Problem, UsageError
from tracescope.model.progress import Pulse, never

J = TypeVar("J")
R = TypeVar("R")

ANSWER_S = 15.0
"""How long a scheduler may take to answer, and to have a worker."""


class ClusterPool:
    """Jobs go to a scheduler; a worker that dies has its jobs done by others."""

    def __init__(self, address: str, answer_s: float = ANSWER_S) -> None:
        """Connect to a scheduler.

        Raises:
            UsageError: where the extra is not installed, no scheduler answers, it has no worker, or a worker
                has another tracescope.
        """
        try:
            import distributed
        except ImportError as error:
            todo = "pip install 'tracescope[cluster]'"
            raise UsageError(
                Problem("dask.distributed is not installed", "--scheduler", todo=todo)
            ) from error
        connect: Any = distributed.Client
        try:
            self._client = connect(address, timeout=answer_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                Problem(
                    "no scheduler answers there",
                    "--scheduler",
                    address,
                    "start one with: dask scheduler; addresses read like tcp://host:8786",
                )
            ) from error
        try:
            _need_equal_workers(self._client, answer_s)
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the cluster; its workers go on for others."""
        self._client.close()

    def run(
        self, function: Callable[[J], R], jobs: Sequence[J], pulse: Pulse = never
    ) -> Iterator[tuple[int, R | Died]]:
        """Yield (number of the job, its outcome) as jobs end; what nobody asks for any more is cancelled.

        Raises:
            UsageError: where the scheduler goes away.
        """
        ended: queue.SimpleQueue[int] = queue.SimpleQueue()
        name = uuid.uuid4().hex
        futures: dict[int, Any] = {}
        try:
            for number, job in enumerate(jobs):
                future = self._client.submit(
                    same_product, fingerprint(), function, job, key=f"tracescope-{name}-{number}"
                )
                futures[number] = future
                future.add_done_callback(lambda _, number=number: ended.put(number))
            while futures:
                pulse()
                try:
                    number = ended.get(timeout=PULSE_S)
                except queue.Empty:
                    self._need_scheduler()
                    continue
                yield number, self._outcome(futures.pop(number))
        finally:
            if futures and self._client.status == "running":
                self._client.cancel(list(futures.values()), force=True)

    def _outcome(self, future: Any) -> Any:
        if future.status == "finished":
            return future.result()
        self._need_scheduler()
        if future.status == "cancelled":
            return Died("the cluster dropped it")
        error = future.exception()
        if type(error).__name__ == "KilledWorker":  # its text names hosts and repeats the traceback
            return Died("every worker that tried it died; their logs say more")
        return Died(f"{type(error).__name__}: {error}")

    def _need_scheduler(self) -> None:
        if self._client.status != "running":
            raise UsageError(
                Problem(
                    "the scheduler went away",
                    "--scheduler",
                    todo="start it and run the same command again: what was judged is kept",
                )
            )


def same_product(expected: str, function: Callable[[J], R], job: J) -> R:
    """Do a job, on a worker that has the product its asker has.

    Raises:
        RuntimeError: where it has another.
    """
    if fingerprint() != expected:
        raise RuntimeError("the worker has another version of tracescope or of its libraries")
    return function(job)


def _need_equal_workers(client: Any, answer_s: float) -> None:
    """Refuse a cluster without a worker, or with one that would compute something else."""
    try:
        client.wait_for_workers(1, timeout=answer_s)
    except TimeoutError as error:
        todo = "start one with: dask worker ADDRESS"
        raise UsageError(
            Problem("the scheduler has no worker", "--scheduler", todo=todo)
        ) from error
    answers = client.run(fingerprint, on_error="return")
    other = sorted(worker for worker, answer in answers.items() if answer != fingerprint())
    if other:
        raise UsageError(
            Problem(
                "workers have another version of tracescope or of its libraries, or none",
                "--scheduler",
                ", ".join(map(str, other)),
                "install the same there",
            )
        )
