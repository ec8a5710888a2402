"""The built-in checks in their order."""

from __future__ import annotations

from tracescope.checks import (
    action,
    alignment,
    dynamics,
    observation_scaling,
    reward,
    termination,
    timing,
)
from tracescope.checks.base import Check

BUILT_IN: tuple[Check, ...] = (
    alignment.CHECK,
    observation_scaling.CHECK,
    action.CHECK,
    timing.CHECK,
    dynamics.CHECK,
    reward.CHECK,
    termination.CHECK,
)
