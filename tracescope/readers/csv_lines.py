"""Lines of a text table: rows of cells, and comments."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

WHITESPACE = " "
"""Delimiter value that stands for any run of spaces and tabs."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line (or several, where a quoted cell wraps): ``line`` counts from 1."""

    line: int
    cells: tuple[str, ...]


def is_comment(line: str) -> bool:
    """Whether a line is a comment."""
    start = line.lstrip(" \t\"'\ufeff")[:2]
    return start.startswith(("#", "%")) or start == "//"


def split_rows(text: str, delimiter: str, first_line: int = 1) -> list[Row]:
    """Cut text into rows of cells; quotes as in RFC 4180, blank lines left out."""
    rows: list[Row] = []
    if delimiter == WHITESPACE:
        text = re.sub(r"[ \t]+", " ", text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    line = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return rows
        except csv.Error:  # a field beyond csv's limit: such a line is no row of a table
            line = reader.line_num
            continue
        started, line = line + 1, reader.line_num
        if delimiter == WHITESPACE:
            cells = without_blank_ends(cells)
        if cells and any(cell.strip() for cell in cells):
            rows.append(Row(first_line + started - 1, tuple(cells)))


def without_blank_ends(cells: list[str]) -> list[str]:
    """Take off the empty cells that blanks at the ends of a line make."""
    begin = 1 if cells and not cells[0] else 0
    end = len(cells) - 1 if len(cells) > 1 and not cells[-1] else len(cells)
    return cells[begin:end]


def comments_out(text: str) -> tuple[list[tuple[int, str]], str]:
    """Blank comment lines, so that line numbers stay; return them with their numbers."""
    if "#" not in text and "%" not in text and "//" not in text:
        return [], text
    comments = []
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if is_comment(line):
            comments.append((i + 1, line.lstrip(" \t\"'").lstrip("#%/").strip()))
            lines[i] = ""
    return comments, "\n".join(lines)
