"""Runs functions as they were before an edit, in the place of the edited ones.

A function object keeps its identity, its globals and its decorators; only its code is exchanged. So whatever holds it
(a `jit`, a class, another module) runs the original.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import gc
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_NOTE = "_jitlint_decided"
"""What conditions in original functions call, by this name, to note their truth values."""

_CALL = "_jitlint_original"
"""What stands in for a function whose parameters the edit has changed calls, by this name."""

_Key = tuple[str, str, int]
"""A function: its file, its qualified name, and its number among those of this name."""


class NotExchangeableError(Exception):
    """A function cannot run as it was; the message says why."""


class Originals:
    """The functions that edits have changed, as they were.

    Args:
        originals: the texts of the edited files before the edits, by file.
        edited: their texts with the edits.
    """

    def __init__(self, originals: Mapping[str, str], edited: Mapping[str, str]) -> None:
        self._edited: dict[tuple[str, str, int], _Key] = {}
        self._codes: dict[_Key, types.CodeType] = {}
        self._sides: list[tuple[str, set[bool]]] = []
        self._called: list[tuple[types.FunctionType, tuple[str, ...]]] = []
        for file, text in originals.items():
            self._read(file, text, edited[file])

    def _read(self, file: str, before: str, after: str) -> None:
        trees = ast.parse(before), ast.parse(after)
        plain, edited = (dict(_functions(tree, file)) for tree in trees)
        kept = Counter(ast.unparse(test) for test in _tests(trees[1]))
        noted = _Noting(kept, self._sides).visit(trees[0])
        noting = dict(_functions(ast.fix_missing_locations(noted), file))
        for key, code in edited.items():
            self._edited[file, key[1], code.co_firstlineno] = key
            if key in plain and not _same(plain[key], code):
                self._codes[key] = noting[key]

    @property
    def conditions(self) -> int:
        """How many of the conditions that the edits have replaced ran."""
        return sum(bool(values) for _, values in self._sides)

    @property
    def one_sided(self) -> list[str]:
        """The texts of those that ran, and were not both true and false."""
        return [text for text, values in self._sides if len(values) == 1]

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """Runs the originals within.

        Raises:
            NotExchangeableError: one of them uses other names of the function around it.
        """
        exchanged: list[tuple[types.FunctionType, types.CodeType]] = []
        setattr(builtins, _NOTE, self._note)
        setattr(builtins, _CALL, self._call)
        try:
            for function in self._changed():
                code = function.__code__
                original = self._codes[self._edited[_place(code)]]
                if original.co_freevars != code.co_freevars:
                    raise NotExchangeableError(f"the edit changed what `{code.co_name}` uses of the function around it")
                if _parameters(original) != _parameters(code):
                    original = self._stand_in(function, original)
                exchanged.append((function, code))
                function.__code__ = original
            yield
        finally:
            for function, code in exchanged:
                function.__code__ = code
            delattr(builtins, _NOTE)
            delattr(builtins, _CALL)

    def _changed(self) -> list[types.FunctionType]:
        """The functions that exist now and were edited."""
        return [
            each
            for each in gc.get_objects()
            if type(each) is types.FunctionType and self._edited.get(_place(each.__code__)) in self._codes
        ]

    def _stand_in(self, function: types.FunctionType, original: types.CodeType) -> types.CodeType:
        """Code that calls a function as it was, when it is called as the edited one.

        Raises:
            NotExchangeableError: more changed than parameters, at the end, in place of globals.
        """
        edited = _parameters(function.__code__)
        added = tuple(name for name in edited if name not in _parameters(original))
        kept = tuple(name for name in edited if name not in added)
        if kept != _parameters(original) or function.__code__.co_freevars or not set(added) <= set(original.co_names):
            raise NotExchangeableError(f"the edit changed what `{function.__name__}` takes")
        as_it_was = types.FunctionType(original, function.__globals__, function.__name__, function.__defaults__)
        self._called.append((as_it_was, added))
        text = f"lambda *args, **kwargs: {_CALL}({len(self._called) - 1}, args, kwargs)"
        made: types.FunctionType = eval(text)
        return made.__code__

    def _call(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function as it was: what was a global has the value that is passed now."""
        function, added = self._called[number]
        taken = len(_parameters(function.__code__))
        given = dict(zip(added, args[taken:], strict=False)) | {name: kwargs[name] for name in added if name in kwargs}
        before = {name: function.__globals__[name] for name in added}
        function.__globals__.update(given)
        try:
            return function(*args[:taken], **{name: kwargs[name] for name in kwargs if name not in added})
        finally:
            function.__globals__.update(before)

    def _note(self, number: int, value: Any) -> Any:
        """Notes a condition's truth value, and gives the condition back."""
        self._sides[number][1].add(bool(value))
        return value


class _Noting(ast.NodeTransformer):
    """Has each condition noted that an edit has replaced: those that the edited file still has say nothing.

    Args:
        kept: the texts of the edited file's conditions, counted.
        sides: gets the text of each condition that is noted, and an empty set.
    """

    def __init__(self, kept: Counter[str], sides: list[tuple[str, set[bool]]]) -> None:
        self._kept = kept
        self._sides = sides

    def visit(self, node: ast.AST) -> Any:
        tests = _tests_of(node)
        texts = [ast.unparse(test) for test in tests]  # before they change
        self.generic_visit(node)
        for at, text in enumerate(texts):
            if self._kept[text]:
                self._kept[text] -= 1
            else:
                _set_test(node, at, self._noted(text, _tests_of(node)[at]))
        return node

    def _noted(self, text: str, test: ast.expr) -> ast.expr:
        number = len(self._sides)
        self._sides.append((text, set()))
        return ast.copy_location(ast.Call(ast.Name(_NOTE, ast.Load()), [ast.Constant(number), test], []), test)


def _tests(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        yield from _tests_of(node)


def _tests_of(node: ast.AST) -> list[ast.expr]:
    """The conditions by which a node decides."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
            return [test]
        case ast.BoolOp(values=values):
            return list(values)
        case ast.comprehension(ifs=ifs):
            return list(ifs)
    return []


def _set_test(node: Any, at: int, test: ast.expr) -> None:
    match node:
        case ast.BoolOp():
            node.values[at] = test
        case ast.comprehension():
            node.ifs[at] = test
        case _:
            node.test = test


def _functions(tree: ast.Module, file: str) -> Iterator[tuple[_Key, types.CodeType]]:
    """The functions of a file, from its beginning to its end."""
    counts: Counter[str] = Counter()
    waiting = [compile(tree, file, "exec", dont_inherit=True)]
    found: list[types.CodeType] = []
    while waiting:
        code = waiting.pop()
        inner = [each for each in code.co_consts if isinstance(each, types.CodeType)]
        found += inner
        waiting += inner
    for code in sorted(found, key=lambda code: code.co_firstlineno):
        counts[code.co_qualname] += 1
        yield (file, code.co_qualname, counts[code.co_qualname]), code


def _same(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two functions do the same, on whichever lines they stand."""
    facts: list[Callable[[types.CodeType], Any]] = [
        lambda code: code.co_code,
        lambda code: code.co_names,
        lambda code: code.co_varnames,
        lambda code: len(code.co_consts),
    ]
    if any(fact(one) != fact(other) for fact in facts):
        return False
    return all(map(_same_constant, one.co_consts, other.co_consts))


def _same_constant(one: Any, other: Any) -> bool:
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return _same(one, other)
    return type(one) is type(other) and repr(one) == repr(other)


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _place(code: types.CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno
