"""The ranked explanations: the order of the note, ties and doubt in words, and each a way to its card."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tests.ui.conftest import drop, wait_judged, wait_open
from tracescope.findings.observe import title_of
from tracescope.model.finding import Hypothesis
from tracescope.resources_path import samples
from tracescope.ui.look import Look
from tracescope.ui.main_window import MainWindow
from tracescope.ui.panels.explanations import ExplanationList

TIED = (
    Hypothesis("action", ("a[0]",), 0.4, 1, "The action is altered", not_told_apart=("timing",)),
    Hypothesis("timing", (), 0.35, 1, "It answers later", "one-step misfit", not_told_apart=("action",)),
    Hypothesis("termination", (), None, 3, "Another rule ends it"),
    Hypothesis("dynamics", ("obs[0]",), None, 4, "The plant differs", undecided=True),
    Hypothesis("reward", ("reward",), 0.1, 5, "It is paid differently", undecided=True),
)  # fmt: skip


def at(shown: ExplanationList, row: int) -> QModelIndex:
    return shown.model().index(row, 0)


def entries(shown: ExplanationList) -> list[str]:
    return [at(shown, row).data() for row in range(shown.model().rowCount())]


def in_card_of(window: MainWindow, check_id: str) -> bool:
    card = window.parts.checks.card_of(check_id)
    focus = QApplication.focusWidget()
    return card is not None and focus is not None and card.isAncestorOf(focus)


@pytest.fixture
def tied(qtbot, look: Look) -> ExplanationList:
    """A list of its own with ties, a family without a share, and undecided ones."""
    shown = ExplanationList(look)
    qtbot.addWidget(shown)
    shown.resize(900, 30)
    shown.show()
    shown.show_hypotheses(TIED)
    hands.settle()
    return shown


def test_that_explanations_stand_in_the_order_of_the_note(window):
    ranked = window.model.open_session.report.hypotheses
    assert len(ranked) > 1
    shown = window.parts.findings.explanations
    assert shown.isVisible()
    assert shown.hypotheses() == ranked
    for entry, one in zip(entries(shown), ranked, strict=True):
        assert entry.startswith(str(one.rank))
        assert title_of(one.family) in entry
    assert not window.parts.findings.no_explanation.isVisible()


def test_that_a_click_on_an_entry_goes_to_its_check(window):
    shown = window.parts.findings.explanations
    for row, one in reversed(list(enumerate(shown.hypotheses()))):
        hands.click(shown.viewport(), shown.visualRect(at(shown, row)).center())
        assert in_card_of(window, one.family), one.family


def test_that_arrows_and_enter_go_to_a_check_as_well(window):
    shown = window.parts.findings.explanations
    families = [one.family for one in shown.hypotheses()]
    shown.setFocus(Qt.FocusReason.TabFocusReason)
    hands.key(shown, Qt.Key.Key_Return)
    assert in_card_of(window, families[0])
    shown.setFocus(Qt.FocusReason.TabFocusReason)
    hands.key(shown, Qt.Key.Key_Right)
    hands.key(shown, Qt.Key.Key_Return)
    assert in_card_of(window, families[1])


def test_that_cards_that_were_put_away_come_back(window):
    window.parts.docks["checks"].close()
    shown = window.parts.findings.explanations
    hands.click(shown.viewport(), shown.visualRect(at(shown, 0)).center())
    assert window.parts.docks["checks"].isVisible()
    assert in_card_of(window, shown.hypotheses()[0].family)


def test_that_explanations_follow_when_checks_run_again(window):
    shown = window.parts.findings.explanations
    before = shown.hypotheses()
    window.commands.apply_pending()
    hands.wait_for(window.parts.findings.stale.isVisible, "the sign that checks run again")
    wait_judged(window)
    assert shown.hypotheses() == window.model.open_session.report.hypotheses
    assert shown.hypotheses() != before
    assert not window.parts.findings.stale.isVisible()


def test_that_nothing_moves_while_checks_run_again(window):
    columns = window.parts.findings.columns.values()
    before = [column.geometry() for column in columns]
    window.commands.apply_pending()
    hands.wait_for(window.parts.findings.stale.isVisible, "the sign that checks run again")
    assert [column.geometry() for column in columns] == before
    wait_judged(window)


def test_that_no_explanation_is_said_in_words(empty_window, tmp_path):
    paths = [Path(shutil.copy(p, tmp_path)) for p in (samples() / "healthy").glob("*.[ch]*")]
    drop(empty_window, *sorted(p for p in paths if p.stem in ("sim", "target")))
    findings = empty_window.parts.findings
    wait_open(empty_window)
    hands.settle()
    wait_judged(empty_window)
    assert empty_window.model.open_session.report.hypotheses == ()
    assert not findings.explanations.isVisible()
    assert findings.no_explanation.isVisible()
    assert "no check names one" in findings.no_explanation.text()
    assert "Nothing follows" in findings.columns["inferred"].list.accessibleDescription()


def test_that_one_trace_alone_says_what_is_missing(empty_window, pair):
    empty_window.commands.take_side("sim", str(pair[0]))
    empty_window.commands.open_waiting_alone()
    wait_open(empty_window)
    hands.settle()
    assert "need the other trace" in empty_window.parts.findings.no_explanation.text()


def test_that_ties_share_a_rank_and_doubt_is_said_in_words(tied):
    shown = entries(tied)
    assert [text.split("  ")[0] for text in shown] == ["1 =", "1 =", "3", "4", "5"]
    assert shown[0].endswith("removes 40 %")
    assert shown[1].endswith("removes 35 % of the one-step misfit")
    assert shown[2].endswith("no correction to try")
    assert shown[3].endswith("not decided")
    assert shown[4].endswith("not decided, removes 10 %")
    assert not any(verdict in " ".join(shown).lower() for verdict in ("fail", "pass", "total"))
    spoken = at(tied, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "shared with timing, which this pair does not tell apart" in spoken
    assert "a[0]" in spoken


@pytest.mark.parametrize("width", [180, 320, 620, 1500])
def test_that_every_entry_can_be_seen_at_any_width(tied, width):
    tied.resize(width, 30)
    hands.settle()
    reach = tied.viewport().rect()
    tops = set()
    for row in range(len(TIED)):
        tied.scrollTo(at(tied, row))
        box = tied.visualRect(at(tied, row))
        assert reach.contains(box), f"entry {row} at {width} px"
        tops.add(box.top() + tied.verticalScrollBar().value())
    if width == 1500:
        assert len(tops) == 1
