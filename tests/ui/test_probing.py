"""Probing in the window: a span, a command, a response; measured on both traces against a budget."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel

from tests.ui import hands
from tests.ui.conftest import wait_judged
from tracescope.checks.probing import DEFAULTS, Probe, probe
from tracescope.session.result_file import result_json

Key = Qt.Key
COMMAND, RESPONSE = "action[0]", "obs[0]"
FIRST_S, LAST_S = 0.2, 1.8


@pytest.fixture
def panel(window):
    hands.key(window, Key.Key_5, hands.CTRL)
    found = window.parts.details.probing
    assert found.isVisible()
    return found


def write(field, text):
    field.setFocus()
    hands.key(field, Key.Key_A, hands.CTRL)
    hands.type_text(field.lineEdit() if hasattr(field, "lineEdit") else field, text)


def choose(panel, command=COMMAND, response=RESPONSE, span=("0.2", "1.8")):
    write(panel.form.command, command)
    write(panel.form.response, response)
    for field, text in zip((panel.form.first, panel.form.last), span, strict=True):
        field.selectAll()
        hands.type_text(field, text)


def wait_measured(window):
    hands.wait_for(lambda: bool(window.model.probed), "the probes", 30)
    hands.wait_for(lambda: not window.parts.details.probing.is_due, "the panel")


def said(panel) -> str:
    return "\n".join(w.text() for w in panel.findChildren(QLabel) if w.isVisible())


def test_that_a_probe_is_set_up_by_mouse_between_the_cursors_and_shown_as_a_card(window, panel):
    canvas = window.parts.traces.canvas
    frame, middle = canvas.frame(), canvas.panes[0].box.rect.center().y()
    for at_s, modifiers in ((FIRST_S, hands.NO), (LAST_S, hands.SHIFT)):
        hands.click(canvas, QPointF(frame.x(at_s), middle), modifiers)
    hands.click(panel.form.take_span, panel.form.take_span.rect().center())
    write(panel.form.command, COMMAND)
    write(panel.form.response, RESPONSE)
    box = panel.form.kinds["distribution"]
    hands.click(box, QPointF(8, box.height() / 2))
    assert box.isChecked()
    hands.click(panel.form.add, panel.form.add.rect().center())
    wait_measured(window)
    (asked,) = window.model.open_session.probes
    assert (asked.command, asked.response, asked.kinds) == (COMMAND, RESPONSE, ("distribution",))
    assert asked.span_s == pytest.approx((FIRST_S, LAST_S), abs=0.03)
    (result,) = window.model.probed
    upstream = {r.id: r for r in window.model.open_session.results}
    assert result == probe(window.model.case, asked, DEFAULTS, upstream)
    assert panel.card.isVisible()
    assert panel.card.badge.text().lower() == result.state.value
    assert result.reason in said(panel)
    assert set(panel.card.list.rows) == set(result.measurements)


def test_that_a_probe_is_set_up_by_keys_alone(window, panel):
    panel.form.command.setFocus()
    hands.key(window, Key.Key_A, hands.CTRL)
    for text in (COMMAND, RESPONSE, "0.2", "1.8"):
        field = window.focusWidget()
        if hasattr(field, "selectAll"):
            field.selectAll()
        hands.type_text(field, text)
        hands.key(window, Key.Key_Tab)
    while window.focusWidget() is not panel.form.kinds["latency"]:
        hands.key(window, Key.Key_Tab)
    hands.key(window, Key.Key_Space)
    while window.focusWidget() is not panel.form.add:
        hands.key(window, Key.Key_Backtab)
    hands.key(window, Key.Key_Space)
    wait_measured(window)
    (asked,) = window.model.open_session.probes
    assert asked == Probe(COMMAND, RESPONSE, (FIRST_S, LAST_S), ("latency",))


def test_that_it_is_undone_deleted_and_gone_to(window, panel):
    choose(panel)
    hands.press(window, "Probe")
    wait_measured(window)
    panel.table.setFocus()
    hands.key(window, Key.Key_Return)
    (evidence,) = window.view.evidence
    assert evidence.span_s == (FIRST_S, LAST_S)
    panel.table.setFocus()
    hands.key(window, Key.Key_Delete)
    assert window.model.open_session.probes == ()
    window.actions_table["undo"].trigger()
    assert len(window.model.open_session.probes) == 1
    window.actions_table["undo"].trigger()
    assert window.model.open_session.probes == ()
    hands.wait_for(lambda: not panel.is_due, "the panel")
    assert not panel.table.isVisible()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"span": ("1.8", "0.2")}, "begins before it ends"),
        ({"span": ("soon", "1.8")}, "start and end are seconds"),
        ({"response": "no such channel"}, "both sides need a channel"),
    ],
)
def test_that_what_is_no_probe_is_said_beside_the_fields(window, panel, fields, why):
    choose(panel, **fields)
    hands.press(window, "Probe")
    assert window.model.open_session.probes == ()
    assert panel.wrong.isVisible()
    assert why in panel.wrong.text()
    choose(panel)
    hands.press(window, "Probe")
    assert not panel.wrong.isVisible()


def test_that_budgets_are_saved_edited_loaded_and_undone(window, panel, picked, tmp_path):
    choose(panel)
    hands.press(window, "Probe")
    wait_measured(window)
    path = tmp_path / "budgets.toml"
    picked(path)
    hands.press(window, "Save budgets…")
    text = path.read_text("utf-8")
    path.write_text(text.replace("distribution = [0.0, 0.05]", "distribution = [0.0, 0.9]"))
    hands.press(window, "Budgets…")

    def band():
        (result,) = window.model.probed
        (distance,) = [m for m in result.measurements if m.tolerance_key.endswith("distribution")]
        return distance.tolerance

    hands.wait_for(lambda: band() == (0.0, 0.9), "the new budget")
    window.actions_table["undo"].trigger()
    hands.wait_for(lambda: band() == (0.0, 0.05), "the old budget")
    path.write_text("schema = 1\n[budgets]\nnonsense = [0, 1]\n", "utf-8")
    hands.press(window, "Budgets…")
    assert "nonsense" in panel.wrong.text()


def test_that_findings_note_and_saved_session_tell_of_it(window, panel, picked, tmp_path):
    choose(panel)
    hands.press(window, "Probe")
    wait_measured(window)
    column = window.parts.findings.columns["observed"].list
    hands.wait_for(
        lambda: any(f.id.startswith("probe-1") for f in column.findings()), "the finding"
    )
    told = json.loads(result_json(window.model.open_session))
    assert told["probes"][0]["reason"] == window.model.probed[0].reason
    before = window.model.probed
    picked(tmp_path / "probed.tracescope")
    hands.key(window, Key.Key_S, hands.CTRL)
    window.actions_table["close-pair"].trigger()
    window.actions_table["open-session"].trigger()
    wait_judged(window)
    wait_measured(window)
    assert repr(window.model.probed) == repr(before)


def test_that_a_probe_finding_is_edited_like_any_other(window, panel):
    choose(panel)
    hands.press(window, "Probe")
    wait_measured(window)
    window.parts.docks["findings"].raise_()
    column = window.parts.findings.columns["observed"].list
    hands.wait_for(
        lambda: any(f.id.startswith("probe-1") for f in column.findings()), "the finding"
    )
    place = next(i for i, f in enumerate(column.findings()) if f.id.startswith("probe-1"))
    hidden = column.findings()[place].id
    column.setCurrentRow(place)
    column.setFocus()
    hands.key(column, Key.Key_Delete)
    assert hidden not in [f.id for f in column.findings()]


def test_that_moving_the_target_measures_again(window, panel):
    choose(panel)
    hands.press(window, "Probe")
    wait_measured(window)
    before = window.model.probed
    window.model.align(window.model.open_session.alignment.by_hand(offset_s=0.5, step_shift=10))
    wait_judged(window)
    hands.wait_for(
        lambda: window.model.probed != before and bool(window.model.probed), "new numbers"
    )
    assert "the alignment is not established" in json.dumps(
        [m.blocked for m in window.model.probed[0].measurements]
    )
