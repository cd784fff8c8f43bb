"""Model files that installed packages bring: entry points of the group `jitlint.models`.

An entry point names a file as if it were a module: `tidal = "tidal.jitlint"` is `jitlint.toml` in the package `tidal`.
The package is looked up, never imported.
"""

from __future__ import annotations

import contextlib
import importlib.util
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from jitlint.models.checks import ModelError, check
from jitlint.project.store import digest

GROUP = "jitlint.models"


class Installed(NamedTuple):
    """A model file that a package brings: its name in messages, and its content or what is wrong with it."""

    name: str
    data: dict[str, Any]
    error: str = ""


def installed() -> list[Installed]:
    """The model files of all installed packages, checked, in the order of their names."""
    found = {(point.name, point.value) for point in metadata.entry_points(group=GROUP)}
    return [_read(value) for _, value in sorted(found)]


def _read(value: str) -> Installed:
    package, _, rest = value.partition(".")
    name = f"{package}/{rest.replace('.', '/')}.toml"
    try:
        data = tomllib.loads(_locate(package, rest).read_text(encoding="utf-8"))
        check(data)
    except ModelError as error:
        return Installed(name, {}, str(error))
    except (OSError, UnicodeDecodeError) as error:
        return Installed(name, {}, f"cannot be read ({error}); reinstall {package}")
    except tomllib.TOMLDecodeError as error:
        return Installed(name, {}, f"is no TOML ({error}); correct it there")
    return Installed(name, data)


def _locate(package: str, rest: str) -> Path:
    """The file of an entry point. Finding the spec of a top-level package does not import it."""
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders or not rest:
        raise ModelError("", f"the entry point names no file in a package {package!r}", 'write "package.file"')
    return Path(next(iter(folders)), *rest.split(".")).with_suffix(".toml")


def stamp() -> str:
    """What tells the model files that packages bring from others: their names and contents."""
    told = []
    for name, value in sorted({(point.name, point.value) for point in metadata.entry_points(group=GROUP)}):
        package, _, rest = value.partition(".")
        with contextlib.suppress(OSError, ModelError):
            told.append((name, value, _locate(package, rest).read_bytes()))
    return digest(told)
