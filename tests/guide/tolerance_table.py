"""The tables of the guide's page on tolerances, made from the declarations.

``python -m tests.guide.tolerance_table`` renews the page between its marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracescope.checks.probing_budgets import BUDGETS
from tracescope.checks.registry import BUILT_IN
from tracescope.findings.numbers import band_text
from tracescope.model.tolerance import Tolerance
from tracescope.resources_path import resources

PAGE = resources() / "guide" / "tolerances.md"
BEGIN, END = "<!-- made by tests/guide/tolerance_table.py -->", "<!-- end -->"


def rows(tolerances: Sequence[Tolerance]) -> list[str]:
    """Return one row a tolerance: key, default, reason."""
    return [f"| `{t.key}` | {band_text(t.band, t.unit)} | {t.why} |" for t in tolerances]


def tables() -> str:
    """Return every check's table, then the budgets of probing."""
    head = ["| key | default | because |", "|---|---|---|"]
    parts = [
        "\n".join([f"### {check.title}", "", *head, *rows(check.tolerances)])
        for check in BUILT_IN
        if check.tolerances
    ]
    parts.append("\n".join(["### Probing budgets", "", *head, *rows(BUDGETS)]))
    return "\n\n".join(parts)


def renewed(text: str) -> str:
    """Return the page with its tables as declared now."""
    made = f"{BEGIN}\n\n{tables()}\n\n{END}"
    return re.sub(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: made, text, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), encoding="utf-8")
