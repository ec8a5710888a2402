"""One sitting at the window with real X events: start page to exported note, every step a picture.

    python -m tests.ui.xvfb_session [--to DIR] [--program PROGRAM]

Starts the program under its own Xvfb and moves the pointer and the keys with xdotool; nothing in the
program is asked or helped. A step counts as over once the screen is still.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("Xvfb", "xdotool", "import")
SIZE = (1480, 900)
PATIENCE_S = 60.0
LOOK_S = 0.4
CALM_LOOKS = 6
STOP_S = 30.0


def missing_tools() -> tuple[str, ...]:
    """Return what this needs and the machine lacks."""
    return tuple(tool for tool in TOOLS if shutil.which(tool) is None)


@dataclass
class Screen:
    """A virtual screen with one program on it, its keys, its pointer, and pictures of it."""

    folder: Path
    program: tuple[str, ...] = (sys.executable, "-m", "tracescope")
    environment: dict[str, str] = field(default_factory=dict)
    pictures: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        reading, writing = os.pipe()
        width, height = SIZE
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{width}x{height}x24",
             "-nolisten", "tcp"],
            pass_fds=(writing,),
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(writing)
        with os.fdopen(reading) as said:
            number = said.readline().strip()
        own = self.folder / "home"
        self.environment = {
            **os.environ,
            "DISPLAY": f":{number}",
            "QT_QPA_PLATFORM": "xcb",
            "XDG_STATE_HOME": str(own / "state"),
            "XDG_CONFIG_HOME": str(own / "config"),
        }
        self._program: subprocess.Popen[bytes] | None = None
        self._main = ""

    def start(self, arguments: Sequence[str]) -> None:
        """Start the program and wait for its window; there is no window manager, so it is given the focus."""
        with (self.folder / "stderr.txt").open("wb") as errors:
            self._program = subprocess.Popen(
                [*self.program, *arguments],
                cwd=ROOT,
                env=self.environment,
                stderr=errors,
            )
        window = self._xdotool("search", "--sync", "--onlyvisible", "--name", "tracescope")
        self._main = window.split()[0]
        self._xdotool("windowmove", self._main, "0", "0", "windowsize", self._main, *map(str, SIZE))
        self.focus_main()

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(
            ["xdotool", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return done.stdout

    def keys(self, *names: str) -> None:
        """Press keys or chords, one after the other."""
        self._xdotool("key", "--delay", "30", *names)

    def write(self, text: str) -> None:
        """Type text into whatever has the focus."""
        self._xdotool("type", "--delay", "8", text)

    def click(self, x: int, y: int, button: int = 1, keys: str = "") -> None:
        """Click at a place, with a key held where one is named."""
        held = (("keydown", keys), ("keyup", keys)) if keys else ((), ())
        self._xdotool("mousemove", str(x), str(y), *held[0], "click", str(button), *held[1])

    def wheel(self, x: int, y: int, notches: int, keys: str = "") -> None:
        """Turn the wheel: positive notches away from the person."""
        for _ in range(abs(notches)):
            self.click(x, y, 4 if notches > 0 else 5, keys)

    def press(self, x: int, y: int) -> None:
        """Press the left button and keep it."""
        self._xdotool("mousemove", str(x), str(y), "mousedown", "1")

    def move(self, x: int, y: int) -> None:
        """Move the pointer."""
        self._xdotool("mousemove", str(x), str(y))

    def release(self) -> None:
        """Let the left button go."""
        self._xdotool("mouseup", "1")

    def focus_newest(self, name: str) -> None:
        """Give a window that has just appeared the focus, as a window manager would."""
        found = self._xdotool("search", "--sync", "--onlyvisible", "--name", name).split()
        self._xdotool("windowfocus", "--sync", found[-1])

    def focus_main(self) -> None:
        """Give the main window the focus back."""
        self._xdotool("windowfocus", "--sync", self._main)

    def shot(self) -> bytes:
        """Return the screen as a PNG."""
        return subprocess.run(
            ["import", "-window", "root", "-define", "png:exclude-chunks=date,time", "png:-"],
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        ).stdout

    def settle(self, name: str) -> Path:
        """Wait until the screen is still, and keep its picture under a step's name."""
        seen: list[bytes] = []
        end_s = time.monotonic() + PATIENCE_S
        # A text cursor blinks: two pictures may take turns, however the looks fall into its period.
        while len(seen) < CALM_LOOKS or len(set(seen)) > 2:
            if time.monotonic() > end_s:
                raise TimeoutError(f"the screen never came to rest: {name}")
            time.sleep(LOOK_S)
            seen = [*seen[1 - CALM_LOOKS :], self.shot()]
        last = seen[-1]
        path = self.folder / f"{len(self.pictures) + 1:02d}-{name}.png"
        path.write_bytes(last)
        self.pictures.append(path)
        return path

    def wait_for(self, path: Path) -> None:
        """Wait until a file is there and not empty."""
        end_s = time.monotonic() + PATIENCE_S
        while not (path.exists() and path.stat().st_size):
            if time.monotonic() > end_s:
                raise TimeoutError(f"{path} was never written")
            time.sleep(LOOK_S)

    def ended(self) -> int:
        """Wait for the program to end; return its exit status."""
        assert self._program is not None
        return self._program.wait(timeout=STOP_S)

    def close(self) -> None:
        """End what is left of the program and the screen."""
        for process in (self._program, self._server):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=STOP_S)


