"""The same campaign on a real cluster of two workers, one of which is killed on the way."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.campaign import jobs
from tests.campaign.generated import Generated
from tests.campaign.in_process import break_three
from tracescope.campaign.cache import fingerprint
from tracescope.campaign.model import CampaignRun
from tracescope.campaign.pool import Died
from tracescope.cli import campaign_command
from tracescope.cli.main import main
from tracescope.model.errors import UsageError

pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
}


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.processes: list[subprocess.Popen[str]] = []
        self.scheduler, self.address = self._started(
            r"Scheduler at:\s+(tcp://\S+)",
            "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        )  # fmt: skip

    def worker(self, environment: dict[str, str] = ENVIRONMENT) -> subprocess.Popen[str]:
        process, _ = self._started(
            r"Registered to:\s+(tcp://\S+)",
            "distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny",
            "--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(self._folder),
            environment=environment,
        )  # fmt: skip
        return process

    def _started(
        self, ready: str, module: str, *arguments: str, environment: dict[str, str] = ENVIRONMENT
    ) -> tuple[subprocess.Popen[str], str]:
        """Start a process and wait until it says that it is ready."""
        log = self._folder / f"log_{len(self.processes)}"
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            env=environment, text=True, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            cwd=self._folder,
        )  # fmt: skip
        self.processes.append(process)
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if found := re.search(ready, line):
                log.write_text(said)
                _drain(process)
                return process, found[1]
        raise AssertionError(f"{module} ended: {said}")

    def end(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()


def _drain(process: subprocess.Popen[str]) -> None:
    """Read on what a process says, so that a full pipe never stops it."""
    import threading

    def read() -> None:
        try:
            for _ in process.stderr or ():
                pass
        except ValueError:  # closed at the end of the test
            return

    threading.Thread(target=read, daemon=True).start()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    fingerprint.cache_clear()  # workers look at the source as it is now
    made = Cluster(tmp_path)
    yield made
    made.end()


@pytest.mark.xdist_group("small campaign")
def test_that_a_cluster_gives_the_same_bytes_with_a_worker_killed_on_the_way(
    own_small: Path,
    judged: tuple[CampaignRun, Path],
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    break_three(own_small)
    command = ["campaign", str(own_small), "--quiet"]
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    assert main([*command, "--cache", str(judged[1]), "--json", str(here)]) == 1
    command.append("--no-cache")
    workers = [cluster.worker(), cluster.worker()]
    killed = []

    def kill(_: float, what: str) -> None:
        if "judging: 2 of 8" in what and not killed:
            workers[0].kill()
            killed.append(what)

    monkeypatch.setattr(campaign_command, "progress_for", lambda **_: nullcontext(kill))
    assert main([*command, "--json", str(there), "--scheduler", cluster.address]) == 1
    assert killed
    assert workers[0].wait() < 0
    assert len(json.loads(there.read_text())["episodes"]) == 5
    assert there.read_bytes() == here.read_bytes()


def test_that_a_job_that_kills_workers_is_given_up(cluster: Cluster) -> None:
    from tracescope.campaign.cluster_pool import ClusterPool

    for _ in range(3):
        cluster.worker()
    with ClusterPool(cluster.address) as pool:
        found = dict(pool.run(jobs.die_of, ["", "SIGKILL", ""]))
    assert isinstance(found[1], Died)
    assert "every worker that tried it died" in str(found[1])
    assert (found[0], found[2]) == ("lives", "lives")


def test_that_cancelling_leaves_nothing_with_the_scheduler(cluster: Cluster) -> None:
    from distributed import Client

    from tracescope.campaign.cluster_pool import ClusterPool

    cluster.worker()
    with ClusterPool(cluster.address) as pool:
        running = pool.run(jobs.double, list(range(200)))
        next(running)
        running.close()
        with Client(cluster.address, set_as_default=False) as client:
            assert dict(pool.run(jobs.double, [21])) == {0: 42}
            assert not client.call_stack()


def test_that_a_scheduler_that_goes_away_is_told(cluster: Cluster) -> None:
    from tracescope.campaign.cluster_pool import ClusterPool

    cluster.worker()
    pool = ClusterPool(cluster.address)
    running = pool.run(jobs.hang, [1, 0])
    assert next(running) == (0, 1)
    cluster.scheduler.kill()
    with pytest.raises(UsageError, match="went away"):
        next(running)
    pool.__exit__(None, None, None)


def test_that_a_cluster_of_no_use_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    from tracescope.campaign.cluster_pool import ClusterPool

    with pytest.raises(UsageError, match="no worker"):
        ClusterPool(cluster.address, answer_s=0.5)
    other = tmp_path / "other" / "tracescope"
    (other / "campaign").mkdir(parents=True)
    for name in ("__init__.py", "campaign/__init__.py"):
        (other / name).write_text("__version__ = '0'\n")
    (other / "campaign" / "cache.py").write_text(
        "from functools import cache\n@cache\ndef fingerprint():\n    return 'another'\n"
    )
    cluster.worker(ENVIRONMENT | {"PYTHONPATH": str(other.parent)})
    with pytest.raises(UsageError, match="another version"):
        ClusterPool(cluster.address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "127.0.0.1:bad"])
def test_that_an_address_where_nobody_answers_is_told(address: str) -> None:
    from tracescope.campaign.cluster_pool import ClusterPool

    with pytest.raises(UsageError, match="no scheduler answers"):
        ClusterPool(address, answer_s=0.5)


def test_that_without_the_extra_the_command_says_what_to_install(
    small: Generated, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tracescope.campaign.cluster_pool import ClusterPool

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"tracescope\[cluster\]"):
        ClusterPool("tcp://127.0.0.1:9")
