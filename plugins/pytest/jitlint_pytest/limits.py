"""What `max_traces` is given: a number, and perhaps a function or its name."""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_USAGE = "write max_traces(1) for every function of the project, or max_traces(1, step) for one of them"


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `n` traces, of `function`, of the functions of that name, or, if it is None, of any function."""

    n: int
    function: Callable[..., object] | str | None = None

    @property
    def is_text(self) -> bool:
        return isinstance(self.function, str)

    @property
    def name(self) -> str:
        """The name that JAX gives the function, "" for any function."""
        if isinstance(self.function, str):
            return self.function
        return str(getattr(self.function, "__name__", "")) if self.function is not None else ""


def limit_of(args: Sequence[object], options: Mapping[str, object]) -> Limit:
    """The limit that arguments give; a test whose arguments give none fails."""
    try:
        n, function = _arguments(*args, **options)
    except TypeError:
        pytest.fail(f"max_traces takes a number and a function, but was given {_shown(args, options)}: {_USAGE}", False)
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        pytest.fail(f"max_traces needs a number of traces, but was given {n!r}: {_USAGE}", False)
    if function is None or isinstance(function, str) or (callable(function) and hasattr(function, "__name__")):
        return Limit(n, function)
    pytest.fail(f"max_traces needs a function or its name, but was given {function!r}: {_USAGE}", False)


def _arguments(n: object, function: object = None) -> tuple[object, object]:
    return n, function


def _shown(args: Sequence[object], options: Mapping[str, object]) -> str:
    return ", ".join([*map(repr, args), *(f"{name}={value!r}" for name, value in options.items())]) or "nothing"


def what_is_not_there(name: str, root: Path) -> str:
    """That no function of the project has a name, and which has a like one; "" if there is such a function."""
    known = set(_functions(root))
    if name in known:
        return ""
    like = difflib.get_close_matches(name, known, 1)
    meant = f"; did you mean {like[0]!r}?" if like else ""
    return f"max_traces: no loaded module of the project has a function {name!r}{meant}"


def _functions(root: Path) -> Iterator[str]:
    """The names of the functions in the loaded modules under a folder."""
    yield "<lambda>"
    for module in list(sys.modules.values()):
        file = Path(getattr(module, "__file__", None) or "/")
        if file.suffix == ".py" and file.is_relative_to(root) and "site-packages" not in file.parts:
            with suppress(OSError, SyntaxError, ValueError):
                tree = ast.parse(file.read_bytes())
                yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
