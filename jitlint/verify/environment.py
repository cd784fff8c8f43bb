"""Chooses the Python that verifies: that of the environment that the user's code is written for."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from jitlint.verify.sandbox.confinement import AskError, Confinement
from jitlint.verify.worker import needs

_INSIDE = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")
"""Where an environment's folder has its interpreter, on one platform or another."""

_ASK = """
import json, sys
jax = None
try:
    from importlib import metadata, util
    if util.find_spec("jax") is not None:
        jax = ""
        jax = metadata.version("jax")
except Exception:
    pass
print(json.dumps([list(sys.version_info[:2]), jax]))
"""


class UnusableInterpreterError(Exception):
    """An interpreter cannot verify; the message says which one, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The interpreter to verify with.

    Attributes:
        python: its file.
        passed_over: one line for each interpreter that came before and cannot verify.
    """

    python: str
    passed_over: tuple[str, ...] = ()


def choose(
    named: str,
    start: Path,
    environment: Mapping[str, str] = os.environ,
    confinement: Confinement = Confinement(),  # noqa: B008  it cannot change
) -> Interpreter:
    """Returns the named interpreter, else the active environment's, else the project's, else the one that runs jitlint.

    An environment that only jitlint uses, as in a pre-commit hook, does not count as the active one.

    Args:
        named: the file of an interpreter, the folder of an environment, or an interpreter's name on the path;
            "" if none is named.
        start: the folder or file from which the project's environment is looked for, upward.
        environment: the environment variables: `VIRTUAL_ENV`, `UV_PROJECT_ENVIRONMENT`, `CONDA_PREFIX`, `PATH`.
        confinement: how interpreters are confined while they are asked what they have: a project may bring its own.

    Raises:
        NoSandboxError: a sandbox is required, and there is none.
        UnusableInterpreterError: the named interpreter cannot verify, or none can.
    """
    if not hasattr(os, "fork"):
        raise UnusableInterpreterError("workers are forked, which Windows cannot do; run jitlint in WSL")
    if named:
        path = Path(named)
        return Interpreter(_usable(path if path.exists() else Path(shutil.which(named) or named), confinement))
    passed_over: list[str] = []
    for origin, path in _candidates(start, environment):
        try:
            return Interpreter(_usable(path, confinement), tuple(passed_over))
        except UnusableInterpreterError as error:
            passed_over.append(f"{origin}{error}")
    raise UnusableInterpreterError("; ".join(passed_over))


def _candidates(start: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    own = Path(sys.prefix).resolve()
    active = environment.get("VIRTUAL_ENV")
    if active and (Path(active).resolve() != own or find_spec("jax") is not None):
        yield "VIRTUAL_ENV: ", Path(active)
    named = environment.get("UV_PROJECT_ENVIRONMENT") or ".venv"
    real = start.resolve()
    for folder in (real, *real.parents):
        if (folder / named).is_dir():
            yield "", folder / named
            break
    if conda := environment.get("CONDA_PREFIX"):
        yield "CONDA_PREFIX: ", Path(conda)
    # The environment that was active before a hook put its own in front.
    for folder in map(Path, environment.get("PATH", "").split(os.pathsep)):
        if (folder.parent / "pyvenv.cfg").is_file() and folder.parent.resolve() != own:
            yield "PATH: ", folder.parent
            break
    yield "", Path(sys.executable)


def _usable(path: Path, confinement: Confinement) -> str:
    """Asks an interpreter whether it can run workers, and returns its file.

    Raises:
        UnusableInterpreterError: it is missing or does not run, or its Python or jax is too old.
    """
    python = _file(path)
    try:
        (major, minor), jax = json.loads(confinement.ask(python, _ASK).splitlines()[-1])
        problem = needs.problem((int(major), int(minor)), None if jax is None else str(jax))
    except AskError as error:
        raise UnusableInterpreterError(f"{path} cannot be run ({error}); name another interpreter") from error
    except (ValueError, TypeError, IndexError, RecursionError) as error:
        raise UnusableInterpreterError(f"{path} is no Python interpreter; name one") from error
    if problem:
        raise UnusableInterpreterError(f"{path} {problem}")
    return python


def _file(path: Path) -> str:
    if not path.exists():
        raise UnusableInterpreterError(f"{path} does not exist; name an interpreter or the folder of an environment")
    if not path.is_dir():
        return os.path.abspath(path)  # not resolved: an environment's interpreter is a link to the one it was made of
    for inside in _INSIDE:
        if (path / inside).is_file():
            return os.path.abspath(path / inside)
    raise UnusableInterpreterError(f"{path} has no interpreter in it; name one, or make the environment again")
