"""Runs a whole project: module tops first, then everything that nothing in view calls, then what was never traced."""

from __future__ import annotations

import re

from jitlint.analysis import (  # noqa: F401  registration
    assertions,
    blocks,
    builtin_functions,
    control,
    definitions,
    einops,
    expressions,
    inspection,
    itertools_functions,
    loops,
    nnx,
    operator_functions,
    standard_library,
    statements,
    trees,
)
from jitlint.analysis.arguments import uncalled_arguments, unknown_arguments
from jitlint.analysis.attributes import IMPLICIT_CLASS_METHODS
from jitlint.analysis.calls import call
from jitlint.analysis.classes import bind_self, facts, generic_instance, lineage
from jitlint.analysis.context import ROOT_FUEL, Trace
from jitlint.analysis.entry_points import EntryPoint, entry_points
from jitlint.analysis.events import Confidence, Entry, Event, EventKind, Root
from jitlint.analysis.imports import ensure_module
from jitlint.analysis.interpreter import Interpreter, OutOfFuelError
from jitlint.analysis.library_calls import call_lent
from jitlint.analysis.reveal import REVEAL, Watch
from jitlint.analysis.signatures import signature
from jitlint.analysis.sound import SoundInterpreter
from jitlint.analysis.values import (
    Class,
    Descriptor,
    ExternalInstance,
    Frame,
    Function,
    Transformed,
    Value,
)
from jitlint.models.loading import models
from jitlint.project.modules import Module, Project
from jitlint.source.places import Span

MAX_PASSES = 3


