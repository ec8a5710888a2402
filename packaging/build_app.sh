#!/bin/sh
# Build the frozen one-folder application into dist/tracescope, in an environment of its own.
#   ./packaging/build_app.sh [--to DIR]
set -eu
export TRACESCOPE_VENV="${TRACESCOPE_BUILD_VENV:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/.venv-build}"
. "$(dirname -- "$0")/setup.sh"
setup_environment "ros,filters,parquet,app"
"$PY" "$ROOT/packaging/app/build.py" "$@"
