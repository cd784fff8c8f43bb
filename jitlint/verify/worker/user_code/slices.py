"""The part of a module's top level that its probes need; statements that only act (training, printing) are left out.

A statement is needed if it binds a needed name, may change the object of a needed name, or changes a library's
settings. Then the names that it reads are needed too. In doubt a statement is needed. For a probe in `step`:

    import jax                      # needed: `step` reads jax
    scale = load()                  # needed: `step` reads scale
    def step(x): return jax.nn.relu(x) * scale
    for _ in range(1000): train()   # left out: binds nothing that is needed

"""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from . import effects
from .effects import Definition, Effects

_OPEN = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith)
"""Compound statements whose parts can be left out one by one. A `try` runs whole, since any part of it may jump."""

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_JUMPS = (ast.Break, ast.Continue, ast.Raise)


@dataclass(frozen=True)
class Wanted:
    """What a job needs of a module.

    Attributes:
        names: names that must have the value that a full import gives them.
        reached: functions whose calls at the top level are wanted as evidence, so that these calls run too.
        lines: lines of the top level that are wanted as evidence.
        arguments: names for which any value of their kind will do: loops that bind them again do not run.
    """

    names: frozenset[str] = frozenset()
    reached: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()
    arguments: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Unit:
    """A simple statement, or the head of a compound one; `within` are the heads around it, outermost first."""

    node: ast.stmt
    within: tuple[int, ...]
    does: Effects = field(default_factory=Effects)

    @property
    def is_definition(self) -> bool:
        return isinstance(self.node, Definition)


