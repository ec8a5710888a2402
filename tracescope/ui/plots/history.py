"""Back and forward through views."""

from __future__ import annotations

from tracescope.session.session import View

MOST_STEPS = 200


class History:
    """Views in the order in which they were looked at, and which of them is shown."""

    def __init__(self) -> None:
        self._views: list[View] = []
        self._place = -1

    def remember(self, view: View) -> None:
        """Make a view the newest step, unless it is the one shown; steps ahead of it are dropped."""
        if self._place >= 0 and self._views[self._place] == view:
            return
        self._views = [*self._views[: self._place + 1], view][-MOST_STEPS:]
        self._place = len(self._views) - 1

    def step(self, by: int) -> View | None:
        """Go back (−1) or forward (+1) and return the view there; ``None`` at the end."""
        place = self._place + by
        if not 0 <= place < len(self._views):
            return None
        self._place = place
        return self._views[place]

    def clear(self) -> None:
        """Forget every view."""
        self._views, self._place = [], -1
