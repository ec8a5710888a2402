#!/bin/sh
# Sourced by run.sh and test.sh: finds Python, makes .venv and installs pinned dependencies.
# Sets PY to the environment's interpreter. A second run only compares two checksums.
#   setup_environment EXTRAS    EXTRAS: "" for running, "dev" for testing
set -eu

ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
VENV=${TRACESCOPE_VENV:-"$ROOT/.venv"}
QT_PACKAGES="libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 \
libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libfontconfig1 libglib2.0-0 fonts-dejavu-core"

say() { printf '%s\n' "$*" >&2; }

find_python() {
    for candidate in ${TRACESCOPE_PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    say "Python 3.11 or newer was not found. On Debian 12 or Ubuntu 24.04: apt-get install python3 python3-venv"
    return 1
}

missing_packages() {
    command -v dpkg-query >/dev/null 2>&1 || return 0
    for package in $1; do
        # A package that was renamed for 64-bit time (libglib2.0-0t64) counts as present.
        if ! dpkg-query -W -f='${Status}\n' "$package" "${package}t64" 2>/dev/null | grep -q 'ok installed'; then
            printf '%s ' "$package"
        fi
    done
}

# Installs what Qt's xcb plugin links against; where that is not ours to do, says the exact command.
system_libraries() {
    wanted=$(missing_packages "$1")
    [ -n "$wanted" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        say "Installing system libraries: $wanted"
        # shellcheck disable=SC2086  # the list is words
        if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted; } >/dev/null 2>"$VENV/apt.log"; then
            say "Could not install them (see $VENV/apt.log); going on without."
        fi
    else
        say "Qt may need system libraries that are not installed. As root: apt-get install --no-install-recommends $wanted"
    fi
}

setup_environment() {
    extras=$1
    if [ ! -x "$VENV/bin/python" ] || ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        base=$(find_python)
        say "Making $VENV with $base"
        if ! "$base" -m venv "$VENV"; then
            say "The venv module does not work here. On Debian and Ubuntu: apt-get install python3-venv"
            return 1
        fi
    fi
    PY="$VENV/bin/python"
    system_libraries "$QT_PACKAGES"
    stamp=$(cat "$ROOT/pyproject.toml" "$ROOT/packaging/constraints.txt" | cksum)-$extras
    # A development set-up holds everything that running needs.
    if [ "$(cat "$VENV/installed.stamp" 2>/dev/null || true)" = "$stamp" ] ||
        [ "$(cat "$VENV/installed.stamp" 2>/dev/null || true)" = "${stamp%-*}-dev" ]; then
        return 0
    fi
    say "Installing dependencies (pinned in packaging/constraints.txt); the first time this takes a minute or two"
    target="$ROOT${extras:+[$extras]}"
    "$PY" -m pip install --quiet --disable-pip-version-check -c "$ROOT/packaging/constraints.txt" -e "$target"
    printf '%s' "$stamp" >"$VENV/installed.stamp"
}
