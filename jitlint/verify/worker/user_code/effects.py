"""What a statement does to its module's names: which it binds, reads and changes, judged by its text."""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
_BINDS = ("STORE_NAME", "DELETE_NAME")
_GLOBALS = ("STORE_GLOBAL", "DELETE_GLOBAL")
_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_CONFIGURING = re.compile(
    r"(^|\.)(config|environ|path|warnings|flags)\."
    r"|\.(set|enable|disable|use|register|define|seed|install|patch|reload|basicConfig)[^.]*$",
    re.IGNORECASE,
)
"""Calls that change a library's settings, such as `jax.config.update` or `warnings.filterwarnings`."""

_CACHING = re.compile(r"cache|memo", re.IGNORECASE)
"""Matches the names of decorators that cache a function's results."""

_MUTATORS = frozenset(("pop", "popitem", "setdefault", "append", "extend", "add", "update", "insert", "remove"))
"""Methods that change their object, also where the code uses their result (`x = stack.pop()`)."""

_CHANGING = frozenset(("next", "setattr", "delattr"))
"""The builtins that change an argument."""


@dataclass(frozen=True)
class Effects:
    """What a statement does.

    Attributes:
        binds: the module's names that it binds or deletes.
        reads: the names that it, or a function defined in it, reads.
        now: the names that it reads itself, while it runs.
        aliases: the names whose objects it may bind again, alone or in a container: `b = [a]` aliases `a`.
        attributes: the attributes that it reads, by name.
        changes: the names whose objects it changes when it runs.
        later: the names that functions defined in it change or bind once they are called.
        calls: whether it calls anything when it runs.
        configures: whether it changes a library's settings, on which all code may depend.
    """

    binds: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    now: frozenset[str] = frozenset()
    aliases: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()
    calls: bool = False
    configures: bool = False


@dataclass
class _Names:
    binds: set[str] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)
    now: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    in_functions: set[str] = field(default_factory=set)


def imports(tree: ast.Module) -> dict[str, str]:
    """Returns what each imported name stands for, dotted: `{"jnp": "jax.numpy"}`."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}.{alias.name}"
    return found


def of(node: ast.stmt, imported: Mapping[str, str], flags: int) -> Effects:
    """What a statement does.

    Args:
        node: a statement that can stand at a module's top level.
        imported: what the module's imported names stand for.
        flags: of the compiler, for the module.
    """
    names = _Names()
    _collect(compile(ast.Module([node], []), "<top level>", "exec", flags=flags, dont_inherit=True), names, now=True)
    annotated = _annotated(node)
    here, within = list(_walk(node, functions=False)), list(_bodies(node))
    calls = [part for part in here if isinstance(part, ast.Call)]
    is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return Effects(
        binds=frozenset(names.binds | (names.rebound if not is_function else set())),
        reads=frozenset(names.reads | annotated),
        now=frozenset(names.now),
        aliases=frozenset(_aliases(getattr(node, "value", None) or getattr(node, "iter", None))),
        attributes=frozenset(part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)),
        changes=frozenset(_changed(here, imported)),
        later=frozenset(set(_changed(within, imported)) & names.in_functions | names.rebound),
        calls=bool(calls) or bool(getattr(node, "decorator_list", ())),
        configures=_configures(node, imported),
    )


def changes_parameters(node: ast.stmt) -> bool:
    """Whether a function changes one of its arguments."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    given = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    return not given.isdisjoint(_changed(list(_bodies(node)), {}))


def keeps_results(node: ast.stmt, imported: Mapping[str, str]) -> bool:
    """Whether a decorator caches the function's results, so that a call changes what later calls do."""
    decorators = node.decorator_list if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
    functions = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in decorators)
    return any(_CACHING.search(dotted(function, imported)) for function in functions)


def _collect(code: types.CodeType, names: _Names, *, now: bool) -> None:
    for instruction in dis.get_instructions(code):
        if instruction.opname in _LOADS:
            names.reads.add(instruction.argval)
            (names.now if now else names.in_functions).add(instruction.argval)
        elif instruction.opname in _BINDS and code.co_name == "<module>":
            names.binds.add(instruction.argval)
        elif instruction.opname in _GLOBALS:
            (names.binds if now else names.rebound).add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            is_class = not constant.co_flags & inspect.CO_OPTIMIZED
            _collect(constant, names, now=now and (is_class or constant.co_name in _COMPREHENSIONS))


