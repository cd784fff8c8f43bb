"""Real files, and the syntax of every Python version, with changes that nobody would make on purpose."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SNIPPETS = tuple(
    part.partition("\n")[2]
    for part in Path(__file__).with_name("syntax.txt").read_text(encoding="utf-8").split("%%% ")[1:]
)
"""The syntax of every Python version."""

TOKEN = re.compile(rb"\w+|[^\w\s]|[ \t]+|\n")

ODD = tuple(
    text.encode("utf-8", "surrogatepass")
    for text in (
        "\0", "\f", "\v", "\t", "\r", "\r\n", "\\\n", "\ufeff", "\u2028", "\u00a0", "\u200b", "\ud800", "é",
        "ª", "ﬁ", "\U0001d4c1", "\U0001f600", "e\u0301", "0777", "1_000", "0x", "1e", "1j", "'", '"', "'''",
        'f"{', "rb''", "t'{x}'", "#", "# noqa", "# jitlint: skip-file", "# jitlint: ignore[JIT101]",
        "# type: ignore", ":", ";", ",", "...", "->", ":=", "**", "@", "lambda", "async ", "await ", "yield ",
        "global x\n", "nonlocal x\n", "match x:\n", "case _:\n", "type X = ", "print ", "exec ", "def ",
        "class ", "return ", "else:", "except* ", "import ", "from . import *\n", "(", ")", "[", "]", "{", "}",
        "%autoreload\n", "!ls\n", "<<<<<<< HEAD\n", "$", "?", "`x`", "<>", "ur''", "super()", "__class__",
        "jax.jit(", "# -*- coding: latin-1 -*-\n", "# coding: utf-16\n", "# coding: klingon\n",
        "# coding: unicode_escape\n",
    )
)  # fmt: skip

ENCODINGS = (b"latin-1", b"cp1252", b"utf-7", b"idna", b"zip", b"rot13", b"utf-16", b"punycode", b"undefined")

NESTING = (
    (b"(", b")"), (b"[", b"]"), (b"{x: ", b"}"), (b"f(", b")"), (b"not ", b""), (b"-", b""), (b"await ", b""),
    (b"x, ", b""), (b"lambda: ", b""), (b"x if x else ", b""), (b"", b".a"), (b"", b"()"), (b"", b"[0]"),
    (b"", b" + x"), (b"", b" and x"),
)  # fmt: skip
"""What may stand before and after an expression many times."""

Mutation = Callable[[random.Random, bytes, bytes], bytes]
"""Changes a file (the second), perhaps with parts of another one (the third)."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The files that mutants are made from; snippets of every Python version are among them."""

    files: tuple[Path, ...]

    def project(self, chosen: random.Random) -> tuple[tuple[str, bytes], ...]:
        """One to three files, each changed a few times."""
        count = chosen.choice((1, 1, 2, 3))
        return tuple((f"m{number}.py", self._mutant(chosen)) for number in range(count))

    def _mutant(self, chosen: random.Random) -> bytes:
        content = self._any(chosen) + b"\nimport jax\n"  # without it, it would not be parsed
        for _ in range(chosen.choice((1, 1, 1, 2, 4))):
            content = chosen.choice(MUTATIONS)(chosen, content, self._any(chosen))
        return content

    def _any(self, chosen: random.Random) -> bytes:
        if not self.files or chosen.random() < 0.15:
            return chosen.choice(SNIPPETS).encode()
        return chosen.choice(self.files).read_bytes()


