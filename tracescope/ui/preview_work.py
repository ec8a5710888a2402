"""What of a pair can be shown before it is read: a preview of each side that is long."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from tracescope.model.alignment import Alignment
from tracescope.model.errors import ProblemsError
from tracescope.model.pair import pair_traces
from tracescope.model.progress import Progress
from tracescope.model.trace import Trace
from tracescope.readers.hdf5_preview import LAST_HALVINGS
from tracescope.readers.preview import Preview, preview_trace
from tracescope.session.session import Session, SideChoices
from tracescope.ui.opener import no_trace

log = logging.getLogger(__name__)

SMALL_BYTES = 16_000_000
"""The short counterpart of a long recording is read whole for its preview."""

SIDES = {"sim": "simulator", "target": "target"}


@dataclass(frozen=True, slots=True, eq=False)
class PairPreview:
    """A pair to be looked at while it is read; it is no session of anybody's work.

    Attributes:
        shown: What the panes draw: never judged, saved, exported or realigned.
        sides: What was read of each side that was asked for, by name; ``None`` where nothing could be.
    """

    shown: Session
    sides: dict[str, Preview | None]

    @property
    def names(self) -> str:
        """The names of the files that are read."""
        sides = {"sim": self.shown.sim, "target": self.shown.target}
        return " and ".join(Path(sides[name].path).name for name in self.sides)

    @property
    def words(self) -> str:
        """Say how little was read, and what that hides."""
        shares = {n: _share(side) for n, side in self.sides.items() if side is not None}
        if len(shares) == len(self.sides) and len(set(shares.values())) == 1:
            read = next(iter(shares.values()))
        else:
            parts = [f"{share} of the {SIDES[name]}" for name, share in shares.items()]
            missing = [f"nothing of the {SIDES[n]}" for n in self.sides if n not in shares]
            read = " and ".join(parts + missing)
        return (
            f"Preview of {self.names}: {read} read; spikes may be missing, and fast motion looks"
            " like noise. Pale strokes join what was read. Nothing is checked."
        )


def _share(side: Preview) -> str:
    if side.one_in < 1.005:
        return "every row"
    return f"1 row in {side.one_in:,.3g}" if side.one_in < 100 else f"1 row in {side.one_in:,.0f}"


def preview_of(sides: dict[str, SideChoices], progress: Progress) -> PairPreview | None:
    """Preview the sides that were asked for, or return ``None`` where no recording is long.

    Raises:
        Cancelled: from ``progress``.
    """
    found = _alike(sides, progress)
    if all(side is None for side in found.values()):
        return None
    for name, side in sides.items():
        found[name] = found[name] or _whole(side, progress)
    sim, target = (
        no_trace() if preview is None else preview.trace
        for preview in (found.get("sim"), found.get("target"))
    )
    nothing = SideChoices("")
    shown = Session(
        pair_traces(sim, target),
        sides.get("sim", nothing),
        sides.get("target", nothing),
        _assumed(sim, target),
        locked=True,
    )
    return PairPreview(shown, found)


def _alike(sides: dict[str, SideChoices], progress: Progress) -> dict[str, Preview | None]:
    """Preview each side, one as densely as the other: else the coarser would seem to differ."""
    found: dict[str, Preview | None] = {}
    most = LAST_HALVINGS
    for name, side in sides.items():
        found[name] = preview = _previewed(side, progress, most)
        most = most if preview is None or preview.halvings is None else preview.halvings
    for name, preview in found.items():
        if preview is not None and preview.halvings != most:
            found[name] = _previewed(sides[name], progress, most)
    return found


def _previewed(side: SideChoices, progress: Progress, most: int) -> Preview | None:
    return preview_trace(side.path, side.episode, side.choices, progress, most_halvings=most)


def _whole(side: SideChoices, progress: Progress) -> Preview | None:
    """Return all of a short recording; what is wrong with it is said when it is read."""
    from tracescope.readers import open_trace

    try:
        if not 0 < Path(side.path).stat().st_size <= SMALL_BYTES:
            return None
        trace = open_trace(side.path, side.episode, side.choices, progress)
    except (ProblemsError, OSError) as error:
        log.info("no preview of %s: %s", side.path, error)
        return None
    return Preview(trace, len(trace))


def _assumed(sim: Trace, target: Trace) -> Alignment:
    if not len(sim) or not len(target):
        return Alignment()
    from tracescope.analysis.estimate import assumed_alignment

    return assumed_alignment(pair_traces(sim, target))
