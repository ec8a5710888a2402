"""How the window looks at the moment: theme, icons in its colours, and the sign that both changed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSize, QTemporaryDir, Signal
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from tracescope.resources_path import resources
from tracescope.ui.theme import Theme, ThemeChoice, apply_theme, theme_for


class Icons:
    """The icon set of ``resources/icons`` (drawn in ``currentColor``), recoloured on demand."""

    def __init__(self) -> None:
        self._folder = QTemporaryDir()
        self._made: dict[tuple[str, str, str], QIcon] = {}

    def folder(self, theme: Theme) -> Path:
        """Return a folder holding every icon in the theme's text colour, for style sheets."""
        folder = Path(self._folder.path()) / theme.name
        if not folder.exists():
            folder.mkdir(parents=True)
            for source in (resources() / "icons").glob("*.svg"):
                self._recoloured(source, folder / source.name, theme.text)
        return folder

    def icon(self, name: str, colour: str, disabled: str) -> QIcon:
        """Return one icon in one colour, in another while disabled; it stays sharp at every scaling."""
        wanted = (name, colour, disabled)
        if wanted not in self._made:
            icon = QIcon(str(self._file(name, colour)))
            size = icon.actualSize(QSize(16, 16))
            icon.addFile(str(self._file(name, disabled)), size, QIcon.Mode.Disabled)
            self._made[wanted] = icon
        return self._made[wanted]

    def _file(self, name: str, colour: str) -> Path:
        path = Path(self._folder.path()) / f"{name}-{colour.removeprefix('#')}.svg"
        if not path.exists():
            self._recoloured(resources() / "icons" / f"{name}.svg", path, colour)
        return path

    @staticmethod
    def _recoloured(source: Path, to: Path, colour: str) -> None:
        drawn = source.read_text(encoding="utf-8").replace("currentColor", colour)
        to.write_text(drawn, encoding="utf-8")


class Look(QObject):
    """The theme in force. Widgets that paint or carry icons follow ``changed``."""

    changed = Signal()

    def __init__(self, choice: ThemeChoice, *, demo: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = Icons()
        self._base_font = QApplication.font()
        self.choice: ThemeChoice = choice
        self.demo = demo
        self.theme = theme_for(choice, demo=demo)
        self._apply()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._scheme_changed)

    def icon(self, name: str, colour: str = "") -> QIcon:
        """Return an icon, in the colour of text where none is given."""
        return self._icons.icon(name, colour or self.theme.text, self.theme.disabled)

    def choose(self, choice: ThemeChoice, *, demo: bool) -> None:
        """Change theme or demo mode for every widget and icon."""
        self.choice, self.demo = choice, demo
        theme = theme_for(choice, demo=demo)
        if theme != self.theme:
            self.theme = theme
            self._apply()
            self.changed.emit()

    def _scheme_changed(self) -> None:
        self.choose(self.choice, demo=self.demo)

    def _apply(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_theme(app, self.theme, self._base_font, self._icons.folder(self.theme))
