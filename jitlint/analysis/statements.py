"""Running statements."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.attributes import module_attribute
from jitlint.analysis.calls import call
from jitlint.analysis.classes import DATACLASSES, bind_self, class_attribute, lineage
from jitlint.analysis.context import MAX_ROUNDS, MAX_UNROLL, MODULE_FUEL, Args, Handler, Loop
from jitlint.analysis.decisions import decide
from jitlint.analysis.functions import make_function, return_value
from jitlint.analysis.interpreter import EXECUTORS, Interpreter, OutOfFuelError
from jitlint.analysis.iteration import elements_of, exact_elements, has_callables
from jitlint.analysis.joins import join_all, key
from jitlint.analysis.names import assign, set_name
from jitlint.analysis.narrowing import narrow
from jitlint.analysis.operators import binary
from jitlint.analysis.patterns import run_match
from jitlint.analysis.rounds import check_unrolled, counted, grown
from jitlint.analysis.store import Change, Changes
from jitlint.analysis.subscripts import delete_item
from jitlint.analysis.values import (
    NEVER,
    NONE,
    OBJECT,
    STR,
    UNKNOWN,
    Class,
    Const,
    DecoratorOf,
    Descriptor,
    External,
    ExternalInstance,
    Frame,
    Function,
    Instance,
    Iterator,
    List,
    ModuleValue,
    Partial,
    Value,
)
from jitlint.project.modules import Module
from jitlint.source.places import Span


def _expression(interp: Interpreter, node: ir.ExprStmt) -> bool:
    interp.evaluate(node.value)
    return True


def _assign(interp: Interpreter, node: ir.Assign) -> bool:
    value = interp.evaluate(node.value)
    for target in node.targets:
        assign(interp, target, value)
    return True


def _ann_assign(interp: Interpreter, node: ir.AnnAssign) -> bool:
    if node.value is not None:
        assign(interp, node.target, interp.evaluate(node.value))
    return True


def _aug_assign(interp: Interpreter, node: ir.AugAssign) -> bool:
    target = node.target
    old = interp.evaluate(target)
    value = interp.evaluate(node.value)
    if isinstance(old, List) and node.op == "+":
        from jitlint.analysis.containers import extend

        extend(interp, old, value, node.span, interp.module.snippet(target.span))
        return True
    assign(interp, target, binary(interp, node.op, old, value, node.span))
    return True


def _return(interp: Interpreter, node: ir.Return) -> bool:
    return_value(interp, NONE if node.value is None else interp.evaluate(node.value))
    return False


def _raise(interp: Interpreter, node: ir.Raise) -> bool:
    for part in (node.value, node.cause):
        if part is not None:
            interp.evaluate(part)
    return False


def _assert(interp: Interpreter, node: ir.Assert) -> bool:
    decide(interp, interp.evaluate(node.test), "assert", node.test.span)
    narrow(interp, node.test, True)
    return True


def _delete(interp: Interpreter, node: ir.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ir.Name) and target.name in interp.frame.fields:
            interp.store.set(interp.frame, target.name, NEVER)
        elif isinstance(target, ir.Subscript):
            delete_item(interp, interp.evaluate(target.value), interp.evaluate(target.item), target)
    return True


def _break(interp: Interpreter, node: ir.Break) -> bool:
    if interp.running_loops:
        loop = interp.running_loops[-1]
        loop.breaks.append(interp.store.since(loop.mark))
    return False


def _continue(interp: Interpreter, node: ir.Continue) -> bool:
    if interp.running_loops:
        loop = interp.running_loops[-1]
        loop.continues.append(interp.store.since(loop.round_mark))
    return False


# --- branches ---------------------------------------------------------------------------------------------------------


def _if(interp: Interpreter, node: ir.If) -> bool:
    test = interp.evaluate(node.test)
    known = decide(interp, test, "if", node.test.span)
    guarded = _is_guard(node.test)
    if known is not None:
        narrow(interp, node.test, known)
        interp.guards += guarded
        try:
            return interp.run(node.body if known else node.orelse)
        finally:
            interp.guards -= guarded
    failed = _fails(interp, test)

    def run(body: tuple[ir.Stmt, ...], outcome: bool) -> bool:
        narrow(interp, node.test, outcome)
        interp.guards += guarded
        interp.undecided += 1
        interp.failed += failed
        try:
            return interp.run(body)
        finally:
            interp.guards -= guarded
            interp.undecided -= 1
            interp.failed -= failed

    return interp.store.branch([lambda: run(node.body, True), lambda: run(node.orelse, False)])


def _fails(interp: Interpreter, test: Value) -> bool:
    """Whether deciding by a value fails for sure."""
    tracer = interp.traced(test)
    return tracer is test and not tracer.tree and not interp.handlers


def _is_guard(test: ir.Expr) -> bool:
    """Whether a test asks if something was made before: `is None`, `not in`, `not x`, `not hasattr(…)`."""
    if isinstance(test, ir.Compare):
        return test.ops[0] in ("is", "not in", "==") and (test.ops[0] == "not in" or _is_none(test.rest[0]))
    if isinstance(test, ir.Unary) and test.op == "not":
        return True
    return isinstance(test, ir.BoolOp) and (_is_guard(test.left) or _is_guard(test.right))


def _is_none(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is None


def _match(interp: Interpreter, node: ir.Match) -> bool:
    return run_match(interp, node)


# --- loops ------------------------------------------------------------------------------------------------------------


def _for(interp: Interpreter, node: ir.For) -> bool:
    iterable = interp.evaluate(node.iterable)
    span = node.iterable.span
    exact = exact_elements(interp, iterable, span, "for")
    element = join_all(exact) if exact is not None else elements_of(interp, iterable, span, "for")
    if element is NEVER and exact is None:
        element = UNKNOWN

    different = exact is not None and has_callables(exact)
    recorded = interp.recorded

    def rounds(loop: Loop) -> bool:
        if different:
            interp.loops = interp.loops[:-1]
        if exact is not None and len(exact) <= MAX_UNROLL:
            return all(_round(interp, loop, node, value) for value in exact)
        varying = counted(iterable, element, loop.identity)
        return _stabilise(interp, loop, lambda: _round(interp, loop, node, varying))

    goes_on = _run_loop(interp, span, node.orelse, rounds)
    if node.body:
        check_unrolled(interp, iterable, span, "for", node.body[0].span, recorded)
    return goes_on


def _round(interp: Interpreter, loop: Loop, node: ir.For, element: Value) -> bool:
    def body() -> bool:
        assign(interp, node.target, element)
        return interp.run(node.body)

    return _one_round(interp, loop, body)


def _while(interp: Interpreter, node: ir.While) -> bool:
    endless = False

    def rounds(loop: Loop) -> bool:
        nonlocal endless
        first = decide(interp, interp.evaluate(node.test), "while", node.test.span)
        if first is False:
            return True
        endless = first is True and isinstance(node.test, ir.Const)

        def once() -> bool:
            narrow(interp, node.test, True)
            return interp.run(node.body)

        def again() -> bool:
            goes_on = _one_round(interp, loop, once)
            if goes_on:
                decide(interp, interp.evaluate(node.test), "while", node.test.span)
            return goes_on

        for _ in range(MAX_UNROLL):
            if endless or first is not True:
                break
            if not _one_round(interp, loop, once):
                return False
            first = decide(interp, interp.evaluate(node.test), "while", node.test.span)
            if first is False:
                return True
        goes_on = _stabilise(interp, loop, again)
        if goes_on and not endless:
            narrow(interp, node.test, False)
        return goes_on and not endless

    return _run_loop(interp, node.test.span, node.orelse, rounds)


def _run_loop(interp: Interpreter, span: Span, orelse: tuple[ir.Stmt, ...], rounds: object) -> bool:
    """Runs a loop's rounds, then `else`; joins the states of its end and of its breaks. `span` is what it goes by."""
    assert callable(rounds)
    loop = interp.new_loop(span)
    outer = interp.loops
    interp.loops = (*outer, loop.identity)
    interp.running_loops.append(loop)
    store = interp.store
    loop.mark = store.mark
    store.open()
    try:
        ends = rounds(loop)
    finally:
        interp.running_loops.pop()
        interp.loops = outer
    if ends and orelse:
        ends = interp.run(orelse)
    if loop.breaks:
        changes = store.rollback()
        store.merge([*loop.breaks, *([changes] if ends else [])])
        return True
    store.commit()
    return bool(ends)