def _lines(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Deletes, repeats, moves, swaps or brings in lines."""
    lines = content.split(b"\n")
    at, to = sorted((chosen.randrange(len(lines)), chosen.randrange(len(lines))))
    end = min(to, at + chosen.randint(1, 8))
    block = lines[at:end]
    theirs = other.split(b"\n")
    first = chosen.randrange(len(theirs))
    match chosen.randrange(6):
        case 0:
            lines[at:end] = []
        case 1:
            lines[at:at] = block
        case 2:
            lines[at:end] = []
            position = chosen.randint(0, len(lines))
            lines[position:position] = block
        case 3:
            lines[at], lines[to] = lines[to], lines[at]
        case 4:
            lines[at:at] = theirs[first : first + chosen.randint(1, 12)]
        case _:
            lines[at:end] = [b" ".join(block)]
    return b"\n".join(lines)


def _indentation(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Moves lines to the right or left, or mixes tabs in."""
    lines = content.split(b"\n")
    at = chosen.randrange(len(lines))
    end = at + chosen.choice((1, 1, 3, 10, len(lines)))
    change = chosen.choice((b"    ", b" ", b"\t", b"\f", b"-"))
    for number in range(at, min(end, len(lines))):
        line = lines[number]
        lines[number] = line.removeprefix(b"    ") if change == b"-" else change + line
    return b"\n".join(lines)


def _tokens(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Deletes, repeats, swaps or replaces tokens."""
    tokens = TOKEN.findall(content)
    theirs = TOKEN.findall(other)
    if not tokens or not theirs:
        return content
    for _ in range(chosen.randint(1, 3)):
        at, to = chosen.randrange(len(tokens)), chosen.randrange(len(tokens))
        match chosen.randrange(5):
            case 0:
                tokens[at] = b""
            case 1:
                tokens[at] *= 2
            case 2:
                tokens[at], tokens[to] = tokens[to], tokens[at]
            case 3:
                tokens[at] = tokens[to]
            case _:
                tokens[at] = chosen.choice(theirs)
    return b"".join(tokens)


def _odd(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Brings something odd in: at a token's place, within one, or at the beginning or end."""
    odd = chosen.choice(ODD)
    starts = [found.start() for found in TOKEN.finditer(content)]
    at = chosen.choice((0, len(content), chosen.randint(0, len(content)), *chosen.choices(starts or [0], k=5)))
    return content[:at] + odd + content[at:]


def _nodes(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Replaces an expression by one of its own or of the other file: mostly a program still, with another meaning."""
    places = _expressions(content)
    source, found = chosen.choice(((content, places), (other, _expressions(other))))
    if not places or not found:
        return content
    for _ in range(chosen.randint(1, 5)):
        start, end = chosen.choice(places)
        first, last = chosen.choice(found)
        if source is content:
            return content[:start] + source[first:last] + content[end:]
        content = content[:start] + source[first:last] + content[end:]
        places = [(a, b) for a, b in places if b <= start]
        if not places:
            break
    return content


def _expressions(content: bytes) -> list[tuple[int, int]]:
    """Where the expressions of a file are, in bytes; none if this Python cannot parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
    return [
        (starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset)
        for node in nodes
        if node.end_lineno is not None and node.end_col_offset is not None
    ]


def _nested(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Nests something deeply, or makes something very long."""
    many = chosen.choice((20, 90, 199, 300, 1000))
    opening, closing = chosen.choice(NESTING)
    line = b"\ny = " + opening * many + b"x" + closing * many + b"\n"
    deep = b"".join(b" " * at + b"if x:\n" for at in range(min(many, 90))) + b" " * 90 + b"y = x\n"
    return content + chosen.choice((line, line, deep, b"x = '" + b"y" * many * 50 + b"'\n", b"#" * many * 100))


def _bytes(chosen: random.Random, content: bytes, other: bytes) -> bytes:
    """Other newlines, encodings and marks; the end cut off; a byte changed."""
    at = chosen.randrange(len(content) + 1)
    match chosen.randrange(8):
        case 0:
            return content.replace(b"\n", b"\r\n")
        case 1:
            return content.replace(b"\n", chosen.choice((b"\r", b"\f\n", b"\n\n", b";\n", b"\n\r")))
        case 2:
            return b"\xef\xbb\xbf" + content
        case 3:
            return content[:at]
        case 4:
            return content[:at] + bytes([chosen.randrange(256)]) + content[at + 1 :]
        case 5:
            return b"# -*- coding: " + chosen.choice(ENCODINGS) + b" -*-\n" + content
        case 6:
            return content.replace(b"    ", b"\t")
        case _:
            return content.rstrip(b"\n")


MUTATIONS: tuple[Mutation, ...] = (
    _lines, _lines, _indentation, _tokens, _tokens, _odd, _nodes, _nodes, _nodes, _nodes, _nested, _bytes,
)  # fmt: skip
