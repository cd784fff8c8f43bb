"""Results that nobody takes: `x.at[0].set(1)` or `jnp.sort(x)` as a statement changes nothing, since JAX is pure."""

from __future__ import annotations

from typing import Final

from jitlint import ir
from jitlint.analysis.language.classes import class_facts
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    Array,
    AtIndexer,
    BoundMethod,
    External,
    Function,
    HostArray,
    Instance,
    JaxArray,
    List,
    Method,
    Traced,
    Transformed,
    Tuple,
    Unknown,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.ir.own_nodes import own_nodes

_UPDATES: Final = frozenset({"set", "add", "subtract", "multiply", "mul", "divide", "power", "min", "max", "apply"})
"""The methods of `x.at[i]` that give a changed copy."""


def check_discarded(interp: Interpreter, callee: Value, args: Args, node: ir.Call) -> None:
    """Emits an event if the call of a pure function stands as a statement, so that nobody takes its result.

    A cell of a notebook shows its last result, and scripts may be notebooks, too: outside of functions only what is
    meant to change something counts.
    """
    at_top = interp.frame.parent is None
    if at_top and interp.module.source.document is not None:
        return
    if "out" in args.keywords:
        return  # it fails
    found = [_discarded_call(interp, part, args, node) for part in alternatives(callee)]
    construct = found[0]
    if not construct or not all(found):
        return
    pure = interp.models.has_role(construct, "pure")
    of_project = isinstance(callee, (BoundMethod, Function, Transformed))
    updates = construct.startswith((".at", "._replace")) or construct in _MAPS
    meant = of_project or pure or updates or _changes_in_numpy(interp, construct)
    if at_top and not meant:
        return
    assuming = None if interp.staging or meant else _MEANT
    if isinstance(callee, Unknown):
        assuming = Assumption(
            AssumptionKind.IS_ARRAY, f"`{interp.module.snippet(node.span)}` updates what cannot change"
        )
    method = callee if isinstance(callee, Method) and isinstance(callee.receiver, Array) else None
    interp.emit(
        EventKind.DISCARDED,
        node.span,
        construct,
        value=method.receiver if method is not None else None,
        subject=interp.owner_text(method.span, method.name) if method is not None else "",
        assuming=assuming,
    )


_MEANT: Final = Assumption(AssumptionKind.RESULT_WANTED, "it is not called for its time or its error")


def _changes_in_numpy(interp: Interpreter, construct: str) -> bool:
    """Whether NumPy's arrays have a method of that name that changes them in place (`.sort`)."""
    return construct.removeprefix(".") in interp.models.array["in_place"]["methods"]


def _discarded_call(interp: Interpreter, callee: Value, args: Args, node: ir.Call) -> str:
    """What is called, if it does nothing but compute its result: ".at[].set", ".sort", "jax.numpy.sort"; else ""."""
    if isinstance(callee, Method):
        return _pure_method(interp, callee)
    if isinstance(callee, External):
        if callee.name in _MAPS:
            return callee.name if _only_computes(interp, args.first) else ""
        return callee.name if _is_pure_function(interp, callee.name, args) else ""
    if isinstance(callee, BoundMethod):
        callee = callee.function
    if isinstance(callee, Transformed) and callee.transform.cached and isinstance(callee.function, Function):
        changes = _gives_changed_copy(interp, callee.function) and _goes_on_with_old(interp, node)
        return callee.function.code.name if changes else ""
    if isinstance(callee, Function):
        only_computes = _only_updates(interp, callee) or (interp.trace is not None and _only_builds(interp, callee))
        return callee.code.name if only_computes else ""
    return _written_update(node) if isinstance(callee, Unknown) else ""


