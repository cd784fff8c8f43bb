"""Assigning to attributes: of instances, modules, classes and library objects.

What may go wrong is reported here: a frozen class refuses, a tracer leaks into an object that outlives its trace, a
write under a trace happens once instead of in every call. Writes are recorded, since a cached trace may have read the
attribute before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from jitlint import ir
from jitlint.analysis.arrays.results import is_variable
from jitlint.analysis.language.attributes import attribute_key, attributes_of, class_attribute_key, instance_identity
from jitlint.analysis.language.classes import (
    bind_self,
    class_attribute,
    class_facts,
    forget_class_facts,
    lineage,
)
from jitlint.analysis.language.narrowing import find_variable
from jitlint.analysis.language.protocols import call_special_method
from jitlint.analysis.machine.accesses import is_same_constant, record_function_write, record_write
from jitlint.analysis.machine.escapes import check_escape
from jitlint.analysis.machine.held_buffers import note_bound
from jitlint.analysis.machine.interpreter import ASSIGNERS, Interpreter, call
from jitlint.analysis.values import (
    UNKNOWN,
    Class,
    Const,
    Descriptor,
    Dict,
    ExternalInstance,
    Function,
    HeapObject,
    Instance,
    ModuleValue,
    Partial,
    Traced,
    Transformed,
    Tuple,
    Value,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import alternatives, join
from jitlint.analysis.values.object_changes import ObjectWrite
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_CONSTRUCTORS: Final = (
    "__set_name__",
    "__init__",
    "__post_init__",
    "setup",
    "__new__",
    "__setattr__",
    "__setstate__",
    "tree_unflatten",
    "init",
)
"""Methods that make an instance: they may assign to a frozen one, and give attributes their first value."""


def set_attribute(interp: Interpreter, base: Value, name: str, value: Value, node: ir.Attribute) -> None:
    """Runs `base.name = value`."""
    for part in alternatives(base):
        if isinstance(part, Instance):
            _set_on_instance(interp, part, name, value, node)
        elif isinstance(part, (ModuleValue, Class, ExternalInstance)):
            _set_on_namespace(interp, part, name, value, node)
        elif isinstance(part, Tuple) and part.cls is not None:
            if _refuses_attribute(interp, part.cls, name):
                detail = {"class": part.cls.code.name, "attribute": name}
                interp.emit(EventKind.FROZEN, node.span, "attribute", detail=detail)
        elif isinstance(part, Function):
            _set_on_function(interp, part, name, value, node)
        elif isinstance(part, Traced) and part.tree:
            _check_frozen_guess(interp, part, name, node)
        else:
            _record_guessed_write(interp, name, node)


def _set_signature(interp: Interpreter, function: Function, value: Value) -> None:
    """Runs `function.__signature__ = value`, where the running frame has just made the function, as decorators do."""
    if function.closure is interp.frame:
        bind = value.fields.get("bind") if isinstance(value, Instance) else None
        shown = bind.positional if isinstance(bind, Partial) else ()
        function.wrapped = shown[0] if shown else UNKNOWN


def _set_on_function(interp: Interpreter, function: Function, name: str, value: Value, node: ir.Attribute) -> None:
    """Assigns to an attribute of a function of the project: `wrapper.calls += 1`."""
    if name == "__signature__":
        _set_signature(interp, function, value)
    if function.attributes is None:
        function.attributes = HeapObject({}, function.depth, function.loops, function.site)
    attributes = function.attributes
    if not is_same_constant(attributes.fields.get(name), value):
        record_function_write(interp, function, attributes, name, node.span)
    text = _source_text(interp, node)
    check_escape(interp, attributes, value, node.span, "attribute", text, field=name, write=True)
    interp.store.set(attributes, name, value)


def _refuses_attribute(interp: Interpreter, cls: Class, name: str) -> bool:
    """Whether a NamedTuple refuses an attribute: fields cannot be assigned, and only its subclasses have others."""
    return len(lineage(cls)) == 1 or any(field.name == name for field in class_facts(interp, cls).fields)


def _set_on_namespace(
    interp: Interpreter, part: ModuleValue | Class | ExternalInstance, name: str, value: Value, node: ir.Attribute
) -> None:
    """Assigns to an attribute of a module, a class or a library's object."""
    key: tuple[object, ...]
    if isinstance(part, ModuleValue):
        frame = interp.world.frames.get(part.module)
        key = ("global", part.module.name, str(part.module.root), name)
        record_write(interp, key, node.span, ordered=False, initial=interp.frame.parent is None, value=value)
        if frame is not None:
            interp.store.set(frame, name, value)
        return
    if isinstance(part, Class):
        key = class_attribute_key(part, name)
        interp.store.set(part, name, value)
    elif part.site is not None and not is_variable(interp, part):
        key = ("object", str(part.site[0].source.path), part.site[1], name)
        attributes = attributes_of(interp, part)
        if isinstance(attributes, Dict):
            interp.store.set(attributes, "entries", {**attributes.entries, name: value})
    else:
        check_variable_write(interp, part, _source_text(interp, node.value), node.span)
        return
    record_write(interp, key, node.span, ordered=interp.frame.parent is None, initial=False, value=value)
    field = name if isinstance(part, Class) else None
    check_escape(interp, part, value, node.span, "attribute", _source_text(interp, node), field=field, write=True)


