"""Colours can be read, states are never told by colour alone, and a theme reaches everything."""

from __future__ import annotations

from dataclasses import fields

import pytest
from PySide6.QtGui import QColor

from tracescope.model.check import State
from tracescope.resources_path import resources
from tracescope.ui.panels.parts import Badge
from tracescope.ui.theme import DARK, LIGHT, Theme, contrast, style_sheet

WORDS_ON = [
    *(
        (ink, ground)
        for ink in ("text", "muted", "link")
        for ground in ("window", "panel", "raised")
    ),
    *(("text", g) for g in ("hover", "pressed", "note_info", "note_repair", "note_error", "band")),
    *(("link", g) for g in ("note_info", "note_repair", "note_error", "hover")),
    *(("text", g) for g in ("sim_fill", "target_fill", "background")),
    *(
        (f"{t}_text", g)
        for t in ("sim", "target", "residual")
        for g in ("raised", "background", "window")
    ),
    *((s, "raised") for s in ("passed", "failed", "inconclusive", "repair", "danger")),
    *((s, "window") for s in ("repair", "danger")),
    *(("on_state", s) for s in ("passed", "failed", "inconclusive")),
    ("on_accent", "accent"),
    ("on_selection", "selection"),
    ("axis_text", "background"),
]
CURVES = [(c, "background") for c in ("sim", "target", "residual", "cursor", "axis")]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("ink", "ground"), WORDS_ON)
def test_that_words_stand_out_at_least_four_and_a_half_to_one(theme: Theme, ink: str, ground: str):
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("ink", "ground"), CURVES)
def test_that_curves_stand_out_at_least_three_to_one(theme: Theme, ink: str, ground: str):
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 3


def test_that_the_table_names_every_colour_that_words_are_written_in():
    inks = {ink for ink, _ in WORDS_ON}
    drawn = {ink for ink, _ in CURVES}
    grounds = {ground for _, ground in (*WORDS_ON, *CURVES)}
    lines = {"border", "focus", "grid", "hatch", "evidence", "residual_fill"}
    unsaid = {"name", "line_width", "font_scale", "disabled"}  # what cannot be used is exempt
    assert {field.name for field in fields(Theme)} <= inks | drawn | grounds | lines | unsaid


def test_that_contrast_knows_black_on_white():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_that_no_state_has_the_colour_of_a_trace(theme: Theme):
    states = {theme.state(state).lower() for state in State}
    traces = {theme.sim.lower(), theme.target.lower(), theme.residual.lower()}
    assert len(states) == 3
    assert not states & traces


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_that_the_style_sheet_is_filled_to_the_last_name(theme: Theme):
    filled = style_sheet(theme, resources() / "icons")
    assert "@" not in filled
    names = {field.name for field in fields(Theme)}
    import re

    raw = (resources() / "style" / "window.qss").read_text("utf-8")
    assert set(re.findall(r"@([a-z_]+)@", raw)) <= names | {"icons", "big_px"}


def test_that_no_other_module_of_the_window_names_a_colour():
    import re
    from pathlib import Path

    import tracescope.ui

    root = Path(tracescope.ui.__file__).parent
    named = [
        f"{path.relative_to(root)}: {found.group()}"
        for path in root.rglob("*.py")
        if path.name != "theme.py"
        for found in re.finditer(
            r"#[0-9a-fA-F]{6}\b|Qt\.GlobalColor|QColor\(\d", path.read_text("utf-8")
        )
    ]
    assert not named


def test_that_a_badge_says_its_state_in_a_word_and_a_sign(qtbot, look):
    badge = Badge(look)
    qtbot.addWidget(badge)
    for state, word in (
        (State.PASS, "PASS"),
        (State.FAIL, "FAIL"),
        (State.INCONCLUSIVE, "INCONCLUSIVE"),
    ):
        badge.show_state(state)
        badge.resize(badge.sizeHint())
        assert badge.text() == word
        assert badge.accessibleName() == word.lower()
        image = badge.grab().toImage()
        assert image.pixelColor(4, image.height() // 2) == QColor(look.theme.state(state))


def test_that_the_dark_theme_reaches_every_part_and_back(window):
    window.actions_table["theme-dark"].trigger()
    grounds = [
        part.grab().toImage().pixelColor(3, part.height() - 3).lightness()
        for part in (window.parts.signals, window.parts.checks, window.parts.findings, window)
    ]
    assert max(grounds) < 80
    assert window.look.icon("open").pixmap(16, 16).toImage().pixelColor(2, 8).lightness() > 120
    window.actions_table["theme-light"].trigger()
    assert window.parts.signals.grab().toImage().pixelColor(3, 3).lightness() > 200
    assert window.settings.theme == "light"


def test_that_demo_mode_enlarges_the_type(window):
    before = window.parts.status.state.font().pointSizeF()
    window.actions_table["demo-mode"].trigger()
    assert window.parts.status.state.font().pointSizeF() == pytest.approx(1.35 * before, rel=0.05)
    assert window.look.theme.line_width == 2
    window.actions_table["demo-mode"].trigger()
    assert window.parts.status.state.font().pointSizeF() == pytest.approx(before)
