"""Open a pair by dialog, by drag and drop and by arguments; broken files get a bar, not a box."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tests.ui import hands
from tests.ui.conftest import bars, dialog_of, drop, wait_judged, wait_open
from tracescope.resources_path import samples
from tracescope.session.catalogue import all_checks
from tracescope.ui import pick_file
from tracescope.ui.dialogs.import_dialog import ImportDialog
from tracescope.ui.dialogs.open_pair import OpenPairDialog
from tracescope.ui.opener import side_by_name, sorted_sides


def header_texts(window) -> list[str]:
    return [window.parts.header.lines[side].button.text() for side in ("sim", "target")]


def test_that_the_dialog_opens_a_pair(empty_window, pair):
    hands.press(empty_window, "Open pair")
    dialog = dialog_of(OpenPairDialog)
    hands.type_text(dialog.sides["sim"].path, str(pair[0]))
    hands.type_text(dialog.sides["target"].path, str(pair[1]))
    hands.key(dialog, Qt.Key.Key_Return)
    wait_judged(empty_window)
    assert "sim.csv" in header_texts(empty_window)[0]
    assert "40 rows" in header_texts(empty_window)[1]


def test_that_the_dialog_says_beside_the_field_what_is_wrong(empty_window, pair, tmp_path):
    hands.press(empty_window, "Open pair")
    dialog = dialog_of(OpenPairDialog)
    hands.press(dialog, "Open")
    assert "at least one file" in dialog.wrong.text()
    hands.type_text(dialog.sides["sim"].path, str(tmp_path / "nowhere.csv"))
    hands.press(dialog, "Open")
    assert "There is no file" in dialog.sides["sim"].wrong.text()
    assert dialog.isVisible()
    hands.press(dialog, "Cancel")
    assert empty_window.model.session is None


def test_that_the_dialog_looks_beside_the_other_file_and_forgets_what_was_wrong(
    empty_window, pair, monkeypatch
):
    asked = []
    monkeypatch.setattr(
        pick_file, "open_file", lambda *_, folder="": asked.append(folder) or pair[len(asked) - 1]
    )
    hands.press(empty_window, "Open pair")
    dialog = dialog_of(OpenPairDialog)
    hands.press(dialog, "Open")
    assert dialog.wrong.isVisible()
    for side in ("sim", "target"):
        dialog.sides[side].browse.click()
    assert not dialog.wrong.isVisible()
    assert asked == ["", str(pair[0].parent)]
    hands.press(dialog, "Cancel")


def test_that_two_dropped_files_open_as_a_pair_whatever_their_order(empty_window, pair):
    drop(empty_window, pair[1], pair[0])
    wait_judged(empty_window)
    assert "sim.csv" in header_texts(empty_window)[0]
    assert "target.csv" in header_texts(empty_window)[1]


def test_that_files_dropped_one_by_one_on_the_start_page_become_a_pair(empty_window, pair):
    targets = empty_window.parts.start.targets
    drop(targets["target"], pair[1])
    assert targets["target"].text.text() == "target.csv"
    drop(targets["sim"], pair[0])
    wait_judged(empty_window)
    assert empty_window.model.is_pair


def test_that_one_trace_alone_shows_curves_and_says_what_the_checks_need(empty_window, pair):
    drop(empty_window, pair[0])
    hands.press(empty_window, "Look at this trace alone")
    wait_open(empty_window)
    hands.settle()
    assert "no trace open" in header_texts(empty_window)[1]
    assert empty_window.view.shown
    card = empty_window.parts.checks.cards[0]
    assert "needs the other trace" in [label.text() for label in card.findChildren(QLabel)]


def test_that_the_second_file_completes_a_lone_trace(empty_window, pair):
    drop(empty_window, pair[0])
    hands.press(empty_window, "Look at this trace alone")
    wait_open(empty_window)
    drop(empty_window, pair[1])
    hands.press(empty_window, "As target trace")
    hands.wait_for(lambda: empty_window.model.is_pair, "the pair")
    wait_judged(empty_window)
    assert len(empty_window.model.open_session.results) == len(all_checks())


def test_that_a_sample_of_the_gallery_opens_by_its_link(empty_window):
    hands.press(empty_window, "The same system twice")
    wait_judged(empty_window)
    assert empty_window.model.open_session.sim.path.endswith("healthy/sim.h5")


def test_that_arguments_open_a_pair_in_a_fresh_process(pair, tmp_path):
    code = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from tracescope.ui import app\n"
        "made = app.make_application\n"
        "def watched(arguments):\n"
        "    application = made(arguments)\n"
        "    timer = QTimer(application, interval=20)\n"
        "    def look():\n"
        "        for w in QApplication.topLevelWidgets():\n"
        "            s = getattr(getattr(w, 'model', None), 'session', None)\n"
        "            if s is not None and not s.stale:\n"
        "                print(len(s.results), w.windowTitle()); w.close()\n"
        "    timer.timeout.connect(look); timer.start()\n"
        "    return application\n"
        "app.make_application = watched\n"
        "from tracescope.cli.main import main\n"
        f"sys.exit(main({[str(p) for p in pair]!r}))\n"
    )
    env = {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_STATE_HOME": str(tmp_path / "s"),
        "HOME": str(tmp_path),
    }
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env=env,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "sim.csv and target.csv — tracescope" in run.stdout


def broken_files(folder: Path) -> dict[str, Path]:
    whole = (samples() / "healthy" / "target.h5").read_bytes()
    files = {
        "truncated": (folder / "cut.h5", whole[: int(len(whole) * 0.6)]),
        "text": (folder / "text.h5", b"step,timestamp\n0,0.0\n"),
        "empty": (folder / "empty.csv", b""),
    }
    for path, content in files.values():
        path.write_bytes(content)
    return {name: path for name, (path, _) in files.items()} | {"missing": folder / "gone.csv"}


@pytest.mark.parametrize("kind", ["truncated", "empty", "missing"])
def test_that_a_broken_file_gets_a_red_bar_with_place_and_remedy(
    empty_window, pair, tmp_path, kind
):
    path = broken_files(tmp_path)[kind]
    drop(empty_window, pair[0], path)
    hands.wait_for(lambda: bool(empty_window.notices.standing), "the bar")
    (bar,) = bars(empty_window)
    assert bar.startswith("error: This could not be read")
    assert path.name in bar
    assert "→" in bar, "says what to do"
    assert empty_window.parts.start.isVisible(), "the old view stays"


def test_that_a_text_that_is_no_table_is_read_otherwise_from_its_bar(empty_window, pair, tmp_path):
    odd = tmp_path / "sim_odd.csv"
    rows = ["timestamp~q", *(f"{0.05 * row:.2f}~{row % 7}.5" for row in range(40))]
    odd.write_text("\n".join(rows), "utf-8")
    drop(empty_window, odd, pair[1])
    hands.wait_for(lambda: bool(bars(empty_window)), "the bar")
    hands.press(empty_window, "How sim_odd.csv is read…")
    dialog = dialog_of(ImportDialog)
    hands.wait_for(lambda: "name its delimiter" in dialog.wrong.text(), "the reason")
    assert dialog.lines.isVisible(), "the first lines help to see why"
    field = dialog.fields.delimiter
    field.setFocus()
    field.lineEdit().selectAll()
    hands.type_text(field.lineEdit(), "~")
    hands.wait_for(lambda: "40 rows" in dialog.summary.text(), "the preview")
    assert dialog.fields.time.findData("timestamp") > 0, "its columns can be chosen now"
    hands.press(dialog, "OK")
    wait_judged(empty_window)
    session = empty_window.model.open_session
    assert session.sim.choices.csv.delimiter == "~"
    assert session.target.path == str(pair[1])
    assert not bars(empty_window)


def test_that_two_characters_are_no_delimiter(window):
    window.actions_table["import-sim"].trigger()
    dialog = dialog_of(ImportDialog)
    edit = dialog.fields.delimiter.lineEdit()
    edit.selectAll()
    hands.type_text(edit, "~~")
    hands.press(dialog, "OK")
    assert "one character" in dialog.wrong.text()
    assert dialog.isVisible()
    dialog.reject()


def test_that_what_no_delimiter_mends_leads_to_other_files(empty_window, pair, tmp_path):
    page = tmp_path / "sim.h5"
    page.write_text("<html><body>404</body></html>", "utf-8")
    drop(empty_window, page, pair[1])
    hands.wait_for(lambda: bool(bars(empty_window)), "the bar")
    hands.press(empty_window, "Other files…")
    dialog = dialog_of(OpenPairDialog)
    assert dialog.isVisible()
    dialog.reject()


def test_that_an_error_keeps_the_pair_that_was_open(window, tmp_path):
    before = window.model.open_session
    drop(window, tmp_path / "gone.h5", tmp_path / "gone.csv")
    hands.wait_for(lambda: bool(window.notices.standing), "the bar")
    assert window.model.open_session is before


@pytest.mark.parametrize(
    ("path", "side"),
    [
        ("a/sim.csv", "sim"),
        ("a/target.csv", "target"),
        ("real/log.h5", "target"),
        ("mujoco/run.h5", "sim"),
        ("a/b.csv", None),
    ],
)
def test_that_a_side_is_guessed_from_names_only_where_one_speaks(path, side):
    assert side_by_name(path) == side


def test_that_nameless_files_keep_the_order_in_which_they_came():
    assert sorted_sides("x/a.csv", "x/b.csv") == ("x/a.csv", "x/b.csv")
    assert sorted_sides("x/real.csv", "x/b.csv") == ("x/b.csv", "x/real.csv")