def check_variable_write(interp: Interpreter, variable: ExternalInstance, text: str, span: Span) -> None:
    """Emits an event if a trace writes to a variable that was made outside of it: Flax raises TraceContextError.

    A module that is an argument of the trace has variables of the trace's own (flax/nnx/variablelib.py).

    Args:
        variable: the object that is written to.
        text: how the code names it.
        span: where it is written.
    """
    if is_variable(interp, variable) and interp.models.has_role(variable.of, "keeps-to-its-trace"):
        check_outer_update(interp, variable, text, span)
        if interp.trace is not None and variable.depth >= interp.trace.depth:
            made = ObjectWrite(variable, tuple(interp.path.frames), span)
            interp.root_run.changes.variables.setdefault(id(variable), made)


def check_outer_update(interp: Interpreter, variable: ExternalInstance, text: str, span: Span) -> None:
    """As `check_variable_write`, of an object that holds variables and writes to them: an optimizer's `update`."""
    trace = interp.trace
    if trace is None or trace.assumption is not None or variable.site is None or variable.depth >= trace.depth:
        return
    guessed = any(each.kind is AssumptionKind.CLASS_GUESSED for each in interp.path.assumptions)
    while trace is not None and trace.depth > variable.depth:
        transform = interp.models.transforms.get(trace.transform)
        if transform is not None and transform.updates_arguments and (guessed or not transform.cached):
            return  # it may be a variable of an argument, which has been made anew
        trace = trace.parent
    detail = {"class": variable.of.rpartition(".")[2], "variable": text}
    interp.emit(EventKind.FROZEN, span, "variable", detail=detail)


def _source_text(interp: Interpreter, node: ir.Expr) -> str:
    """An expression as it is written."""
    return interp.module.snippet(node.span)


def _check_frozen_guess(interp: Interpreter, part: Traced, name: str, node: ir.Attribute) -> None:
    """Reports a write to an argument of unknown structure that is guessed to be an instance of a frozen class."""
    cls = interp.world.guesses.with_attribute(name, interp.module)
    if cls is not None and class_facts(interp, cls).frozen:
        detail = {"class": cls.code.name, "attribute": name}
        interp.emit(
            EventKind.FROZEN,
            node.span,
            "attribute",
            detail=detail,
            value=part,
            assuming=Assumption(
                AssumptionKind.CLASS_GUESSED, f"`{interp.module.snippet(node.value.span)}` is a `{cls.code.name}`"
            ),
        )


def record_array_attribute_changed(interp: Interpreter, node: ir.Attribute, span: Span) -> None:
    """Records that elements of a NumPy array change which an attribute holds: `self.table[i] = value`."""
    found = find_variable(interp, node)
    holder = found[0] if found is not None else None
    if isinstance(holder, Instance):
        key, initial = attribute_key(interp, holder, node.name), _is_being_made(interp, holder)
        record_write(interp, key, span, ordered=False, initial=initial, holder=instance_identity(holder))


def _record_guessed_write(interp: Interpreter, name: str, node: ir.Attribute) -> None:
    """Records a write to an object of which nothing is known, under the key of the one class that has the attribute.

    A trace that read the attribute may then be stale.
    """
    cls = interp.world.guesses.with_attribute(name, interp.module)
    if cls is not None and not interp.staging:
        key = ("attribute", str(cls.module.source.path), cls.code.qualname, name)
        record_write(interp, key, node.span, ordered=False, initial=False)


