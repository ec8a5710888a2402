"""``python -m tracescope``."""

import sys

from tracescope.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
