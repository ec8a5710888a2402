"""The user guide's pages, from Markdown to what a text browser shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tracescope.resources_path import resources
from tracescope.ui.theme import Theme

if TYPE_CHECKING:
    from markdown_it.token import Token

INDEX = "index.md"
CHECKS = "checks.md"
LISTED = re.compile(r"^\d+\. \[([^\]]+)\]\(([\w-]+\.md)\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its file's name, what lists call it, and its Markdown."""

    file: str
    title: str
    text: str


@cache
def guide_pages(folder: Path | None = None) -> tuple[Page, ...]:
    """Return the index, then the pages in the order in which it lists them."""
    home = folder or resources() / "guide"
    index = (home / INDEX).read_text(encoding="utf-8")
    pages = [Page(INDEX, "Contents", index)]
    for title, file in LISTED.findall(index):
        pages.append(Page(file, title, (home / file).read_text(encoding="utf-8")))
    return tuple(pages)


def slug(heading: str) -> str:
    """Return the anchor of a heading, as web pages of Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def check_anchor(number: int) -> str:
    """Return the anchor of what the page of checks says about the check of this number; ``""`` for none."""
    page = next((page for page in guide_pages() if page.file == CHECKS), None)
    headings = re.findall(rf"^## ({number} · .+)$", "" if page is None else page.text, re.MULTILINE)
    return slug(headings[0]) if headings else ""


def page_html(page: Page) -> str:
    """Return a page as HTML, each heading with its anchor."""
    from markdown_it import MarkdownIt

    # The pages are our own: their comments may pass as they are.
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(page.text)
    body = str(reader.renderer.render(tokens, reader.options, {}))
    body = re.sub(r"\s+</code></pre>", "</code></pre>", body)
    for heading in _headings(tokens):
        marked = f'<a name="{slug(heading)}"></a>'
        body = re.sub(r"(<h\d>)(?!<a name)", rf"\1{marked}", body, count=1)
    return body


def _headings(tokens: list[Token]) -> list[str]:
    return [
        following.content for token, following in pairwise(tokens) if token.type == "heading_open"
    ]


def page_style(theme: Theme) -> str:
    """Return the style of a page in a theme's colours."""
    return f"""
        body {{ color: {theme.text}; }}
        h1 {{ font-size: x-large; font-weight: 600; margin-bottom: 10px; }}
        h2 {{ font-size: large; font-weight: 600; margin-top: 20px; margin-bottom: 6px; }}
        h3 {{ font-size: medium; font-weight: 600; margin-top: 14px; margin-bottom: 4px; }}
        p, li {{ line-height: 128%; }}
        a {{ color: {theme.link}; text-decoration: none; }}
        code {{ background-color: {theme.hover}; }}
        pre {{ background-color: {theme.hover}; margin: 8px 0px; white-space: pre-wrap; }}
        th {{ font-weight: 600; text-align: left; background-color: {theme.hover}; padding: 4px 8px; }}
        td {{ padding: 4px 8px; }}
        table {{ border-collapse: collapse; border: 1px solid {theme.border}; margin: 8px 0px; }}
    """
