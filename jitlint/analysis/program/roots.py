"""Roots: runs the functions that no code in view calls, so that their bodies are interpreted, too.

A root is a run that starts from nothing: a function or method with unknown arguments, a function that a library object
holds (`SVI(model, guide, …)` of NumPyro calls `model` later), or a transformed function with traced arguments. While a
root runs it calls others, which then need no run of their own. So the order matters: the kinds of roots run in the
order of `METHODS` to `TRANSFORMED`, and among functions those of the module imported last come first, since callers are
mostly written after what they call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

from jitlint.analysis.language.attributes import IMPLICIT_CLASS_METHODS
from jitlint.analysis.language.classes import bind_self, class_facts
from jitlint.analysis.language.instances import generic_instance, guessed_arguments
from jitlint.analysis.language.overrides import inherited_with_overrides
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.libraries.callers import call_held_function
from jitlint.analysis.libraries.standard.click import arguments_of_command
from jitlint.analysis.machine.command_lines import TypedTexts
from jitlint.analysis.machine.context import Rank, Start, Trace
from jitlint.analysis.machine.interpreter import Interpreter, OutOfFuelError, call
from jitlint.analysis.machine.limits import (
    LATE_ROOT_FUEL,
    PRECISE_CALLS,
    REPEATED_FUEL,
    ROOT_FUEL,
    TOO_LARGE,
    TOO_LONG,
    TOO_LONG_LATE,
    TOO_MANY,
    TOO_NESTED,
    UNIT_FUEL,
)
from jitlint.analysis.machine.options import other_values
from jitlint.analysis.machine.parts import TopChoice, Way
from jitlint.analysis.program.other_ways import Deciding, OtherWays
from jitlint.analysis.program.reachable_names import ReachableNames
from jitlint.analysis.program.units import identity
from jitlint.analysis.tracing.arguments import required_arguments
from jitlint.analysis.values import (
    Class,
    Descriptor,
    ExternalInstance,
    Frame,
    Function,
    Instance,
    Option,
    TooLargeError,
    Transformed,
    Value,
    is_none,
    newest_serial,
)
from jitlint.analysis.values.callables import innermost_function
from jitlint.analysis.values.joins import alternatives, join
from jitlint.analysis.values.objects import Site
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, Root
from jitlint.project.modules import Module
from jitlint.source.defects import Defect, Defects
from jitlint.source.places import Span
from jitlint.source.progress import INTERPRETING, note

MAX_PASSES = 3
"""A root may make new functions, which are roots in the next pass; after so many passes they are left alone."""

METHODS, FUNCTIONS, HELD, TRANSFORMED = range(1, 5)
"""The kinds of roots, in the order in which they run."""


class LostRoot(NamedTuple):
    """A root that is not to be run: a process died of it."""

    path: str
    symbol: str
    defect: Defect


class _LeftOutError(Exception):
    """The root that was to run is one that a process died of."""


class Roots:
    """The roots of one unit: among what its module tops made, and what is made while its roots run."""

    def __init__(
        self, interp: Interpreter, defects: Defects, modules: Sequence[Module], lost: Sequence[LostRoot] = ()
    ) -> None:
        self.interp = interp
        self.defects = defects
        self._left_out = {(each.path, each.symbol) for each in lost}
        for each in lost:
            defects.add(each.defect)
        self._modules = frozenset(modules)
        self._import_order = {module: at for at, module in enumerate(interp.world.frames)}
        world = interp.world
        self._known_classes = len(world.classes)
        self._known_functions = len(world.functions)
        self._known_transformed = len(world.transformed)
        self._deciding: list[Deciding] = []
        """The roots in which options decide what runs."""
        self._spent = 0
        """How many statements all roots have run."""
        self._commands: set[Function] = set()
        """The functions that were asked about."""
        self._held_by_tops = {id(function) for function, _ in interp.unit.held_functions.values()}

    def run(self) -> None:
        """Runs all roots of the unit, and those that appear while they run."""
        for _ in range(MAX_PASSES):
            before = len(self.interp.world.functions)
            self._run_methods()
            self._run_functions()
            self._run_held_functions()
            self._run_transformed()
            if len(self.interp.world.functions) == before:
                break
        self._run_with_open_options()

    def classes(self) -> list[Class]:
        """The classes that the unit's module tops or its roots made."""
        numbered = enumerate(self.interp.world.classes)
        return [c for i, c in numbered if i >= self._known_classes or c.module in self._modules]

    def functions(self) -> list[Function]:
        """The functions that the unit's module tops or its roots made."""
        numbered = enumerate(self.interp.world.functions)
        return [f for i, f in numbered if i >= self._known_functions or f.module in self._modules]

    def transformed(self) -> list[Transformed]:
        """The transformed functions that the unit's module tops or its roots made."""
        numbered = enumerate(self.interp.world.transformed)
        return [
            t
            for i, t in numbered
            if t.site is not None and (i >= self._known_transformed or t.site[0] in self._modules)
        ]

    def _run_functions(self) -> None:
        """Runs the functions that nothing has called yet, the last first: callers are mostly written after callees."""
        staged = self._staged()
        decorated = {id(each.function) for each in self.interp.world.transformed if each.is_decorator}
        for function in reversed(self.functions()):
            if not function.module.given or function.cls is not None or self._has_run(function):
                continue
            if function.code.name == "<lambda>" and function.depth > 0:
                continue
            self.interp.unit.reveals.is_undecorated = id(function) in decorated
            self.interp.root_run.staged_only = id(function.code) in staged
            start = Start(identity(function), self._rank(FUNCTIONS, function.module))
            self._run_function(function, self._root_of(function), function, start)
            self.interp.unit.reveals.is_undecorated = self.interp.root_run.staged_only = False

    def _has_run(self, function: Function) -> bool:
        """Whether a function was called, or run as a root. Commands that share options are made by one decorator, with
        the same code: each is a root.
        """
        shares_options = function in self.interp.world.settings.further and function not in self._commands
        self._commands.add(function)
        return id(function.code) in self.interp.unit.visited and not shares_options

    def _rank(self, kind: int, module: Module) -> Rank:
        """When a root of a kind and a module runs, compared with those of other units.

        Functions of modules that were imported later come first: they are more likely to call the others.
        """
        at = self._import_order.get(module, 0)
        return (kind, -at if kind == FUNCTIONS else at)

    def _staged(self) -> set[int]:
        """The identities of the code of functions under a staging transform that nothing has called yet.

        As far as is in view, these never run eagerly.
        """
        uncalled = [t for t in self.interp.world.transformed if t.transform.staging and not t.called]
        targets = [signature_of(self.interp, t.function) for t in uncalled]
        return {id(target.code) for target in targets if target is not None}

    def _run_methods(self) -> None:
        """Runs the methods of outermost classes that nothing has called yet, on an instance that stands for any."""
        for cls in self.classes():
            if not cls.module.given or cls.depth > 0:
                continue
            for name, value in list(cls.fields.items()):
                function = _function_in(value)
                if (
                    function is None
                    or id(function.code) in self.interp.unit.visited
                    or function.code.name == "<lambda>"
                ):
                    continue
                if isinstance(value, Transformed) or _transformed_in(value) or _is_out_of_reach(cls, str(name)):
                    continue
                self._run_member(cls, name, value, function)
            for name, function in inherited_with_overrides(self.interp, cls):
                self._run_member(cls, name, function, function)

    def _run_member(self, cls: Class, name: str, value: Value, function: Function) -> None:
        """Runs one member of a class, of which `function` is the code, as a root."""
        root = Root(cls.module.source.display, cls.module.name, f"{cls.code.qualname}.{name}")
        start = Start(identity(function), self._rank(METHODS, cls.module))
        self._in_clean_context(cls.module, partial(self._run_method, cls, value, root), start)

    def _run_method(self, cls: Class, value: Value, root: Root) -> None:
        """Binds a member of a class to its receiver and calls it."""
        interp = self.interp
        self._begin(root)
        span = cls.code.name_span
        target = value.function if isinstance(value, Descriptor) else value
        name = root.qualname.rpartition(".")[2]
        kind = value.kind if isinstance(value, Descriptor) else ""
        static = kind == "staticmethod"
        of_class = kind == "classmethod" or name in IMPLICIT_CLASS_METHODS or name == "__new__"
        receiver: Value = cls if of_class else generic_instance(interp, cls)
        interp.root_run.root = root
        callee = target if static else bind_self(interp, target, receiver, span)
        if not of_class and any(name in model.traced_methods for model in class_facts(interp, cls).models):
            interp.trace = self._assumed_trace(cls, name)
        self._call_with_unknowns(callee, span)

    def _assumed_trace(self, cls: Class, name: str) -> Trace:
        """The trace under which a framework's users run a method (`traced_methods`), though no such call is in view."""
        module, span = cls.module, cls.code.name_span
        entry = Entry(module.place(span), "jax.jit", f"{module.name}:{cls.code.qualname}.{name}")
        assumption = Assumption(AssumptionKind.RUNS_UNDER_JIT, f"`{cls.code.name}.{name}` runs under jit")
        return Trace(
            parent=None,
            transform="jax.jit",
            depth=1,
            staging=True,
            concrete=False,
            stage=1,
            recording=1,
            cached=False,
            fresh=False,
            entry=entry,
            assumption=assumption,
        )

    def _run_function(self, callee: Value, root: Root, function: Function, start: Start) -> None:
        """Runs one function with unknown arguments. What no cell of a notebook calls, nothing else can import."""
        uncalled = function.module.source.document is not None and callee is function
        called = Assumption(AssumptionKind.CALLED_AT_ALL, f"`{function.code.name}` is called")

        def run() -> None:
            self._begin(root)
            with self.interp.assuming(*called) if uncalled else nullcontext():
                self._call_with_unknowns(callee, function.code.name_span)

        self._in_clean_context(function.module, run, start)

    def _call_with_unknowns(self, callee: Value, span: Span) -> None:
        """Calls a function with unknown arguments, or as a command line does that gives nothing."""
        target = signature_of(self.interp, callee)
        if target is None:
            return
        if id(target.code) in self.interp.world.settings.commands:
            for args in arguments_of_command(self.interp, target.function, span):
                call(self.interp, callee, args, span)
        else:
            call(self.interp, callee, guessed_arguments(self.interp, target), span)

    def _root_of(self, function: Function) -> Root:
        """What a user runs to reach a function: the outermost function or method around it, or else the module ("")."""
        qualname = function.code.qualname.partition(".<locals>")[0]
        qualname = "" if "<" in qualname else qualname
        return Root(function.module.source.display, function.module.name, qualname)

    # --- functions that library objects hold --------------------------------------------------------------------------

    def _run_held_functions(self) -> None:
        """Runs the functions that a library object of this unit holds and nothing has called yet."""
        interp = self.interp
        while interp.unit.held_functions:
            function, holder = interp.unit.held_functions.pop(next(iter(interp.unit.held_functions)))
            # Every unit starts with those that the module tops noted: each runs in the unit that made its holder.
            elsewhere = id(function) in self._held_by_tops and (
                holder.site is None or holder.site[0] not in self._modules
            )
            if holder.site is not None and holder.site[0].given and not elsewhere:
                start = Start(None, self._rank(HELD, holder.site[0]))
                self._in_clean_context(holder.site[0], partial(self._run_held_function, function, holder), start)

    def _run_held_function(self, function: Value, holder: ExternalInstance) -> None:
        """Calls one held function as the library would."""
        target = signature_of(self.interp, function)
        if target is not None:
            self._begin(self._root_of(target.function))
            call_held_function(self.interp, function, holder)

    # --- transformed functions that nobody calls ----------------------------------------------------------------------

    def _run_transformed(self) -> None:
        """Traces the transformed functions that nothing has called yet: their required arguments become tracers.

        Of those that one place makes, as of functions that are given to it again and again, some are enough.
        """
        names = ReachableNames(self.interp)
        made: Counter[tuple[Site, Site | None]] = Counter()
        for transformed in self._uncalled(self.transformed()):
            assert transformed.site is not None
            function = innermost_function(transformed.function)
            of_one = (transformed.site, None if function is None else (function.module, function.code.span))
            made[of_one] += 1
            if made[of_one] > PRECISE_CALLS:
                if transformed.root is not None:
                    self.interp.unit.incomplete.setdefault(transformed.root, TOO_MANY)
                continue
            start = Start(identity(transformed), self._rank(TRANSFORMED, transformed.site[0]))
            self._in_clean_context(transformed.site[0], partial(self._trace_uncalled, transformed, names), start)

    def _uncalled(self, made: list[Transformed]) -> Iterator[Transformed]:
        """Those transformed functions that nothing has called when it is their turn.

        One that another transform is applied to comes last: the other calls it as the program does, and may map it.
        """
        inner = {id(one) for each in made for one in alternatives(each.function)}
        for transformed in sorted(made, key=lambda each: id(each) in inner):
            if not transformed.called and transformed.site is not None and transformed.site[0].given:
                transformed.called = True
                yield transformed

    def _trace_uncalled(self, transformed: Transformed, names: ReachableNames) -> None:
        """Calls one transformed function with its required arguments, all unknown."""
        interp = self.interp
        assert transformed.site is not None
        _, span = transformed.site
        target = signature_of(interp, transformed.function)
        if target is None:
            return
        self._begin(names.of(transformed) or transformed.root)
        receiver = self._receiver(target.function, transformed)
        args = required_arguments(target, receiver, span, transformed.options.get("in_axes"))
        call(interp, transformed, args, span)

    def _receiver(self, function: Function, transformed: Transformed) -> Value | None:
        """The `self` for a transformed method that is not bound yet; None for plain functions and static methods."""
        cls = function.cls
        if cls is None or not isinstance(transformed.function, Function):
            return None
        member = cls.fields.get(function.code.name)
        if isinstance(member, Descriptor) and member.kind == "staticmethod":
            return None
        return generic_instance(self.interp, cls)

    def _begin(self, root: Root | None) -> None:
        """Notes which root runs now. Raises _LeftOutError if it is not to be run."""
        self.interp.root_run.root = root
        self.interp.unit.state.order.begin(newest_serial(), repeats=True)
        self.interp.unit.state.attributes.begin()
        if root is not None:
            note(INTERPRETING, root.path, _symbol(root))
            if (root.path, _symbol(root)) in self._left_out:
                raise _LeftOutError

    def _in_clean_context(self, module: Module, run: Callable[[], None], start: Start, fuel: int | None = None) -> None:
        """Runs one root at the top level of a module, with its own fuel, and returns to where execution stood.

        An error ends this root only; changes of branches that it cut short are committed.

        Args:
            module: the module to stand in.
            run: runs the root.
            start: the function that the root begins with, and its rank.
            fuel: how many statements it may run; None for ROOT_FUEL, or LATE_ROOT_FUEL once the roots ran UNIT_FUEL.
        """
        interp = self.interp
        late = fuel is None and self._spent >= UNIT_FUEL
        fuel = fuel or (LATE_ROOT_FUEL if late else ROOT_FUEL)
        frame = interp.world.frames.get(module) or Frame(module, None, None, 0, ())
        saved = interp.enter_module(frame)
        interp.root_run.fuel = fuel
        interp.root_run.number += 1
        interp.root_run.call_counts.clear()
        interp.root_run.copies.clear()
        interp.root_run.stepped.clear()
        interp.root_run.changes.clear()
        interp.root_run.start, interp.root_run.rank = start, start.rank
        interp.root_run.chosen_by, interp.root_run.other_ways, interp.root_run.traces = set(), {}, False
        interp.root_run.command_lines, interp.root_run.typed, interp.root_run.texts = 0, "", TypedTexts()
        interp.root_run.defaults, interp.root_run.asked_for, interp.root_run.left_open = {}, {}, {}
        mark = interp.store.mark
        interp.store.open()
        try:
            run()
        except OutOfFuelError as spent:  # the events seen until then stand; compiled code wants a name for each type
            interp.give_up(TOO_LONG_LATE if late and spent.reason == TOO_LONG else spent.reason)
        except TooLargeError:
            interp.give_up(TOO_LARGE)
        except RecursionError:
            interp.give_up(TOO_NESTED)
        except _LeftOutError:
            pass
        except MemoryError:  # what runs next would fail, too
            raise
        except Exception as error:  # noqa: BLE001 - a defect of ours costs one root, not the run
            root = interp.root_run.root
            self.defects.note(error, module.source.display, INTERPRETING, _symbol(root) if root else module.name)
        finally:
            interp.store.commit_to(mark + 1)
            self._forget_order(mark)
            interp.store.commit_to(mark)
            interp.return_to(saved)
            used = fuel - interp.root_run.fuel
            self._spent += used
            ways, lines, choices = interp.root_run.other_ways, interp.root_run.command_lines, other_values(interp)
            if interp.root_run.traces and (ways or lines or choices):
                self._deciding.append(Deciding(used, module, run, start, ways, lines, choices))

    def _forget_order(self, mark: int) -> None:
        """What was None before a root may be None for the next one: which runs first, nobody knows.

        Args:
            mark: how many logs of the store were open when the root began.
        """
        for target, name, old in list(self.interp.store.old_since(mark).values()):
            now = target.fields.get(name)
            if isinstance(target, Instance) and isinstance(old, Value) and isinstance(now, Value) and is_none(old):
                self.interp.store.narrow(target, name, join(old, now))

    # --- options that are not left at their defaults ------------------------------------------------------------------

    def _run_with_open_options(self) -> None:
        """Runs the roots once more in which the defaults of options keep code from running, or two ways are joined."""
        world = self.interp.world
        deciding, self._deciding = self._deciding, []
        for each in world.top_choices:
            if each.module in self._modules:
                start = Start(None, self._rank(FUNCTIONS, each.module))
                repeat = partial(self._repeat, each)
                ways, lines, choices = each.other_ways, each.command_lines, each.choices
                self.interp.unit.decisions.asked_texts.update(each.asked_texts)
                deciding.append(Deciding(0, each.module, repeat, start, ways, lines, choices))
        deciding.sort(key=lambda root: root.fuel)
        OtherWays(self.interp, lambda: self._spent, self._run_again).run(deciding)

    def _run_again(self, root: Deciding) -> dict[Way, Option]:
        """Runs a root with other options, and what only these make; gives the ways that others still lead to."""
        known = len(self.interp.world.transformed)
        self._in_clean_context(root.module, root.run, root.start, None if root.fuel else REPEATED_FUEL)
        ways = self.interp.root_run.other_ways
        self._trace_new(known)
        return ways

    def _repeat(self, each: TopChoice) -> None:
        """Makes a call again that a module's top level has made."""
        call(self.interp, each.callee, each.args, each.span)

    def _trace_new(self, made: int) -> None:
        """Traces the transformed functions beyond the first `made` that nothing has called."""
        names = ReachableNames(self.interp)
        for transformed in self._uncalled(self.interp.world.transformed[made:]):
            assert transformed.site is not None
            start = Start(None, self._rank(TRANSFORMED, transformed.site[0]))
            self._in_clean_context(transformed.site[0], partial(self._trace_uncalled, transformed, names), start)


def _symbol(root: Root) -> str:
    """The dotted name of a root."""
    return ".".join(filter(None, (root.module, root.qualname)))


def _function_in(value: Value) -> Function | None:
    """The function inside of a method's descriptors and transforms; None if there is none."""
    while isinstance(value, (Descriptor, Transformed)):
        value = value.function
    return value if isinstance(value, Function) else None


def _transformed_in(value: Value) -> bool:
    """Whether a member of a class is a static or class method, or a property, of a transformed function."""
    return isinstance(value, Descriptor) and isinstance(value.function, Transformed)


def _is_out_of_reach(cls: Class, name: str) -> bool:
    """Whether nobody can call a method: its name is private to the class, which names it nowhere else: `__init`."""
    private = name.startswith("__") and not name.endswith("__")
    written = cls.module.source.text[cls.code.span.start : cls.code.span.end]
    return private and len(re.findall(rf"\b{name}\b", written)) == 1