_PURE_BUILTINS: Final = frozenset(
    {
        *("abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min"),
        *("range", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"),
    }
)
"""Builtins that change nothing."""

_PURE_METHODS: Final = frozenset({"items", "keys", "values", "startswith", "endswith"})
"""Methods of dicts and texts that change nothing."""

_ELSEWHERE: Final = (
    *(ir.Raise, ir.Assert, ir.With, ir.Try, ir.Delete, ir.Import, ir.ImportFrom, ir.FunctionDef, ir.ClassDef),
    *(ir.While, ir.Match, ir.AnnAssign, ir.NamedExpr, ir.Yield, ir.Await, ir.Opaque),
)
"""What a function contains that does more than to build its result, or of which we do not look whether it does."""


_CALLS: Final = 2
"""Functions of the project that such a function calls are looked at, and those that these call."""


def _only_builds(interp: Interpreter, function: Function, depth: int = _CALLS) -> bool:
    """Whether a function of the project returns a value and does nothing else, as far as it is plain to see."""
    body, code = interp.project.body(function.code), function.code
    parameters = {parameter.name for parameter in code.parameters}
    nodes = list(own_nodes(body))
    returned = [each.value for each in nodes if isinstance(each, ir.Return)]
    if not returned or code.globals or code.nonlocals:
        return False
    if any(value is None or isinstance(value, ir.Const) for value in returned):
        return False
    if any(isinstance(value, ir.Name) and value.name in parameters for value in returned):
        return False
    own = _newly_made(nodes) - parameters
    for each in nodes:
        targets = each.targets if isinstance(each, ir.Assign) else ()
        targets = (each.target,) if isinstance(each, (ir.AugAssign, ir.For)) else targets
        if isinstance(each, _ELSEWHERE) or not all(_changes_own(target, own) for target in targets):
            return False
        if isinstance(each, ir.AugAssign) and isinstance(each.target, ir.Name) and each.target.name not in own:
            return False
        if isinstance(each, ir.ExprStmt) and not isinstance(each.value, ir.Const):
            return False
        if isinstance(each, ir.Call) and not _is_pure_call(interp, function, each, depth):
            return False
    return True


def _newly_made(nodes: list[object]) -> set[str]:
    """The variables that hold nothing but what the function has made: each assignment gives them a new dict or list."""
    made = (ir.DictDisplay, ir.Display, ir.Comprehension, ir.Const, ir.Binary)
    names: dict[str, bool] = {}
    for node in nodes:
        targets = node.targets if isinstance(node, ir.Assign) else (node.target,) if isinstance(node, ir.For) else ()
        for target in targets:
            if isinstance(target, ir.Name):
                is_new = isinstance(node, ir.Assign) and isinstance(node.value, made)
                names[target.name] = is_new and names.get(target.name, True)
            elif isinstance(target, ir.Display):
                names.update((part.name, False) for part in own_nodes(target) if isinstance(part, ir.Name))
    return {name for name, is_new in names.items() if is_new}


def _changes_own(target: ir.Expr, own: set[str]) -> bool:
    """Whether an assignment binds a variable, or changes an item of what the function has made."""
    if isinstance(target, ir.Display):
        return all(_changes_own(each, own) for each in target.elements)
    if isinstance(target, ir.Subscript):
        return isinstance(target.value, ir.Name) and target.value.name in own
    return isinstance(target, ir.Name)


def _is_pure_call(interp: Interpreter, function: Function, node: ir.Call, depth: int) -> bool:
    """Whether a call within a function changes nothing: a builtin, a method of dicts, arrays from arrays, another such
    function.
    """
    called, top = node.function, interp.world.frames.get(function.module)
    if isinstance(called, ir.Name) and called.name not in function.code.locals:
        own = top.fields.get(called.name) if top is not None else None
        builds = isinstance(own, Function) and depth > 0 and _only_builds(interp, own, depth - 1)
        return builds or (own is None and called.name in _PURE_BUILTINS)
    if isinstance(called, ir.Attribute) and called.name in _PURE_METHODS:
        return True
    text = function.module.snippet(called.span)
    maps = text in _MAPS and isinstance(node.arguments[0].value, ir.Attribute)
    return maps or _calls_for_arrays(interp, function, node)


_MAPS: Final = frozenset({"jax.tree.map", "jax.tree_util.tree_map"})

_NOT_SEEN_THROUGH: Final = (ir.NamedExpr, ir.Yield, ir.Comprehension, ir.Lambda, ir.Opaque)
"""Parts of an expression that may do more than compute, or of which we do not look whether they do."""


def _only_computes(interp: Interpreter, function: Value) -> bool:
    """Whether what maps over a tree does nothing but compute with its leaves: `lambda p, g: p - rate * g`."""
    if isinstance(function, External):
        return _computes_arrays(interp, function.name)
    if not isinstance(function, Function):
        return False
    body = interp.project.body(function.code)
    value = body[0].value if len(body) == 1 and isinstance(body[0], ir.Return) else None
    if value is None or isinstance(value, ir.Name):  # `lambda leaf: leaf` is there to see that the trees fit
        return False
    for node in own_nodes(value):
        if isinstance(node, _NOT_SEEN_THROUGH):
            return False
        if isinstance(node, ir.Call) and not _calls_for_arrays(interp, function, node):
            return False
    return True


def _calls_for_arrays(interp: Interpreter, function: Function, node: ir.Call) -> bool:
    """Whether a call in a function is written `jnp.add(…)`, and computes arrays from arrays."""
    called, top = node.function, interp.world.frames.get(function.module)
    if top is None or not isinstance(called, ir.Attribute) or not isinstance(called.value, ir.Name):
        return False
    module = top.fields.get(called.value.name)
    name = f"{module.name}.{called.name}" if isinstance(module, External) else ""
    return bool(name) and (_computes_arrays(interp, name) or interp.models.has_role(name, "pure"))


def _computes_arrays(interp: Interpreter, name: str) -> bool:
    """Whether a library function does nothing but compute arrays from arrays, as JAX itself said."""
    model = interp.models.function(name)
    return model is not None and bool(model.structure.base) and not model.effect and model.handler in _COMPUTING


def _pure_method(interp: Interpreter, method: Method) -> str:
    receiver, name = method.receiver, method.name
    if isinstance(receiver, AtIndexer):
        return f".at[].{name}" if receiver.indexed and name in _UPDATES else ""
    if isinstance(receiver, Tuple):
        return f".{name}" if name == "_replace" and receiver.cls is not None else ""
    if isinstance(receiver, Instance):
        known = class_facts(interp, receiver.cls)
        replaces = name in ("replace", "_replace") or any(model.methods.get(name) == "self" for model in known.models)
        return f".{name}" if replaces and known.pytree else ""
    if not isinstance(receiver, (Traced, JaxArray)):
        return ""
    if name in interp.models.array["host"]["methods"]:
        return ""
    asked = interp.models.function(f"jax.Array.{name}")
    return f".{name}" if asked is not None and asked.structure.base else ""


def _is_pure_function(interp: Interpreter, name: str, args: Args) -> bool:
    """Whether a library function has no effect: by its role, or JAX said that it computes arrays from arrays."""
    if interp.models.has_role(name, "pure"):
        return True
    if not _computes_arrays(interp, name):
        return False
    values = args.all()
    return any(map(_may_be_array, values)) and not any(isinstance(value, HostArray) for value in values)


_COMPUTING: Final = frozenset(
    {
        *("", "jnp_where", "jnp_array", "append", "at_least", "bincount", "choose", "concatenate", "diag", "einsum"),
        *("keys_of_the_same_kind", "permutation", "reshape", "stack_along"),
    }
)
"""The mechanisms of functions that only compute; others run functions, which may have effects."""


def _may_be_array(value: Value) -> bool:
    """Whether an argument is a JAX array, or a list or tuple with one."""
    parts = alternatives(value)
    inner = [part for part in parts if isinstance(part, (Tuple, List))]
    elements = [e for part in inner for e in (part.elements if isinstance(part, Tuple) else (part.content,))]
    return any(isinstance(part, (Traced, JaxArray)) for part in parts) or any(map(_may_be_array, elements))


def _written_update(node: ir.Call) -> str:
    """What a call certainly does as it is written, whatever the value is; else "".

    No other type has `….at[…].set(…)`, and none but named tuples `._replace(name=…)`.
    """
    method = node.function
    if isinstance(method, ir.Attribute) and method.name == "_replace" and node.arguments:
        return "._replace" if all(each.keyword for each in node.arguments) else ""
    if not isinstance(method, ir.Attribute) or not isinstance(method.value, ir.Subscript):
        return ""
    at = method.value.value
    is_update = isinstance(at, ir.Attribute) and at.name == "at" and method.name in _UPDATES
    return f".at[].{method.name}" if is_update else ""


def _only_updates(interp: Interpreter, function: Function) -> bool:
    """Whether a function of the project does nothing but return a changed copy: `return state.replace(step=0)`."""
    *before, last = interp.project.body(function.code) or (None,)
    computes = all(
        isinstance(each, ir.Assign) and all(isinstance(target, ir.Name) for target in each.targets)
        for each in before
        if not (isinstance(each, ir.ExprStmt) and isinstance(each.value, ir.Const))
    )
    call = last.value if isinstance(last, ir.Return) else None
    if not computes or not isinstance(call, ir.Call) or not isinstance(call.function, ir.Attribute):
        return False
    copies = call.function.name in ("replace", "_replace") and all(a.keyword is not None for a in call.arguments)
    of_parameter = isinstance(call.function.value, ir.Name) and call.function.value.name in function.code.locals
    return bool(_written_update(call)) or (copies and of_parameter and bool(call.arguments))


def _gives_changed_copy(interp: Interpreter, function: Function) -> bool:
    """Whether a function returns an object of the class that one of its parameters is annotated with: its new state."""
    classes = {each.annotation.name for each in function.code.parameters if isinstance(each.annotation, ir.Name)}
    returned = [each.value for each in own_nodes(interp.project.body(function.code)) if isinstance(each, ir.Return)]
    return bool(returned) and all(
        isinstance(value, ir.Call)
        and (
            (isinstance(value.function, ir.Name) and value.function.name in classes)
            or (isinstance(value.function, ir.Attribute) and value.function.name in ("replace", "_replace"))
        )
        for value in returned
    )


_TIMING: Final = frozenset({"block_until_ready", "perf_counter", "perf_counter_ns", "process_time", "time", "timeit"})
"""Names in code that calls a function to see how long it takes."""


def _goes_on_with_old(interp: Interpreter, node: ir.Call) -> bool:
    """Whether code uses the first argument of a call again, and takes no result of such a call anywhere.

    A first call whose result nobody takes may be there to compile the function.
    """
    first = node.arguments[0].value if node.arguments else None
    code = interp.frame.function
    if not isinstance(first, (ir.Name, ir.Attribute)) or code is None:
        return False
    nodes = list(own_nodes(interp.project.body(code)))
    called, given = interp.module.snippet(node.function.span), interp.module.snippet(first.span)
    calls = [
        each for each in nodes if isinstance(each, ir.Call) and interp.module.snippet(each.function.span) == called
    ]
    used = [each.span for each in nodes if type(each) is type(first) and interp.module.snippet(each.span) == given]
    if isinstance(first, ir.Attribute):  # the object keeps it for its other methods
        is_timed = any(isinstance(each, (ir.Name, ir.Attribute)) and each.name in _TIMING for each in nodes)
        return len(used) > 1 and len(calls) == 1 and not is_timed
    return any(span.start > node.span.end for span in used) and len(calls) == 1
