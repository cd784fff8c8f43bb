"""Turns IPython's cells into Python: magics become the code that they run.

`%time`, `%timeit` and `%prun` (on a line or for a whole cell) run Python. `%timeit` runs it many times, so it becomes a
loop. Cells of other languages, shell commands and other magics run no Python; a name that such a result is assigned to
becomes unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jitlint.source.document import Line

_OPTIONS = {
    "time": "",
    "timeit": "n:r:tcp:qov:",
    "prun": "D:l:rs:T:q",
    "lprun": "rsf:m:D:T:u:z",
    "memit": "r:t:i:coh",
    "mprun": "rT:f:c",
}
"""The magics that run the Python after them, with their options as for `getopt`."""
_REPEATS = {"timeit": "nr", "memit": "r"}
"""The magics that run their code many times, with the options that say how often."""
_AGAIN = "for _ in range(2):"
_CELLS = frozenset({"time", "timeit", "prun", "memit", "capture", "jitlint"})
"""The magics of cells that are Python."""

_MAGIC = re.compile(r"%(\w+)\s*")
_OPTION = re.compile(r"-(?:-[\w-]+|([A-Za-z])(\S*))(?:\s+|$)")
_WORD = re.compile(r"(\S*)\s*")
_ASSIGNED = re.compile(r"((?:[\w.,*\s]|\[[^\[\]]*\])+(?<!\s)\s*=\s*)(?=%[A-Za-z]|!)")
_HELP = re.compile(r"[^#'\"]*[\w*\])]\?\??\s*;?")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)")

_TOKEN = re.compile(r"#.*|'''|\"\"\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|['\"]|[\[\](){}]|\\.")
"""The tokens that decide whether a statement continues on the next line. A lone quote begins a string that does not end
on its line."""
_INDENT = "    "


def python(text: str) -> tuple[Line, ...]:
    """The Python of a cell or of a block of code; no lines if it holds none."""
    lines = [Line(line, number) for number, line in enumerate(text.split("\n"), 1)]
    first = next((line for line in lines if line.text.strip()), None)
    if first is None:
        return ()
    if first.text.lstrip().startswith(">>>"):
        return tuple(_plain(list(map(_unprompted, lines))))
    lines = [_moved(line, -_margin(first.text)) for line in lines[first.number - 1 :]]
    if lines[0].text.startswith("%%"):
        return tuple(_cell(lines[0], lines[1:]))
    return tuple(_plain(lines))


def _unprompted(line: Line) -> Line:
    """The code after a prompt (`>>> x + 1`); a line without a prompt is output, and becomes empty."""
    prompt = _PROMPT.match(line.text)
    return Line(line.text[prompt.end() :], line.number, prompt.end()) if prompt else line._replace(text="")


def _moved(line: Line, by: int) -> Line:
    """A line moved right by some columns, or left (if negative) as far as its indentation allows."""
    by = max(by, -_margin(line.text))
    return Line(" " * by + line.text[max(0, -by) :], line.number, line.shift - by)


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip())


def _cell(head: Line, body: Sequence[Line]) -> Iterator[Line]:
    """The Python of a cell that begins with a cell magic (`%%timeit`)."""
    magic = _MAGIC.match(head.text, 1)
    if magic is None or magic[1] not in _CELLS:
        return
    repeated, begin = _options(magic[1], head.text, magic.end())
    yield from _setup(magic[1], head, begin)
    if not repeated:
        yield from _plain(body)
        return
    yield Line(_AGAIN, head.number)
    yield from (_moved(line, len(_INDENT)) for line in _plain(body))
    yield Line(f"{_INDENT}pass", head.number)


def _setup(magic: str, head: Line, begin: int) -> Iterator[Line]:
    """The code after `%%timeit` on its own line, which runs once, before the cell."""
    if magic == "timeit" and head.text[begin:].strip():
        yield Line(head.text[begin:], head.number, begin + head.shift)


def _plain(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines of Python with magics among them."""
    state = _State()
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if state.begins and (found := _escape(line)) is not None:
            yield from found
            runs = found[-1].text.endswith("\\")
            while lines[at - 1].text.endswith("\\") and at < len(lines):
                yield lines[at] if runs else lines[at]._replace(text="")
                at += 1
        else:
            state.read(line.text)
            yield line


