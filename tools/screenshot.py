"""Takes a picture of Neovim with the language server: the real editor in a terminal, and what it shows there.

python -m tools.screenshot FILE.png

Fails if the diagnostics or the hover that are expected do not appear. Needs `nvim`, and a monospaced font with DejaVu's
name.
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pyte
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[1]
COLUMNS, ROWS = 118, 34
PATIENCE = 30.0
"""Seconds until something has to be on the screen."""

_FILE = "train.py"
_COLORS = {
    "default": "#c8ccd4",
    "black": "#1e2127",
    "red": "#e06c75",
    "green": "#98c379",
    "brown": "#e5c07b",
    "blue": "#61afef",
    "magenta": "#c678dd",
    "cyan": "#56b6c2",
    "white": "#abb2bf",
}
_BACKGROUND = "#1e2127"
_SIZE = 15


class Terminal:
    """A terminal that runs one program, as a grid of characters with their colours."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self._pid, self._fd = pty.fork()
        if not self._pid:
            os.chdir(folder)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", JITLINT_PYTHON=sys.executable)
            os.execvp(command[0], command)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def wait(self, what: str, condition: Callable[[str], bool]) -> None:
        """Reads until the screen's text is as wanted.

        Raises:
            TimeoutError: it never is.
        """
        end = time.monotonic() + PATIENCE
        while not condition("\n".join(self.screen.display)):
            if time.monotonic() > end:
                raise TimeoutError(f"{what} did not appear:\n" + "\n".join(self.screen.display))
            self.read(0.1)

    def read(self, seconds: float) -> None:
        """Takes what the program writes, until it is quiet for some time."""
        while select.select([self._fd], [], [], seconds)[0]:
            self._stream.feed(os.read(self._fd, 1 << 16))

    def end(self) -> None:
        os.kill(self._pid, signal.SIGTERM)
        os.waitpid(self._pid, 0)
        os.close(self._fd)


def picture(screen: pyte.Screen) -> Image.Image:
    """What a terminal shows."""
    plain = ImageFont.truetype("DejaVuSansMono.ttf", _SIZE)
    bold = ImageFont.truetype("DejaVuSansMono-Bold.ttf", _SIZE)
    width, height = round(plain.getlength("M")), sum(plain.getmetrics()) + 2
    image = Image.new("RGB", (COLUMNS * width + 16, ROWS * height + 16), _BACKGROUND)
    draw = ImageDraw.Draw(image)
    for row in range(ROWS):
        for column in range(COLUMNS):
            cell = screen.buffer[row][column]
            front, back = _color(cell.fg, "#c8ccd4"), _color(cell.bg, _BACKGROUND)
            if cell.reverse:
                front, back = back, front
            x, y = 8 + column * width, 8 + row * height
            if back != _BACKGROUND:
                draw.rectangle((x, y, x + width - 1, y + height - 1), back)
            if cell.data.strip():
                draw.text((x, y), cell.data, front, bold if cell.bold else plain)
            if cell.underscore:
                draw.line((x, y + height - 3, x + width - 1, y + height - 3), front)
    return image


def _color(name: str, default: str) -> str:
    return default if name == "default" else _COLORS.get(name) or f"#{name}"


def main(target: Path) -> None:
    """Has the editor show what the server finds, and takes the picture."""
    config = ROOT / "tools" / "neovim.lua"
    command = ["nvim", "-u", "NONE", "-n", "-c", f"luafile {config}", "-c", f"edit {_FILE}"]
    folder = tempfile.TemporaryDirectory()
    shutil.copy(ROOT / "fixtures" / "demo" / _FILE, folder.name)
    terminal = Terminal(command, Path(folder.name))
    try:
        terminal.wait("the diagnostics", lambda text: "JIT101" in text or "`if` needs the value" in text)
        terminal.type("15G^wK")  # to the condition that is found there
        terminal.wait("the hover", lambda text: "Traced" in text and "under jax.jit of `clipped`" in text)
        terminal.read(0.5)
        image = picture(terminal.screen)
    finally:
        terminal.end()
        folder.cleanup()
    target.parent.mkdir(parents=True, exist_ok=True)
    image.save(target, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
