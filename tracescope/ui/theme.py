"""Every colour of the window, once: light and dark values, the palette and the style sheet made of them.

A widget that paints is given a :class:`Theme` in its constructor and has ``set_theme(theme)``, which the
window calls when the person or the desktop changes it. No other module names a colour.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from tracescope.model.check import State
from tracescope.resources_path import resources

BIG_PX = 21
"""The start page's title, at scale 1."""

ThemeChoice = Literal["system", "light", "dark"]


@dataclass(frozen=True, slots=True)
class Theme:
    """Named colours (``#rrggbb``) and the two scales of the demo mode.

    Attributes:
        name: ``light`` or ``dark``.
        window, panel, raised: Behind everything, behind a dock's content, behind cards and fields.
        text, muted, disabled: Words, secondary words, words of what cannot be used now.
        border, hover, pressed: Lines and the two tints of controls.
        accent, on_accent, link: The one strong control, its words, and what can be clicked as text.
        selection, on_selection, focus: Selected rows, their words, the ring around the focused control.
        background, grid, axis, axis_text, cursor: The panes.
        sim, target, residual: The three traces as curves; ``…_fill`` for bars and lanes, ``…_text`` for
            numbers and words (dark enough to read).
        evidence, band: Span of evidence in a pane (drawn at most at 15 %), tolerance band in a card.
        hatch: Lines over gaps, clipped spans and where the other trace has no counterpart.
        passed, failed, inconclusive, on_state: States, and the words on their badges.
        note_info, note_repair, note_error: Backgrounds of the notices bars; ``text`` stands on them.
        repair, danger: Words and icons that warn, on panel and window.
        line_width: Width of curves, pixels.
        font_scale: Factor on the system font.
    """

    name: Literal["light", "dark"]
    window: str
    panel: str
    raised: str
    text: str
    muted: str
    disabled: str
    border: str
    hover: str
    pressed: str
    accent: str
    on_accent: str
    link: str
    selection: str
    on_selection: str
    focus: str
    background: str
    grid: str
    axis: str
    axis_text: str
    cursor: str
    sim: str
    sim_fill: str
    sim_text: str
    target: str
    target_fill: str
    target_text: str
    residual: str
    residual_fill: str
    residual_text: str
    evidence: str
    band: str
    hatch: str
    passed: str
    failed: str
    inconclusive: str
    on_state: str
    note_info: str
    note_repair: str
    note_error: str
    repair: str
    danger: str
    line_width: int = 1
    font_scale: float = 1.0

    @property
    def is_dark(self) -> bool:
        """Whether light words stand on a dark ground."""
        return self.name == "dark"

    def state(self, state: State) -> str:
        """Return the colour of a state: for its badge, dot and interval."""
        return {
            State.PASS: self.passed,
            State.FAIL: self.failed,
            State.INCONCLUSIVE: self.inconclusive,
        }[state]

    def for_projector(self) -> Theme:
        """Return the same colours with the larger type and thicker lines of the demo mode."""
        return replace(self, line_width=2, font_scale=1.35)

    def faded(self) -> Theme:
        """Return the same colours with paler curves: what they show is not the last word."""
        return replace(self, sim=mixed(self.sim, self.muted), target=mixed(self.target, self.muted))


def mixed(one: str, other: str, share: float = 0.55) -> str:
    """Return a colour between two, ``share`` of the way from the first to the other."""
    a, b = QColor(one), QColor(other)
    parts = zip((a.red(), a.green(), a.blue()), (b.red(), b.green(), b.blue()), strict=True)
    return QColor(*(round(x + share * (y - x)) for x, y in parts)).name()


LIGHT = Theme(
    name="light",
    window="#f5f7f9",
    panel="#f5f7f9",
    raised="#ffffff",
    text="#1f2933",
    muted="#5b6873",
    disabled="#8a949d",
    border="#d9dfe5",
    hover="#e9eef3",
    pressed="#dbe3ea",
    accent="#1f2933",
    on_accent="#ffffff",
    link="#00639c",
    selection="#d5e7f3",
    on_selection="#10202c",
    focus="#0072b2",
    background="#ffffff",
    grid="#e8ecf0",
    axis="#75818c",
    axis_text="#55626e",
    cursor="#1f2933",
    sim="#0072B2",
    sim_fill="#b9d8ea",
    sim_text="#00639c",
    target="#D55E00",
    target_fill="#f5d3bd",
    target_text="#a34700",
    residual="#7A3E9D",
    residual_fill="#e3d5ec",
    residual_text="#6f368f",
    evidence="#c1272d",
    band="#d2eadd",
    hatch="#6b7782",
    passed="#1a7a48",
    failed="#bf232a",
    inconclusive="#806200",
    on_state="#ffffff",
    note_info="#e2eef6",
    note_repair="#fbf0d0",
    note_error="#fbe0e0",
    repair="#7a5b00",
    danger="#b01f26",
)

