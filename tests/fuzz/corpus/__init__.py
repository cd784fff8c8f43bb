"""What was found by fuzzing, and must not come again: small programs, the files beside this one, and projects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_PROGRAM = "import jax\n\n\n@jax.jit\ndef f(x):\n    return x if x > 0 else -x\n"

_PROJECTS: Mapping[str, Mapping[str, str]] = {
    "toml_nests": {"jitlint.toml": f"select = {'[' * 3000}{']' * 3000}"},
    "pattern_with_a_wrong_range": {"jitlint.toml": "exclude = ['[z-a]']"},
    "ignored_with_a_wrong_range": {".gitignore": "[z-a]\n"},
    "stars_that_backtrack": {
        "jitlint.toml": f"exclude = ['{'*a' * 60}b']",
        ".gitignore": f"{'*a' * 60}b\n",
        f"{'a' * 200}.py": _PROGRAM,
    },
    "baseline_nests": {"jitlint.toml": "baseline = 'old.json'", "old.json": "[" * 100_000 + "]" * 100_000},
    "extends_a_chain": {
        "jitlint.toml": "extend = 'e0.toml'",
        **{f"e{at}.toml": f"extend = 'e{at + 1}.toml'" for at in range(1500)},
    },
    "extends_itself": {"jitlint.toml": "extend = 'jitlint.toml'"},
    "extends_a_nul": {"jitlint.toml": 'extend = "a\\u0000b"'},
    "extends_a_device": {"jitlint.toml": "extend = '/dev/zero'"},
    "baseline_is_a_device": {"jitlint.toml": "baseline = '/dev/zero'"},
}


def programs() -> dict[str, Mapping[str, bytes]]:
    """The programs: the files of each, by name."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return {file.stem: {file.name: file.read_bytes()} for file in files if file.name != "__init__.py"}


def projects() -> dict[str, Mapping[str, bytes]]:
    """The projects with settings: the files of each, by name."""
    return {
        name: {path: text.encode() for path, text in {"program.py": _PROGRAM, **files}.items()}
        for name, files in _PROJECTS.items()
    }