def _one_round(interp: Interpreter, loop: Loop, body: object) -> bool:
    """Runs a loop's body once; whether another round may follow."""
    assert callable(body)
    store = interp.store
    loop.round_mark = store.mark
    store.open()
    goes_on = body()
    if not loop.continues:
        store.commit()
        return bool(goes_on)
    changes = store.rollback()
    store.merge([*loop.continues, *([changes] if goes_on else [])])
    loop.continues = []
    return True


def _stabilise(interp: Interpreter, loop: Loop, once: object) -> bool:
    """Runs a round, any number of times, until the state does not change any more."""
    assert callable(once)
    store = interp.store

    growing: list[Change] = []

    def round_() -> bool:
        goes_on = bool(once())
        growing[:] = _growth(interp, loop)
        return goes_on

    for _ in range(MAX_ROUNDS):
        mark = store.mark
        store.open()
        store.branch([lambda: True, round_])
        for target, name, array in growing:
            store.set(target, name, array)
        stable = _is_stable(store.since(mark), store.old_since(mark))
        store.commit()
        if stable:
            break
    return True


def _growth(interp: Interpreter, loop: Loop) -> list[Change]:
    """The arrays that the round just run made longer or shorter, as arrays of another length in each round."""
    store = interp.store
    before = store.old_since(store.mark - 1)
    found = []
    for location, (target, name, value) in store.since(store.mark - 1).items():
        array = grown(before[location][2], value, loop.identity)
        if array is not None:
            found.append((target, name, array))
    return found


