"""Everything a check may look at: the pair and the lenses laid over it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tracescope.model.alignment import Alignment
from tracescope.model.correction import Correction
from tracescope.model.pair import TracePair
from tracescope.model.tolerance import Tolerances
from tracescope.model.trace import Samples


@dataclass(frozen=True, slots=True)
class Case:
    """A pair, how it is aligned, what is corrected, and how strict to be."""

    pair: TracePair
    alignment: Alignment
    corrections: tuple[Correction, ...] = ()
    tolerances: Tolerances = Tolerances()
    confidence: float = 0.99

    def correction_of(self, target_name: str) -> Correction | None:
        """Return the correction laid over a target channel, or ``None``."""
        return next((c for c in self.corrections if c.channel == target_name), None)

    def target_values(self, name: str) -> Samples:
        """Return a target channel's values as float64 with its correction applied, shape ``(n,)``."""
        correction = self.correction_of(name)
        source = name if correction is None or correction.source is None else correction.source
        values = self.pair.target[source].as_float()
        return values if correction is None else correction.applied_to(values)

    def with_correction(self, correction: Correction) -> Case:
        """Return the case with one more correction, replacing an earlier one of that channel."""
        kept = tuple(c for c in self.corrections if c.channel != correction.channel)
        return replace(self, corrections=(*kept, correction))
