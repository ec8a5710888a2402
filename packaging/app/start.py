"""Where the frozen application starts."""

from __future__ import annotations

import multiprocessing
import sys

from tracescope.cli.main import main

if __name__ == "__main__":
    multiprocessing.freeze_support()  # a worker of a campaign is this program again
    sys.exit(main())