DARK = Theme(
    name="dark",
    window="#171b20",
    panel="#171b20",
    raised="#20262c",
    text="#e6eaee",
    muted="#a4b0ba",
    disabled="#717c86",
    border="#363e47",
    hover="#2a3139",
    pressed="#343d46",
    accent="#d7e3ec",
    on_accent="#12171b",
    link="#7cc4ee",
    selection="#24465c",
    on_selection="#f2f7fa",
    focus="#56b4e9",
    background="#12161a",
    grid="#242b32",
    axis="#7f8b96",
    axis_text="#a7b2bc",
    cursor="#e6eaee",
    sim="#56B4E9",
    sim_fill="#1f4256",
    sim_text="#7cc4ee",
    target="#E69F00",
    target_fill="#57420f",
    target_text="#f0b232",
    residual="#C9A0DC",
    residual_fill="#41334a",
    residual_text="#d3b2e3",
    evidence="#ff7b73",
    band="#1f4b34",
    hatch="#8b96a0",
    passed="#58c98a",
    failed="#ff8780",
    inconclusive="#cdc78f",
    on_state="#10151a",
    note_info="#1d3544",
    note_repair="#3f3413",
    note_error="#4b2226",
    repair="#e6cf7a",
    danger="#ff9a93",
)


KINDS: dict[str, tuple[str, ...]] = {
    "light": (
        "#0072B2", "#C46A00", "#00795A", "#A8447E", "#5D4FB3", "#8A6D00", "#3C3C3C", "#1C8CA8",
    ),
    "dark": (
        "#56B4E9", "#F0A03C", "#43C59E", "#E48FC4", "#AEA3F5", "#DCC64E", "#D5DADF", "#63CBE3",
    ),
}  # fmt: skip
"""Colours of a campaign's kinds of failure, by theme; a shape stands beside each."""


def theme_for(choice: ThemeChoice, *, demo: bool = False) -> Theme:
    """Return the theme a person chose; ``system`` follows the desktop's colour scheme."""
    if choice == "system":
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    else:
        dark = choice == "dark"
    theme = DARK if dark else LIGHT
    return theme.for_projector() if demo else theme


def palette_of(theme: Theme) -> QPalette:
    """Return the palette for what the style sheet does not reach (menus of the platform, item views)."""
    role = QPalette.ColorRole
    palette = QPalette()
    for name, colour in (
        (role.Window, theme.window),
        (role.WindowText, theme.text),
        (role.Base, theme.raised),
        (role.AlternateBase, theme.hover),
        (role.Text, theme.text),
        (role.Button, theme.raised),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.danger),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.on_selection),
        (role.Link, theme.link),
        (role.LinkVisited, theme.link),
        (role.Mid, theme.border),
        (role.Dark, theme.axis),
        (role.Light, theme.hover),
    ):
        palette.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.disabled))
    return palette


def style_sheet(theme: Theme, icons: Path) -> str:
    """Fill the window's style sheet with the theme: ``@name@`` stands for a field of it."""
    text = (resources() / "style" / "window.qss").read_text(encoding="utf-8")
    for field in fields(theme):
        text = text.replace(f"@{field.name}@", str(getattr(theme, field.name)))
    text = text.replace("@big_px@", str(round(BIG_PX * theme.font_scale)))
    return text.replace("@icons@", icons.as_posix())


def apply_theme(app: QApplication, theme: Theme, base_font: QFont, icons: Path) -> None:
    """Lay a theme over the whole application; ``base_font`` is the system's font at scale 1.

    ``icons`` is a folder of icons in the theme's text colour.
    """
    font = QFont(base_font)
    font.setPointSizeF(base_font.pointSizeF() * theme.font_scale)
    app.setStyle("Fusion")
    app.setPalette(palette_of(theme))
    app.setFont(font)
    app.setStyleSheet(style_sheet(theme, icons))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    Source: WCAG 2.2, "relative luminance" and "contrast ratio".
    """
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
