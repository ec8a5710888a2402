"""Errors that a person can act on: every problem says what, where, what was found and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    Attributes:
        what: What is wrong, one clause.
        where: File, and line, column or dataset inside it where known.
        found: What stood there; empty where that says nothing.
        todo: What the person can do about it.
    """

    what: str
    where: str
    found: str = ""
    todo: str = ""

    def __str__(self) -> str:
        found = f" (found: {self.found})" if self.found else ""
        todo = f"\n  → {self.todo}" if self.todo else ""
        return f"{self.where}: {self.what}{found}{todo}"


class TracescopeError(Exception):
    """Base of every error that is the input's or the command's, never our own bug."""


class ProblemsError(TracescopeError):
    """Carries every problem found, not just the first."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        """Take one problem or all of them; at least one is needed."""
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        if not self.problems:
            raise ValueError("an error needs at least one problem")
        super().__init__("\n".join(str(problem) for problem in self.problems))


class TraceReadError(ProblemsError):
    """A file could not be read as a trace."""


class UsageError(ProblemsError):
    """A command, map, tolerance or session could not be used as given."""


class Cancelled(TracescopeError):  # noqa: N818  # not a fault: the person asked for it
    """Raised by a progress callback when the person cancels."""
