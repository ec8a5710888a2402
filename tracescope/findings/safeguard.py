"""Which gap an explanation belongs to, and the class of safeguard usually considered for it: a lead."""

from __future__ import annotations

from collections.abc import Sequence

from tracescope.findings.wording import entry

GAP_CHANNELS = ("dynamics", "sensing", "appearance", "timing")


def safeguard_of(family: str, kind: str = "", channels: Sequence[str] = ()) -> tuple[str, str]:
    """Return (gap channel, class of safeguard); ``("", "")`` where the templates name none.

    An observation that is read off images belongs to appearance; else the explanation's kind decides,
    else its family.

    Args:
        family: A check id.
        kind: The lead's short name (``clip``, ``delay`` …).
        channels: The channels concerned.
    """
    if family == "observation-scaling" and _is_seen(channels):
        return _pair(entry("safeguard_appearance", "entry"))
    named = _pair(entry("safeguard_kind", kind.replace(" ", "-"))) if kind else ("", "")
    return named if named[0] else _pair(entry("safeguard", family))


def _is_seen(channels: Sequence[str]) -> bool:
    words = entry("safeguard_appearance", "names")
    known = [str(word).lower() for word in words] if isinstance(words, list) else []
    return any(word in channel.lower() for channel in channels for word in known)


def _pair(found: object) -> tuple[str, str]:
    if isinstance(found, list) and len(found) == 2:
        return str(found[0]), str(found[1])
    return "", ""
