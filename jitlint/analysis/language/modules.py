"""Modules: running their top level, their attributes, and what imports bind.

A module's top level runs once, when it is first imported. A name in a library is an `External`, whose qualified name is
the one that the models use (`jnp.sum` is `jax.numpy.sum`).
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.names import read_variable, set_name
from jitlint.analysis.machine.interpreter import EXECUTORS, Interpreter, OutOfFuelError
from jitlint.analysis.machine.limits import (
    LATE_TOP_FUEL,
    MODULE_FUEL,
    TOO_LONG,
    TOO_LONG_LATE_TOP,
    TOO_LONG_TOP,
    TOPS_FUEL,
)
from jitlint.analysis.values import (
    FALSE,
    NEVER,
    NONE,
    STR,
    UNKNOWN,
    Const,
    External,
    Frame,
    ModuleValue,
    Static,
    Value,
)
from jitlint.project.modules import Module
from jitlint.source.places import Span
from jitlint.source.progress import TOP_LEVEL, note


def ensure_module(interp: Interpreter, module: Module) -> Frame | None:
    """The namespace of a module, whose top level is run first if it was not; None if the module cannot be parsed.

    An import circle meets a namespace that is filled in part, as in Python.
    """
    package = interp.project.resolve(module, module.name.rpartition(".")[0]) if "." in module.name else None
    if package is not None and package.given and package is not module and module not in interp.world.frames:
        ensure_module(interp, package)  # a package first, as Python does: else the order of the files would matter
    if module in interp.world.frames:
        return interp.world.frames[module]
    tree = interp.project.tree(module)
    if tree is None:
        return None
    frame = Frame(module, None, None, 0, ())
    interp.world.frames[module] = frame
    interp.world.rebound_globals[module] = tree.rebound
    frame.fields["__name__"] = STR
    saved = interp.enter_module(frame)
    before = note(TOP_LEVEL, module.source.display, module.name)
    late = interp.world.top_statements >= TOPS_FUEL
    granted = LATE_TOP_FUEL if late else MODULE_FUEL
    fuel, interp.root_run.fuel = interp.root_run.fuel, granted
    mark = interp.store.mark
    try:
        interp.run(tree.body)
    except OutOfFuelError as error:
        too_long = TOO_LONG_LATE_TOP if late else TOO_LONG_TOP
        interp.give_up(too_long if error.reason == TOO_LONG else error.reason)
        interp.store.commit_to(mark)
    finally:
        interp.return_to(saved)
        interp.world.top_statements += granted - interp.root_run.fuel
        interp.root_run.fuel = fuel
    note(*before)
    return frame


def _import(interp: Interpreter, node: ir.Import) -> bool:
    """Runs `import a.b` (which binds `a`) or `import a.b as c`. The modules run now, unless they have before."""
    value = _module_value(interp, node.bound)
    before = interp.frame.fields.get(node.name) if interp.frame.parent is None else None
    if isinstance(before, External) and isinstance(value, External) and before.name != value.name:
        interp.world.imported_before[interp.module, node.name] = (node.span.start, before)
    set_name(interp, node.name, value, node.span)
    if node.bound != node.module:
        _module_value(interp, node.module)
    return True


def _module_value(interp: Interpreter, name: str) -> Value:
    """The module of that name: one of the project, which is run, or a library's."""
    module = interp.project.resolve(interp.module, name)
    if module is None:
        return External(interp.models.canonical(name))
    ensure_module(interp, module)
    return ModuleValue(module)


def _import_from(interp: Interpreter, node: ir.ImportFrom) -> bool:
    """Runs `from a import b as c`."""
    name = interp.project.absolute(interp.module, node.module, node.level)
    module = interp.project.resolve(interp.module, name)
    if module is None:
        for imported, bound in node.names:
            if imported != "*":
                set_name(interp, bound, _import_from_outside(interp, name, imported, node.span), node.span)
        return True
    frame = ensure_module(interp, module)
    for imported, bound in node.names:
        if imported == "*":
            _import_star(interp, frame)
            continue
        value = module_attribute(interp, ModuleValue(module), imported, node.span)
        if isinstance(value, ModuleValue):
            ensure_module(interp, value.module)  # now: what it registers elsewhere is there for whoever runs next
        set_name(interp, bound, value, node.span)
    return True


def _import_from_outside(interp: Interpreter, package: str, name: str, span: Span) -> Value:
    """The value of `from package import name` where `package` is a library, or a folder without a file of its own."""
    module = interp.project.resolve(interp.module, f"{package}.{name}")
    if module is None:
        return module_attribute(interp, External(interp.models.canonical(package)), name, span)
    ensure_module(interp, module)
    return ModuleValue(module)


def _import_star(interp: Interpreter, frame: Frame | None) -> None:
    """Binds all public names of a module, as `from module import *` does."""
    if frame is not None:
        for name, value in list(frame.fields.items()):
            if isinstance(name, str) and not name.startswith("_"):
                interp.store.set(interp.frame, name, value)


EXECUTORS[ir.Import] = _import
EXECUTORS[ir.ImportFrom] = _import_from


def module_attribute(interp: Interpreter, value: ModuleValue | External, name: str, span: Span) -> Value:
    """The attribute of a module, or of anything in a library: `jax.numpy`, `jax.numpy.sum`.

    That of a project module is a variable there, and is read like one. Submodules that nothing has imported are found
    by their file.
    """
    if isinstance(value, External):
        if name == "__name__" and value.name.startswith("builtins."):
            return Const(value.name.removeprefix("builtins."))
        if name == "__module__" and "." in value.name:
            return Const(value.name.rpartition(".")[0])  # right as to the package: all that programs ask for
        full = f"{value.name}.{name}"
        word = interp.models.constants.get(full)
        return External(interp.models.canonical(full)) if word is None else _library_constant(word)
    public = interp.public_external(value.module, name)
    if public is not None:
        return public
    frame = ensure_module(interp, value.module)
    if frame is not None and frame.fields.get(name, NEVER) is not NEVER:
        return read_variable(interp, frame, name, frame.fields[name], span)
    submodule = interp.project.resolve(value.module, f"{value.module.name}.{name}") if value.module.is_package else None
    return ModuleValue(submodule) if submodule is not None else UNKNOWN


def _library_constant(word: str) -> Value:
    """The value of a library's constant, by the word that the models have for it."""
    if word == "none":
        return NONE
    return FALSE if word == "false" else Static(word.removeprefix("static-"))