def _is_stable(new: Changes, old: Changes) -> bool:
    for location, (_, _, value) in new.items():
        before = old[location][2]
        if value is before:
            continue
        if not isinstance(value, Value) or not isinstance(before, Value) or key(value) != key(before):
            return False
    return True


# --- try and with -----------------------------------------------------------------------------------------------------

_TRACER_ERRORS = frozenset(
    {"builtins.Exception", "builtins.BaseException", "builtins.TypeError", "builtins.AttributeError",
     "jax.errors.TracerBoolConversionError", "jax.errors.ConcretizationTypeError", "jax.errors.JAXTypeError",
     "jax.errors.TracerArrayConversionError", "jax.errors.TracerIntegerConversionError",
     "jax.errors.NonConcreteBooleanIndexError", "jax.core.ConcretizationTypeError", "jax.errors.JaxRuntimeError"}
)  # fmt: skip


_BROAD = frozenset({"builtins.Exception", "builtins.BaseException"})


def _catching(interp: Interpreter, handlers: tuple[ir.Handler, ...]) -> Handler | None:
    """The handler that catches what tracers raise, unless it raises again."""
    for handler in handlers:
        nodes = handler.type.elements if isinstance(handler.type, ir.Display) else (handler.type,)
        values = [interp.evaluate(node) for node in nodes if node is not None]
        names = {value.name for value in values if isinstance(value, External)}
        if (handler.type is None or names & _TRACER_ERRORS) and not _reraises(handler):
            caught = "except" if handler.type is None else f"except {interp.module.snippet(handler.type.span)}"
            deliberate = any(name.startswith("jax.") for name in names) or handler.name is not None
            broad = handler.type is None or bool(names & _BROAD)
            return Handler(caught, broad, interp.depth, deliberate, interp.undecided)
    return None


def _reraises(handler: ir.Handler) -> bool:
    return bool(handler.body) and isinstance(handler.body[-1], ir.Raise)