class Program:
    """One project's interpretation, from its files to its events."""

    def __init__(self, project: Project, watch: Watch | None = None, *, sound: bool = False) -> None:
        self.project = project
        self.interp = (SoundInterpreter if sound else Interpreter)(project, models(), watch)

    def run(self) -> tuple[Event, ...]:
        """Interprets everything and gives the events."""
        modules = self._touching_jax()
        for module in modules:
            self._guard(module, lambda module=module: ensure_module(self.interp, module))
        for _ in range(MAX_PASSES):
            before = len(self.interp.functions)
            self._run_methods()
            self._run_functions()
            self._run_lent()
            self._run_transformed()
            if len(self.interp.functions) == before:
                break
        with self.project.defects.contained("", "comparing reads of state with writes"):
            self._report_stale()
        return self.interp.finish()

    def entries(self) -> tuple[EntryPoint, ...]:
        """The project's entry points, once everything was run."""
        with self.project.defects.contained("", "listing entry points"):
            return entry_points(self.interp, self._name_of)
        return ()

    def _touching_jax(self) -> list[Module]:
        """The modules that name JAX or a library built on it, and those that import such a module of the project."""
        names = (*self.interp.models.roots, REVEAL.rpartition(".")[2])
        touching = {m.name for m in self.project.given if any(name in m.source.text for name in names)}
        if self.interp.reveals.watch is not None:
            touching.add(self.interp.reveals.watch.module.name)
        others = {m.name: _imported_words(m) for m in self.project.given if m.name not in touching}
        while True:
            tails = {name.rpartition(".")[2] for name in touching}
            more = {name for name, words in others.items() if not words.isdisjoint(tails)}
            if not more:
                return [module for module in self.project.given if module.name in touching]
            touching |= more
            others = {name: words for name, words in others.items() if name not in more}

    # --- roots --------------------------------------------------------------------------------------------------------

    def _run_functions(self) -> None:
        """Runs the functions that were made but never called: callers are written after callees, so the last first."""
        staged = self._staged()
        decorated = {id(made.function) for made in self.interp.transformed if made.is_decorator}
        for function in reversed(list(self.interp.functions)):
            if id(function.code) in self.interp.visited or not function.module.given or function.cls is not None:
                continue
            if function.code.name == "<lambda>" and function.depth > 0:
                continue
            self.interp.reveals.is_imaginary = id(function) in decorated
            self.interp.staged_only = id(function.code) in staged
            self._run_root(function, self._root_of(function), function)
            self.interp.reveals.is_imaginary = self.interp.staged_only = False

    def _staged(self) -> set[int]:
        """The code of functions that are staged, as far as is in view, and never run eagerly."""
        made = [t for t in self.interp.transformed if t.transform.staging and not t.called]
        targets = [signature(self.interp, t.function) for t in made]
        return {id(target.code) for target in targets if target is not None}

    def _run_methods(self) -> None:
        for cls in list(self.interp.classes):
            if not cls.module.given or cls.depth > 0:
                continue
            for name, value in list(cls.fields.items()):
                function = _function_in(value)
                if function is None or id(function.code) in self.interp.visited or function.code.name == "<lambda>":
                    continue
                if isinstance(value, Transformed) or _transformed_in(value):
                    continue
                root = Root(cls.module.source.display, cls.module.name, f"{cls.code.qualname}.{name}")
                self._guard(cls.module, lambda cls=cls, value=value, root=root: self._run_method(cls, value, root))

    def _run_method(self, cls: Class, value: Value, root: Root) -> None:
        interp = self.interp
        interp.root = root
        span = cls.code.name_span
        target = value.function if isinstance(value, Descriptor) else value
        name = root.qualname.rpartition(".")[2]
        kind = value.kind if isinstance(value, Descriptor) else ""
        static = kind == "staticmethod"
        of_class = kind == "classmethod" or name in IMPLICIT_CLASS_METHODS or name == "__new__"
        receiver: Value = cls if of_class else generic_instance(interp, cls)
        interp.root = root
        callee = target if static else bind_self(interp, target, receiver, span)
        if not of_class and any(name in model.traced_methods for model in facts(interp, cls).models):
            interp.trace = self._assumed_trace(cls, name)
        self._call_unknown(callee, span)

    def _assumed_trace(self, cls: Class, name: str) -> Trace:
        """The trace under which a framework's users run a method, though no such call is in view."""
        module, span = cls.module, cls.code.name_span
        entry = Entry(module.place(span), "jax.jit", f"{module.name}:{cls.code.qualname}.{name}")
        guess = f"`{cls.code.name}.{name}` runs under jit"
        return Trace(None, "jax.jit", 1, True, False, 1, False, False, entry, guess)

    def _run_root(self, callee: Value, root: Root, function: Function) -> None:
        def run() -> None:
            self.interp.root = root
            self._call_unknown(callee, function.code.name_span)

        self._guard(function.module, run)

    def _call_unknown(self, callee: Value, span: Span) -> None:
        target = signature(self.interp, callee)
        if target is None:
            return
        call(self.interp, callee, unknown_arguments(self.interp, target), span)

    def _root_of(self, function: Function) -> Root:
        """What to run to come to a function: its outermost enclosing function or method."""
        qualname = function.code.qualname.partition(".<locals>")[0]
        qualname = "" if "<" in qualname else qualname
        return Root(function.module.source.display, function.module.name, qualname)

    # --- functions that library objects hold --------------------------------------------------------------------------

    def _run_lent(self) -> None:
        interp = self.interp
        while interp.lent:
            function, holder = interp.lent.pop(next(iter(interp.lent)))
            if holder.site is not None and holder.site[0].given:
                self._guard(holder.site[0], lambda function=function, holder=holder: self._lend(function, holder))

    def _lend(self, function: Value, holder: ExternalInstance) -> None:
        target = signature(self.interp, function)
        if target is not None:
            self.interp.root = self._root_of(target.function)
            call_lent(self.interp, function, holder)

    # --- transformed functions that nobody calls ----------------------------------------------------------------------

    def _run_transformed(self) -> None:
        for made in list(self.interp.transformed):
            if made.called or made.site is None or not made.site[0].given:
                continue
            made.called = True
            self._guard(made.site[0], lambda made=made: self._trace_uncalled(made))

    def _trace_uncalled(self, made: Transformed) -> None:
        interp = self.interp
        assert made.site is not None
        _, span = made.site
        target = signature(interp, made.function)
        if target is None:
            return
        interp.root = self._name_of(made) or made.root
        receiver = self._receiver(target.function, made)
        call(interp, made, uncalled_arguments(target, receiver, span), span)

    def _receiver(self, function: Function, made: Transformed) -> Value | None:
        cls = function.cls
        if cls is None or not isinstance(made.function, Function):
            return None
        member = cls.fields.get(function.code.name)
        if isinstance(member, Descriptor) and member.kind == "staticmethod":
            return None
        return generic_instance(self.interp, cls)

    def _name_of(self, made: Transformed) -> Root | None:
        """The module-level name or method under which a transformed function can be reached."""
        assert made.site is not None
        module = made.site[0]
        frame = self.interp.frames.get(module)
        for name, value in frame.fields.items() if frame else ():
            if value is made:
                return Root(module.source.display, module.name, str(name))
            if isinstance(value, Class):
                for cls in lineage(value):
                    for attribute, member in cls.fields.items():
                        if member is made:
                            return Root(module.source.display, module.name, f"{value.code.qualname}.{attribute}")
        return None

    # --- the end ------------------------------------------------------------------------------------------------------

    def _report_stale(self) -> None:
        interp = self.interp
        for read, write in interp.state.stale():
            if not read.module.given:
                continue
            place = write.module.place(write.span)
            flow = interp.source_at(write.module, write.span, f"`{read.name}` is changed here")
            function = read.entry.function.rpartition(".")[2].rpartition(":")[2]
            by = f"`{read.entry.transform}`" + (f" of `{function}`" if function else "")
            flow = flow.then(read.module, read.span, f"`{read.name}` is read here while tracing under {by}")
            interp.handlers = []
            interp.emit(
                EventKind.STATE_READ, read.span, read.construct, module=read.module, flow=flow, entry=read.entry,
                root=read.root, symbol=read.symbol, subject=read.name,
                confidence=Confidence.LIKELY if read.guess else Confidence.CERTAIN, guess=read.guess,
                detail={"name": read.name, "writer": f"{place.path}:{place.line}"},
            )  # fmt: skip

    def _guard(self, module: Module, run: object) -> None:
        """Runs one root in a clean context; what it leaves open is closed."""
        assert callable(run)
        interp = self.interp
        frame = interp.frames.get(module) or Frame(module, None, None, 0, ())
        saved = interp.save_context(frame)
        interp.fuel = ROOT_FUEL
        interp.root_calls.clear()
        try:
            run()
        except (OutOfFuelError, RecursionError):
            pass  # what was seen until then stands; the rest of this root is given up
        except Exception as error:  # noqa: BLE001 - a defect of ours costs one root, not the run
            root = interp.root
            symbol = ".".join(filter(None, (root.module, root.qualname))) if root else module.name
            self.project.defects.note(error, module.source.display, "interpreting", symbol)
        finally:
            interp.store.commit_to(0)
            interp.restore_context(saved)


def _imported_words(module: Module) -> frozenset[str]:
    """The words of a module's import statements: without parsing, whatever it may import is among them."""
    lines = re.findall(r"^[ \t]*(?:import|from)\b[^\n(]*(?:\([^)]*\))?", module.source.text, re.MULTILINE)
    return frozenset(word for line in lines for word in re.findall(r"\w+", line))


def _function_in(value: Value) -> Function | None:
    while isinstance(value, (Descriptor, Transformed)):
        value = value.function
    return value if isinstance(value, Function) else None


def _transformed_in(value: Value) -> bool:
    return isinstance(value, Descriptor) and isinstance(value.function, Transformed)