def _assumed_by_name(interp: Interpreter, part: Instance, node: ir.Expr) -> Assumption | None:
    """What is assumed of an instance whose class only the name of a parameter tells: it, or what is made of it."""
    code = interp.frame.function
    if not part.guessed or not isinstance(node, ir.Name) or code is None:
        return None
    names = (p.name for p in code.parameters if p.annotation is None)
    if not any(interp.world.guesses.named(name, interp.module) is part.cls for name in names):
        return None
    return Assumption(AssumptionKind.CLASS_GUESSED, f"`{node.name}` is a `{part.cls.code.name}`")


def _set_on_instance(interp: Interpreter, part: Instance, name: str, value: Value, node: ir.Attribute) -> None:
    """Assigns to an attribute of an instance, as its class wants it: by a property's setter, or not if it is frozen."""
    if name == "__dict__":
        _set_all_attributes(interp, part, value)
        return
    code = interp.frame.function
    known = class_facts(interp, part.cls)
    found = class_attribute(interp, part.cls, name)
    if found is not None and isinstance(found[0], Descriptor) and found[0].setter is not None:
        call(interp, bind_self(interp, found[0].setter, part, node.span), Args([value]), node.span)
        return
    if found is not None and call_special_method(interp, found[0], "__set__", (part, value), node.span) is not None:
        return
    has_descriptor = found is not None and isinstance(found[0], Descriptor)
    inside = code is not None and interp.world.method_classes.get(id(code)) in known.lineage
    frozen_inside_only = any(model.frozen_inside for model in known.models)
    refuses = known.frozen and (known.frozen_names is None or name in known.frozen_names)
    refuses = refuses and not any(cls.is_thawed for cls in known.lineage)
    refuses = refuses and not name.startswith("__")  # as `functools.update_wrapper` does, of what a library thaws
    if frozen_inside_only:
        refuses = refuses and inside and _runs_as_module(interp)
    if refuses and not has_descriptor and not _is_being_made(interp, part):
        detail = {"class": part.cls.code.name, "attribute": name}
        assuming = _assumed_by_name(interp, part, node.value)
        if assuming is not None and name not in part.fields and found is None:
            return  # the class has no such attribute: the name says nothing of it
        interp.emit(EventKind.FROZEN, node.span, "attribute", detail=detail, assuming=assuming)
        return
    if part.guessed and not inside and found is not None and isinstance(found[0], Function):
        value = UNKNOWN  # one object gets a method of its own, and others of the class keep theirs
    set_attribute_directly(interp, part, name, _as_stored(interp, part, name, value, node), node)


def _as_stored(interp: Interpreter, part: Instance, name: str, value: Value, node: ir.Attribute) -> Value:
    """What an attribute holds after `part.name = value`: what the class's own `__setattr__` makes of the value."""
    if class_attribute(interp, part.cls, "__setattr__") is None:
        return value
    with interp.silenced():
        call_special_method(interp, part, "__setattr__", (Const(name), value), node.span)
    stored = part.fields.get(name)
    return stored if isinstance(stored, Value) else UNKNOWN


def _is_being_made(interp: Interpreter, part: Instance) -> bool:
    """Whether a method that makes the instance runs: what it calls may assign to attributes, too."""
    for frame in reversed(interp.path.frames):
        code = frame.function
        if code is None or code.name not in _CONSTRUCTORS or not code.parameters:
            continue
        own = interp.world.method_classes.get(id(code)) in lineage(part.cls)
        if own or frame is interp.frame or frame.fields.get(code.parameters[0].name) is part:
            return True
    return False


def _runs_as_module(interp: Interpreter) -> bool:
    """Whether a module runs, by `apply`, `init` or `__call__`: until then its methods may assign to its attributes.

    Source: `flax/linen/module.py`, `Module.__setattr__`, which asks whether the module is initialized.
    """
    if interp.path.modules:
        return True
    called = (each.function for each in interp.path.frames if each.function and each.function.name == "__call__")
    classes = (interp.world.method_classes.get(id(code)) for code in called)
    return any(model.frozen_inside for cls in classes if cls is not None for model in class_facts(interp, cls).models)


