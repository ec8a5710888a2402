"""The dialect of a text table from its own content: delimiter, decimal mark, header, comments.

The operating system's locale is never asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from tracescope.readers.base import CsvChoices
from tracescope.readers.cells import is_vector, kind, number
from tracescope.readers.csv_header import Header, find_header
from tracescope.readers.csv_lines import WHITESPACE, Row, comments_out, split_rows

_DELIMITERS = (",", ";", "\t", "|", WHITESPACE, ":")
_DATA_ROWS = 200


AS_DETECTED = CsvChoices()


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    Attributes:
        delimiter: One character; ``" "`` is any run of blanks.
        decimal: ``.`` or ``,``.
        sure: Whether no other delimiter fits about as well.
        header: Names, and where the data begin.
    """

    delimiter: str
    decimal: Literal[".", ","]
    sure: bool
    header: Header


def detected_dialect(text: str, choices: CsvChoices = AS_DETECTED) -> Dialect | None:
    """Tell the dialect of a sample of whole lines; ``None`` where it is no table of numbers at all."""
    comments, body = comments_out(text)
    best: tuple[float, str, list[Row], Literal[".", ","]] | None = None
    scores = []
    for delimiter in (choices.delimiter,) if choices.delimiter else _DELIMITERS:
        rows = split_rows(body, delimiter)
        decimal = choices.decimal or _decimal(rows, delimiter)
        score = _score(rows, decimal)
        scores.append(score)
        if rows and (best is None or score > best[0] * 1.02):
            best = (score, delimiter, rows, decimal)
    if best is None:
        return None
    score, delimiter, rows, decimal = best
    rivals = sorted(scores, reverse=True)[1:]
    sure = bool(choices.delimiter) or not rivals or rivals[0] < 0.9 * score
    header = find_header(rows, comments, delimiter, decimal, choices)
    return Dialect(delimiter, decimal, sure, header)


def _decimal(rows: list[Row], delimiter: str) -> Literal[".", ","]:
    """Tell the decimal mark from cells that hold exactly one of both marks between digits."""
    comma = point = 0
    for row in rows[:_DATA_ROWS]:
        for cell in row.cells:
            text = cell.strip()
            if "," in text and not is_vector(text) and number(text, ",") is not None:
                comma += 1
            elif "." in text and number(text, ".") is not None:
                point += 1
    del delimiter
    return "," if comma > point else "."


def _score(rows: list[Row], decimal: str) -> float:
    """Rate a way of cutting: rows of equal width, cells that are numbers to their end."""
    if not rows:
        return 0.0
    counts = Counter(len(row.cells) for row in rows)
    width, regular = max(counts.items(), key=lambda item: (item[1], item[0]))
    sample = [row for row in rows if len(row.cells) == width][:_DATA_ROWS]
    cells = [cell for row in sample[-100:] for cell in row.cells[:200]]
    kinds = Counter(kind(cell, decimal) for cell in cells)
    whole = (kinds["number"] + kinds["vector"]) / max(len(cells) - kinds["empty"], 1)
    score = (regular / len(rows)) * (0.15 + whole)
    if width == 1:
        score *= 0.35
    return score * (1.0 + 0.02 * min(width, 5))
