"""Makes instances of the user's classes: by constructor calls in the code, from module variables, then by guesses."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

from ..inputs import frameworks, proposals
from ..inputs.specs import Fields, Given, Made, Spec, build
from ..process.budget import Clock, Interrupted
from ..user_code.sites import Site
from ..user_code.texts import Texts, last_name
from ..user_code.uses import Use

_MOST = 4


class Instances:
    """Finds ways to make instances of classes, in the loaded modules."""

    def __init__(self, modules: Mapping[str, types.ModuleType], texts: Texts, clock: Clock) -> None:
        self._clock = clock
        self._modules = {str(getattr(module, "__file__", "")): module for module in modules.values()}
        self._calls: dict[str, list[tuple[types.ModuleType, ast.AST, ast.Call]]] = {}
        for file, tree in texts.trees():
            if file in self._modules:
                for scope, call in _constructions(tree, tree):
                    self._calls.setdefault(last_name(call.func), []).append((self._modules[file], scope, call))
        self._known: dict[type, tuple[Spec, ...]] = {}

    def evaluated(self, site: Site) -> tuple[str, Any, None] | None:
        """Evaluates a call that stands at a module's place: its text and value; None if it cannot be."""
        for calls in self._calls.values():
            for module, scope, call in calls:
                here = module.__file__, call.lineno, call.col_offset, call.end_lineno, call.end_col_offset
                if here == (site.file, site.line, site.column, site.end_line, site.end_column):
                    made = _evaluation(module, scope, call, object, self._clock)
                    return (ast.unparse(call), made(), None) if made is not None else None
        return None

    def of(self, cls: type, uses: Mapping[str, Use]) -> list[Spec]:
        """Specifications of instances of a class, likeliest first; at least one.

        Args:
            cls: the class; for an abstract one, its first concrete subclass.
            uses: the known uses of its attributes, for guesses at its constructor's arguments.
        """
        if cls not in self._known:
            self._known[cls] = (*list(self._written(cls))[:_MOST], *list(self._held(cls))[:_MOST])
        sample = frameworks.sample(cls)
        guess = proposals.of_class(cls, dict(uses))
        return [*self._known[cls], *([sample] if sample is not None else []), guess]

    def attributes(self, spec: Spec) -> Mapping[str, Any]:
        """What the attributes of an instance hold; nothing if it cannot be made."""
        try:
            with self._clock.brief():
                return dict(vars(build(spec)))
        except (Exception, Interrupted):  # noqa: BLE001  constructors are the user's
            return {}

    def _written(self, cls: type) -> Iterator[Spec]:
        """Constructor calls in the code whose arguments can be evaluated."""
        found: dict[str, Spec] = {}
        for kind in _concrete(cls):
            for module, scope, call in self._calls.get(kind.__name__, ()):
                text = ast.unparse(call)
                if text not in found and (made := _evaluation(module, scope, call, kind, self._clock)) is not None:
                    bare = not (call.args or call.keywords)  # so that options can be added to it
                    found[text] = Fields(kind, ()) if bare else Made(text, made)
        yield from found.values()

    def _held(self, cls: type) -> Iterator[Spec]:
        for module in self._modules.values():
            for name, value in list(vars(module).items()):
                if type(value) is cls or (inspect.isabstract(cls) and cls in type(value).__mro__):
                    yield Given(value, name)


def _concrete(cls: type) -> list[type]:
    """The class or, if it is abstract, its concrete subclasses."""
    if not inspect.isabstract(cls):
        return [cls]
    derived: list[type] = list(cls.__subclasses__())
    return [concrete for one in derived for concrete in _concrete(one)]


def _constructions(scope: ast.AST, node: ast.AST) -> Iterator[tuple[ast.AST, ast.Call]]:
    """The calls in a tree, each with the function (or module) around it."""
    for child in ast.iter_child_nodes(node):
        inner = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if isinstance(child, ast.Call):
            yield scope, child
        yield from _constructions(child if inner else scope, child)


def _evaluation(module: types.ModuleType, scope: ast.AST, call: ast.Call, cls: type, clock: Clock) -> Any:
    """A function that evaluates a call in its module; None if that fails, or returns no instance of the class.

    For names of the function around the call, the assignments before it run first.
    """
    known = vars(module) if isinstance(scope, ast.Module) else {}
    before = [] if isinstance(scope, ast.Lambda) else _assignments(scope, call, known)
    code = compile(ast.Module([*before], []), "<inputs>", "exec", dont_inherit=True)
    last = compile(ast.Expression(call), "<inputs>", "eval", dont_inherit=True)

    def make() -> Any:
        names = dict(vars(module))
        exec(code, names)
        return eval(last, names)

    try:
        with clock.brief():
            return make if isinstance(make(), cls) else None
    except (Exception, Interrupted):  # noqa: BLE001  it may need what only a caller of that function has
        return None


def _assignments(scope: ast.AST, call: ast.Call, known: Mapping[str, Any]) -> list[ast.stmt]:
    wanted = {part.id for part in ast.walk(call) if isinstance(part, ast.Name)} - known.keys()
    found: list[ast.stmt] = []
    inside = [part for part in ast.walk(scope) if isinstance(part, ast.Assign) and part.lineno < call.lineno]
    for statement in sorted(inside, key=lambda part: -part.lineno):
        bound = {part.id for target in statement.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        if bound & wanted:
            found.insert(0, statement)
            wanted |= {part.id for part in ast.walk(statement.value) if isinstance(part, ast.Name)} - known.keys()
    return found