def _try(interp: Interpreter, node: ir.Try) -> bool:
    catching = _catching(interp, node.handlers)
    store = interp.store
    mark = store.mark
    seen: list[Changes] = []

    def body() -> bool:
        goes_on = interp.run(node.body) if catching is None else _run_handled(interp, node.body, catching)
        seen.append(store.since(mark))
        return interp.run(node.orelse) if goes_on else False

    def handle(handler: ir.Handler) -> bool:
        if seen:
            store.merge([{}, seen[0]])
        if handler.name is not None:
            set_name(interp, handler.name, UNKNOWN, handler.span)
        return interp.run(handler.body)

    runs = [body, *[lambda h=handler: handle(h) for handler in node.handlers]]
    goes_on = interp.store.branch(runs)
    return interp.run(node.final) and goes_on


def _run_handled(interp: Interpreter, body: tuple[ir.Stmt, ...], handler: Handler) -> bool:
    """Runs statements whose tracer errors are caught; their end is not reached if they certainly raise one."""
    caught = interp.caught
    interp.handlers.append(handler)
    try:
        return interp.run(body) and interp.caught == caught
    finally:
        interp.handlers.pop()


_EXPECTING = frozenset({"pytest.raises", "contextlib.suppress"})


def _with(interp: Interpreter, node: ir.With) -> bool:
    trace = interp.trace
    expecting: list[Handler] = []
    contexts = []
    for item in node.items:
        context = interp.evaluate(item.context)
        contexts.append(context)
        entered = enter(interp, context, item.span)
        if isinstance(context, ExternalInstance) and context.of == "jax.ensure_compile_time_eval":
            interp.suspend_staging()
        if _expects_error(context, item.context):
            text = interp.module.snippet(item.context.span)
            expecting.append(Handler(text, True, interp.depth, not _is_suppress(context), interp.undecided))
        if item.target is not None:
            assign(interp, item.target, entered)
    interp.handlers.extend(expecting)
    try:
        goes_on = interp.run(node.body)
        for context, item in zip(contexts, node.items, strict=True):
            _exit(interp, context, item)
        return goes_on
    finally:
        del interp.handlers[len(interp.handlers) - len(expecting) :]
        interp.trace = trace


def _is_suppress(context: Value) -> bool:
    """Whether a context silences every exception."""
    if not isinstance(context, ExternalInstance) or context.of != "contextlib.suppress":
        return False
    return any(isinstance(given, External) and given.name in _BROAD for given in context.arguments)


def _expects_error(context: Value, node: ir.Expr) -> bool:
    if isinstance(context, ExternalInstance) and context.of in _EXPECTING:
        return True
    if not isinstance(node, ir.Call) or not isinstance(node.function, ir.Attribute):
        return False
    return node.function.name in ("assertRaises", "assertRaisesRegex", "assertRaisesWithLiteralMatch")


def enter(interp: Interpreter, context: Value, span: Span) -> Value:
    """What a context manager gives to the `as` of its `with`."""
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


def _exit(interp: Interpreter, context: Value, item: ir.WithItem) -> None:
    if isinstance(context, Instance):
        found = class_attribute(interp, context.cls, "__exit__")
        if found is not None:
            call(interp, bind_self(interp, found[0], context, item.span), Args([NONE, NONE, NONE]), item.span)


# --- definitions ------------------------------------------------------------------------------------------------------


def _function_def(interp: Interpreter, node: ir.FunctionDef) -> bool:
    value: Value = make_function(interp, node.function)
    for decorator in reversed(node.decorators):
        value = _decorate(interp, interp.evaluate(decorator), value, decorator)
    set_name(interp, node.function.name, value, node.function.name_span)
    return True


_CACHES = frozenset({"functools.lru_cache", "functools.cache"})


