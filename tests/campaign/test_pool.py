"""Processes that work through jobs: a crash, a hang or an interruption costs no other job."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

from tests.campaign import jobs
from tracescope.campaign.pool import Died, LocalPool, usable_cores
from tracescope.model.errors import Cancelled


def outcomes(pool: LocalPool, function, arguments, pulse=lambda: None) -> list[object]:
    found = dict(pool.run(function, arguments, pulse))
    return [found[number] for number in range(len(arguments))]


def test_that_every_job_is_done_once_and_processes_are_kept() -> None:
    with LocalPool(2) as pool:
        assert outcomes(pool, jobs.double, list(range(20))) == [2 * n for n in range(20)]
        numbers = set(outcomes(pool, jobs.own_number, list(range(20))))
    assert 1 <= len(numbers) <= 2
    assert os.getpid() not in numbers
    assert not multiprocessing.active_children()


def test_that_processes_use_one_thread() -> None:
    before = os.environ.get("OPENBLAS_NUM_THREADS")
    with LocalPool(1) as pool:
        assert outcomes(pool, jobs.threads_allowed, [0]) == ["1"]
    assert os.environ.get("OPENBLAS_NUM_THREADS") == before


def test_that_every_process_leaves_the_interrupt_key_to_its_parent_from_the_first_on() -> None:
    code = (
        "from tests.campaign.jobs import hears_interrupts\n"
        "from tracescope.campaign.pool import LocalPool\n"
        "with LocalPool(2) as pool: print(dict(sorted(pool.run(hears_interrupts, [0, 1]))))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "{0: False, 1: False}"


def test_that_a_job_that_kills_its_process_costs_no_other_job() -> None:
    work = ["", "SIGSEGV", "", "SIGKILL", "exit", "", ""]
    with LocalPool(2) as pool:
        found = outcomes(pool, jobs.die_of, work)
    assert [o for o, name in zip(found, work, strict=True) if not name] == ["lives"] * 4
    told = {n: str(o) for o, n in zip(found, work, strict=True) if isinstance(o, Died)}
    assert "SIGSEGV" in told["SIGSEGV"]
    assert "memory" in told["SIGKILL"]
    assert "status 3" in told["exit"]


def test_that_a_process_killed_by_another_gets_its_job_done_all_the_same(tmp_path) -> None:
    marks = [str(tmp_path / str(n)) for n in range(4)]
    with LocalPool(2) as pool:
        assert outcomes(pool, jobs.die_first, marks) == ["lives"] * 4


def test_that_a_job_that_takes_too_long_is_given_up() -> None:
    with LocalPool(2, limit_s=2.0) as pool:
        found = outcomes(pool, jobs.hang, [1, 0, 2, 3])
    assert [found[0], found[2], found[3]] == [1, 2, 3]
    assert "longer than 2 s" in str(found[1])


@pytest.mark.parametrize("error", [Cancelled, KeyboardInterrupt])
def test_that_cancelling_leaves_no_process_with_work(error: type[BaseException]) -> None:
    pulses = iter(range(3))

    def pulse() -> None:
        if next(pulses, None) is None:
            raise error

    pool = LocalPool(2)
    with pytest.raises(error):
        outcomes(pool, jobs.hang, [0, 0, 0], pulse)
    assert not multiprocessing.active_children()
    with pool:
        assert outcomes(pool, jobs.double, [4]) == [8]


def test_that_no_process_starts_without_a_job() -> None:
    with LocalPool() as pool:
        assert outcomes(pool, jobs.double, []) == []
        assert not multiprocessing.active_children()
    assert usable_cores() >= 1
