"""Which writes into a parameter's object nothing sees but that object: `stats["mean"] = m`, and `stats` goes nowhere.

A function that gets a copy of what its caller has, as a transformed one does, loses such writes when it returns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from jitlint import ir
from jitlint.analysis.values import Function
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span

Body = tuple[ir.Stmt, ...]

_MUTATORS: Final = frozenset({"append", "extend", "insert", "update", "add", "setdefault"})
"""Methods of lists, dicts and sets that put something in."""

_DICT_METHODS: Final = frozenset({"items", "keys", "values", "get"})

_ARRAY_METHODS: Final = frozenset({"astype", "sum", "mean", "max", "min", "std", "any", "all", "argmax", "reshape"})
"""Methods that only arrays have, of which the results are new arrays."""

_LOOKS_ONLY: Final = frozenset({"len", "isinstance", "list", "dict", "sorted", "enumerate", "zip", "print"})
"""Built-in functions that keep nothing of an argument but its elements."""


class LostWrite(NamedTuple):
    """A write that is lost with the object."""

    span: Span
    kind: str
    """item, attribute, or the method: `.append`."""
    key: ir.Expr | None
    """The key of an item."""
    of_dict: bool
    """Whether the function calls methods of the object that only dicts have."""
    read_later: bool
    """Whether attributes or items of the object are read afterwards: the write may be meant for that."""
    writer: Function
    """The function that writes: that with the parameter, or one that it calls."""


class Callee(NamedTuple):
    """A function of the project that a call calls."""

    function: Function
    taken: int
    """How many of its first parameters the call does not write: 1 for the instance or the class of a method."""


Passed = tuple[Function, str]
"""A function of the project that gets the object, and its parameter."""

_ANYTIME: Final = sys.maxsize
"""Where a local function reads a part of the object: it may be called after any write."""


class _Write(NamedTuple):
    span: Span
    kind: str
    key: ir.Expr | None
    steps: int
    loops: tuple[int, ...]


class _Load(NamedTuple):
    start: int
    steps: int
    """How many attributes and items lead to what is read; 0 if nobody holds what is read."""
    loops: tuple[int, ...]
    keys: frozenset[str] = frozenset()
    """The variables that say which part is read: another one in each round of a loop that they are targets of."""


def lost_writes(
    function: Function,
    name: str,
    body_of: Callable[[ir.Function], Body],
    called: Callable[[Function, ir.Expr], Callee | None],
    only_reads: Callable[[Function, ir.Expr], bool],
    returns_numbers: Callable[[ir.Function], bool],
    depth: int = 3,
    part_of: str = "",
) -> list[LostWrite] | None:
    """The writes to the object of a parameter that are lost when a function returns; None if the object may escape.

    Args:
        function: the function, and `name` its parameter, or a variable that it takes out of `part_of`, its parameter.
        body_of: gives the body of a function.
        called: gives the function of the project that an expression in a function names.
        only_reads: whether what an expression in a function names keeps no argument, and returns none.
        returns_numbers: whether all that a function returns is computed with operators (`only_numbers`).
        depth: through how many calls the object is followed.
    """
    helper_of = partial(called, function) if depth else _not_followed
    reader = _Reader(name, body_of, helper_of, partial(only_reads, function), returns_numbers)
    for statement in body_of(function.code):
        if not (part_of and unpacked(statement, part_of)):
            reader.visit(statement, ())
    if reader.escapes:
        return None
    found = []
    for write in reader.writes:
        if any(load.steps < write.steps for load in reader.loads if load.steps):
            continue  # another variable may hold the inner object
        later = reader.is_read_after(write.span.start, write.loops)
        found.append(LostWrite(write.span, write.kind, write.key, reader.of_dict, later, function))
    for (helper, parameter), span, loops, is_method in reader.passes:
        inner = lost_writes(helper, parameter, body_of, called, only_reads, returns_numbers, depth - 1)
        if inner is None:
            return None
        later = reader.is_read_after(span.start, loops)
        if not is_method:
            found += [write._replace(read_later=write.read_later or later) for write in inner]
        elif inner:  # the method is right for who keeps the object: the call is at fault
            found.append(LostWrite(span, "attribute", None, False, later, function))
    return found


def names_touched(
    body: Body, body_of: Callable[[ir.Function], Body], called: Callable[[ir.Expr], Callee | None]
) -> frozenset[str]:
    """The variables into whose objects a body may write, itself or by a function of the project that it calls."""
    found: set[str] = set()
    for node in own_nodes(body):
        if isinstance(node, (ir.FunctionDef, ir.Lambda)):
            inner = partial(_unless_own, node.function.locals, called)
            found |= names_touched(body_of(node.function), body_of, inner) - node.function.locals
        elif isinstance(node, (ir.Assign, ir.AugAssign)):
            found.update(map(_base_name, node.targets if isinstance(node, ir.Assign) else (node.target,)))
        elif isinstance(node, ir.Call) and isinstance(node.function, (ir.Name, ir.Attribute)):
            is_mutator = isinstance(node.function, ir.Attribute) and node.function.name in _MUTATORS
            if is_mutator or called(node.function) is not None:
                found.add(_base_name(node.function))
                found.update(each.value.name for each in node.arguments if isinstance(each.value, ir.Name))
    return frozenset(found)


def _base_name(node: ir.Expr) -> str:
    """The variable of which an expression is a part: `p` of `p.a[0]`; "" if it is none."""
    is_part = isinstance(node, (ir.Attribute, ir.Subscript))
    while isinstance(node, (ir.Attribute, ir.Subscript)):
        node = node.value
    return node.name if is_part and isinstance(node, ir.Name) else ""


def unpacked(statement: ir.Stmt, name: str) -> tuple[str, ...]:
    """The variables that a statement takes out of another one, in their order: `batch, totals = inputs`; else none."""
    if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Name) or len(statement.targets) > 1:
        return ()
    target = statement.targets[0]
    parts = target.elements if isinstance(target, ir.Display) and statement.value.name == name else ()
    names = tuple(part.name for part in parts if isinstance(part, ir.Name))
    return names if len(names) == len(parts) else ()


def _unless_own(own: frozenset[str], called: Callable[[ir.Expr], Callee | None], node: ir.Expr) -> Callee | None:
    """The function that an expression in a local function names; None if that is a variable of its own."""
    base = node.value if isinstance(node, ir.Attribute) else node
    return None if isinstance(base, ir.Name) and base.name in own else called(node)


def _not_followed(node: ir.Expr) -> None:
    """Names no function: calls are not followed."""


class _Reader:
    """Notes where a body writes into the object of a parameter, where it reads parts of it, and whether it escapes."""

    def __init__(
        self,
        name: str,
        body_of: Callable[[ir.Function], Body],
        called: Callable[[ir.Expr], Callee | None],
        only_reads: Callable[[ir.Expr], bool],
        returns_numbers: Callable[[ir.Function], bool],
    ) -> None:
        self.name = name
        self.body_of = body_of
        self.called = called
        self.only_reads = only_reads
        self.returns_numbers = returns_numbers
        self.writes: list[_Write] = []
        self.loads: list[_Load] = []
        self.passes: list[tuple[Passed, Span, tuple[int, ...], bool]] = []
        """The calls that get the object: the function with its parameter, where, in which loops, and whether it is a
        method of the object.
        """
        self.of_dict = False
        """Whether a method of dicts is called on it."""
        self.targets: dict[int, frozenset[str]] = {}
        """The variables that each loop binds."""
        self.escapes = False
        """Whether something else may hold the object, or the parameter may be another object."""

    def is_read_after(self, start: int, loops: tuple[int, ...]) -> bool:
        """Whether the object is read after a place, or in a further round of a loop around it."""
        return any(load.start > start or self._is_read_again(load, set(loops)) for load in self.loads)

    def _is_read_again(self, load: _Load, loops: set[int]) -> bool:
        """Whether a further round of one of some loops reads the same part."""
        return any(load.keys.isdisjoint(self.targets[loop]) for loop in loops.intersection(load.loops))

    def visit(self, node: Any, loops: tuple[int, ...]) -> None:
        """Looks through a statement, an expression, or a tuple of such."""
        if isinstance(node, (ir.Assign, ir.AugAssign, ir.ExprStmt)) and self._write(node, loops):
            return
        if isinstance(node, (ir.Const, Span)) or not isinstance(node, tuple):
            return
        if isinstance(node, ir.Name):
            self.escapes = self.escapes or node.name == self.name
        elif isinstance(node, (ir.Attribute, ir.Subscript)) and self._steps(node):
            self._part(node, loops)
        elif isinstance(node, ir.Compare) and node.ops[-1] in ("in", "not in") and self._is_it(node.rest[-1]):
            self.loads.append(_Load(node.span.start, 0, loops, _names(node.first)))  # what is asked for, nobody holds
            self.visit((node.first, node.rest[:-1]), loops)
        elif isinstance(node, ir.Compare) and self._is_it(node.first) and set(node.ops) <= {"is", "is not"}:
            self.visit(node.rest, loops)
        elif isinstance(node, ir.Call):
            self._call(node, loops)
        elif isinstance(node, (ir.For, ir.Clause)):
            self._iterate(node, loops)
        elif isinstance(node, ir.While):
            self.targets[node.span.start] = frozenset()
            self.visit((node.test, node.body), (*loops, node.span.start))
            self.visit(node.orelse, loops)
        elif isinstance(node, (ir.FunctionDef, ir.Lambda)):
            self._local_function(node.function, loops)
        else:
            for part in node:
                self.visit(part, loops)

    def _local_function(self, code: ir.Function, loops: tuple[int, ...]) -> None:
        """Notes what a local function does with the object, whenever that is. A variable of its own is another one."""
        self.visit(code.parameters, loops)
        if self.name in code.locals:
            return
        called = partial(_unless_own, code.locals, self.called)
        inner = _Reader(self.name, self.body_of, called, self.only_reads, self.returns_numbers)
        inner.visit(self.body_of(code), ())
        self.escapes = self.escapes or inner.escapes
        self.of_dict = self.of_dict or inner.of_dict
        self.writes += inner.writes
        self.passes += inner.passes
        passed = {span.start for _, span, _, _ in inner.passes}  # what the functions read there, they say themselves
        self.loads += [load if load.start in passed else load._replace(start=_ANYTIME) for load in inner.loads]
        self.targets.update(inner.targets)

    def _write(self, node: ir.Assign | ir.AugAssign | ir.ExprStmt, loops: tuple[int, ...]) -> bool:
        """Notes a statement that writes into the object; what it reads of the object is not used elsewhere."""
        if isinstance(node, ir.ExprStmt):
            call = node.value
            method = call.function if isinstance(call, ir.Call) else None
            if not isinstance(method, ir.Attribute) or method.name not in _MUTATORS or not self._steps(method):
                return False
            self.writes.append(_Write(node.span, f".{method.name}", None, self._steps(method), loops))
            return True
        targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
        if len(targets) != 1 or not self._steps(targets[0]):
            return False
        target = targets[0]
        key = target.item if isinstance(target, ir.Subscript) else None
        kind = "item" if key is not None else "attribute"
        self.writes.append(_Write(target.span, kind, key, self._steps(target), loops))
        return True

    def _steps(self, node: ir.Expr) -> int:
        """How many attributes and items lead from the parameter to a part of it: 2 for `p.a[0]`, 0 for others."""
        steps = 0
        while isinstance(node, (ir.Attribute, ir.Subscript)):
            node = node.value
            steps += 1
        return steps if isinstance(node, ir.Name) and node.name == self.name else 0

    def _part(self, node: ir.Attribute | ir.Subscript, loops: tuple[int, ...]) -> None:
        """Notes that a part of the object is read."""
        keys: frozenset[str] = frozenset()
        inner: ir.Expr = node
        while isinstance(inner, (ir.Attribute, ir.Subscript)):
            if isinstance(inner, ir.Subscript):
                self.visit(inner.item, loops)
                keys |= _names(inner.item)
            inner = inner.value
        self.loads.append(_Load(node.span.start, self._steps(node), loops, keys))

    def _call(self, node: ir.Call, loops: tuple[int, ...]) -> None:
        """A method of the object may return the object, unless it is one that containers have."""
        method = node.function
        if isinstance(method, ir.Attribute) and self._steps(method):
            if method.name in _DICT_METHODS or _is_of_array(method):
                self.of_dict = self.of_dict or (self._steps(method) == 1 and method.name in _DICT_METHODS)
                keys = frozenset[str]().union(*(_names(argument.value) for argument in node.arguments))
                self.loads.append(_Load(node.span.start, self._steps(method), loops, keys))
            elif not self._own_method(node, method, loops):
                self.escapes = True
        elif isinstance(method, ir.Name) and method.name in _LOOKS_ONLY:
            for argument in node.arguments:
                if self._is_it(argument.value):
                    self.loads.append(_Load(node.span.start, 1, loops))
                else:
                    self.visit(argument.value, loops)
            return
        else:
            self.visit(method, loops)
        for i, argument in enumerate(node.arguments):
            parameter = self._parameter(node, i) if self._is_it(argument.value) else None
            steps = 1
            if parameter is not None:
                self.passes.append((parameter, node.span, loops, False))
                steps = 0 if self.returns_numbers(parameter[0].code) else 1
            elif not self._is_it(argument.value) or not self.only_reads(method):
                self.visit(argument.value, loops)
                continue
            self.loads.append(_Load(node.span.start, steps, loops))

    def _own_method(self, node: ir.Call, method: ir.Attribute, loops: tuple[int, ...]) -> bool:
        """Notes a call of a method of the object's class, if that is known and returns no part of the object."""
        callee = self.called(method) if self._is_it(method.value) else None
        if callee is None or not callee.taken or not self.returns_numbers(callee.function.code):
            return False
        function = callee.function
        self.passes.append(((function, function.code.parameters[0].name), node.span, loops, True))
        self.loads.append(_Load(node.span.start, 0, loops))
        return True

    def _is_it(self, node: ir.Expr) -> bool:
        """Whether an expression is the parameter itself."""
        return isinstance(node, ir.Name) and node.name == self.name

    def _parameter(self, node: ir.Call, position: int) -> Passed | None:
        """The function that a call calls, and its parameter for an argument; None if that is not known."""
        callee = self.called(node.function)
        argument = node.arguments[position]
        if callee is None or any(a.star for a in node.arguments[: position + 1]):
            return None
        function, parameters = callee.function, callee.function.code.parameters[callee.taken :]
        if argument.keyword is None:
            plain = position < len(parameters) and parameters[position].kind in ("positional", "positional-only")
            return (function, parameters[position].name) if plain else None
        named = any(p.name == argument.keyword and p.kind not in ("*", "**") for p in parameters)
        return (function, argument.keyword) if named else None

    def _iterate(self, node: ir.For | ir.Clause, loops: tuple[int, ...]) -> None:
        """Iterating over the object gives its keys or elements."""
        if isinstance(node.iterable, ir.Name) and node.iterable.name == self.name:
            self.loads.append(_Load(node.iterable.span.start, 1, loops))
        else:
            self.visit(node.iterable, loops)
        self.visit(node.target, loops)
        if isinstance(node, ir.Clause):
            self.visit(node.tests, loops)
        else:
            self.targets[node.span.start] = _names(node.target)
            self.visit(node.body, (*loops, node.span.start))
            self.visit(node.orelse, loops)


