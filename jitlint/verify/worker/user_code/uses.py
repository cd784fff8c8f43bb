"""What a function's text says about its parameters: keys, ranks, calls, sizes.

These are hints for the search of inputs, never proof: `x["w"].shape[1]` hints at a dict with an array of rank 2."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .texts import FunctionNode, Texts, is_bound, last_name, unwrapped, visible_names

_ARRAY_WORDS = frozenset(
    {
        *("shape", "dtype", "ndim", "size", "T", "at", "sum", "mean", "min", "max", "std", "var"),
        *("prod", "reshape", "astype", "ravel", "flatten", "squeeze", "transpose", "dot", "item"),
        *("tolist", "any", "all", "argmax", "argmin", "cumsum", "block_until_ready", "real", "imag"),
        *("mT", "conj", "clip", "round", "sort", "argsort", "copy", "take"),
    }
)
_DICT_WORDS = frozenset(("keys", "values", "items", "get", "pop", "update", "setdefault"))
_MATRIX_CALLS = frozenset(
    {
        *("cholesky", "inv", "solve", "det", "slogdet", "eigh", "eigvalsh", "svd", "qr", "pinv"),
        *("diagonal", "trace", "tril", "triu"),
    }
)
_SIZE_CALLS = frozenset(("range", "zeros", "ones", "empty", "arange", "eye", "linspace"))
_TRANSFORMS = frozenset(
    ("jit", "grad", "value_and_grad", "vmap", "checkpoint", "remat", "jacfwd", "jacrev", "hessian", "filter_jit")
)
_LOOPS = {"scan": (0, 1, 0), "while_loop": (1, 2, 0), "fori_loop": (2, 3, 1)}
"""The positions of a loop's body and of its first carry, and of the carry among the body's parameters."""
_DEPTH = 5


@dataclass
class Use:
    """How the code uses one value: a tree of the parts that it takes from it.

    Attributes:
        keys: the uses of its items by string key.
        attributes: the uses of its attributes.
        unpacked: into how many parts it is unpacked, None if it is not.
        starred: whether it is unpacked with a star.
        sliced: whether it is sliced.
        items: the uses of its items by index.
        element: the use of any of its elements, as in a loop.
        rank: the least rank that it must have as an array.
        exact_rank: its rank, where the code says so.
        shape: its shape, where the code says so; None for sides that it leaves open.
        array: whether it is used as an array.
        array_attributes: the attributes that are read of it and that arrays have.
        mapping: whether it is used as a mapping.
        called: whether it is called.
        key: whether it is used as a PRNG key.
        size: whether it is used as a size, so that it must be a whole number.
        index: whether it is used as an index.
        strings: the strings that it is compared with.
        classes: classes whose instances fit.
    """

    keys: dict[str, Use] = field(default_factory=dict)
    attributes: dict[str, Use] = field(default_factory=dict)
    unpacked: int | None = None
    starred: bool = False
    sliced: bool = False
    items: dict[int, Use] = field(default_factory=dict)
    element: Use | None = None
    rank: int = 0
    exact_rank: int | None = None
    shape: tuple[int | None, ...] | None = None
    array: bool = False
    array_attributes: set[str] = field(default_factory=set)
    mapping: bool = False
    called: bool = False
    key: bool = False
    size: bool = False
    index: bool = False
    strings: list[str] = field(default_factory=list)
    classes: list[type] = field(default_factory=list)

    @property
    def is_structured(self) -> bool:
        """Whether the code takes parts of it that no array has."""
        return self.unpacked is not None or bool(self.keys or self.attributes or self.called)

    def at_least(self, rank: int) -> None:
        """Notes that the value must be an array of at least this rank."""
        self.rank, self.array = max(self.rank, rank), True


def parameter_uses(
    node: FunctionNode, names: Mapping[str, Any], texts: Texts, depth: int = 0, owner: type | None = None
) -> dict[str, Use]:
    """Returns how a definition uses each of its parameters, also in functions that it calls.

    Args:
        node: the definition.
        names: the names that its body sees from outside.
        texts: finds the definitions of other functions.
        depth: how many calls away from the first definition this one is.
        owner: the class whose method it is: its other methods are found through `self`.
    """
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    receiver = positional[0].arg if owner is not None and positional else ""
    reader = _Reader(names, texts, depth, owner, receiver)
    for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        reader.aliases[argument.arg] = Use()
    if arguments.vararg:
        reader.aliases[arguments.vararg.arg] = Use(starred=True)
    parameters = dict(reader.aliases)
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    for statement in body:
        reader.visit(statement)
    return parameters


class _Reader(ast.NodeVisitor):
    def __init__(self, names: Mapping[str, Any], texts: Texts, depth: int, owner: type | None, receiver: str) -> None:
        self._owner, self._receiver = owner, receiver
        self.aliases: dict[str, Use] = {}
        self._names = names
        self._texts = texts
        self._depth = depth
        self._local: dict[str, FunctionNode] = {}
        self._made: dict[str, ast.Call] = {}

    def use(self, node: ast.expr) -> Use | None:
        """The use of the value that an expression takes from a parameter; None if it takes none."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if isinstance(node, ast.Starred):
            return self.use(node.value)
        if isinstance(node, ast.Attribute) and (base := self.use(node.value)) is not None:
            if node.attr in _ARRAY_WORDS:
                base.array = True
                base.array_attributes.add(node.attr)
                base.at_least(2) if node.attr in ("T", "mT") else None
                return base if node.attr in ("T", "at", "real", "copy") else None
            if node.attr in _DICT_WORDS:
                base.mapping = True
                return None
            return base.attributes.setdefault(node.attr, Use())
        if isinstance(node, ast.Subscript) and (base := self.use(node.value)) is not None:
            return self._part(base, node.slice)
        return None

    def _part(self, base: Use, index: ast.expr) -> Use | None:
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            return base.keys.setdefault(index.value, Use())
        if (at := _integer(index)) is not None:
            return base.items.setdefault(at, Use())
        if isinstance(index, ast.Slice):
            base.sliced = True
            return base
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        base.at_least(sum(1 for p in parts if not (isinstance(p, ast.Constant) and p.value in (None, ...))))
        for part in parts:
            if (inner := self.use(part)) is not None:
                inner.index = True
        if isinstance(index, ast.Name):
            base.element = base.element or Use()
            return base.element
        return None

    def visit_Name(self, node: ast.Name) -> None:
        self.use(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.use(node) is None:
            self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        value = node.value
        if isinstance(value, ast.Attribute) and value.attr == "shape" and (base := self.use(value.value)) is not None:
            at = _integer(node.slice)
            base.at_least(at + 1 if at is not None and at >= 0 else 1)
        self.use(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.generic_visit(node)
        for target in node.targets:
            self._bind(target, node.value)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, ast.Attribute) and value.attr == "shape" and (base := self.use(value.value)):
                base.exact_rank, base.array = len(target.elts), True
            elif (use := self.use(value)) is not None:
                self._unpack(target, use)
            elif isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                for one, part in zip(target.elts, value.elts, strict=True):
                    self._bind(one, part)
        elif isinstance(target, ast.Name) and isinstance(value, ast.Call) and last_name(value.func) in _TRANSFORMS:
            self._made[target.id] = value
        elif isinstance(target, ast.Name) and (use := self.use(value)) is not None:
            self.aliases[target.id] = use

    def _unpack(self, target: ast.Tuple | ast.List, use: Use) -> None:
        use.unpacked = len(target.elts)
        use.starred = use.starred or any(isinstance(element, ast.Starred) for element in target.elts)
        for at, element in enumerate(target.elts):
            inner = use.items.setdefault(at, Use())
            if isinstance(element, ast.Name):
                self.aliases[element.id] = inner
            elif isinstance(element, (ast.Tuple, ast.List)):
                self._unpack(element, inner)

    def visit_For(self, node: ast.For) -> None:
        self._loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._loop(node.target, node.iter)
        self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for clause in node.generators:
            self.visit(clause)
        self.generic_visit(node)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815

    def _loop(self, target: ast.expr, iterable: ast.expr) -> None:
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.args:
            if iterable.func.id == "zip" and isinstance(target, ast.Tuple):
                for one, part in zip(target.elts, iterable.args, strict=False):
                    self._loop(one, part)
                return
            if iterable.func.id == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                self._loop(target.elts[1], iterable.args[0])
                return
        if (use := self.use(iterable)) is not None:
            use.element = use.element or Use()
            if isinstance(target, ast.Name):
                self.aliases[target.id] = use.element
            elif isinstance(target, (ast.Tuple, ast.List)):
                self._unpack(target, use.element)

    def visit_Compare(self, node: ast.Compare) -> None:
        parts = [node.left, *node.comparators]
        strings = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        for part in parts:
            if strings and (use := self.use(part)) is not None:
                use.strings += strings
            if isinstance(part, ast.Attribute) and part.attr == "shape" and (use := self.use(part.value)) is not None:
                shapes = [shape for other in parts if (shape := _shape(other)) is not None]
                use.shape = shapes[0] if shapes and use.shape is None else use.shape
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            for side in (node.left, node.right):
                if (use := self.use(side)) is not None:
                    use.at_least(1)
                    use.rank = use.rank if use.rank > 1 or use.exact_rank == 1 else 2
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._local[node.name] = node
        own = {a.arg for a in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
        hidden = {name: self.aliases.pop(name) for name in own & set(self.aliases)}
        for statement in node.body:
            self.visit(statement)
        self.aliases.update(hidden)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        own = {a.arg for a in node.args.args}
        hidden = {name: self.aliases.pop(name) for name in own & set(self.aliases)}
        self.visit(node.body)
        self.aliases.update(hidden)

    def visit_Call(self, node: ast.Call) -> None:
        name = last_name(node.func)
        if (callee := self.use(node.func)) is not None:
            callee.called = True
        uses = [self.use(argument) for argument in node.args]
        first = uses[0] if uses else None
        if ".random." in f".{_dotted(node.func)}." and first is not None:
            first.key = True
        if name in _MATRIX_CALLS and first is not None:
            first.at_least(2)
        if name in _SIZE_CALLS and (isinstance(node.func, ast.Name) or name != "range"):
            self._sizes(node.args)
        if name in ("sum", "mean", "max", "min") and isinstance(node.func, ast.Attribute):
            self._axis(node)
        if name == "einsum" and node.args:
            self._einsum(node.args)
        if name in ("assert_shape", "assert_rank") and len(node.args) > 1:
            self._asserted(name, node.args[0], node.args[1])
        if name in _LOOPS:
            self._carry(node, *_LOOPS[name])
        self._follow(node, uses)
        self.generic_visit(node)

    def _sizes(self, arguments: list[ast.expr]) -> None:
        for argument in arguments[:2]:
            for part in argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument]:
                if (use := self.use(part)) is not None:
                    use.size = True

    def _axis(self, node: ast.Call) -> None:
        axis = [k.value for k in node.keywords if k.arg == "axis"]
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        target = (self.use(holder) if holder is not None else None) or (self.use(node.args[0]) if node.args else None)
        at = _integer(axis[0]) if axis else _integer(node.args[0]) if node.args else None
        if target is not None and at is not None:
            target.at_least(at + 1 if at >= 0 else -at)

    def _einsum(self, arguments: list[ast.expr]) -> None:
        form = arguments[0]
        if isinstance(form, ast.Constant) and isinstance(form.value, str):
            for letters, argument in zip(form.value.split("->")[0].split(","), arguments[1:], strict=False):
                if (use := self.use(argument)) is not None and letters.strip().isalpha():
                    use.exact_rank, use.array = len(letters.strip()), True

    def _asserted(self, name: str, subject: ast.expr, wanted: ast.expr) -> None:
        """Reads Chex's assertions on one array, or on several: with one claim for all of them, or one for each."""
        several = subject.elts if isinstance(subject, (ast.List, ast.Tuple)) else [subject]
        each = (
            wanted.elts
            if isinstance(wanted, ast.List) and len(wanted.elts) == len(several)
            else [wanted] * len(several)
        )
        for one, what in zip(several, each, strict=True):
            if (use := self.use(one)) is None:
                continue
            if name == "assert_shape":
                use.shape, use.array = _shape(what), True
            elif (rank := _integer(what)) is not None:
                use.exact_rank, use.array = rank, True

    def _follow(self, node: ast.Call, uses: list[Use | None]) -> None:
        found = self._callee(node.func)
        if found is None or self._depth >= _DEPTH or not any(uses + [self.use(k.value) for k in node.keywords]):
            return
        definition, names, bound = found
        owner = self._owner if self._is_own(node.func) else None
        theirs = parameter_uses(definition, names, self._texts, self._depth + 1, owner)
        ordered = [a.arg for a in [*definition.args.posonlyargs, *definition.args.args]][bound:]
        for mine, name in zip(uses, ordered, strict=False):
            if mine is not None and name in theirs:
                merge(mine, theirs[name])
        for keyword in node.keywords:
            mine = self.use(keyword.value)
            if mine is not None and keyword.arg in theirs:
                merge(mine, theirs[keyword.arg])

    def _carry(self, node: ast.Call, body: int, start: int, parameter: int) -> None:
        """Reads in a loop's body what becomes of the carry; all three are positions."""
        found = self._callee(node.args[body]) if len(node.args) > max(body, start) else None
        if found is None or self._depth >= _DEPTH:
            return
        definition, names, bound = found
        owner = self._owner if self._is_own(node.args[body]) else None
        theirs = parameter_uses(definition, names, self._texts, self._depth + 1, owner)
        ordered = [a.arg for a in [*definition.args.posonlyargs, *definition.args.args]][bound:]
        if len(ordered) > parameter:
            self._is_used_as(node.args[start], theirs[ordered[parameter]])

    def _is_used_as(self, node: ast.expr, theirs: Use) -> None:
        """Notes the use of a value, or of the parts of a tuple."""
        if isinstance(node, ast.Tuple):
            for at, part in enumerate(node.elts):
                if at in theirs.items:
                    self._is_used_as(part, theirs.items[at])
        elif (mine := self.use(node)) is not None:
            merge(mine, theirs)

    def _callee(
        self, function: ast.expr, seen: frozenset[str] = frozenset()
    ) -> tuple[FunctionNode, Mapping[str, Any], int] | None:
        if isinstance(function, ast.Name) and function.id in self._made and function.id not in seen:
            seen |= {function.id}  # `f = jit(f)` is made of the `f` before it
            function = self._made[function.id]
        if isinstance(function, ast.Call) and last_name(function.func) in _TRANSFORMS and function.args:
            return self._callee(function.args[0], seen)
        if isinstance(function, ast.Name) and function.id in self._local:
            return self._local[function.id], self._names, 0
        if not isinstance(function, (ast.Name, ast.Attribute)):
            return None
        own = self._is_own(function)
        value = self._texts.method(self._owner, last_name(function)) if own else _resolve(function, self._names)
        if isinstance(value, type):
            value = vars(value).get("__init__")
            bound = 1
        elif own:
            bound = int(not isinstance(value, staticmethod))
        else:
            bound = int(is_bound(value))
        definition = self._texts.of(value)
        bottom = unwrapped(value)
        if definition is None or not isinstance(bottom, types.FunctionType):
            return None
        return definition, visible_names(bottom), bound

    def _is_own(self, function: ast.expr) -> bool:
        """Whether an expression is an attribute of the object whose method is read: `self.step`."""
        return (
            self._receiver != ""
            and isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id == self._receiver
        )


def merge(mine: Use, other: Use, depth: int = 0) -> None:
    """Adds to `mine` what `other` says of the same value."""
    if depth > 6:
        return
    for mapping, theirs in ((mine.keys, other.keys), (mine.attributes, other.attributes)):
        for name, use in theirs.items():
            merge(mapping.setdefault(name, Use()), use, depth + 1)
    for at, use in other.items.items():
        merge(mine.items.setdefault(at, Use()), use, depth + 1)
    if other.element is not None:
        mine.element = mine.element or Use()
        merge(mine.element, other.element, depth + 1)
    mine.unpacked = mine.unpacked or other.unpacked
    mine.rank = max(mine.rank, other.rank)
    mine.exact_rank = mine.exact_rank if mine.exact_rank is not None else other.exact_rank
    mine.shape = mine.shape if mine.shape is not None else other.shape
    for flag in ("array", "mapping", "called", "key", "size", "index", "starred", "sliced"):
        setattr(mine, flag, getattr(mine, flag) or getattr(other, flag))
    mine.strings += other.strings
    mine.array_attributes |= other.array_attributes


def _resolve(node: ast.expr, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        base = _resolve(node.value, names)
        return inspect.getattr_static(base, node.attr, None) if base is not None else None
    return None


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _shape(node: ast.expr) -> tuple[int | None, ...] | None:
    """The shape that a tuple or list spells out, None for sides that are no numbers; None for other expressions."""
    if not isinstance(node, (ast.Tuple, ast.List)) or any(isinstance(side, ast.Starred) for side in node.elts):
        return None
    if any(isinstance(side, ast.Constant) and side.value is ... for side in node.elts):
        return None
    return tuple(_integer(side) for side in node.elts)


def _integer(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, int) else None
