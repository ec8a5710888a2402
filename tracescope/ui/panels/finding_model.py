"""The findings of one heading as an item model: nothing but the values, so that no item outlives a list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from tracescope.model.finding import Finding, Inferred, Untested

FINDING = Qt.ItemDataRole.UserRole

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


def second_line(finding: Finding) -> str:
    """Return what stands under a finding's text: what would show it wrong, or what it would need."""
    if isinstance(finding, Inferred):
        text = f"Wrong if {finding.would_be_wrong_if}"
        if finding.not_told_apart:
            text += f"\nNot told apart from {', '.join(finding.not_told_apart)}"
        return text
    if isinstance(finding, Untested):
        return f"Needs {finding.would_need}"
    return ""


class FindingModel(QAbstractListModel):
    """Rows of findings, replaced as a whole; the session, not the model, takes edits in."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()

    def show(self, findings: Sequence[Finding]) -> None:
        """Hold these instead."""
        self.beginResetModel()
        self.findings = tuple(findings)
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return how many findings there are."""
        return 0 if parent.isValid() else len(self.findings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a finding, its text, or its text with what stands under it."""
        if not 0 <= index.row() < len(self.findings):
            return None
        finding = self.findings[index.row()]
        if role == FINDING:
            return finding
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{finding.text}. {second_line(finding)}"
        return finding.text if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let every finding be edited in place."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable
