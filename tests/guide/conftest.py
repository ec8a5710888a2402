"""The window, for tests that hold the guide against it."""

from tests.ui.conftest import (  # noqa: F401  # fixtures
    empty_window,
    garbage_stays_here,
    look,
    own_settings,
    quiet_log,
)
