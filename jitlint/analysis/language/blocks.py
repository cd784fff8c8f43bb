"""`try` and `with`: handlers that catch a tracer's errors, and context managers.

A handler matters to events: an error that `except Exception` swallows is no failure but a trace without a part of its
code. So a body runs under a `Handler` in `path.handlers`, by which `Interpreter.emit` judges what happens in it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable
from functools import partial
from types import NoneType
from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import bind_self, class_attribute, class_facts, lineage
from jitlint.analysis.language.names import set_name
from jitlint.analysis.machine.context import Handler
from jitlint.analysis.machine.interpreter import EXECUTORS, Interpreter, assign, call
from jitlint.analysis.machine.store import Changes
from jitlint.analysis.values import (
    NONE,
    UNKNOWN,
    Class,
    Const,
    External,
    ExternalInstance,
    Function,
    Instance,
    Iterator,
    Sequence,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import alternatives
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


def _handler_of_tracer_errors(interp: Interpreter, handlers: tuple[ir.Handler, ...]) -> Handler | None:
    """The first `except` clause that catches what tracers raise and does not raise again; else None."""
    for handler in handlers:
        nodes = handler.type.elements if isinstance(handler.type, ir.Display) else (handler.type,)
        types = [each for node in nodes if node is not None for each in _types_in(interp.evaluate(node))]
        names = {value.name for value in types if isinstance(value, External)}
        unclear = any(isinstance(value, Unknown) for value in types)  # who collects types may have tracers in mind
        catches = handler.type is None or unclear or _any_has_role(interp, names, "catches-tracer-errors")
        if catches and not _reraises(handler):
            caught = "except" if handler.type is None else f"except {interp.module.snippet(handler.type.span)}"
            of_jax = any(name.startswith("jax.") for name in names)
            deliberate = unclear or of_jax or handler.name is not None
            broad = handler.type is None or _any_has_role(interp, names, "catches-everything")
            answers = all(map(_answers, handler.body))
            return Handler(caught, broad, interp.depth, deliberate, interp.path.undecided, interp.frame, answers)
    return None


def _answers(statement: ir.Stmt) -> bool:
    """Whether a statement does no more than to answer a question: `return False`, `found = None`, `continue`."""
    if isinstance(statement, (ir.Assign, ir.Return)):
        return statement.value is None or (
            isinstance(statement.value, ir.Const) and isinstance(statement.value.value, (bool, str, NoneType))
        )
    return isinstance(statement, ir.Continue)


def _types_in(caught: Value) -> list[Value]:
    """The types that an `except` clause names: a class, or all in a tuple of classes that was put together before."""
    found: list[Value] = []
    for option in alternatives(caught):
        content = content_of(option)
        if isinstance(content, Tuple):
            parts = content.elements
        else:
            parts = (content.element if isinstance(content, Sequence) else content,)
        found += itertools.chain.from_iterable(map(alternatives, parts))
    return found


def _any_has_role(interp: Interpreter, names: Iterable[str], role: str) -> bool:
    """Whether the models give one of the names a role (models/roles.py)."""
    return any(interp.models.has_role(name, role) for name in names)


def _reraises(handler: ir.Handler) -> bool:
    """Whether a handler ends in `raise`, so that it hides nothing."""
    return bool(handler.body) and isinstance(handler.body[-1], ir.Raise)


def _try(interp: Interpreter, node: ir.Try) -> bool:
    """Runs `try`: its body and each handler are branches, since the body may or may not fail.

    A handler runs from the join of the states before and after the body, since the error may come anywhere between.
    """
    catching = _handler_of_tracer_errors(interp, node.handlers)
    restored = [(interp.frame, _text(interp, target)) for target in _attributes_set(node.final)]
    store = interp.store
    mark = store.mark
    seen: list[Changes] = []
    body = partial(_run_try_body, interp, node, catching, mark, seen)
    handlers = [partial(_run_handler, interp, handler, seen) for handler in node.handlers]
    interp.path.restored += restored
    restoring = _puts_back(interp, node)
    interp.path.restoring += restoring
    try:
        goes_on = store.branch([body, *handlers])
    finally:
        interp.path.restoring -= restoring
        del interp.path.restored[len(interp.path.restored) - len(restored) :]
    return interp.run(node.final) and goes_on


def _puts_back(interp: Interpreter, node: ir.Try) -> bool:
    """Whether `finally` calls something with a variable that was set before: `variables.assign(saved)`."""
    own = interp.frame.home.fields
    return any(
        isinstance(argument.value, ir.Name) and argument.value.name in own
        for statement in node.final
        if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Call)
        for argument in statement.value.arguments
    )


def _attributes_set(body: tuple[ir.Stmt, ...]) -> list[ir.Attribute]:
    """The attributes that statements assign to, one by one."""
    return [
        target
        for statement in body
        if isinstance(statement, ir.Assign)
        for target in statement.targets
        if isinstance(target, ir.Attribute)
    ]


def _text(interp: Interpreter, node: ir.Expr) -> str:
    """An expression as it is written."""
    return interp.module.source.text[node.span.start : node.span.end]


def _run_try_body(interp: Interpreter, node: ir.Try, catching: Handler | None, mark: int, seen: list[Changes]) -> bool:
    """Runs what is tried, then `else`.

    Args:
        mark: how many of the store's logs were open before.
        seen: gets the changes that the body has made, for the handlers to start from.
    """
    goes_on = interp.run(node.body) if catching is None else _run_under_handler(interp, node.body, catching)
    seen.append(interp.store.since(mark))
    return interp.run(node.orelse) if goes_on else False


def _run_handler(interp: Interpreter, handler: ir.Handler, seen: list[Changes]) -> bool:
    """Runs an `except` clause."""
    if seen:
        interp.store.merge([{}, seen[0]])
    if handler.name is not None:
        set_name(interp, handler.name, UNKNOWN, handler.span)
    return interp.run(handler.body)


def _run_under_handler(interp: Interpreter, body: tuple[ir.Stmt, ...], handler: Handler) -> bool:
    """Runs statements whose tracer errors are caught.

    Returns whether their end can be reached: not if they certainly raise such an error.
    """
    interp.path.handlers.append(handler)
    try:
        return interp.run(body) and not handler.is_reached
    finally:
        interp.path.handlers.pop()


def _with(interp: Interpreter, node: ir.With) -> bool:
    """Runs `with`: enters the context managers, runs the body, leaves them.

    Four kinds change what the body means: those that compute now (`jax.ensure_compile_time_eval`), those under which
    nothing is traced (`jax.disable_jit`), those after which an exception goes no further (`pytest.raises`,
    `contextlib.suppress`), and those that replace what is imported.
    """
    trace, untraced = interp.trace, interp.path.untraced
    expecting: list[Handler] = []
    contexts, left = [], []
    for item in node.items:
        with interp.unit.state.order.entering() as put_back:
            context = interp.evaluate(item.context)
        left += put_back
        contexts.append(context)
        entered = enter_context(interp, context, item.span)
        if isinstance(context, ExternalInstance) and interp.models.has_role(context.of, "computes-now"):
            interp.suspend_staging()
        if isinstance(context, ExternalInstance) and interp.models.has_role(context.of, "traces-nothing"):
            asked = [*context.arguments, *context.keywords.values()]
            interp.path.untraced |= all(isinstance(value, Const) and value.value is True for value in asked)
        if _expects_error(interp, context, item.context):
            text = interp.module.snippet(item.context.span)
            deliberate = not _silences_all(interp, context)
            expecting.append(Handler(text, True, interp.depth, deliberate, interp.path.undecided, interp.frame))
        if item.target is not None:
            assign(interp, item.target, entered)
    interp.path.handlers.extend(expecting)
    try:
        goes_on = interp.run(node.body) or any(handler.is_reached for handler in expecting)
        imported = interp.world.readings.imported_names.get(id(node))
        if imported is None:
            imported = interp.world.readings.imported_names[id(node)] = _imported_names(node.body)
        if imported and not all(map(partial(_keeps_imports, interp), contexts, node.items)):
            for name in sorted(imported.intersection(interp.frame.home.fields)):
                interp.store.set(interp.frame.home, name, UNKNOWN)
        for state in left:
            interp.unit.state.order.put_back(state)
        for context, item in zip(contexts, node.items, strict=True):
            _exit_context(interp, context, item)
        return goes_on
    finally:
        del interp.path.handlers[len(interp.path.handlers) - len(expecting) :]
        interp.trace, interp.path.untraced = trace, untraced


def _keeps_imports(interp: Interpreter, context: Value, item: ir.WithItem) -> bool:
    """Whether names that are imported under a context manager are bound to the real things.

    Configuration libraries replace the import machinery there (`with konfig.imports(): import optax`), so that an
    import gives a stand-in that records what is done with it. Only what a call makes is taken for such a manager:
    locks and meshes, say, lie in variables. One of the project is such a manager if its module names that machinery.
    """
    if not isinstance(item.context, ir.Call):
        return True
    if isinstance(context, ExternalInstance) or _expects_error(interp, context, item.context):
        return True
    with interp.silenced():  # it was evaluated before, as part of the call
        maker = interp.evaluate(item.context.function)
    if isinstance(maker, (Function, Class)):
        homes = {each.module for each in lineage(maker)} if isinstance(maker, Class) else {maker.module}
        in_view = not isinstance(maker, Class) or not class_facts(interp, maker).open
        return in_view and not any(word in home.source.text for home in homes for word in _IMPORT_MACHINERY)
    if not isinstance(maker, External):
        return False
    package = maker.name.partition(".")[0]
    known = package in interp.models.libraries or package in sys.stdlib_module_names
    return known or interp.models.has_role(maker.name, "keeps-imports")


_IMPORT_MACHINERY: Final = ("__import__", "sys.modules", "meta_path", "path_hooks")
"""What a context manager replaces that lets imports give something else."""


def _imported_names(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """The names that import statements in a body bind."""
    names: set[str] = set()
    for node in own_nodes(body):
        if isinstance(node, ir.Import):
            names.add(node.name)
        elif isinstance(node, ir.ImportFrom):
            names.update(bound for _, bound in node.names)
    return frozenset(names)


def _silences_all(interp: Interpreter, context: Value) -> bool:
    """Whether a context manager silences every exception: `contextlib.suppress(Exception)`."""
    if not isinstance(context, ExternalInstance) or context.of != "contextlib.suppress":
        return False
    return _any_has_role(
        interp, [given.name for given in context.arguments if isinstance(given, External)], "catches-everything"
    )


def _expects_error(interp: Interpreter, context: Value, node: ir.Expr) -> bool:
    """Whether an exception in the body goes no further: `pytest.raises(…)`, `self.assertRaises(…)`."""
    if isinstance(context, ExternalInstance) and interp.models.has_role(context.of, "expects-error"):
        return True
    if not isinstance(node, ir.Call) or not isinstance(node.function, ir.Attribute):
        return False
    return node.function.name in ("assertRaises", "assertRaisesRegex", "assertRaisesWithLiteralMatch")


def enter_context(interp: Interpreter, context: Value, span: Span) -> Value:
    """The value that a context manager gives to the `as` of its `with`. Runs its `__enter__`."""
    if isinstance(context, Instance):
        found = class_attribute(interp, context.cls, "__enter__")
        if found is not None:
            return call(interp, bind_self(interp, found[0], context, span), Args([]), span)
        return UNKNOWN
    if isinstance(context, Iterator):
        return context.element
    if isinstance(context, ExternalInstance) and context.of == "contextlib.nullcontext":
        return context.arguments[0] if context.arguments else NONE
    return context


def _exit_context(interp: Interpreter, context: Value, item: ir.WithItem) -> None:
    """Runs the `__exit__` of a project class as if no exception had come."""
    if isinstance(context, Instance):
        found = class_attribute(interp, context.cls, "__exit__")
        if found is not None:
            call(interp, bind_self(interp, found[0], context, item.span), Args([NONE, NONE, NONE]), item.span)


EXECUTORS.update(
    {
        ir.Try: _try,
        ir.With: _with,
    }
)
