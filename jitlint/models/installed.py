"""Reads the model files of installed packages, which the entry points of the group `jitlint.models` name."""

from __future__ import annotations

from typing import Any, NamedTuple

from jitlint.models.checks import ModelError, check
from jitlint.models.plugins import SUFFIX, entry_points
from jitlint.project.plugins import locate
from jitlint.source.toml import TomlError, read_toml


class Installed(NamedTuple):
    """A model file of an installed package."""

    name: str
    """Its name in messages: "tidal/jitlint_model.toml"."""
    data: dict[str, Any]
    """Its content; empty if it cannot be used."""
    error: str = ""
    """Why it cannot be used, and what to do about it."""


def installed() -> list[Installed]:
    """The model files of all installed packages, checked, in the order of their names."""
    return [_read(value) for value in entry_points()]


def _read(value: str) -> Installed:
    """Reads the model file that an entry point names."""
    package, _, rest = value.partition(".")
    name = f"{package}/{rest.replace('.', '/')}.toml"
    try:
        file = locate(value, SUFFIX)
        if file is None:
            raise ModelError("", f"the entry point names no file in a package {package!r}", 'write "package.file"')
        data = read_toml(file)
        check(data)
    except ModelError as error:
        return Installed(name, {}, str(error))
    except OSError as error:
        return Installed(name, {}, f"cannot be read ({error}); reinstall {package}")
    except TomlError as error:
        return Installed(name, {}, f"is no TOML ({error}); correct it there")
    return Installed(name, data)