class Slicer:
    """Takes a module's top level apart.

    Args:
        tree: the module.
        flags: of the compiler, for the module's `__future__` imports.

    Raises:
        SyntaxError, ValueError: a statement cannot be compiled.
    """

    def __init__(self, tree: ast.Module, flags: int) -> None:
        self._tree = tree
        self._flags = flags
        self._imported = effects.imports(tree)
        self._units: list[_Unit] = []
        self._at: dict[ast.stmt, int] = {}
        self._divide(tree.body, ())
        self._binders: dict[str, list[int]] = {}
        for at, unit in enumerate(self._units):
            for name in unit.does.binds:
                self._binders.setdefault(name, []).append(at)
        self._reached = self._reachable()

    @property
    def names(self) -> Collection[str]:
        """The names that the top level binds."""
        return self._binders.keys()

    def is_dynamic(self) -> bool:
        """Whether the text hides which names there are, as with `exec` or `import *`."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and node.id in ("globals", "exec"):
                return True
            if isinstance(node, ast.Subscript) and ast.unparse(node) == "sys.modules[__name__]":
                return True
            if isinstance(node, ast.alias) and node.name == "*":
                return True
        here = set().union(*(unit.does.now for unit in self._units))
        return not here.isdisjoint(("vars", "locals", "eval")) or "__getattr__" in self._binders

    def needed(self, wanted: Wanted) -> list[ast.stmt]:
        """Returns the needed statements in order, compound ones with their needed parts only."""
        chosen: set[int] = set()
        names = set(wanted.names)
        for at, unit in enumerate(self._units):
            evidence = not unit.is_definition and not wanted.reached.isdisjoint(self._reach(unit.does.now))
            on_line = any(line in wanted.lines for line in range(unit.node.lineno, _last_line(unit.node) + 1))
            if evidence or on_line or unit.does.configures or self._is_for_effect(unit):
                self._choose(at, chosen, names)
        self._close(chosen, names, loops=True)
        names |= wanted.arguments
        self._close(chosen, names, loops=False)
        self._add_free_definitions(chosen)
        return list(self._built(self._tree.body, chosen))

    # --- taking apart -------------------------------------------------------------------------------------------------

    def _divide(self, body: Iterable[ast.stmt], within: tuple[int, ...]) -> None:
        for node in body:
            at = self._at[node] = len(self._units)
            if isinstance(node, (ast.Break, ast.Continue)):
                self._units.append(_Unit(node, within))
            elif isinstance(node, _OPEN) and not _is_suppressing(node):
                head = _with_bodies(node, [], [])
                self._units.append(_Unit(node, within, effects.of(head, self._imported, self._flags)))
                self._divide(node.body, (*within, at))
                self._divide(getattr(node, "orelse", ()), (*within, at))
            else:
                self._units.append(_Unit(node, within, effects.of(node, self._imported, self._flags)))

    def _reachable(self) -> Mapping[str, frozenset[str]]:
        """Returns, for each name bound here, the names whose objects its own object may hold, itself included."""
        reads = {
            name: frozenset().union(*(self._units[at].does.reads for at in found)) & self._binders.keys()
            for name, found in self._binders.items()
        }
        reached: dict[str, frozenset[str]] = {}
        for name in reads:
            seen, open_names = {name}, [name]
            while open_names:
                for other in reads[open_names.pop()] - seen:
                    seen.add(other)
                    open_names.append(other)
            reached[name] = frozenset(seen)
        return reached

    def _reach(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*(self._reached.get(name, frozenset()) for name in names))

    def _changes(self, unit: _Unit) -> frozenset[str]:
        """The names whose objects a statement may change: itself, through containers, or in functions it calls."""
        found = set(unit.does.changes)
        for part in ast.walk(unit.node) if unit.does.calls and not unit.is_definition else ():
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and self._changes_arguments(part.func.id):
                found.update(effects.arguments(part))
        if unit.does.calls and not unit.is_definition:
            found |= {name for name in unit.does.now if self._keeps_results(name)}
        open_names = list(found)
        while open_names:
            aliases = {name for at in self._binders.get(open_names.pop(), ()) for name in self._units[at].does.aliases}
            open_names += aliases - found
            found |= aliases
        if unit.does.calls:
            for name in self._reach(unit.does.now):
                for at in self._binders[name]:
                    found |= self._units[at].does.later
        return frozenset(found)

    def _changes_arguments(self, function: str) -> bool:
        return any(effects.changes_parameters(self._units[at].node) for at in self._binders.get(function, ()))

    def _keeps_results(self, function: str) -> bool:
        return any(
            effects.keeps_results(self._units[at].node, self._imported) for at in self._binders.get(function, ())
        )

    def _is_for_effect(self, unit: _Unit) -> bool:
        """Whether the module reads nothing that an import binds, so that it must be there for its side effects."""
        if not isinstance(unit.node, (ast.Import, ast.ImportFrom)):
            return False
        return all(unit.does.binds.isdisjoint(other.does.reads) for other in self._units)

    # --- putting together ---------------------------------------------------------------------------------------------

    def _choose(self, at: int, chosen: set[int], names: set[str]) -> None:
        for one in (at, *self._units[at].within):
            if one not in chosen:
                chosen.add(one)
                names |= self._units[one].does.reads | self._units[one].does.binds

    def _close(self, chosen: set[int], names: set[str], *, loops: bool) -> None:
        """Adds the units that `names` and the chosen units need, until nothing is missing."""
        before = -1
        while len(chosen) != before:
            before = len(chosen)
            for at, unit in enumerate(self._units):
                if at in chosen:
                    continue
                if isinstance(unit.node, _JUMPS):
                    needed = not chosen.isdisjoint(unit.within) and self._is_jump_of(unit, chosen)
                else:
                    binds = not names.isdisjoint(unit.does.binds) and (loops or not self._in_other_loop(at, chosen))
                    needed = binds or not names.isdisjoint(self._changes(unit))
                if needed or self._is_called_by_attribute(unit, chosen):
                    self._choose(at, chosen, names)

    def _in_other_loop(self, at: int, chosen: set[int]) -> bool:
        """Whether a statement is part of a loop that nothing else needs."""
        around = (at, *self._units[at].within)
        return any(isinstance(self._units[one].node, _LOOPS) and one not in chosen for one in around)

    def _is_jump_of(self, unit: _Unit, chosen: set[int]) -> bool:
        """Whether a jump (`break`, `return`) leaves a chosen loop or function."""
        if isinstance(unit.node, ast.Raise):
            return unit.within[-1] in chosen
        loops = [one for one in unit.within if isinstance(self._units[one].node, _LOOPS)]
        return bool(loops) and loops[-1] in chosen

    def _is_called_by_attribute(self, unit: _Unit, chosen: set[int]) -> bool:
        """Whether a unit is a class with a member that a chosen unit reads of some object."""
        if not isinstance(unit.node, ast.ClassDef):
            return False
        members = _members(unit.node)
        return any(
            not members.isdisjoint(self._units[at].does.attributes) for at in chosen if self._units[at].is_definition
        )

    def _add_free_definitions(self, chosen: set[int]) -> None:
        """Adds definitions that need nothing else, so that the search for callers and classes finds them."""
        free = {at for at, unit in enumerate(self._units) if unit.is_definition and not unit.within} - chosen
        while True:
            bound = frozenset().union(*(self._units[at].does.binds for at in chosen | free))
            missing = {at for at in free if not (self._units[at].does.reads & self._binders.keys()) <= bound}
            if not missing:
                break
            free -= missing
        chosen |= free

    def _built(self, body: Iterable[ast.stmt], chosen: set[int]) -> Iterator[ast.stmt]:
        for node in body:
            if self._at[node] not in chosen:
                continue
            if not isinstance(node, _OPEN) or _is_suppressing(node):
                yield node
                continue
            inner = list(self._built(node.body, chosen))
            orelse = list(self._built(getattr(node, "orelse", ()), chosen))
            yield _with_bodies(node, inner, orelse)


def callers(tree: ast.Module, wanted: Collection[str], rounds: int = 4) -> frozenset[str]:
    """The module's functions, classes and values made of them that mention `wanted` names, also through others."""
    named = _named(tree)
    found: set[str] = set()
    nearest = set(wanted)
    for _ in range(rounds):
        nearest = {name for name, others in named.items() if name not in found and not nearest.isdisjoint(others)}
        found |= nearest
    return frozenset(found)


