#!/bin/sh
# Build dist/tracescope_VERSION_ARCH.deb from the frozen application, which is built first where it is not there.
#   ./packaging/build_deb.sh
set -eu
HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ -x "$HERE/../dist/tracescope/tracescope" ] || "$HERE/build_app.sh"
python=${TRACESCOPE_BUILD_VENV:-"$HERE/../.venv-build"}/bin/python
exec "$python" "$HERE/app/deb.py" "$@"
