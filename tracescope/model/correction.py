"""The lens over values: what a person, or an explicit option, divided out of one target channel."""

from __future__ import annotations

from dataclasses import dataclass

from tracescope.model.trace import Samples

BY_HAND = "given by hand"


@dataclass(frozen=True, slots=True)
class Correction:
    """``corrected = (value − offset) / scale`` of one target channel; a negative scale mends a sign.

    Attributes:
        channel: Name in the target trace.
        scale, offset: What is taken out; ``scale`` is not 0.
        source: Read this target channel's values instead (mends swapped channels), or ``None``.
        by_hand: A person gave the numbers; else a check fitted them.

    Raises:
        ValueError: if ``scale`` is 0 or a number is not finite.
    """

    channel: str
    scale: float = 1.0
    offset: float = 0.0
    source: str | None = None
    by_hand: bool = False

    def __post_init__(self) -> None:
        if not (
            abs(self.scale) > 0
            and abs(self.scale) < float("inf")
            and abs(self.offset) < float("inf")
        ):
            raise ValueError(
                f"{self.channel}: cannot divide by {self.scale!r} or subtract {self.offset!r}"
            )

    def applied_to(self, value: Samples) -> Samples:
        """Return corrected values, shape ``(n,)``."""
        return (value - self.offset) / self.scale

    @property
    def in_short(self) -> str:
        """What is done, beside the channel's own name: ``÷ 1.5``, or all of it where an offset goes first."""
        return str(self).removeprefix(self.channel).strip()

    @property
    def in_full(self) -> str:
        """The correction, and that a person gave it where one did."""
        return f"{self} ({BY_HAND})" if self.by_hand else str(self)

    def __str__(self) -> str:
        text = self.channel if self.source is None else f"{self.channel} from {self.source}"
        if self.offset:
            text = f"({text} {'−' if self.offset > 0 else '+'} {abs(self.offset):.6g})"
        return text if self.scale == 1 else f"{text} ÷ {self.scale:.6g}"
