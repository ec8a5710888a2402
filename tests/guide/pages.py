"""README and guide as their readers use them: commands to run, files to write, menus to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "resources" / "guide"
README = ROOT / "README.md"
PAGES = [README, *sorted(GUIDE.glob("*.md"))]

FENCE = re.compile(
    r"(?:<!-- not run: (?P<why>[^>]+?) -->\n)?^```(?P<language>\w+)\n(?P<body>.*?)^```",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A fenced block. ``why``: the reason that stands before it for not being run, or ``""``."""

    page: str
    language: str
    body: str
    why: str

    def lines(self) -> Iterator[str]:
        """Yield the commands of a block, without their comments."""
        for line in self.body.split("\n"):
            command = re.sub(r"(^|\s)#.*$", "", line).strip()
            if command:
                yield command


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[Block]:
    text = page.read_text("utf-8")
    return [
        Block(name_of(page), m["language"], m["body"], m["why"] or "")
        for m in FENCE.finditer(text)
        if m["language"] == language
    ]


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return FENCE.sub("", page.read_text("utf-8"))
