#!/bin/sh
# Set everything up and open the window, on a bundled pair where no argument is given.
# Without a display the same pair is checked headless: table on the terminal, note and figures in a folder.
#   ./packaging/run.sh [tracescope arguments]
set -eu
. "$(dirname -- "$0")/setup.sh"
setup_environment ""
cd "${TRACESCOPE_CWD:-$PWD}"

if [ $# -gt 0 ]; then
    exec "$PY" -m tracescope "$@"
fi
pair="$ROOT/samples/latch"
sim=$(ls "$pair"/sim.*)
target=$(ls "$pair"/target.*)
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "${QT_QPA_PLATFORM:-}" = offscreen ]; then
    exec "$PY" -m tracescope "$sim" "$target"
fi
out=${TRACESCOPE_OUT:-"$PWD/tracescope-out"}
mkdir -p "$out"
say "No display: checking the bundled pair headless."
status=0
"$PY" -m tracescope check "$sim" "$target" --note "$out/note.md" --note "$out/note.html" --note "$out/note.pdf" \
    --json "$out/result.json" --figures "$out/figures" --session "$out/latch.tracescope" || status=$?
say "Note, result, session and figures: $out"
exit "$status"
