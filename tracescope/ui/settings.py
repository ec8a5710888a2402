"""What the window remembers between starts: geometry, theme, recent pairs. Plain text values only."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QByteArray, QSettings

from tracescope.ui.theme import ThemeChoice

RECENT_KEPT = 10


@dataclass(frozen=True, slots=True)
class RecentPair:
    """A pair (or a session file, as ``sim`` alone) that was open lately."""

    sim: str
    target: str = ""


class Settings:
    """A typed face of ``QSettings``."""

    def __init__(self) -> None:
        self._store = QSettings("tracescope", "tracescope")

    @property
    def theme(self) -> ThemeChoice:
        """The chosen theme; ``system`` where nothing valid is stored."""
        stored = str(self._store.value("theme", "system"))
        return stored if stored in ("light", "dark") else "system"  # type: ignore[return-value]

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("theme", choice)

    @property
    def author(self) -> str:
        """Who answered for the last note."""
        return str(self._store.value("author", ""))

    @author.setter
    def author(self, name: str) -> None:
        self._store.setValue("author", name)

    @property
    def recent(self) -> tuple[RecentPair, ...]:
        """Pairs lately open, newest first."""
        count = self._store.beginReadArray("recent")
        pairs = []
        for place in range(min(count, RECENT_KEPT)):
            self._store.setArrayIndex(place)
            sim = str(self._store.value("sim", ""))
            if sim:
                pairs.append(RecentPair(sim, str(self._store.value("target", ""))))
        self._store.endArray()
        return tuple(pairs)

    def remember(self, pair: RecentPair) -> None:
        """Put a pair on top of the recent ones."""
        pairs = [pair, *(p for p in self.recent if p != pair)][:RECENT_KEPT]
        self._store.beginWriteArray("recent", len(pairs))
        for place, kept in enumerate(pairs):
            self._store.setArrayIndex(place)
            self._store.setValue("sim", kept.sim)
            self._store.setValue("target", kept.target)
        self._store.endArray()

    def profile_for(self, shape: str) -> str:
        """Return the import profile remembered for files of this shape, or ``""``."""
        return str(self._store.value(f"profiles/{shape}", ""))

    def remember_profile(self, shape: str, path: str) -> None:
        """Remember an import profile for files of this shape."""
        self._store.setValue(f"profiles/{shape}", path)

    def load_bytes(self, key: str) -> QByteArray | None:
        """Return a stored window geometry or layout, or ``None``."""
        stored = self._store.value(key)
        return stored if isinstance(stored, QByteArray) else None

    def save_bytes(self, key: str, value: QByteArray) -> None:
        """Store a window geometry or layout."""
        self._store.setValue(key, value)

    def sync(self) -> None:
        """Write at once."""
        self._store.sync()
