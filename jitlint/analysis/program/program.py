"""The interpretation of one component: the tops of its modules once, then each of its units from the state they left.

This file also imports every module that registers an operation (evaluators, callers, mechanisms of libraries): a table
of the interpreter that nobody filled would make values silently Unknown.
"""

from __future__ import annotations

import bisect
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from jitlint.analysis.language import (  # noqa: F401  registers its operations, as the next three
    blocks,
    comprehensions,
    definitions,
    expressions,
    loops,
    statements,
)
from jitlint.analysis.language.modules import ensure_module
from jitlint.analysis.libraries import objects  # noqa: F401
from jitlint.analysis.libraries.frameworks import einops, equinox, flax_dicts, flax_linen, flax_nnx  # noqa: F401
from jitlint.analysis.libraries.jax import (  # noqa: F401
    array_methods,
    arrays,
    control_flow,
    debug_print,
    differentiation,
    trees,
)
from jitlint.analysis.libraries.standard import (  # noqa: F401
    argparse,
    builtins,
    click,
    collections,
    container_methods,
    conversions,
    dataclasses,
    functools,
    host_objects,
    inspect,
    itertools,
    operator,
    ordering,
    reveal_stage,
    sequences,
    settings_texts,
    singledispatch,
    text_methods,
)
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.limits import TOO_NESTED
from jitlint.analysis.machine.memory import MemoryWatch
from jitlint.analysis.machine.state import StateProof, StateRead, StateWrite
from jitlint.analysis.machine.state_log import StateLog
from jitlint.analysis.program.entry_search import entry_points
from jitlint.analysis.program.other_ways import unlike_choices
from jitlint.analysis.program.roots import LostRoot, Roots
from jitlint.analysis.program.snapshot import Snapshot
from jitlint.analysis.program.units import UnitResult, identity
from jitlint.analysis.values import Frame, Transformed, newest_serial
from jitlint.events.entry_point import EntryPoint
from jitlint.events.event import Event, Incomplete
from jitlint.project.modules import Module
from jitlint.source.defects import Defects
from jitlint.source.progress import INTERPRETING, TOP_LEVEL, note