def set_attribute_directly(interp: Interpreter, part: Instance, name: str, value: Value, node: ir.Attribute) -> None:
    """Runs `object.__setattr__(part, name, value)`: whatever the class says of assignments."""
    constructing = _is_being_made(interp, part)
    if isinstance(value, Traced):
        value = value.with_step(interp.module, node.span, f"assigned to `{_source_text(interp, node)}`")
    key = attribute_key(interp, part, name)
    if not is_same_constant(part.fields.get(name), value):
        holder = instance_identity(part)
        record_write(interp, key, node.span, ordered=False, initial=constructing, holder=holder, value=value)
    text = interp.module.source.text[node.span.start : node.span.end]
    if not class_facts(interp, part.cls).models and (interp.frame, text) not in interp.path.restored:
        check_escape(
            interp,
            part,
            value,
            node.span,
            "attribute",
            _source_text(interp, node),
            field=name,
            attribute=key,
            write=interp.staging
            and not constructing
            and not is_set_and_restored(interp, node)
            and part.fields.get(name) is not value,
        )
    if isinstance(value, Transformed):
        value.stored = True
    interp.unit.state.attributes.wrote(part, name, interp.frame.home, interp.trace)
    if interp.world.donates and interp.trace is None and not constructing:
        note_bound(interp, part, name, value)
    if not constructing:
        interp.unit.state.changed_in[part.serial] = interp.root_run.number
    interp.store.set(part, name, value)


def set_unknown_attribute(interp: Interpreter, part: Value, value: Value) -> None:
    """Runs `setattr(part, name, value)` with a name that is not known: it may be any attribute, or a further one."""
    if isinstance(part, (Instance, Class)):
        interp.store.set_unknown(part, value)
    elif isinstance(part, ModuleValue) and part.module in interp.world.frames:
        interp.store.set_unknown(interp.world.frames[part.module], value)
    elif isinstance(part, ExternalInstance) and isinstance(part.attributes, Dict):
        entries = {name: join(old, value) for name, old in part.attributes.entries.items()}
        interp.store.set(part.attributes, "entries", entries)
    if isinstance(part, Class) and not part.is_open:
        part.is_open = True
        forget_class_facts(interp)


def _set_all_attributes(interp: Interpreter, part: Instance, value: Value) -> None:
    """Runs `part.__dict__ = value`."""
    attributes = attributes_of(interp, part)
    if isinstance(attributes, Dict) and isinstance(value, Dict):
        interp.store.set(attributes, "entries", dict(value.entries))
        interp.store.set(attributes, "rest", value.rest)
    else:
        interp.store.set_unknown(part, UNKNOWN)


def record_attributes_changed(interp: Interpreter, base: Dict, values: Mapping[object, Value], span: Span) -> None:
    """Records that attributes get other values by the dict that holds them: `vars(settings).update(…)`."""
    holder = base.owner
    if not isinstance(holder, Instance):
        return
    initial, identity = _is_being_made(interp, holder), instance_identity(holder)
    for name, value in values.items():
        if isinstance(name, str):
            key = attribute_key(interp, holder, name)
            record_write(interp, key, span, ordered=False, initial=initial, holder=identity, value=value)


def is_set_and_restored(interp: Interpreter, node: ir.Attribute) -> bool:
    """Whether the function sets the attribute more than once, or is `__enter__` or `__exit__`.

    `old, self.x = self.x, new` … `self.x = old` leaves nothing behind, so it is no lost write.
    """
    code = interp.frame.function
    if code is None:
        return False
    if code.name in ("__enter__", "__exit__"):
        return True
    return interp.module.source.text[node.span.start : node.span.end] in code.reassigned


def _assign_attribute(interp: Interpreter, target: ir.Attribute, value: Value, local: bool) -> None:
    """Assigns to an attribute, as ASSIGNERS wants it."""
    set_attribute(interp, interp.evaluate(target.value), target.name, value, target)


ASSIGNERS[ir.Attribute] = _assign_attribute


def set_through_dict(interp: Interpreter, owner: Value, index: Value, value: Value, node: ir.Subscript) -> None:
    """Runs `owner.__dict__[index] = value`, which sets an attribute."""
    for part in alternatives(owner):
        if isinstance(part, Instance) and isinstance(index, Const) and isinstance(index.value, str):
            attribute = ir.Attribute(node.span, node.value, index.value, node.span)
            set_attribute_directly(interp, part, index.value, value, attribute)
