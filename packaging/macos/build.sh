#!/bin/sh
# Build tracescope.app on macOS, from the same spec as on Linux.
# UNTESTED: written to the same recipe, never run by us. Needs Python 3.11 or newer; signing is left to you.
#   ./packaging/macos/build.sh
set -eu
exec "$(dirname -- "$0")/../build_app.sh" "$@"
