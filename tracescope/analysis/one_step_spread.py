"""Interval of a squared norm that noise has added to."""

from __future__ import annotations

import numpy as np

from tracescope.model.alignment import Interval

LARGE = 2000.0
"""Beyond this the square root of the variable is normal to three digits."""


def spread_interval(observed: float, dof: float, confidence: float) -> Interval:
    """Return the interval of a noncentrality from one draw.

    Args:
        observed: One draw of a noncentral chi-square variable, not negative.
        dof: Its degrees of freedom, positive, need not be whole.
        confidence: Two-sided.

    Returns:
        Noncentralities at which the draw is just not too large and just not too small. The lower is 0
        where the central variable explains the draw; the upper is at least ``dof``, the noise's own
        power, below which nothing can be resolved.

    Source:
        Inversion of the distribution function, e.g. Kent and Hainsworth, J. Statist. Plann. Inference
        46 (1995); square-root normal approximation for large draws.
    """
    tail = (1 - confidence) / 2
    if observed > LARGE or dof > LARGE:
        return _by_root(observed, dof, tail)
    from scipy.optimize import brentq
    from scipy.special import chndtr

    def excess(noncentrality: float, level: float) -> float:
        return float(chndtr(observed, dof, noncentrality)) - level

    top = observed + 20 * np.sqrt(observed + dof) + 100.0
    low = brentq(excess, 0.0, top, args=(1 - tail,)) if excess(0.0, 1 - tail) > 0 else 0.0
    high = brentq(excess, 0.0, top, args=(tail,)) if excess(0.0, tail) > 0 else 0.0
    # A draw smaller than noise allows says that the noise was overrated, not that nothing is there.
    return float(low), max(float(high), dof)


def _by_root(observed: float, dof: float, tail: float) -> Interval:
    from scipy.special import ndtri

    # Variance of the variable is 2·dof + 4·noncentrality: solved for the noncentrality at ± z.
    z = float(-ndtri(tail))
    centre = observed - dof
    half = 2 * z * np.sqrt(max(z**2 + centre + dof / 2, 0.0))
    return max(centre + 2 * z**2 - half, 0.0), max(centre + 2 * z**2 + half, dof)
