"""The small strip of check states that stands for an episode: a shape and a colour a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

PITCH, SIZE = 14, 10

_SHAPES = {
    "pass": '<circle cx="5" cy="5" r="4" fill="#1f6f43"/>',
    "fail": '<path d="M1 1h8v8h-8z" fill="#a3123f"/><path d="M3 3l4 4m0-4l-4 4" stroke="#fff"/>',
    "inconclusive": '<path d="M5 .8L9.2 5L5 9.2L.8 5z" fill="none" stroke="#5a5a5a" stroke-width="1.3"/>',
}


def strip_svg(states: Sequence[tuple[str, str]]) -> Markup:
    """Return a strip as inline SVG; its title says every state in words."""
    from markupsafe import Markup, escape

    words = escape(", ".join(f"{check}: {state}" for check, state in states))
    shapes = "".join(
        f'<g transform="translate({place * PITCH} 0)">{_SHAPES[state]}</g>'
        for place, (_, state) in enumerate(states)
        if state in _SHAPES
    )
    width = max(len(states) * PITCH - (PITCH - SIZE), SIZE)
    return Markup(  # noqa: S704  # the words are escaped, the shapes are our own
        f'<svg class="strip" role="img" width="{width}" height="{SIZE}" viewBox="0 0 {width} {SIZE}">'
        f"<title>{words}</title>{shapes}</svg>"
    )


def strip_legend() -> Markup:
    """Return the three shapes with their words."""
    from markupsafe import Markup

    return Markup(" · ").join(Markup("{} {}").format(strip_svg((("", s),)), s) for s in _SHAPES)