def _decorate(interp: Interpreter, decorator: Value, value: Value, node: ir.Expr) -> Value:
    name = decorator.name if isinstance(decorator, External) else ""
    of = decorator.of if isinstance(decorator, ExternalInstance) else ""
    if (name in _CACHES or of in _CACHES) and isinstance(value, Function):
        value.cached = True
        return value
    if name == "functools.cached_property" and isinstance(value, Function):
        value.cached = True
    if name in ("builtins.property", "functools.cached_property"):
        return Descriptor(name.rpartition(".")[2], value)
    if name in ("builtins.staticmethod", "builtins.classmethod"):
        return Descriptor(name.rpartition(".")[2], value)
    if isinstance(node, ir.Attribute) and node.name in ("setter", "deleter"):
        base = interp.evaluate(node.value)
        if isinstance(base, Descriptor):
            setter = value if node.name == "setter" else base.setter
            return Descriptor(base.kind, base.function, setter)
    if isinstance(value, Descriptor):
        return value
    interp.decorating = node.span
    try:
        result = call(interp, decorator, Args([value], spans=[node.span]), node.span)
    finally:
        interp.decorating = None
    if _is_transform(interp, decorator):
        return result
    if isinstance(result, ExternalInstance):
        model = interp.models.classes.get(result.of)
        return result if model is not None and model.holds else value
    unknown = result is UNKNOWN or result is NEVER or result is OBJECT or isinstance(result, Const)
    return value if unknown else result


def _is_transform(interp: Interpreter, decorator: Value) -> bool:
    """Whether a decorator is a transform of JAX, so that what it refuses is no function any more."""
    while isinstance(decorator, Partial):
        decorator = decorator.function
    return isinstance(decorator, (External, DecoratorOf)) and decorator.name in interp.models.transforms


def _class_def(interp: Interpreter, node: ir.ClassDef) -> bool:
    bases = tuple(interp.evaluate(a.value) for a in node.arguments if a.keyword is None and not a.star)
    bases = tuple(External(base.name.removesuffix("[]")) if isinstance(base, External) else base for base in bases)
    cls = Class(node, interp.module, bases, interp.depth, interp.loops)
    interp.classes.append(cls)
    frame = Frame(interp.module, None, interp.frame, interp.depth, interp.loops, in_class=True)
    frame.fields = cls.fields
    outer, interp.frame = interp.frame, frame
    try:
        interp.run(node.body)
    finally:
        interp.frame = outer
    for value in cls.fields.values():
        _own_methods(interp, cls, value)
    _make_subclass(interp, cls, node)
    for decorator in reversed(node.decorators):
        if isinstance(decorator, ir.Call):
            made_by = interp.evaluate(decorator.function)
            if isinstance(made_by, External):
                cls.decorations.add(made_by.name)
                if made_by.name in DATACLASSES:
                    continue
        _decorate_class(interp, cls, interp.evaluate(decorator))
    set_name(interp, node.name, cls, node.name_span)
    return True


def _make_subclass(interp: Interpreter, cls: Class, node: ir.ClassDef) -> None:
    """What Python runs when a class is made: the bases' `__init_subclass__`; a metaclass is not followed."""
    keywords = {a.keyword: interp.evaluate(a.value) for a in node.arguments if a.keyword is not None}
    metaclass = keywords.pop("metaclass", None)
    if metaclass is not None and not (isinstance(metaclass, External) and metaclass.name == "abc.ABCMeta"):
        cls.is_open = True
    for base in lineage(cls)[1:]:
        method = base.fields.get("__init_subclass__")
        if isinstance(method, Value):
            function = method.function if isinstance(method, Descriptor) else method
            call(interp, function, Args([cls], keywords), node.name_span)
            return


def _own_methods(interp: Interpreter, cls: Class, value: Value) -> None:
    function = value
    while not isinstance(function, Function):
        inner = getattr(function, "function", None)
        if not isinstance(inner, Value):
            return
        function = inner
    if function.cls is None:
        function.cls = cls
        interp.method_owner[id(function.code)] = cls


