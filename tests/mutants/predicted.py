"""What the analyzer thinks of each variable where it is read: traced, static or unknown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from jitlint import ir
from jitlint.analysis.api import analyze
from jitlint.analysis.machine.interpreter import EVALUATORS, Interpreter
from jitlint.analysis.program import parallel
from jitlint.analysis.values import Dict, Instance, List, Never, Traced, Tuple, Union, Unknown, Value
from jitlint.analysis.values import Iterator as IteratorValue
from jitlint.analysis.values import Sequence as SequenceValue
from jitlint.project.cache import Cache
from jitlint.project.modules import Project
from jitlint.source.text import read_source
from tests.mutants.observe import MAX_DEPTH

Place = tuple[str, int, int]
"""A file, and a line and a column in it, from 1."""

Stages = Mapping[Place, set[str]]
"""The words for what the analyzer thinks of the name at each place."""


def stages(paths: Sequence[Path]) -> Stages:
    """Analyzes files together; gives, for each name that was read because a module's top level runs, its stages.

    What runs because nobody in view calls it is left out: its arguments are guesses, and the drivers do not run it.
    """
    found: dict[Place, set[str]] = defaultdict(set)
    with _recording(lambda interp: None if _uncalled(interp) else found):
        _analyze(paths)
    return found


def traced_stages(paths: Sequence[Path]) -> Stages:
    """The same where the analyzer thinks that JAX traces such that tracers have no value, whoever calls."""
    found: dict[Place, set[str]] = defaultdict(set)
    with _recording(lambda interp: found if interp.trace and not interp.trace.concrete else None):
        _analyze(paths)
    return found


def _analyze(paths: Sequence[Path]) -> None:
    analyze(Project([read_source(path, str(path)) for path in paths], Cache(None)))


def _uncalled(interp: Interpreter) -> bool:
    root = interp.root_run.root
    return root is None or bool(root.qualname)


@contextmanager
def _recording(found: Callable[[Interpreter], dict[Place, set[str]] | None]) -> Iterator[None]:
    """Notes what each name holds when it is read, in what `found` gives for the run, if anything."""
    evaluate = EVALUATORS[ir.Name]

    def record(interp: Interpreter, node: ir.Name) -> Value:
        value = evaluate(interp, node)
        if interp.module.given and (here := found(interp)) is not None:
            place = interp.module.place(node.span)
            here[place.path, place.line, place.column] |= words(value)
        return value

    EVALUATORS[ir.Name] = record
    try:
        with mock.patch.object(parallel, "CAN_FORK", False):  # what another process records is not seen here
            yield
    finally:
        EVALUATORS[ir.Name] = evaluate


def words(value: Value, depth: int = MAX_DEPTH) -> set[str]:
    """The stages that a value may have. A container is traced if it holds a tracer, else unknown if it may hold one."""
    if isinstance(value, Union):
        return set().union(*(words(part, depth) for part in value.alternatives))
    if isinstance(value, Traced):
        return {"traced"}
    if isinstance(value, Unknown):
        return {"unknown"}
    if isinstance(value, Never):
        return set()
    inner = set().union(*(words(part, depth - 1) for part in _parts(value))) if depth else set()
    return {next((word for word in ("traced", "unknown") if word in inner), "static")}


def _parts(value: Value) -> list[Value]:
    match value:
        case Tuple():
            return list(value.elements)
        case SequenceValue() | IteratorValue():
            return [value.element]
        case List():
            return [value.content]
        case Dict():
            return [*value.fields["entries"].values(), value.fields["rest"]]
        case Instance():
            return [*([value.traced] if value.traced else []), *_values(value.fields)]
    return []


def _values(fields: Mapping[object, object]) -> list[Value]:
    return [field for field in fields.values() if isinstance(field, Value)]