class Program:
    """Interprets one component: call `tops` once, then `unit` for each unit that is wanted."""

    def __init__(self, interp: Interpreter, units: int) -> None:
        """A program of which nothing has run.

        Args:
            interp: runs its code.
            units: how many units the component has.
        """
        self._interp = interp
        interp.world.units = units
        self._project = interp.project
        self._snapshot: Snapshot | None = None
        self._serials_of_tops = (0, 0)
        """The serial numbers that objects made by the module tops lie between."""

    def tops(self, modules: Sequence[Module]) -> UnitResult:
        """Runs the top level of the component's modules; the state that they leave is the start of all units."""
        interp = self._interp
        defects = Defects()
        began = newest_serial()
        note(INTERPRETING, modules[0].source.display)
        for module in modules:
            saved = interp.enter_module(interp.world.frames.get(module) or Frame(module, None, None, 0, ()))
            try:
                ensure_module(interp, module)
            except RecursionError:  # the events seen until then stand
                interp.give_up(TOO_NESTED)
            except MemoryError:  # what runs next would fail, too
                raise
            except Exception as error:  # noqa: BLE001 - a defect of ours costs one module's top, not the run
                defects.note(error, module.source.display, TOP_LEVEL, module.name)
            finally:
                interp.store.commit_to(0)
                interp.return_to(saved)
        self._serials_of_tops = (began, newest_serial())
        interp.world.top_choices = unlike_choices(interp.world.top_choices)
        self._snapshot = Snapshot(interp)
        interp.world.memory = MemoryWatch()  # what the tops took is needed by all units
        made_again = tuple((each.module.source.display, each.span.start) for each in interp.world.top_choices)
        return replace(self._result("", (), defects, self._bodies()), made_again=made_again)

    def unit(self, modules: Sequence[Module], lost: Sequence[LostRoot] = ()) -> UnitResult:
        """Runs the roots of a unit (`roots.py`) from the state that the module tops left, and undoes their changes.

        Roots that are `lost` are left out.
        """
        assert self._snapshot is not None
        interp = self._interp
        defects = Defects()
        note(INTERPRETING, modules[0].source.display)
        self._snapshot.enter(interp)
        roots = Roots(interp, defects, modules, lost)
        roots.run()
        entries: tuple[EntryPoint, ...] = ()
        with defects.contained("", "listing entry points"):
            entries = entry_points(interp, roots, modules)
        result = self._result(str(modules[0].source.path), entries, defects)
        self._snapshot.leave(interp)
        return result

    def is_full(self) -> bool:
        """Whether the process holds so much more than the module tops need that another one should go on."""
        return self._interp.world.memory.is_full()

    def _result(
        self, unit: str, entries: tuple[EntryPoint, ...], defects: Defects, bodies: tuple[tuple[str, int], ...] = ()
    ) -> UnitResult:
        """What the interpreter has collected since the unit began, as plain records.

        Args:
            unit: the path of the unit's first file, which names the unit; "" for the module tops.
            entries: the unit's entry points.
            defects: where jitlint failed.
            bodies: the function bodies that ran, if this is the result of the module tops.
        """
        interp = self._interp
        events, starts = interp.unit.events, interp.unit.starts
        firm = {key: event for key, event in interp.unit.firm_events.items() if event is not events[key]}
        rooted = [
            (replace(event, root=interp.with_calls(event.root)) if event.root else event, start)
            for event, start in (*((e, starts[key]) for key, e in events.items()), *((e, None) for e in firm.values()))
        ]
        state = interp.unit.state
        return UnitResult(
            events=tuple(rooted),
            called={identity(called): rank for rank, called in interp.unit.called.values()},
            reads=tuple(read._replace(**self._shared_names(read, unit)) for read in state.reads.values()),
            writes=tuple(write._replace(**self._shared_names(write, unit)) for write in state.writes.values()),
            proofs=tuple(p._replace(**self._shared_names(p, unit)) for p in state.order.proofs.values()),
            attributes=state.attributes.uses,
            revealed=interp.unit.reveals.finish(),
            entries=entries,
            defects=defects.found,
            bodies_run=bodies,
            files_looked_into=frozenset(self._looked_into(events.values(), state, entries)),
            incomplete=self._incomplete(),
        )

    def _incomplete(self) -> tuple[Incomplete, ...]:
        """The roots in given files that were not followed to their end, and why."""
        given = {module.source.display for module in self._project.given}
        return tuple(
            Incomplete(root.path, ".".join(filter(None, (root.module, root.qualname))), reason)
            for root, reason in self._interp.unit.incomplete.items()
            if root.path in given
        )

    def _bodies(self) -> tuple[tuple[str, int], ...]:
        """The outermost functions whose bodies were run or looked at: their file, and their number in it."""
        found = set()
        for function in self._interp.unit.looked_at.values():
            tree = self._project.tree(function.module)
            ends = [suite.end for suite in tree.suites] if tree is not None else []
            at = bisect.bisect_left(ends, function.code.span.end)
            if tree is not None and at < len(ends) and tree.suites[at].start < function.code.span.end:
                found.add((function.module.source.display, at))
        return tuple(sorted(found))

    def _looked_into(self, events: Iterable[Event], state: StateLog, entries: Iterable[EntryPoint]) -> Iterator[str]:
        """The files whose functions were run, and those whose places the result mentions."""
        displays = {str(module.source.path): module.source.display for module in self._interp.world.frames}
        for function in self._interp.unit.looked_at.values():
            yield function.module.source.display
        for _, called in self._interp.unit.called.values():
            if isinstance(called, Transformed) and called.site is not None:
                yield called.site[0].source.display
        for event in events:
            yield event.place.path
            yield from (step.place.path for step in event.flow)
            yield from ([event.entry.place.path] if event.entry is not None else [])
            yield from ([event.root.path] if event.root is not None else [])
        accesses: Iterable[StateRead | StateWrite] = (*state.reads.values(), *state.writes.values())
        for access in accesses:
            yield access.place.path
            yield from (displays[part] for part in access.key if part in displays)
        for read in state.reads.values():
            yield read.entry.place.path
        yield from (root.path for root in self._interp.unit.incomplete)
        for entry in entries:
            yield from (entry.place.path, entry.home or entry.place.path, entry.root.path)

    def _shared_names(self, access: StateRead | StateWrite | StateProof, unit: str) -> dict[str, Any]:
        """The key and holder of a read or write, with names in place of serial numbers.

        An object that the module tops made gets the same name in every unit and process, so that `combine` can compare
        the accesses of all units. An object that a unit made is its own.
        """
        key: Any = access.key
        if key[0] == "closure":
            key = (*key[:3], self._name(key[3], unit), key[4])
        return {"key": key, "holder": access.holder and self._name(access.holder, unit)}

    def _name(self, serial: Any, unit: str) -> Hashable:
        """The name of the object with a serial number."""
        first, last = self._serials_of_tops
        return serial - first if first < serial <= last else (unit, serial)
