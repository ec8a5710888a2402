"""Draw the application's icon in the sizes and formats that desktops ask for, from its SVG."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "resources" / "icons" / "tracescope.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def write_icons(to: Path) -> Path:
    """Write ``tracescope-SIZE.png``, ``tracescope.ico`` and ``tracescope.icns`` into a folder; return it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PIL import Image
    from PySide6.QtGui import QGuiApplication, QIcon

    app = QGuiApplication.instance() or QGuiApplication([])
    to.mkdir(parents=True, exist_ok=True)
    icon = QIcon(str(SOURCE))
    for size in SIZES:
        if not icon.pixmap(size, size).save(str(to / f"tracescope-{size}.png")):
            raise OSError(f"the icon of {size} pixels could not be written to {to}")
    app.processEvents()
    with Image.open(to / "tracescope-256.png") as largest:
        largest.save(to / "tracescope.ico", sizes=[(s, s) for s in SIZES if s <= 256])
    with Image.open(to / "tracescope-512.png") as largest:
        largest.save(to / "tracescope.icns")
    return to