def only_numbers(body: Body) -> bool:
    """Whether all that a function returns is computed with operators: no object that it is given, nor a part of it."""
    nodes = list(own_nodes(body))
    bound: dict[str, list[ir.Expr | None]] = {}
    for node in nodes:
        if isinstance(node, ir.AugAssign) and isinstance(node.target, ir.Name):
            bound.setdefault(node.target.name, []).append(node.value)
        elif isinstance(node, ir.For):
            for name in _names(node.target):
                bound.setdefault(name, []).append(None)
        elif isinstance(node, ir.Assign):
            for target in node.targets:
                for name, value in _bindings(target, node.value):
                    bound.setdefault(name, []).append(value)

    def is_number(node: ir.Expr | None, pending: frozenset[str] = frozenset()) -> bool:
        if isinstance(node, ir.Display):
            return all(is_number(part, pending) for part in node.elements)
        if isinstance(node, ir.Name):
            values = bound.get(node.name, [None])
            return node.name in pending or all(is_number(value, pending | {node.name}) for value in values)
        return isinstance(node, (ir.Binary, ir.Unary, ir.Compare, ir.Const))

    return all(is_number(node.value) for node in nodes if isinstance(node, ir.Return))


def _bindings(target: ir.Expr, value: ir.Expr) -> Iterator[tuple[str, ir.Expr | None]]:
    """The names that an assignment binds, with what each of them gets; None if that is not written there."""
    if isinstance(target, ir.Name):
        yield target.name, value
    elif isinstance(target, ir.Display):
        fits = isinstance(value, ir.Display) and len(value.elements) == len(target.elements)
        values = value.elements if fits and isinstance(value, ir.Display) else [None] * len(target.elements)
        for part, given in zip(target.elements, values, strict=True):
            if isinstance(part, ir.Name):
                yield part.name, given


def _names(node: ir.Expr) -> frozenset[str]:
    """The variables that an expression names."""
    return frozenset(part.name for part in own_nodes(node) if isinstance(part, ir.Name))


def _is_of_array(method: ir.Attribute) -> bool:
    """Whether a method computes a new array: `part.astype`, `part.at[i].set`."""
    inner = method.value.value if isinstance(method.value, ir.Subscript) else None
    return method.name in _ARRAY_METHODS or (isinstance(inner, ir.Attribute) and inner.name == "at")
