"""What one cell of a text table says: a number, a truth value, a vector, nothing, or words.

A cell is consumed to its end or it is not a number: nothing is ever cut off silently.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Number = int | float
Kind = Literal["number", "date", "missing", "empty", "bool", "vector", "broken", "word"]

MISSING = frozenset({
    "nan", "na", "n/a", "#n/a", "null", "none", "nil", "-", "--", "not_valid", "invalid", "<na>", "?",
    "-nan", "+nan", "-nan(ind)", "nan(ind)", "1.#qnan", "-1.#ind", "1.#ind", "1.#nan", "missing",
})  # fmt: skip
_INFINITE = {
    "inf": float("inf"), "+inf": float("inf"), "infinity": float("inf"), "+infinity": float("inf"),
    "-inf": float("-inf"), "-infinity": float("-inf"), "1.#inf": float("inf"), "-1.#inf": float("-inf"),
    "∞": float("inf"), "-∞": float("-inf"),
}  # fmt: skip
_TRUTH = {
    "true": True, "false": False, "yes": True, "no": False, "on": True, "off": False, "t": True,
    "f": False, "y": True, "n": False, "enabled": True, "disabled": False,
}  # fmt: skip

_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(?:\d+,?\d*|,\d+)(?:[eEdD][+-]?\d+)?")
_HEX = re.compile(r"[+-]?0[xX][0-9a-fA-F]+")
_BROKEN = re.compile(r"[+-]?[.,]?\d")
_NO_NUMBER = re.compile(r"[+-]?1\.#(?:ind|qnan|snan|j)0*")
"""Windows' NaN, however many digits were asked for: ``-1.#IND00``, ``1.#J``."""
_WRAPPED = re.compile(
    r"^(?:np\.|numpy\.|torch\.)?(?:array|tensor)\((.*?)(?:,\s*(?:dtype|device)=.*)?\)$", re.DOTALL
)
_DATE = re.compile(
    r"(?:\d{4}[-/]\d\d?[-/]\d\d?[ T])?\d\d?:\d\d(?::\d\d(?:[.,]\d{1,9})?)?"
    r"\s*(?:Z|UTC|[+-]\d\d:?\d\d)?"
)
_BRACKETS = str.maketrans("[](),;\n\t", "        ")


_SHORT = 1024
"""Longer cells are not remembered. Telling a dialect looks at the same cells again and again."""


def number(text: str, decimal: str = ".") -> Number | None:
    """Return the number that a whole cell is, or ``None``; missing spellings are no number."""
    return _known_number(text, decimal) if len(text) <= _SHORT else _number(text, decimal)


@lru_cache(maxsize=1 << 13)
def _known_number(text: str, decimal: str) -> Number | None:
    return _number(text, decimal)


def _number(text: str, decimal: str) -> Number | None:
    text = text.strip()
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 4000 else None
    pattern = _DECIMAL if decimal == "." else _COMMA
    if pattern.fullmatch(text):
        plain = text.replace(",", ".") if decimal == "," else text
        return float(plain.replace("d", "e").replace("D", "e"))
    if _HEX.fullmatch(text):
        return int(text, 16)
    return _INFINITE.get(text.lower().rstrip("0") if "#" in text else text.lower())


def truth(text: str) -> bool | None:
    """Return the truth value that a cell spells, or ``None``."""
    return _TRUTH.get(text.strip().lower())


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value (in words; an empty cell is another thing)."""
    text = text.strip().lower()
    return text in MISSING or _NO_NUMBER.fullmatch(text) is not None


def kind(text: str, decimal: str = ".") -> Kind:
    """Say what a cell is.

    ``date`` is a date or a time of day; ``broken`` starts like a number and does not end like one.
    """
    return _known_kind(text, decimal) if len(text) <= _SHORT else _kind(text, decimal)


@lru_cache(maxsize=1 << 13)
def _known_kind(text: str, decimal: str) -> Kind:
    return _kind(text, decimal)


_FEW = 500
"""Longer rows are not remembered."""


def kinds(cells: tuple[str, ...], decimal: str = ".") -> tuple[Kind, ...]:
    """Say what each cell of a row is."""
    return _known_kinds(cells, decimal) if len(cells) <= _FEW else _kinds(cells, decimal)


@lru_cache(maxsize=1 << 10)
def _known_kinds(cells: tuple[str, ...], decimal: str) -> tuple[Kind, ...]:
    return _kinds(cells, decimal)


def _kinds(cells: tuple[str, ...], decimal: str) -> tuple[Kind, ...]:
    return tuple(kind(cell, decimal) for cell in cells)


def _kind(text: str, decimal: str) -> Kind:
    text = text.strip()
    if not text:
        return "empty"
    if number(text, decimal) is not None:
        return "number"
    if is_missing(text):
        return "missing"
    if is_vector(text) and isinstance(vector(text), list):
        return "vector"
    if truth(text) is not None:
        return "bool"
    if _DATE.fullmatch(text):
        return "date"
    return "broken" if _BROKEN.match(text) else "word"


def is_vector(text: str) -> bool:
    """Whether a cell is bracketed like a vector."""
    text = text.strip()
    if len(text) < 2:
        return False
    if text[0] + text[-1] == "()":  # (1.5) is no tuple: bookkeeping means −1.5
        return _DECIMAL.fullmatch(text[1:-1].strip()) is None
    if text[0] + text[-1] == "[]":
        return True
    return text[-1] == ")" and _WRAPPED.match(text) is not None


def vector(text: str, decimal: str = ".") -> list[Number] | str:
    """Return the numbers of a vector cell (JSON, numpy or tuple spelling, nested ones flattened).

    Returns:
        The numbers (NaN where an element says nothing), or the element that is none, as text.
    """
    found = _known_vector(text, decimal) if len(text) <= _SHORT else _vector(text, decimal)
    return found if isinstance(found, str) else list(found)


@lru_cache(maxsize=1 << 11)
def _known_vector(text: str, decimal: str) -> tuple[Number, ...] | str:
    return _vector(text, decimal)


def _vector(text: str, decimal: str) -> tuple[Number, ...] | str:
    text = text.strip()
    wrapped = _WRAPPED.match(text)
    if wrapped:
        text = wrapped[1]
    if text.count("[") != text.count("]") or text.count("(") != text.count(")"):
        return text
    values: list[Number] = []
    for element in text.translate(_BRACKETS).split():
        value = _number(element.strip("'\""), decimal)
        if value is None:
            flag = truth(element)
            if flag is not None:
                value = int(flag)
            elif is_missing(element.strip("'\"")):
                value = float("nan")
            else:
                return element
        values.append(value)
    return tuple(values)


def is_plain(cell: str, decimal: str = ".") -> bool:
    """Say whether a cell is a number, a truth value, or a word that says there is none."""
    return number(cell, decimal) is not None or truth(cell) is not None or is_missing(cell)
