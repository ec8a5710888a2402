"""Whether a campaign gives back what was put into it: ``python -m tests.campaign.recover --seed 7``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from math import comb
from pathlib import Path

from tests.campaign.generated import NONE, Generated, Recipe, write_campaign
from tracescope.campaign.analysis import analysed
from tracescope.campaign.manifest import read_campaign
from tracescope.campaign.result_schema import CampaignFile, ClusterEntry
from tracescope.campaign.runner import run_campaign

LEAD_OF = {
    "scale": "perception drift",
    "delay": "dynamics mismatch",
    "mass": "dynamics mismatch",
    "damping": "dynamics mismatch",
    "lost-rows": "deployment-system noise",
    "clip": "undecided",
}


@dataclass(frozen=True)
class Recovered:
    """What came back.

    Attributes:
        result: The campaign's result.
        truth: What was put in.
        rand: Adjusted Rand index of clusters against kinds; everything in no cluster counts as one group,
            as does everything with nothing wrong.
        kind_of: Cluster → the kind that most of its members are of.
    """

    result: CampaignFile
    truth: Generated
    rand: float
    kind_of: dict[str, str]

    def cluster_of(self, kind: str) -> ClusterEntry:
        """Return the largest cluster of a kind."""
        return next(c for c in self.result.clusters if self.kind_of[c.id] == kind)

    @property
    def growing(self) -> list[str]:
        """Kinds that are named as growing."""
        return [self.kind_of[c.id] for c in self.result.clusters if c.growth.growing == "yes"]

    def first_parameter(self, kind: str) -> str:
        """Return the parameter ranked first for a kind, ``""`` where none is told apart."""
        first = next(d for d in self.cluster_of(kind).differs if d.kind == "parameter")
        return first.what.removeprefix("param.") if first.distinguishable else ""


def recover(folder: Path, recipe: Recipe) -> Recovered:
    """Generate a campaign, run it as a person would, and compare."""
    truth = write_campaign(folder, recipe)
    run = run_campaign(read_campaign(truth.manifest))
    assert not run.failed, run.failed
    return compared(analysed(run), truth)


def compared(result: CampaignFile, truth: Generated) -> Recovered:
    """Compare a result with the truth."""
    ids = [episode.id for episode in result.episodes]
    found = [episode.cluster or NONE for episode in result.episodes]
    kind_of = {
        c.id: Counter(truth.kind[e] for e in c.episodes).most_common(1)[0][0]
        for c in result.clusters
    }
    rand = adjusted_rand([truth.kind[name] for name in ids], found)
    return Recovered(result, truth, rand, kind_of)


def adjusted_rand(first: list[str], second: list[str]) -> float:
    """Return the adjusted Rand index of two labellings (Hubert and Arabie, J. Classif. 2 (1985))."""
    both = sum(comb(n, 2) for n in Counter(zip(first, second, strict=True)).values())
    one = sum(comb(n, 2) for n in Counter(first).values())
    other = sum(comb(n, 2) for n in Counter(second).values())
    expected = one * other / comb(len(first), 2)
    most = (one + other) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def tell(line: str) -> None:
    """Write one line."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print what was recovered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(Recipe.kinds), help="empty: nothing but noise")
    parser.add_argument("--growing", default=Recipe.growing)
    options = parser.parse_args()
    kinds = tuple(kind for kind in options.kinds.split(",") if kind)
    recipe = Recipe(
        seed=options.seed,
        pairs=options.pairs,
        rows=options.rows,
        kinds=kinds,
        growing=options.growing,
    )
    with tempfile.TemporaryDirectory() as folder:
        told = recover(Path(folder), recipe)
    of_kind = Counter(episode.of_kind for episode in told.result.episodes)
    tell(f"seed {recipe.seed}: adjusted Rand index {told.rand:.3f}; {dict(of_kind)}")
    for c in told.result.clusters:
        parameter = next(
            (d for d in c.differs if d.kind == "parameter" and d.distinguishable), None
        )
        first = (
            "none"
            if parameter is None
            else f"{parameter.what} {parameter.effect:+.2f} {parameter.interval}"
        )
        low, high = c.growth.ratio_interval or (None, None)
        tell(
            f"  {c.id} {told.kind_of[c.id]:10} {c.size:4d} stability {c.stability:.2f} | {c.name} | {c.lead} | "
            f"growing {c.growth.growing} {c.growth.ratio} [{low}, {high}] | parameter: {first}"
        )


if __name__ == "__main__":
    main()