def _decorate_class(interp: Interpreter, cls: Class, decorator: Value) -> None:
    from jitlint.analysis.libraries import decorate

    if isinstance(decorator, External):
        decorate(interp, decorator.name, cls)
    elif isinstance(decorator, ExternalInstance):
        decorate(interp, decorator.of, cls)
    else:
        result = call(interp, decorator, Args([cls]), cls.code.name_span)
        cls.is_open = cls.is_open or result is not cls
        name = getattr(getattr(decorator, "function", None), "name", None)
        if isinstance(name, str):
            cls.decorations.add(name)


# --- imports ----------------------------------------------------------------------------------------------------------


def ensure_module(interp: Interpreter, module: Module) -> Frame | None:
    """The namespace of a module, whose top level is run first if it was not. None if it cannot be parsed."""
    package = interp.project.resolve(module, module.name.rpartition(".")[0]) if "." in module.name else None
    if package is not None and package.given and package is not module and module not in interp.frames:
        ensure_module(interp, package)  # as Python does, so that the order of the files does not matter
    if module in interp.frames:
        return interp.frames[module]
    tree = interp.project.tree(module)
    if tree is None:
        return None
    frame = Frame(module, None, None, 0, ())
    interp.frames[module] = frame
    frame.fields["__name__"] = STR
    saved = interp.save_context(frame)
    fuel, interp.fuel = interp.fuel, MODULE_FUEL
    mark = interp.store.mark
    try:
        interp.run(tree.body)
    except OutOfFuelError:
        interp.store.commit_to(mark)
    finally:
        interp.restore_context(saved)
        interp.fuel = fuel
    return frame


def _import(interp: Interpreter, node: ir.Import) -> bool:
    set_name(interp, node.name, _module_value(interp, node.bound), node.span)
    if node.bound != node.module:
        _module_value(interp, node.module)
    return True


def _module_value(interp: Interpreter, name: str) -> Value:
    module = interp.project.resolve(interp.module, name)
    if module is None:
        return External(interp.models.canonical(name))
    ensure_module(interp, module)
    return ModuleValue(module)


def _import_from(interp: Interpreter, node: ir.ImportFrom) -> bool:
    name = interp.project.absolute(interp.module, node.module, node.level)
    module = interp.project.resolve(interp.module, name)
    if module is None:
        for imported, bound in node.names:
            if imported != "*":
                set_name(interp, bound, _imported(interp, name, imported, node.span), node.span)
        return True
    frame = ensure_module(interp, module)
    for imported, bound in node.names:
        if imported == "*":
            _import_star(interp, frame)
            continue
        value = module_attribute(interp, ModuleValue(module), imported, node.span)
        set_name(interp, bound, value, node.span)
    return True


def _imported(interp: Interpreter, package: str, name: str, span: Span) -> Value:
    """What `from package import name` gives if the package is no module of the project: a library's, or a folder."""
    module = interp.project.resolve(interp.module, f"{package}.{name}")
    if module is None:
        return module_attribute(interp, External(interp.models.canonical(package)), name, span)
    ensure_module(interp, module)
    return ModuleValue(module)


def _import_star(interp: Interpreter, frame: Frame | None) -> None:
    if frame is not None:
        for name, value in list(frame.fields.items()):
            if isinstance(name, str) and not name.startswith("_"):
                interp.store.set(interp.frame, name, value)


def _type_alias(interp: Interpreter, node: ir.TypeAliasStmt) -> bool:
    set_name(interp, node.name, UNKNOWN, node.span)
    return True


EXECUTORS.update(
    {
        ir.ExprStmt: _expression,
        ir.Assign: _assign,
        ir.AnnAssign: _ann_assign,
        ir.AugAssign: _aug_assign,
        ir.Return: _return,
        ir.Raise: _raise,
        ir.Assert: _assert,
        ir.Delete: _delete,
        ir.Break: _break,
        ir.Continue: _continue,
        ir.Import: _import,
        ir.ImportFrom: _import_from,
        ir.If: _if,
        ir.While: _while,
        ir.For: _for,
        ir.Try: _try,
        ir.With: _with,
        ir.Match: _match,
        ir.FunctionDef: _function_def,
        ir.ClassDef: _class_def,
        ir.TypeAliasStmt: _type_alias,
    }
)