@functools.lru_cache(maxsize=4)
def definitions(tree: ast.Module) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, ...]:
    """The functions and classes of a module, however deep they stand."""
    return tuple(node for node in ast.walk(tree) if isinstance(node, Definition))


@functools.lru_cache(maxsize=4)
def _named(tree: ast.Module) -> Mapping[str, Collection[str]]:
    """Returns the names that each function, class and made value of a module mentions."""
    named: dict[str, set[str]] = {}
    for node in definitions(tree):
        named.setdefault(node.name, set()).update(_mentioned(node))
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    named.setdefault(target.id, set()).update(_passed(statement.value))
    return named


def _passed(node: ast.expr) -> set[str]:
    """The names that an expression passes on (`f` in `jit(f)`), not those that it calls."""
    called = {part.func for part in ast.walk(node) if isinstance(part, ast.Call)}
    return {name for part in ast.walk(node) if part not in called for name in _own_name(part)}


def _mentioned(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        yield from _own_name(part)


def _own_name(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _members(node: ast.ClassDef) -> set[str]:
    """The names of a class's methods and attributes, but for those with two underscores."""
    found = {part.name for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for part in ast.walk(node):
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            found.add(part.target.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and effects.root(part) == "self":
            found.add(part.attr)
    return {name for name in found if not name.startswith("__")}


def _is_suppressing(node: ast.stmt) -> bool:
    """Whether a `with` may swallow an exception: then its last statement depends on all before it."""
    return isinstance(node, (ast.With, ast.AsyncWith)) and any("suppress" in ast.unparse(item) for item in node.items)


def _with_bodies(node: ast.stmt, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.stmt:
    """A copy of a compound statement with other bodies, at the same place."""
    fields = {name: getattr(node, name) for name in node._fields}
    fields["body"] = body or [ast.copy_location(ast.Pass(), node)]
    if "orelse" in fields:
        fields["orelse"] = orelse
    return ast.copy_location(type(node)(**fields), node)


def _last_line(node: ast.stmt) -> int:
    """The last line of a simple statement, or of a compound one's head."""
    if isinstance(node, _OPEN):
        return max(node.lineno, node.body[0].lineno - 1)
    return node.end_lineno or node.lineno
