"""Numbers that `jax.numpy` computes of static shapes, as expressions of Python, `math` and NumPy."""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

import libcst as cst

from jitlint.fixes.parts.host_calls import written
from jitlint.fixes.parts.nodes import argument, factor, is_unpacked_shape, value_of
from jitlint.fixes.site import Site
from jitlint.fixes.tree import walk


class Kind(enum.Enum):
    """What a size is on the host."""

    INT = "int"
    NUMBER = "number"
    SEQUENCE = "sequence"
    """A tuple or list of integers, such as a shape."""
    ARRAY = "array"
    """An array of NumPy."""
    UNKNOWN = "unknown"
    """A number, if it is computed with as one."""


class Size(NamedTuple):
    """A size on the host, as text."""

    text: str
    kind: Kind


class NoSizeError(Exception):
    """The expression has no form on the host."""


_OPERATORS: Final = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "floor_divide": "//", "mod": "%",
    "remainder": "%", "power": "**",
}  # fmt: skip
_OF_SEQUENCE: Final = {"prod": "math.prod", "sum": "sum", "max": "max", "min": "min", "amax": "max", "amin": "min"}
_TO_INT: Final = {"ceil": "math.ceil", "floor": "math.floor", "round": "round", "rint": "round", "trunc": "math.trunc"}
_OF_NUMBER: Final = frozenset(["sqrt", "log", "log2", "log10", "exp"])
_CONVERSIONS: Final = frozenset(["array", "asarray", "int32", "int64", "float32", "float64", "atleast_1d"])
_NUMPY: Final = frozenset(["cumsum", "cumprod", "diff", "sort", "flip"])
_BUILTIN: Final = frozenset(["int", "float", "abs", "max", "min", "round", "len"])
_INTS: Final = frozenset(["int", "int32", "int64", "uint32", "int16", "int8"])
_WHOLE: Final = frozenset(["ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "prod", "trunc"])
"""Functions of `math` that give integers of integers."""
_CLOSED: Final = (cst.Add, cst.Subtract, cst.Multiply, cst.FloorDivide, cst.Modulo)


class Sizes:
    """Writes sizes without `jax.numpy`.

    Attributes:
        known: what the variables are whose values are computed on the host from now on.
        exact: whether all that was written gives the same numbers as `jax.numpy` does, to the last bit.
    """

    METHODS: Final = frozenset({"astype", "item", *_OF_SEQUENCE})

    def __init__(self, site: Site) -> None:
        self._site = site
        self.known: dict[str, Kind] = {}
        self.exact = True

    @classmethod
    def computes(cls, site: Site, call: cst.Call) -> bool:
        """Whether a call is of a function of numbers."""
        name = _jnp(site, call)
        known = {*_OPERATORS, *_OF_SEQUENCE, *_TO_INT, *_CONVERSIONS, "maximum", "minimum", "abs", "square"}
        if name in known | _OF_NUMBER | _NUMPY:
            return True
        return isinstance(call.func, cst.Name) and call.func.value in _BUILTIN

    def has(self, node: cst.BaseExpression) -> bool:
        """Whether an expression computes with `jax.numpy` what can be computed on the host."""
        exact = self.exact
        try:
            return self._site.tree.code(node) != self.of(node).text
        except NoSizeError:
            return False
        finally:
            self.exact = exact

    def of(self, node: cst.BaseExpression) -> Size:
        """An expression on the host.

        Raises:
            NoSizeError: there is no form of it.
        """
        match node:
            case cst.Call():
                return self._call(node)
            case cst.BinaryOperation():
                return self._operation(node)
            case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
                size = self.of(inner)
                return Size(f"-{self._factor(size.text)}", size.kind)
            case cst.Subscript():
                return self._subscript(node)
        return Size(argument(self._site.tree, node), self._kind(node))

    def _kind(self, node: cst.BaseExpression) -> Kind:
        match node:
            case cst.Integer():
                return Kind.INT
            case cst.Float():
                return Kind.NUMBER
            case cst.Tuple() | cst.List():
                if any(isinstance(each, cst.Call) and _jnp(self._site, each) for each in walk(node)):
                    raise NoSizeError
                return Kind.SEQUENCE
            case cst.Attribute(attr=cst.Name(value=name)):
                return {"shape": Kind.SEQUENCE, "ndim": Kind.INT, "size": Kind.INT}.get(name, Kind.UNKNOWN)
            case cst.Name(value=name):
                if name in self.known:
                    return self.known[name]
                if is_unpacked_shape(self._site.tree, node):
                    return Kind.INT
                value = value_of(self._site.tree, node)
                return self._kind_of_value(value) if value is not None and value is not node else Kind.UNKNOWN
        raise NoSizeError

    def _kind_of_value(self, value: cst.BaseExpression) -> Kind:
        try:
            return self.of(value).kind
        except NoSizeError:
            return Kind.UNKNOWN

    def _subscript(self, node: cst.Subscript) -> Size:
        whole = self.of(node.value)
        if whole.kind not in (Kind.SEQUENCE, Kind.ARRAY) or len(node.slice) != 1:
            raise NoSizeError
        index = self._site.tree.code(node.with_changes(value=cst.Name("_"), lpar=[], rpar=[]))[1:]
        kind = whole.kind if isinstance(node.slice[0].slice, cst.Slice) else Kind.INT
        return Size(f"{self._factor(whole.text)}{index}", kind)

    def _operation(self, node: cst.BinaryOperation) -> Size:
        left, right = self.of(node.left), self.of(node.right)
        sides = [self._as_operand(each, old) for each, old in ((left, node.left), (right, node.right))]
        text = f"{sides[0]} {self._site.tree.code(node.operator)} {sides[1]}"
        if {left.kind, right.kind} & {Kind.SEQUENCE, Kind.ARRAY}:
            return Size(text, Kind.ARRAY)
        whole = left.kind is right.kind is Kind.INT and isinstance(node.operator, _CLOSED)
        return Size(text, Kind.INT if whole else Kind.NUMBER)

    def _as_operand(self, size: Size, old: cst.BaseExpression) -> str:
        text = size.text
        if size.kind is Kind.SEQUENCE:
            return f"{written(self._site, old, 'numpy.array')}({text})"
        return f"({text})" if old.lpar or (_is_open(text) and not isinstance(old, cst.BinaryOperation)) else text

    def _factor(self, text: str) -> str:
        return factor(self._site.tree, cst.parse_expression(text))

    def _call(self, call: cst.Call) -> Size:
        name = _jnp(self._site, call)
        args = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
        keywords = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        if len(args) + len(keywords) != len(call.args) or keywords - {"dtype"}:
            raise NoSizeError
        if name:
            return self._function(call, name, args)
        qualified = self._site.names.qualified(call.func)
        if qualified.startswith("math."):
            kind = Kind.INT if qualified.removeprefix("math.") in _WHOLE else Kind.NUMBER
            return Size(argument(self._site.tree, call), kind)
        match call.func:
            case cst.Attribute(value=value, attr=cst.Name(value=method)) if method in self.METHODS:
                return self._method(call, self.of(value), method, args)
            case cst.Name(value=function) if function in _BUILTIN and not keywords:
                return self._builtin(call, function, args)
        raise NoSizeError

    def _function(self, call: cst.Call, name: str, args: list[cst.BaseExpression]) -> Size:
        if name in _CONVERSIONS and args:
            return self._converted(self.of(args[0]), _dtype(call, name))
        if len(args) != len(call.args):
            raise NoSizeError
        if len(args) == 1:
            return self._of_one(call, name, self.of(args[0]))
        if len(args) != 2:
            raise NoSizeError
        left, right = self.of(args[0]), self.of(args[1])
        if {left.kind, right.kind} & {Kind.SEQUENCE, Kind.ARRAY}:
            raise NoSizeError
        kind = (
            Kind.INT
            if left.kind is right.kind is Kind.INT and name not in ("divide", "true_divide", "power")
            else Kind.NUMBER
        )
        if name in ("maximum", "minimum"):
            return Size(f"{name[:3]}({left.text}, {right.text})", kind)
        if name in _OPERATORS:
            return Size(f"{self._factor(left.text)} {_OPERATORS[name]} {self._factor(right.text)}", kind)
        raise NoSizeError

    def _of_one(self, call: cst.Call, name: str, size: Size) -> Size:
        if name in _OF_SEQUENCE:
            return self._reduced(call, name, size)
        if name in _NUMPY and size.kind in (Kind.SEQUENCE, Kind.ARRAY):
            return Size(f"{written(self._site, call, f'numpy.{name}')}({size.text})", Kind.ARRAY)
        if size.kind in (Kind.SEQUENCE, Kind.ARRAY):
            raise NoSizeError
        if name in _TO_INT:
            function = _TO_INT[name]
            function = written(self._site, call, function) if "." in function else function
            return size if size.kind is Kind.INT else Size(f"{function}({size.text})", Kind.INT)
        if name in ("abs", "absolute"):
            return Size(f"abs({size.text})", size.kind)
        if name == "square":
            return Size(f"{self._factor(size.text)} ** 2", size.kind)
        if name in _OF_NUMBER:
            self.exact = False
            return Size(f"{written(self._site, call, f'math.{name}')}({size.text})", Kind.NUMBER)
        raise NoSizeError

    def _reduced(self, call: cst.Call, name: str, size: Size) -> Size:
        if size.kind is Kind.ARRAY:
            return Size(f"{written(self._site, call, f'numpy.{name}')}({size.text})", Kind.INT)
        if size.kind is not Kind.SEQUENCE:
            raise NoSizeError
        function = _OF_SEQUENCE[name]
        function = written(self._site, call, function) if "." in function else function
        return Size(f"{function}({size.text})", Kind.INT)

    def _method(self, call: cst.Call, size: Size, method: str, args: list[cst.BaseExpression]) -> Size:
        if method == "astype" and len(args) == 1:
            return self._converted(size, _dtype_name(args[0]))
        if args:
            raise NoSizeError
        return size if method == "item" else self._reduced(call, method, size)

    def _converted(self, size: Size, dtype: str) -> Size:
        if size.kind is Kind.UNKNOWN:
            raise NoSizeError
        if dtype in _INTS and size.kind is Kind.NUMBER:
            return Size(f"int({size.text})", Kind.INT)
        if dtype and dtype not in _INTS and size.kind is Kind.INT:
            return Size(size.text, Kind.NUMBER)
        return size

    def _builtin(self, call: cst.Call, name: str, args: list[cst.BaseExpression]) -> Size:
        if name == "len":
            return Size(self._site.tree.code(call.with_changes(lpar=[], rpar=[])), Kind.INT)
        sizes = [self.of(arg) for arg in args]
        if name == "int" and len(sizes) == 1 and sizes[0].kind is Kind.INT:
            return sizes[0]
        if any(each.kind is Kind.ARRAY for each in sizes):
            raise NoSizeError
        kind = Kind.INT if name in ("int", "round") or all(each.kind is Kind.INT for each in sizes) else Kind.NUMBER
        return Size(f"{name}({', '.join(each.text for each in sizes)})", Kind.NUMBER if name == "float" else kind)


def _jnp(site: Site, call: cst.Call) -> str:
    """The function of `jax.numpy` that is called; "" if it is another."""
    qualified = site.names.qualified(call.func)
    return qualified.removeprefix("jax.numpy.") if qualified.startswith("jax.numpy.") else ""


def _dtype(call: cst.Call, name: str) -> str:
    """The dtype that an array is made with, "" if none is named."""
    given = next((arg.value for arg in call.args if arg.keyword is not None), None)
    if given is None and len(call.args) == 2:
        given = call.args[1].value
    if given is not None:
        return _dtype_name(given)
    return name if name in ("int32", "int64", "float32", "float64") else ""


def _dtype_name(node: cst.BaseExpression) -> str:
    last = node.attr if isinstance(node, cst.Attribute) else node
    if not isinstance(last, cst.Name):
        raise NoSizeError
    return last.value


def _is_open(text: str) -> bool:
    """Whether an expression, as text, is made with operators."""
    return isinstance(cst.parse_expression(text), (cst.BinaryOperation, cst.UnaryOperation))
