"""Settings that nobody would write, around one program: TOML, patterns, chains of files, baselines, ignored files."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from jitlint.config.settings import Settings, VerifySettings, keys

PROGRAM = b"import jax\n\n@jax.jit\ndef f(x):\n    return x if x > 0 else -x  # noqa: JIT104\n"

NAMES = ("jitlint.toml", "pyproject.toml", "sub/jitlint.toml", "sub/pyproject.toml", "base.toml", ".gitignore",
         "sub/.gitignore", ".git/info/exclude", "baseline.json", ".jitlint_baseline.json")  # fmt: skip

PATTERNS = ("*", "**", "**/", "/", "!", "!*", "*.py", "sub/", "[", "[]", "[!]", "[a-", "[z-a]", "\\", "a\\", "a/**/b",
            "**/**/**", "*a" * 60 + "b", "?" * 60, "a" * 5000, "\0", "../*", "/etc", "#", "", " ", "é", "\ud800",
            "{a,b}", "***", "*.[ch]", "[[:alpha:]]", "**/*a*a*a*a*a*a*a*a*a*a*a*")  # fmt: skip

VALUES = (
    "true", "0", "-1", "10" * 2000, "1e400", "nan", "''", "'''\n'''", '"\\u0000"', "'JIT'", "'JIT1'", "['']",
    "['JIT101']", "[1]", "[[[]]]", "{}", "{a = {b = {}}}", "1979-05-27", "'4GiB'", "'9' ", "'/dev/null'",
    "'/proc/self'", "'.'", "'..'", "'base.toml'", "'jitlint.toml'", "'nothing.toml'", "'baseline.json'",
    "'a\\tb'", "['*']",
)  # fmt: skip

ODD = ("\0", "\ufeff", "[", "]]", "=", "#", "'''", '"', "\\", "\r", "\n\n", "\x1b]0;x\x07", "[tool]", "[tool.jitlint]",
       "[[tool.jitlint]]", "tool.jitlint.select = 1", "é", "\u2028")  # fmt: skip


def project(chosen: random.Random) -> tuple[tuple[str, bytes], ...]:
    """A program, and one to four files around it that say how to lint it."""
    names = chosen.sample(NAMES, chosen.randint(1, 4))
    files = [(name, _content(chosen, name).encode(errors="surrogatepass")) for name in names]
    return (("program.py", PROGRAM), ("sub/deep/other.py", PROGRAM), *files)


def _content(chosen: random.Random, name: str) -> str:
    make: Callable[[random.Random], str] = _patterns
    if name.endswith(".toml"):
        make = _toml
    elif name.endswith(".json"):
        make = _baseline
    text = ("[tool.jitlint]\n" if name.endswith("pyproject.toml") else "") + make(chosen)
    for _ in range(chosen.choice((0, 0, 1, 3))):
        at = chosen.randint(0, len(text))
        text = text[:at] + chosen.choice(ODD) + text[at + chosen.choice((0, 0, 1, 9)) :]
    return text


def _patterns(chosen: random.Random) -> str:
    return "\n".join(chosen.choice(PATTERNS) for _ in range(chosen.choice((1, 3, 300))))


def _toml(chosen: random.Random) -> str:
    tables = {"": [key.name for key in keys(Settings)], "verify": [key.name for key in keys(VerifySettings)]}
    names = [*tables[""], *tables["verify"], "extend", "extend", "extend", "unknown", "''", "a.b.c"]
    lines = [f"{chosen.choice(names)} = {_value(chosen)}" for _ in range(chosen.randint(1, 6))]
    if chosen.random() < 0.3:
        lines.insert(chosen.randint(0, len(lines)), chosen.choice(("[verify]", "[per-file-ignores]", "[x.y]")))
    return "\n".join(lines) + "\n"


def _value(chosen: random.Random) -> str:
    if chosen.random() < 0.2:
        deep = chosen.choice((3, 99, 2000, 20_000))
        left, right = chosen.choice((("[", "]"), ("{a = ", "}"), ("(", ")")))
        return left * deep + chosen.choice(VALUES) + right * deep
    if chosen.random() < 0.3:
        return "[" + ", ".join(json.dumps(chosen.choice(PATTERNS)) for _ in range(chosen.choice((1, 5, 500)))) + "]"
    return chosen.choice(VALUES)


def _baseline(chosen: random.Random) -> str:
    old = {"fingerprint": "f", "code": "JIT101", "path": "a.py", "line": 1, "message": "m"}
    old[chosen.choice(list(old))] = chosen.choice(
        (None, 10**5000 if chosen.random() < 0.1 else 7, [], {}, "\ud800", old)
    )
    data = chosen.choice(
        ({"version": 1, "findings": [old]}, {"version": 1, "findings": {}}, [], 1, "x", {"version": []})
    )
    try:
        text = json.dumps(data)
    except ValueError:  # it holds itself, or is too long a number
        text = '{"version": 1' + "0" * 9000 + "}"
    deep = chosen.choice((0, 0, 50, 100_000))
    return "[" * deep + text + "]" * deep
