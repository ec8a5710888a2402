"""What the window does with notes that were exported earlier: open one again, follow one up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tracescope.model.errors import ProblemsError
from tracescope.ui import pick_file
from tracescope.ui.actions import ActionSpec
from tracescope.ui.opener import problems_of

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow

JSON_NOTES = "JSON notes (*.json)"


def note_actions(window: MainWindow) -> Iterator[ActionSpec]:
    """Yield the entries of the File menu that take a note."""
    yield ActionSpec(
        "open-note",
        "File",
        "Open fro&m note…",
        "Open the session that a note exported as JSON was made from",
        lambda: ask_and_open(window),
    )
    yield ActionSpec(
        "follow-up-note",
        "File",
        "&Follow up a note…",
        "Hold what an earlier note (JSON) predicted against this pair",
        lambda: ask_and_follow(window),
        needs="pair",
    )


def ask_and_open(window: MainWindow) -> None:
    """Ask for a JSON note and open its session."""
    path = pick_file.open_file(window, "Open from note", JSON_NOTES)
    if path is not None:
        window.opener.open_session_file(path)


def ask_and_follow(window: MainWindow) -> None:
    """Ask for the JSON note whose prediction this pair tests."""
    path = pick_file.open_file(window, "Follow up a note", JSON_NOTES)
    if path is not None:
        follow(window, path)


def follow(window: MainWindow, path: Path) -> None:
    """Take in a note's prediction, undoably, and say what became of it where the checks have spoken."""
    from tracescope.session.ledger import read_prediction, session_follow_up
    from tracescope.session.result_file import now, session_result

    try:
        prediction = read_prediction(path)
    except ProblemsError as error:
        window.notices.problems("The note cannot be followed up", problems_of(error), key="follow")
        return
    window.notices.withdraw("follow")
    window.model.follow(prediction)
    session = window.model.open_session
    told = f'Follow-up of "{prediction.title}" of {prediction.date}'
    if session.stale or not session.results:
        said = f"{told}: the exported note will say what became of its prediction"
    else:
        outcome = session_follow_up(session, session_result(session, now()))
        said = f"{told}: its prediction is {outcome.outcome if outcome else 'not decided'}"
    window.notices.tell("info", said, key="follow")
