"""The dialect of a text table from its own content: delimiter, decimal mark, header, comments.

The operating system's locale is never asked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from tracescope.readers.base import CsvChoices
from tracescope.readers.cells import is_vector, kinds, number
from tracescope.readers.csv_header import Header, find_header
from tracescope.readers.csv_lines import WHITESPACE, Row, comments_out, split_rows

_DELIMITERS = (",", ";", "\t", "|", WHITESPACE, ":")
PROSE = 0.2
"""Text that scores less is no table of numbers."""

_COLON = 0.6
"""What a colon is worth as a delimiter: it mostly stands inside times of day."""

_DATA_ROWS = 200
_DATA_CELLS = 200


AS_DETECTED = CsvChoices()


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    Attributes:
        delimiter: One character; ``" "`` is any run of blanks.
        decimal: ``.`` or ``,``.
        sure: Whether no other delimiter fits about as well.
        header: Names, and where the data begin.
        score: How much like a table of numbers it looks, about 0.05 for prose and 1.2 for numbers.
    """

    delimiter: str
    decimal: Literal[".", ","]
    sure: bool
    header: Header
    score: float


def detected_dialect(text: str, choices: CsvChoices = AS_DETECTED) -> Dialect | None:
    """Tell the dialect of a sample of whole lines; ``None`` where it is no table of numbers at all."""
    comments, body = comments_out(text)
    best: tuple[float, str, list[Row], Literal[".", ","]] | None = None
    scores = []
    for delimiter in (choices.delimiter,) if choices.delimiter else _worth_trying(body):
        rows = split_rows(body, delimiter)
        decimal = choices.decimal or _decimal(rows, delimiter)
        score = _score(rows, decimal) * (_COLON if delimiter == ":" else 1.0)
        scores.append(score)
        if rows and (best is None or score > best[0] * 1.02):
            best = (score, delimiter, rows, decimal)
    if best is None:
        return None
    score, delimiter, rows, decimal = best
    rivals = sorted(scores, reverse=True)[1:]
    single = max(len(row.cells) for row in rows) == 1
    sure = bool(choices.delimiter) or single or not rivals or rivals[0] < 0.9 * score
    header = find_header(rows, comments, delimiter, decimal, choices)
    return Dialect(delimiter, decimal, sure, header, score)


def _worth_trying(body: str) -> list[str]:
    """Return the delimiters that occur; of those that do not, which all leave lines whole, the first."""
    found, tried = [], False
    for delimiter in _DELIMITERS:
        occurs = delimiter in body or (delimiter == WHITESPACE and "\t" in body)
        if occurs or not tried:
            found.append(delimiter)
            tried = tried or not occurs
    return found


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
    """Rate a way of cutting: rows of equal width, cells that are numbers to their end.

    Lines before the first row of numbers (a preamble, names) hardly count.
    """
    shares = [_number_share(row, decimal) for row in rows[:_DATA_ROWS]]
    weight: Counter[int] = Counter()
    for row, share in zip(rows, shares, strict=False):
        weight[len(row.cells)] += 1 + round(100 * share)
    if not weight:
        return 0.0
    width = max(weight, key=lambda w: (weight[w], w))
    fits = [len(row.cells) == width for row in rows[: len(shares)]]
    first = next((i for i, share in enumerate(shares) if fits[i] and share > 0.5), 0)
    body = [share for share, fit in zip(shares[first:], fits[first:], strict=True) if fit]
    regular = len(body) / (len(shares) - first)
    score = regular * (0.15 + sum(body) / max(len(body), 1)) * (0.8 + 0.2 * len(body) / len(shares))
    if width == 1:
        score *= 0.35
    return score * (1.0 + 0.02 * min(width, 5))


def _number_share(row: Row, decimal: str) -> float:
    found = Counter(kinds(row.cells[:_DATA_CELLS], decimal))
    filled = min(len(row.cells), _DATA_CELLS) - found["empty"]
    return (found["number"] + found["vector"] + found["date"]) / filled if filled else 0.0
