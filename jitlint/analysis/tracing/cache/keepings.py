"""Where a function keeps a value, to make it once only: `if key not in cache: cache[key] = value`. The text says it.

So do `if self.step is None: self.step = value`, a `try` around `cache[key]`, `cache.get(key)`, and `cache.setdefault`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.project.modules import Module
from jitlint.source.places import Span

_SAME_FOR_MANY: Final = frozenset({"shape", "dtype", "ndim", "size", "__class__", "__name__", "__qualname__"})
"""Attributes that different objects share: such a part of a key does not tell them apart."""

_SHARED: Final = frozenset({"len", "type"})
"""Functions of which the same holds."""


class Captured(NamedTuple):
    """A variable of the function, or an attribute of it, that a kept value holds: `self.cfg.rate`."""

    name: str
    attributes: tuple[str, ...]
    late: bool
    """Whether a function within the value reads it, when that runs, and not the expression that is kept."""


class Keeping(NamedTuple):
    """A statement that keeps a value, unless there is one already."""

    value: ir.Expr
    """What it keeps."""
    target: ir.Subscript | ir.Attribute | ir.Name
    """Where it keeps it: an item, an attribute, or a variable of an outer scope."""
    captured: tuple[Captured, ...]
    """What the value holds of the function's variables, in the order in which they are written."""
    key: tuple[Captured, ...]
    """What the key, and the place where it is looked up, are made of, as far as it tells objects apart."""
    shared: tuple[Captured, ...]
    """What the key is made of that different objects share: their type, their shape."""


def keepings(interp: Interpreter, code: ir.Function, module: Module) -> tuple[Keeping, ...]:
    """The statements of a function that keep a value. They are looked for once."""
    known = interp.world.readings.keepings
    if id(code) not in known:
        known[id(code)] = tuple(_keepings(interp, code, module))
    return known[id(code)]


def _keepings(interp: Interpreter, code: ir.Function, module: Module) -> Iterator[Keeping]:
    nodes = interp.world.readings.written_in(interp.project.body(code)).nodes
    asked = frozenset(text for node in nodes for text in _asked(node, module))
    if not asked:
        return
    outer = code.globals | code.nonlocals
    reading: _Reading | None = None
    for node in nodes:
        for target, value in _stores(node):
            where = target.value if isinstance(target, ir.Subscript) else target
            if module.snippet(where.span) not in asked or (isinstance(target, ir.Name) and target.name not in outer):
                continue
            reading = reading or _Reading(interp, code, nodes)
            key = [target.item, where] if isinstance(target, ir.Subscript) else [target]
            if found := [path for path in reading.captured(value) if not _is_shared(path)]:
                parts = [path for part in key for path in reading.captured(part)]
                telling, shared = [[path for path in parts if _is_shared(path) is kind] for kind in (False, True)]
                yield Keeping(value, target, tuple(found), tuple(telling), tuple(shared))


def _is_shared(path: Captured) -> bool:
    return not _SAME_FOR_MANY.isdisjoint(path.attributes)


def _stores(node: Any) -> Iterator[tuple[ir.Subscript | ir.Attribute | ir.Name, ir.Expr]]:
    """What a statement stores where."""
    if isinstance(node, ir.Assign):
        for target in node.targets:
            if isinstance(target, (ir.Subscript, ir.Attribute, ir.Name)):
                yield target, node.value
    elif (owner := _owner(node, "setdefault")) is not None and len(node.arguments) == 2:
        key, value = node.arguments
        yield ir.Subscript(node.span, owner, key.value), value.value


def _owner(node: Any, *methods: str) -> ir.Expr | None:
    """The object whose method a node calls, if it calls one of these."""
    is_call = isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute)
    return node.function.value if is_call and node.function.name in methods else None