def sitting(screen: Screen, sim: Path, target: Path) -> Path:
    """Do the main job once, by hand: open, look, align, judge, mark, save, export. Return the note."""
    _open(screen, sim, target)
    _look(screen)
    _align(screen)
    _judge(screen)
    return _keep(screen, target.parent)


def _open(screen: Screen, sim: Path, target: Path) -> None:
    screen.start([])
    screen.settle("start-page")
    screen.keys("ctrl+o")
    screen.focus_newest("^Open pair$")
    screen.write(str(sim))
    screen.keys("Tab", "Tab")  # past the chooser; there is no episode to choose
    screen.settle("open-pair-first-side")
    screen.write(str(target))
    screen.settle("open-pair-both-sides")
    screen.keys("Return")
    screen.focus_main()
    screen.settle("opened-and-judged")


def _look(screen: Screen) -> None:
    screen.wheel(640, 260, 4)
    screen.settle("zoomed-about-the-pointer")
    screen.wheel(640, 260, -2, "shift")
    screen.click(560, 260)
    screen.click(760, 260, keys="shift")
    screen.settle("cursors-a-and-b")
    screen.keys("h")
    screen.settle("fitted")


def _align(screen: Screen) -> None:
    screen.press(640, 157)
    for x in range(640, 721, 8):
        screen.move(x, 157)
    screen.settle("target-dragged")
    screen.keys("Escape")
    screen.release()
    screen.settle("drag-taken-back")
    screen.keys("ctrl+i")
    screen.focus_newest("^Estimate")
    screen.settle("estimate")
    screen.keys("Escape")
    screen.focus_main()
    screen.keys("period", "period", "ctrl+z", "ctrl+z", "ctrl+shift+z", "ctrl+z")
    screen.settle("nudged-and-undone")


def _judge(screen: Screen) -> None:
    screen.keys("1")
    screen.settle("at-the-first-card")
    screen.keys("ctrl+shift+p")
    screen.focus_newest("^Command palette$")
    screen.write("apply all")
    screen.settle("palette")
    screen.keys("Return")
    screen.focus_main()
    screen.settle("corrected-and-judged-again")
    screen.keys("F1")
    screen.focus_newest("^Shortcuts$")
    screen.settle("shortcuts")
    screen.keys("Escape")
    screen.focus_main()


def _keep(screen: Screen, folder: Path) -> Path:
    kept, note = folder / "sitting.tracescope", folder / "sitting.html"
    screen.keys("ctrl+s")
    screen.focus_newest("^Save")
    screen.keys("ctrl+a")
    screen.write(str(kept))
    screen.settle("save-session")
    screen.keys("Return")
    screen.wait_for(kept)
    screen.focus_main()
    screen.keys("ctrl+e")
    screen.focus_newest("^Export note$")
    screen.keys("Tab", "ctrl+a")
    screen.write(str(note))
    screen.settle("export-note")
    screen.keys("Return")
    screen.wait_for(note)
    screen.focus_main()
    screen.settle("exported")
    screen.keys("ctrl+q")
    return note


def main() -> int:
    parser = argparse.ArgumentParser(description="One sitting at the window with real X events")
    parser.add_argument("--to", type=Path, default=Path(tempfile.mkdtemp(prefix="sitting-")))
    parser.add_argument("--program", help="another build of the program, instead of the checkout")
    chosen = parser.parse_args()
    to = chosen.to
    if missing_tools():
        parser.exit(2, f"this needs {', '.join(missing_tools())}\n")
    to.mkdir(parents=True, exist_ok=True)
    for side in ("sim", "target"):
        shutil.copy(ROOT / "samples" / "exercise" / f"{side}.csv", to / f"{side}.csv")
    screen = Screen(to, (chosen.program,)) if chosen.program else Screen(to)
    try:
        note = sitting(screen, to / "sim.csv", to / "target.csv")
        status = screen.ended()
    finally:
        screen.close()
    sys.stdout.write(f"{len(screen.pictures)} pictures in {to}, note {note}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
