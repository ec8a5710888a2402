"""The guide holds together: links, menus, layouts, checks and tolerances are those of the product."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence

from tests.guide.pages import GUIDE, PAGES, blocks, name_of, prose
from tests.guide.tolerance_table import PAGE, renewed
from tracescope.checks.registry import BUILT_IN
from tracescope.readers.registry import all_readers
from tracescope.resources_path import samples

EXAMPLES = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def headings(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_that_every_link_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)]+)\)", prose(page)):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        goal = page if not file else page.parent / file
        assert goal.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in {slug(h) for h in headings(goal)}, f"{page.name}: {link}"


def test_that_the_index_lists_every_page_once() -> None:
    listed = re.findall(r"\]\((\w[\w-]*\.md)\)", (GUIDE / "index.md").read_text("utf-8"))
    assert sorted(listed) == sorted(p.name for p in GUIDE.glob("*.md") if p.name != "index.md")


def test_that_each_page_begins_with_its_one_title() -> None:
    for page in GUIDE.glob("*.md"):
        titles = re.findall(r"^# (.+)$", prose(page), re.MULTILINE)
        assert len(titles) == 1, page.name
        assert page.read_text("utf-8").startswith(f"# {titles[0]}"), page.name


def test_that_python_examples_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried = 0
    for page in PAGES:
        code = "\n".join(block.body for block in blocks(page, "python"))
        if not code:
            continue
        example = doctest.DocTestParser().get_doctest(code, {}, name_of(page), str(page), 0)
        said: list[str] = []
        done = doctest.DocTestRunner(optionflags=EXAMPLES).run(example, out=said.append)
        assert done.failed == 0, "".join(said)
        tried += done.attempted
    assert tried >= 15


def test_that_the_apis_own_example_is_true() -> None:
    import tracescope.api

    done = doctest.testmod(tracescope.api)
    assert done.attempted >= 3
    assert done.failed == 0


def test_that_tolerances_are_listed_as_declared() -> None:
    text = PAGE.read_text("utf-8")
    assert renewed(text) == text, "renew it: python -m tests.guide.tolerance_table"


def test_that_every_layout_is_named() -> None:
    text = re.sub(r"\s+", " ", prose(GUIDE / "formats.md")).lower()
    words = {
        word.lower()
        for reader in all_readers()
        for word in re.findall(r"[A-Z][\w.]*\w|robomimic|robosuite", reader.title)
    } - {"text", "folder", "tracescope", "arrays", "recording", "trajectory"}
    assert sorted(word for word in words if word not in text) == []


def test_that_every_check_has_its_chapter_and_question() -> None:
    text = prose(GUIDE / "checks.md")
    for number, check in enumerate(BUILT_IN):
        chapter = re.search(rf"^## {number} · .*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
        assert chapter is not None, check.id
        assert check.question in chapter[0], check.id
        for heading in ("**Tells**", "**Cannot tell**"):
            assert heading in chapter[0], check.id


def test_that_samples_named_exist() -> None:
    text = prose(GUIDE / "checks.md")
    known = {truth.parent.name for truth in samples().glob("*/truth.toml")}
    named = set(re.findall(r"[Ss]amples?:?(?: pair)? ((?:`[\w-]+`(?:, )?)+)", text))
    every = {name for group in named for name in re.findall(r"`([\w-]+)`", group)}
    assert len(every) >= 8
    assert every <= known


def test_that_menu_entries_named_exist(empty_window) -> None:
    known: dict[str, list[str]] = {}
    for spec in empty_window.actions_table.specs:
        known.setdefault(spec.menu.partition("/")[0], []).append(spec.plain_text)
    named = 0
    for page in PAGES:
        for menu, rest in re.findall(rf"({'|'.join(known)}) › (.{{0,60}})", prose(page)):
            assert any(rest.startswith(entry) for entry in known[menu]), (
                f"{page.name}: {menu} › {rest}"
            )
            named += 1
    assert named >= 6


def test_that_keys_named_exist(empty_window) -> None:
    known = {
        QKeySequence(key).toString()
        for spec in empty_window.actions_table.specs
        for key in spec.keys
    }
    for page in PAGES:
        named = re.findall(r"\b((?:Ctrl|Alt)\+(?:Shift\+)?[A-Z]|F\d+)\b", prose(page))
        unknown = sorted({key for key in named if QKeySequence(key).toString() not in known})
        assert unknown == [], page.name
