"""The data files: written, read back and compared."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "jitlint" / "models" / "data" / "generated"

Row = Mapping[str, str] | str
Tables = Mapping[str, Mapping[str, Mapping[str, Row]]]
"""Tables of a file: by subject and module, rows by name; a row is text, or texts by field."""

_HEAD = """\
# {package}, as JAX {jax} answered. Made by `python -m tools.ask_jax`, which says what the words mean: do not edit.
jax = "{jax}"
"""


def package_of(module: str) -> str:
    """The package whose file holds a module's facts."""
    return ".".join(module.split(".")[:2])


def path_of(package: str) -> Path:
    """The file of a package."""
    return FOLDER / f"{package}.toml"


def written(package: str, jax: str, tables: Tables) -> str:
    """A file's text: a line for each row, in order of their names."""
    parts = [_HEAD.format(package=package, jax=jax)]
    for subject, modules in sorted(tables.items()):
        for module, rows in sorted(modules.items()):
            parts.append(f'\n[{subject}."{module}"]\n')
            parts.extend(f"{_key(name)} = {_row(row)}\n" for name, row in sorted(rows.items()))
    return "".join(parts)


def _row(row: Row) -> str:
    if isinstance(row, str):
        return _text(row)
    return "{" + ", ".join(f"{field} = {_text(text)}" for field, text in row.items()) + "}"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else _text(name)


def _text(text: str) -> str:
    return f"'{text}'" if "'" not in text else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def stored(package: str) -> tuple[str, Tables]:
    """The JAX version and the tables that a file holds; nothing if there is no file."""
    path = path_of(package)
    if not path.exists():
        return "", {}
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return data.pop("jax"), data


def differences(old: Tables, new: Tables) -> Iterator[str]:
    """In words, what a file says and JAX does not, or the other way round."""
    for subject, module in sorted({(s, m) for tables in (old, new) for s, modules in tables.items() for m in modules}):
        before, after = (tables.get(subject, {}).get(module, {}) for tables in (old, new))
        for name in sorted({*before, *after}):
            if before.get(name) != after.get(name):
                told = f"{_shown(before.get(name))}\n  JAX:  {_shown(after.get(name))}"
                yield f"{module}.{name} ({subject})\n  file: {told}"


def _shown(row: Row | None) -> str:
    return "nothing" if row is None else _row(row)
