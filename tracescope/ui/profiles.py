"""Import profiles that a person remembered, offered again for files of the same shape."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tracescope.model.errors import UsageError
from tracescope.model.trace import Trace
from tracescope.readers.base import ImportChoices
from tracescope.readers.mapfile import read_map
from tracescope.ui.notices import Offer
from tracescope.ui.opener import SideName

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow


def shape_of(trace: Trace) -> str:
    """Return a short name for the layout and columns of a file, the same for every file like it."""
    columns = sorted({channel.column for channel in trace.channels} | {trace.clock.column})
    text = "\n".join([trace.source.layout, *columns])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def offer_profiles(window: MainWindow) -> None:
    """Offer a remembered profile for each side that was read as detected."""
    session = window.model.open_session
    sides: tuple[tuple[SideName, Trace, ImportChoices], ...] = (
        ("sim", session.pair.sim, session.sim.choices),
        ("target", session.pair.target, session.target.choices),
    )
    for side, trace, choices in sides:
        key = f"profile-{side}"
        window.notices.withdraw(key)
        path = Path(window.settings.profile_for(shape_of(trace)))
        if choices != ImportChoices() or path.suffix != ".toml" or not path.is_file():
            continue

        def use(side: SideName = side, path: Path = path, key: str = key) -> None:
            window.notices.withdraw(key)
            use_profile(window, side, path)

        text = f"{Path(trace.source.path).name} looks like the files that {path.name} was remembered for."
        window.notices.tell("info", text, offers=[Offer("Read it so", use)], key=key)


def use_profile(window: MainWindow, side: SideName, path: Path) -> None:
    """Read one side anew as a profile says."""
    session = window.model.open_session
    try:
        mapped = read_map(path)
    except UsageError as error:
        window.notices.problems("The profile cannot be used", error.problems, key="profile")
        return
    old = session.sim if side == "sim" else session.target
    choices = mapped.sim if side == "sim" else mapped.target
    window.commands.reopen(side, replace(old, choices=choices))
