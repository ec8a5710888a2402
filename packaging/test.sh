#!/bin/sh
# Set everything up and run lint, types, import contracts, a short benchmark and all tests. Arguments go to pytest.
# Property tests draw the same examples at every run, so that a commit that passed passes again; new ones are
# drawn by pytest alone, and by: ./packaging/test.sh --hypothesis-profile=default
#   ./packaging/test.sh [pytest arguments]
set -eu
. "$(dirname -- "$0")/setup.sh"
setup_environment dev
cd "$ROOT"
export QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"

say "== format and lint"
"$PY" -m ruff format --check .
"$PY" -m ruff check .
say "== types"
"$PY" -m mypy
say "== import contracts"
"$VENV/bin/lint-imports"
say "== benchmark, short"
"$PY" -m tests.bench --ci
say "== tests"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
"$PY" -m pytest -q -n "$jobs" --dist loadgroup --hypothesis-profile=ci "$@"
