"""The tables in which mechanisms for library functions and methods are registered, and the call of a method.

A mechanism is a Python function that does to abstract values what a library function does to real ones. Each file of
`standard/`, `jax/` and `frameworks/` ends by registering its mechanisms here; README.md says which table is for what.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from jitlint.analysis.machine.interpreter import CALLERS, Interpreter
from jitlint.analysis.values import UNKNOWN, ByType, Method, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

Handler = Callable[[Interpreter, FunctionModel, Args, Span], Value]
"""The mechanism of a function: gets its model, the arguments and the place of the call, and returns the result."""

HANDLERS: Final[dict[str, Handler]] = {}
"""Mechanisms by the word with which a model file asks for them: `[modules."jax.lax".handlers] scan = ["scan"]`."""

FUNCTIONS: Final[dict[str, Handler]] = {}
"""Mechanisms of functions of Python's own library, by qualified name: they need no line in a model file."""

MethodCaller = Callable[[Interpreter, Any, Method, Args, Span], Value]
"""The mechanism of the methods of one type: gets the receiver and the method, which has a name."""

METHODS: Final[ByType[MethodCaller]] = ByType()
"""Mechanisms of methods that no class of the project defines, by the type of the receiver: List, Traced, Const …"""

OBJECT_METHODS: Final[dict[str, MethodCaller]] = {}
"""Mechanisms of the methods of objects of Python's own library, by the qualified name of what makes them."""

BASE_METHODS: Final[dict[str, MethodCaller]] = {}
"""Mechanisms of methods that classes of the project inherit from a library's class: `model.apply` of a Flax module.

The key is the `handler` word of the base class's model.
"""


def receiver_text(interp: Interpreter, method: Method) -> str:
    """The source text before the dot of a method call: "self.cache" of `self.cache.append(x)`."""
    return interp.owner_text(method.span, method.name)


def _unknown_method(interp: Interpreter, receiver: Value, method: Method, args: Args, span: Span) -> Value:
    """A method of a value whose type has no mechanism."""
    return UNKNOWN


def _call_method(interp: Interpreter, method: Method, args: Args, span: Span) -> Value:
    """Calls a method of a built-in or library value: `items.append(x)`, `x.sum()`."""
    return METHODS[type(method.receiver)](interp, method.receiver, method, args, span)


METHODS[Value] = _unknown_method
CALLERS[Method] = _call_method