def _asked(node: Any, module: Module) -> Iterator[str]:
    """The containers, attributes and variables of which a node asks whether something is there, as they are written."""
    if isinstance(node, ir.Compare):
        if node.ops[0] in ("in", "not in"):
            yield module.snippet(node.rest[0].span)
        elif node.ops[0] in ("is", "is not"):
            yield module.snippet(node.first.span)
    elif isinstance(node, ir.Call):
        if (asked := _owner(node, "get", "setdefault")) is not None:
            yield module.snippet(asked.span)
        elif isinstance(node.function, ir.Name) and node.function.name == "hasattr" and len(node.arguments) == 2:
            owner, name = (argument.value for argument in node.arguments)
            yield f"{module.snippet(owner.span)}.{getattr(name, 'value', '')}"
    elif isinstance(node, ir.Unary) and node.op == "not":
        yield module.snippet(node.operand.span)
    elif isinstance(node, ir.Try) and node.handlers:
        looked_up = (part for statement in node.body for part in _parts(statement) if isinstance(part, ir.Subscript))
        yield from (module.snippet(part.value.span) for part in looked_up)


def _parts(node: Any) -> Iterator[Any]:
    """A node and the nodes in it, without those of functions in it."""
    yield node
    if isinstance(node, tuple) and not isinstance(node, (ir.Const, ir.FunctionDef, ir.Lambda, ir.ClassDef)):
        for part in node:
            yield from _parts(part)


class _Reading:
    """Finds what expressions of a function are made of, through its local variables and the functions within it."""

    def __init__(self, interp: Interpreter, code: ir.Function, nodes: tuple[Any, ...]) -> None:
        self._interp = interp
        self._parameters = frozenset(parameter.name for parameter in code.parameters)
        self._locals = code.locals
        self._bound: dict[str, list[Any]] = {}
        for node in nodes:
            if isinstance(node, ir.FunctionDef):
                self._bound.setdefault(node.function.name, []).append(node)
            elif isinstance(node, ir.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, (ir.AnnAssign, ir.NamedExpr)) and node.value is not None:
                self._bind(node.target, node.value)

    def _bind(self, target: ir.Expr, value: ir.Expr) -> None:
        if isinstance(target, ir.Name):
            self._bound.setdefault(target.name, []).append(value)
        elif isinstance(target, ir.Display):
            for element in target.elements:
                self._bind(element, value)

    def captured(self, node: ir.Expr) -> tuple[Captured, ...]:
        """What an expression is made of, without repeats."""
        return tuple(dict.fromkeys(self._of(node, late=False, hidden=frozenset(), seen=set())))

    def _of(self, node: Any, *, late: bool, hidden: frozenset[str], seen: set[str]) -> Iterator[Captured]:
        if isinstance(node, (ir.Name, ir.Attribute)):
            attributes: list[str] = []
            while isinstance(node, ir.Attribute):
                attributes.append(node.name)
                node = node.value
            if not isinstance(node, ir.Name):
                yield from self._of(node, late=late, hidden=hidden, seen=seen)
            elif node.name not in hidden:
                yield from self._of_variable(node.name, tuple(reversed(attributes)), late=late, seen=seen)
        elif isinstance(node, (ir.FunctionDef, ir.Lambda)):
            function = node.function
            decorators = node.decorators if isinstance(node, ir.FunctionDef) else ()
            for made in (*[p.default for p in function.parameters], *decorators):
                yield from self._of(made, late=late, hidden=hidden, seen=seen)
            body = self._interp.project.body(function)
            yield from self._of(body, late=True, hidden=hidden | function.locals, seen=seen)
        elif isinstance(node, ir.Call) and isinstance(node.function, ir.Name) and node.function.name in _SHARED:
            for path in self._of(node.arguments, late=late, hidden=hidden, seen=seen):
                yield path._replace(attributes=(*path.attributes, "__class__"))
        elif isinstance(node, tuple) and not isinstance(node, (ir.Const, Span)):
            for part in node:
                yield from self._of(part, late=late, hidden=hidden, seen=seen)

    def _of_variable(self, name: str, attributes: tuple[str, ...], *, late: bool, seen: set[str]) -> Iterator[Captured]:
        if name in self._parameters or name not in self._locals:
            yield Captured(name, attributes, late)
        elif name not in seen:
            seen.add(name)
            for value in self._bound.get(name, ()):
                yield from self._of(value, late=late, hidden=frozenset(), seen=seen)
