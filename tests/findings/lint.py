"""The lint of a note's wording: which words may not stand under which heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

ANYWHERE = (
    r"proves?|proven|definitely|certainly|undoubtedly|obviously|confirmed|guaranteed?|"
    r"overall (score|verdict|result|grade)|total score|score of \d|graded? [A-F]\b|rated \d|"
    r"\d+ (of|out of) \d+ (checks|tests)|\d+ ?% (healthy|correct|trustworthy|sim-to-real)"
)
CAUSES = (
    r"caus(ed|es|ing) (by|of|the)|caused|because of|due to|owing to|therefore|hence|thus|"
    r"leads? to|results? (from|in)|responsible for|the (root )?cause"
)
HEDGES = r"likely|probably|apparently|seems?|appears? to|might|suggests?|indicates?|consistent with"
FORBIDDEN = {
    "Summary": CAUSES,
    "Checks": r"caused by|because of|the root cause",
    "Observed": f"{CAUSES}|{HEDGES}|explains",
    "Inferred": rf"{CAUSES}|is the reason|must be|shows that",
    "Untested": r"is fine|no problem|is safe|works|cannot happen|is unlikely|needs no test",
    "Hypotheses": rf"{CAUSES}|together explain|in total|adds? up|sum of|certain",
    "Next test": r"will (show|confirm|fix|solve)|fixes|solves|everything changed",
    "Follow-up": rf"{CAUSES}|is now correct|is solved",
}
"""Words that claim more than stands under a heading; every one is a word or phrase as a whole."""


def sections(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield (heading, text) of the second-level sections of a note; captions of figures included."""
    for part in re.split(r"^## ", markdown, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        yield heading.strip(), text


def overclaims(markdown: str) -> list[tuple[str, str]]:
    """Return (heading, what stands there and may not) of a note in Markdown, text by hand left out."""
    found = []
    for heading, text in sections(markdown):
        told = "\n".join(line for line in text.splitlines() if "*By hand:*" not in line)
        for words in filter(None, (ANYWHERE, FORBIDDEN.get(heading))):
            found += [
                (heading, match.group(0))
                for match in re.finditer(rf"\b({words})\b", told, re.IGNORECASE)
            ]
    return found
