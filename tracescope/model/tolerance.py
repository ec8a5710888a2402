"""Tolerances: declared beside the check that uses them, with unit, range and reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tracescope.model.alignment import Interval
from tracescope.model.errors import Problem, UsageError


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A band that a measurement's whole interval must lie inside to pass.

    Attributes:
        key: ``check-id.name``, what files and options call it.
        low, high: The default band, in ``unit``; ``-inf``/``inf`` for one-sided bands.
        unit: ``""`` for ratios.
        why: Why this default, one sentence.
        allowed: What a person may set it to.
    """

    key: str
    low: float
    high: float
    unit: str
    why: str
    allowed: Interval = (float("-inf"), float("inf"))

    @property
    def band(self) -> Interval:
        """The default as an interval."""
        return (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The tolerances in force: declared defaults, and what a person set instead.

    ``chosen`` holds only what differs from a default, as sorted pairs, so that the value hashes.
    """

    chosen: tuple[tuple[str, Interval], ...] = ()
    _chosen: dict[str, Interval] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.chosen))
        object.__setattr__(self, "chosen", ordered)
        object.__setattr__(self, "_chosen", dict(ordered))

    def __getitem__(self, tolerance: Tolerance) -> Interval:
        """Return the band in force for a declared tolerance."""
        return self._chosen.get(tolerance.key, tolerance.band)

    def is_default(self, tolerance: Tolerance) -> bool:
        """Whether nobody set this tolerance."""
        return tolerance.key not in self._chosen

    def with_band(self, key: str, band: Interval | None) -> Tolerances:
        """Return a copy with one band set, or back at its default where ``band`` is ``None``."""
        chosen = {k: v for k, v in self.chosen if k != key}
        if band is not None:
            chosen[key] = band
        return Tolerances(tuple(chosen.items()))


def checked_tolerances(
    bands: Mapping[str, Interval], declared: Iterable[Tolerance], where: str
) -> Tolerances:
    """Check what a person set against the declarations.

    Raises:
        UsageError: with every unknown key (and the closest known ones) and every band out of range.
    """
    import difflib

    known = {tolerance.key: tolerance for tolerance in declared}
    problems = []
    for key, (low, high) in bands.items():
        tolerance = known.get(key)
        if tolerance is None:
            close = difflib.get_close_matches(key, known, n=3, cutoff=0.4)
            hint = (
                f"did you mean {', '.join(close)}?" if close else f"known keys: {', '.join(known)}"
            )
            problems.append(Problem(f"no tolerance is called {key!r}", where, todo=hint))
        elif not low <= high:  # NaN lands here too
            problems.append(
                Problem(f"{key}: low must not exceed high", where, found=f"{low}, {high}")
            )
        elif low < tolerance.allowed[0] or high > tolerance.allowed[1]:
            problems.append(
                Problem(
                    f"{key}: outside the allowed range {tolerance.allowed}",
                    where,
                    found=f"{low}, {high}",
                )
            )
    if problems:
        raise UsageError(problems)
    return Tolerances(tuple(bands.items()))