def _annotated(node: ast.stmt) -> set[str]:
    """The names in annotations, also in those written as text: they say what to call a function with."""
    found = [part.annotation for part in ast.walk(node) if isinstance(part, (ast.arg, ast.AnnAssign))]
    texts = [part.value for one in found if one is not None for part in ast.walk(one) if isinstance(part, ast.Constant)]
    nodes: list[ast.AST] = [one for one in found if one is not None]
    for text in texts:
        if isinstance(text, str):
            try:
                nodes.append(ast.parse(text, mode="eval"))
            except SyntaxError:
                continue
    return {part.id for one in nodes for part in ast.walk(one) if isinstance(part, ast.Name)}


def _walk(node: ast.AST, *, functions: bool) -> Iterator[ast.AST]:
    """The parts of a statement that run with it; with `functions`, the bodies of its functions too."""
    yield node
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(node, _FUNCTIONS) and not functions:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child, functions=functions)


def _bodies(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that run when the functions in it do."""
    for part in _walk(node, functions=False):
        if isinstance(part, _FUNCTIONS):
            for statement in part.body if isinstance(part.body, list) else [part.body]:
                yield from _walk(statement, functions=True)


def _changed(parts: list[ast.AST], imported: Mapping[str, str]) -> Iterator[str]:
    """The names of the objects that are changed: by a store into them, or by a call whose result is dropped."""
    for part in parts:
        if isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            yield root(part)
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            yield from _changed_by(part.value, imported)
        elif isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute) and part.func.attr in _MUTATORS:
                yield root(part.func)
            elif isinstance(part.func, ast.Name) and part.func.id in _CHANGING:
                yield from arguments(part)


def _changed_by(call: ast.Call, imported: Mapping[str, str]) -> Iterator[str]:
    function = dotted(call.func, imported)
    if isinstance(call.func, ast.Call):  # `registry.register("name")(value)`
        yield from _changed_by(call.func, imported)
    if root(call.func) not in imported and isinstance(call.func, ast.Attribute):
        yield root(call.func)
    is_builtin = isinstance(call.func, ast.Name) and hasattr(builtins, function) and function not in _CHANGING
    of_jax = function.partition(".")[0] == "jax" and "register" not in function
    if not is_builtin and not of_jax:
        yield from arguments(call)


def arguments(call: ast.Call) -> Iterator[str]:
    """The names whose objects a call gets, also within displays (`f([a])`), but not within other calls."""
    for part in (*call.args, *(keyword.value for keyword in call.keywords)):
        if not isinstance(part, ast.Call):
            yield from _aliases(part)


def _aliases(node: ast.AST | None) -> Iterator[str]:
    """The names whose objects an expression's value may be or contain, not those that it is computed from."""
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name)):
        yield root(node)
    elif isinstance(node, ast.Call):
        yield from arguments(node)
        if isinstance(node.func, ast.Attribute):
            yield root(node.func)
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.IfExp, ast.BoolOp, ast.NamedExpr)):
        for part in ast.iter_child_nodes(node):
            yield from _aliases(part)


def _configures(node: ast.stmt, imported: Mapping[str, str]) -> bool:
    """Whether a statement changes something in a library: its configuration, the path, the environment."""
    for part in _walk(node, functions=False):
        if isinstance(part, (ast.Attribute, ast.Subscript)) and not isinstance(part.ctx, ast.Load):
            if root(part) in imported:
                return True
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            function = part.value.func
            if root(function) in imported and _CONFIGURING.search(dotted(function, imported)):
                return True
    return False


def root(node: ast.AST) -> str:
    """The name that attributes, items and method calls start from (`a` in `a.b[0].c()`); "" if there is none."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def dotted(node: ast.expr, imported: Mapping[str, str]) -> str:
    """The dotted name behind a name with attributes, through its import: `jax.numpy.sum` for `jnp.sum`; else ""."""
    if isinstance(node, ast.Attribute):
        base = dotted(node.value, imported)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Subscript):
        return dotted(node.value, imported)
    return imported.get(node.id, node.id) if isinstance(node, ast.Name) else ""
