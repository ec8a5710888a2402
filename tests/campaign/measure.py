"""What a campaign costs beside single checks: python -m tests.campaign.measure [--pairs 200] [--rows 1000].

Times are compared as ratios, of processor time where the machine is shared; an idle machine gives both.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

import tests  # noqa: F401  # one numerical thread, as the command line has
from tests.campaign.generated import Recipe, write_campaign
from tracescope.campaign.cache import Cache
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.model import Campaign
from tracescope.campaign.pool import LocalPool, usable_cores
from tracescope.campaign.runner import run_campaign
from tracescope.session.judge import judge
from tracescope.session.open import open_session, side_of


@dataclass
class Watch:
    """Processor time and memory of this process and its children, looked at with every progress call."""

    started_s: float = field(default_factory=time.perf_counter)
    pairs: int = 0
    cpu_s: dict[int, float] = field(default_factory=dict)
    memory_mb: list[tuple[int, float]] = field(default_factory=list)
    first_pair_s: float = 0.0

    def __call__(self, done: float, what: str) -> None:
        del done
        if "judging: " not in what or int(what.split()[1]) == self.pairs:
            return  # looking costs time as well
        self.pairs = int(what.split()[1])
        self.first_pair_s = self.first_pair_s or time.perf_counter() - self.started_s
        resident = []
        for child in psutil.Process().children():
            try:
                used = child.cpu_times()
                resident.append(child.memory_info().rss / 2**20)
            except psutil.NoSuchProcess:
                continue
            self.cpu_s[child.pid] = used.user + used.system
        if resident:
            self.memory_mb.append((self.pairs, max(resident)))


def single_checks(campaign: Campaign, count: int) -> tuple[float, float]:
    """Return median wall and processor seconds of opening and judging a pair in this warm process."""
    wall, cpu = [], []
    step = max(1, len(campaign.entries) // count)
    for number, entry in enumerate([campaign.entries[0], *campaign.entries[::step]]):
        sim = side_of(campaign.located(entry.sim or ""))
        target = side_of(campaign.located(entry.target))
        started, used = time.perf_counter(), time.process_time()
        judge(open_session(sim, target))
        if number:  # the first pays for imports
            wall.append(time.perf_counter() - started)
            cpu.append(time.process_time() - used)
    return sum(wall) / len(wall), sum(cpu) / len(cpu)


def measure(pairs: int, rows: int, jobs: int, singles: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = write_campaign(Path(folder) / "data", Recipe(seed=1, pairs=pairs, rows=rows))
        campaign = read_campaign(made.manifest)
        wall_s, cpu_s = single_checks(campaign, singles)
        say(f"single check, warm: {wall_s:.3f} s wall, {cpu_s:.3f} s processor (mean of {singles})")
        cache = Cache(Path(folder) / "cache")
        watch = Watch()
        own = time.process_time()
        run = run_campaign(campaign, pool=LocalPool(jobs), cache=cache, progress=watch)
        took_s, own_s = time.perf_counter() - watch.started_s, time.process_time() - own
        say(f"{len(run.results)} pairs of {rows} rows by {jobs} processes: {took_s:.1f} s wall")
        used_s = sum(watch.cpu_s.values()) + own_s
        say(f"  wall a pair and process / single wall: {took_s * jobs / pairs / wall_s:.2f}")
        say(f"  processor a pair / single processor:   {used_s / pairs / cpu_s:.2f}")
        say(
            f"  cores busy: {used_s / took_s:.2f} of {jobs}; first pair after {watch.first_pair_s:.1f} s"
        )
        say(f"  parent's share of the processor time: {own_s / used_s:.1%}")
        for share in (0.1, 0.25, 0.5, 0.75, 1.0):
            at = [
                mb
                for done, mb in watch.memory_mb
                if abs(done - share * pairs) <= max(1, pairs / 40)
            ]
            if at:
                say(f"  largest process after {share:.0%} of the pairs: {median(at):.0f} MB")
        started = time.perf_counter()
        again = run_campaign(campaign, pool=LocalPool(jobs), cache=cache)
        rerun_s = time.perf_counter() - started
        assert again.reused == pairs
        assert again.results == run.results
        say(f"rerun, unchanged: {rerun_s:.2f} s, {rerun_s / took_s:.3f} of the first run")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=usable_cores())
    parser.add_argument("--singles", type=int, default=20)
    given = parser.parse_args()
    measure(given.pairs, given.rows, given.jobs, given.singles)