class _State:
    """Follows the tokens of lines, to know whether the next line begins a statement."""

    def __init__(self) -> None:
        self._depth = 0
        self._quote = ""
        self._goes_on = False

    @property
    def begins(self) -> bool:
        return not (self._depth or self._quote or self._goes_on)

    def read(self, text: str) -> None:
        """Takes in a line."""
        at = 0
        if self._quote:
            end = re.compile(rf"(?:[^\\]|\\.)*?{self._quote}").match(text)
            if end is None:
                if len(self._quote) == 1 and not text.endswith("\\"):
                    self._quote = ""
                return
            self._quote, at = "", end.end()
        self._goes_on = text.endswith("\\")
        while token := _TOKEN.search(text, at):
            at = token.end()
            match token[0]:
                case "'''" | '"""' | "'" | '"':
                    end = re.compile(rf"(?:[^\\]|\\.)*?{token[0]}").match(text, at)
                    if end is not None:
                        at = end.end()
                    elif len(token[0]) == 3 or text.endswith("\\"):
                        self._quote, self._goes_on = token[0], False
                        return
                case "(" | "[" | "{":
                    self._depth += 1
                case ")" | "]" | "}":
                    self._depth = max(0, self._depth - 1)
                case other if other.startswith("#"):
                    self._goes_on = False


def _escape(line: Line) -> list[Line] | None:
    """The Python for a line in IPython's own syntax (a magic, `!command`, `name?`); None if the line is Python."""
    text, margin = line.text, _margin(line.text)
    space = text[:margin]
    if assigned := _ASSIGNED.match(text, margin):
        return _assignment(line, assigned.end())
    if text[margin : margin + 1] not in ("%", "!", "?", ",", ";", "/") and not _HELP.fullmatch(text):
        return None
    magic = _MAGIC.match(text, margin)
    if magic is not None and magic[1] in _OPTIONS and not _HELP.fullmatch(text):
        repeated, begin = _options(magic[1], text, magic.end())
        code = text[begin:]
        if code.strip() and repeated:
            body = Line(space + _INDENT + code, line.number, line.shift + begin - margin - len(_INDENT))
            return [Line(space + _AGAIN, line.number), body]
        if code.strip():
            return [Line(space + code, line.number, line.shift + begin - margin)]
    return [Line(f"{space}pass", line.number)]


def _assignment(line: Line, begin: int) -> list[Line]:
    """The Python for `x = %magic …` and `x = !command`."""
    text, margin = line.text, _margin(line.text)
    magic = _MAGIC.match(text, begin)
    unknown = Line(f"{text[:begin]}get_ipython()", line.number, line.shift)
    if magic is None or magic[1] not in _OPTIONS or not text[magic.end() :].strip():
        return [unknown]
    if magic[1] == "time":  # `%time` returns the value of its code
        return [line._replace(text=text[:begin] + " " * (magic.end() - begin) + text[magic.end() :])]
    run = _escape(Line(text[:margin] + text[begin:], line.number, line.shift + begin - margin))
    return [unknown, *(run or ())]


def _options(magic: str, text: str, begin: int) -> tuple[bool, int]:
    """Whether a magic runs its code many times, and where in the text that code begins."""
    given: dict[str, str] = {}
    known = _OPTIONS.get(magic, "")
    while (option := _OPTION.match(text, begin)) and (option[1] is None or option[1] in known):
        begin, value = option.end(), option[2]
        if f"{option[1]}:" in known and not value:
            word = _WORD.match(text, begin)
            value, begin = (word[1], word.end()) if word else ("", begin)
        given[option[1]] = value
    counts = _REPEATS.get(magic, "")
    return any(given.get(count) != "1" for count in counts), begin
