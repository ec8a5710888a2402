"""Tables of the dialogs at twice the type: every row holds its field, every cut name has its tooltip."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QComboBox

from tests.builders import case, exercise
from tests.ui import hands
from tracescope.ui.dialogs.correspondence import CorrespondenceDialog
from tracescope.ui.dialogs.import_table import ChannelTable


@pytest.fixture
def large_type(qapp):
    plain = QApplication.font()
    large = QApplication.font()
    large.setPointSizeF(2 * plain.pointSizeF())
    QApplication.setFont(large)
    yield
    QApplication.setFont(plain)


def cut_fields(table) -> list[str]:
    fields = table.findChildren(QComboBox)
    return [f.currentText() for f in fields if f.height() + 1 < f.minimumSizeHint().height()]


@pytest.mark.usefixtures("large_type")
def test_that_the_import_table_holds_large_type(qtbot):
    table = ChannelTable()
    qtbot.addWidget(table)
    table.resize(500, 300)
    table.show_trace(case(*exercise()).pair.sim)
    table.show()
    hands.settle()
    assert table.findChildren(QComboBox)
    assert cut_fields(table) == []
    name = table.item(0, 0)
    assert table.columnWidth(0) >= table.fontMetrics().horizontalAdvance(name.text())
    assert name.text() in name.toolTip()


@pytest.mark.usefixtures("large_type")
def test_that_the_correspondence_table_holds_large_type(window):
    dialog = CorrespondenceDialog(window.model.open_session, window)
    dialog.show()
    hands.settle()
    fields = dialog.table.findChildren(QComboBox)
    assert fields
    assert cut_fields(dialog.table) == []
    assert all(field.currentText() in field.toolTip() for field in fields)
    dialog.close()
