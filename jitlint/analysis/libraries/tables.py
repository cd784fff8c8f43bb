"""Tables in which the mechanisms for library functions and methods are registered, and the call of a method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from jitlint.analysis.machine.interpreter import CALLERS, Interpreter
from jitlint.analysis.values import UNKNOWN, ByType, Method, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

Handler = Callable[[Interpreter, FunctionModel, Args, Span], Value]

HANDLERS: Final[dict[str, Handler]] = {}
"""The mechanisms that the models' `handler` words name."""

FUNCTIONS: Final[dict[str, Handler]] = {}
"""The mechanisms of the standard library's functions, by qualified name."""

MethodCaller = Callable[[Interpreter, Any, Method, Args, Span], Value]

METHODS: Final[ByType[MethodCaller]] = ByType()
"""What calling a method does that no class of the project defines, by the class of its receiver."""

BASE_METHODS: Final[dict[str, MethodCaller]] = {}
"""The mechanisms that the models' `handler` words of classes name: their methods on instances of project classes."""


def receiver_text(interp: Interpreter, method: Method) -> str:
    """The source text of what a method belongs to."""
    return interp.owner_text(method.span, method.name)


def _unknown_method(interp: Interpreter, receiver: Value, method: Method, args: Args, span: Span) -> Value:
    return UNKNOWN


def _call_method(interp: Interpreter, method: Method, args: Args, span: Span) -> Value:
    """Calls a bound method of a built-in or library value."""
    return METHODS[type(method.receiver)](interp, method.receiver, method, args, span)


METHODS[Value] = _unknown_method
CALLERS[Method] = _call_method
