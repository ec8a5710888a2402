"""A figure of a note: what it shows, and drawing it as SVG or PNG. Light, and legible in grey."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: Any = {
    "svg.hashsalt": "tracescope",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "path.simplify": False,
    "text.parse_math": False,  # a channel called $x$ is that, not a formula
}


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure that can be drawn: its file name, what it shows, and how.

    Attributes:
        id: Stable, also the file's stem.
        check: The check it belongs to.
        caption: States what is drawn and what was done to the data; no causes.
        draw: Draws into an empty figure.
        size_in: Width and height, inches.
    """

    id: str
    check: str
    caption: str
    draw: Callable[[Figure], None]
    size_in: tuple[float, float] = (6.6, 2.9)


@dataclass(frozen=True, slots=True)
class NoteFigure:
    """A drawn figure, as the note holds it."""

    id: str
    check: str
    caption: str
    svg: str


def drawn(spec: FigureSpec, fmt: str = "svg") -> bytes:
    """Draw a figure as ``svg`` or ``png``: the same bytes every time."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=spec.size_in, layout="constrained")
        out = io.BytesIO()
        spec.draw(figure)
        if fmt == "png":
            FigureCanvasAgg(figure)
            figure.savefig(out, format="png", dpi=160, metadata={"Software": None})
        else:
            FigureCanvasSVG(figure)
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def embeddable(svg: bytes, name: str) -> str:
    """Drop the XML prolog and make ids unique, so that several figures can stand in one page."""
    import re

    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    return re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
