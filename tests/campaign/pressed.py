"""The command line with its progress as lines on stderr, for a test that watches it from outside."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tracescope.campaign import cache
from tracescope.cli import campaign_command
from tracescope.cli.main import main
from tracescope.model.progress import Progress


@contextmanager
def lines(*, quiet: bool) -> Iterator[Progress]:
    said = [""]

    def tell(_: float, what: str) -> None:
        if what != said[0]:
            said[0] = what
            sys.stderr.write(what + "\n")
            sys.stderr.flush()

    yield tell


if __name__ == "__main__":
    # A shell that runs tests in its background has them ignore the interrupt key, which is what is tested.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    campaign_command.progress_for = lines
    cache.fingerprint = lambda: "one product"  # the source may be edited between two runs of a test
    sys.exit(main())
