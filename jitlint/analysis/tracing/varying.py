"""Which variables differ from round to round of a loop, as the source says: its targets, and what comes from them.

The interpreter runs a loop's body on the join of all rounds, so that a value does not say whether it is another one in
each round. The text does: this module follows the names, from the loop down to the function that runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Frame
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span


class Level(NamedTuple):
    """A function that runs in a round of a loop, or the one (or the module) in which the loop stands."""

    body: tuple[ir.Stmt, ...]
    """Its statements; of the one in which the loop stands, too."""
    round: Any
    """What of it runs in each round: the loop's body, a comprehension, or all of `body`."""
    names: frozenset[str]
    """Its variables that differ from round to round."""
    frame: Frame | None
    """Its variables' values; None for a module that is not run."""


Sources = tuple[bool, bool]
"""Whether targets and counters, and whether what comes from the round before, count as differing."""


def levels(interp: Interpreter, loop: int, *, targets: bool = True, carried: bool = False) -> list[Level]:
    """What runs within a loop, from where the loop stands down to the function that runs now.

    Args:
        interp: runs in a round of the loop.
        loop: the loop's identity.
        targets: whether the loop's targets, and what it counts, differ from round to round.
        carried: whether what a round computes from the round before does.

    Returns:
        The first level is that of the loop itself. Empty if the loop's source is not found.
    """
    frames = interp.path.frames
    below = next((i for i, frame in enumerate(frames) if loop in frame.loops), len(frames))
    module, span = interp.world.loop_sites[loop]
    if below:
        owner: Frame | None = frames[below - 1]
        code = frames[below - 1].function
        body = interp.project.body(code) if code is not None else ()
    else:
        owner = interp.world.frames.get(module)
        tree = interp.project.tree(module)
        body = tree.body if tree is not None else ()
    first = _level_of_loop(interp, body, span, owner, (targets, carried))
    if first is None:
        return []
    found = [first]
    for frame in frames[below:]:
        if frame.function is None:
            return []
        body = interp.project.body(frame.function)
        names = _passed(interp, found[-1], frame) | _closed_over(found, frame)
        found.append(Level(body, body, _spread(interp, body, names), frame))
    return found


def _level_of_loop(
    interp: Interpreter, body: tuple[ir.Stmt, ...], span: Span, frame: Frame | None, sources: Sources
) -> Level | None:
    """The level in which a loop stands, given by the place of its iterable or test."""
    known = interp.world.readings.round_of_loop
    place = id(body), span, sources
    if place not in known:
        known[place] = _round_of_loop(interp, body, span, sources)
    found = known[place]
    return None if found is None else Level(body, *found, frame)


def _round_of_loop(
    interp: Interpreter, body: tuple[ir.Stmt, ...], span: Span, sources: Sources
) -> tuple[Any, frozenset[str]] | None:
    """What runs in each round of a loop, and its variables that differ from round to round."""
    targets, carried = sources
    for node in interp.world.readings.written_in(body).nodes:
        if isinstance(node, ir.For) and node.iterable.span == span:
            inner: Any = node.body
            names = _bound(node.target) | _counted(inner)
        elif isinstance(node, ir.While) and node.test.span == span:
            inner, names = node.body, _counted(node.body)
        elif isinstance(node, ir.Comprehension) and any(clause.iterable.span == span for clause in node.clauses):
            inner = node
            names = next(_bound(clause.target) for clause in node.clauses if clause.iterable.span == span)
        else:
            continue
        differing = (names if targets else frozenset()) | (_carried(interp, inner) if carried else frozenset())
        return inner, _spread(interp, inner, differing)
    return None


def _counted(body: tuple[ir.Stmt, ...]) -> frozenset[str]:
    """The variables that a loop's body counts up or down: `step += 1`."""
    updates = [node for node in own_nodes(body) if isinstance(node, ir.AugAssign)]
    return frozenset(node.target.name for node in updates if isinstance(node.target, ir.Name))


def _carried(interp: Interpreter, body: Any) -> frozenset[str]:
    """The variables that a body computes from what they were in the round before: `x = step(x)`."""
    found, bound = set(), set[str]()
    for targets, sources in _all_bindings(interp, body):
        first = targets - bound
        bound |= targets
        found |= {name for name in first if not sources.isdisjoint(_spread(interp, body, frozenset({name})))}
    return frozenset(found)


def _passed(interp: Interpreter, above: Level, frame: Frame) -> frozenset[str]:
    """The parameters of a function that get something that differs from round to round.

    Args:
        above: the level of the caller.
        frame: the function's run.
    """
    code, site = frame.function, frame.called_at
    call = call_at(interp, above.round, site[1]) if site is not None else None
    if code is None or call is None:
        return frozenset()
    parameters = [parameter.name for parameter in code.parameters]
    found = set()
    if parameters and parameters[0] in ("self", "cls"):
        receiver = parameters.pop(0)
        if isinstance(call.function, ir.Attribute) and mentions(interp, call.function.value, above.names):
            found.add(receiver)
    differing = [argument for argument in call.arguments if mentions(interp, argument.value, above.names)]
    direct = isinstance(call.function, (ir.Name, ir.Attribute)) and call.function.name == code.name
    if not direct and not code.name.startswith("__"):
        # a function under another name, or one that is given to what calls it: which argument is which is not known
        return frozenset({*found, *parameters}) if differing else frozenset(found)
    for position, argument in enumerate(call.arguments):
        if argument not in differing:
            continue
        if argument.star == "**":
            found.update(parameters)
        elif argument.star:
            found.update(parameters[position:])
        else:
            found.update([argument.keyword] if argument.keyword else parameters[position : position + 1])
    return frozenset(found & set(parameters) | (found & {"self", "cls"}))


def _closed_over(above: list[Level], frame: Frame) -> frozenset[str]:
    """The variables of the levels above that a function reads from where it was defined, and that differ."""
    found: set[str] = set()
    around = frame.parent
    while around is not None:
        for level in above:
            if level.frame is around:
                found |= level.names
        around = around.parent
    return frozenset(found - frame.function.locals) if frame.function is not None else frozenset()


def _spread(interp: Interpreter, body: Any, names: frozenset[str]) -> frozenset[str]:
    """Some variables, and those that a body computes from them."""
    found = set(names)
    known = -1
    while len(found) > known:
        known = len(found)
        for targets, sources in _all_bindings(interp, body):
            if not sources.isdisjoint(found):
                found |= targets
    return frozenset(found)


def _all_bindings(interp: Interpreter, body: Any) -> list[tuple[frozenset[str], frozenset[str]]]:
    """What a body's nodes bind, each with the names that it takes for that."""
    bindings = interp.world.readings.bindings.get(id(body))
    if bindings is None:
        bindings = [each for node in interp.world.readings.written_in(body).nodes for each in _bindings(interp, node)]
        interp.world.readings.bindings[id(body)] = bindings
    return bindings


def _bindings(interp: Interpreter, node: Any) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """What a node binds, and the names that it takes for that."""
    if isinstance(node, ir.Assign):
        yield frozenset().union(*map(_bound, node.targets)), names_in(interp, node.value)
    elif isinstance(node, (ir.AnnAssign, ir.AugAssign, ir.NamedExpr)) and node.value is not None:
        yield _bound(node.target), names_in(interp, node.value)
    elif isinstance(node, (ir.For, ir.Clause)):
        yield _bound(node.target), names_in(interp, node.iterable)
    elif isinstance(node, ir.WithItem) and node.target is not None:
        yield _bound(node.target), names_in(interp, node.context)
    elif isinstance(node, ir.FunctionDef):
        yield frozenset({node.function.name}), names_in(interp, node)


def _bound(target: ir.Expr) -> frozenset[str]:
    """The variables that a target binds or fills. An object whose attribute is set stays the same object."""
    while isinstance(target, (ir.Subscript, ir.Starred)):
        target = target.value
    if isinstance(target, ir.Display):
        return frozenset().union(*map(_bound, target.elements))
    return frozenset({target.name}) if isinstance(target, ir.Name) else frozenset()


def deep_nodes(interp: Interpreter, node: Any) -> Iterator[Any]:
    """A node and all nodes in it, those of functions and lambdas defined in it included."""
    for part in own_nodes(node):
        yield part
        if isinstance(part, (ir.FunctionDef, ir.Lambda)):
            yield from deep_nodes(interp, interp.project.body(part.function))
        if isinstance(part, ir.FunctionDef):
            yield from deep_nodes(interp, part.decorators)


def names_in(interp: Interpreter, node: Any) -> frozenset[str]:
    """The variables that are named in a node, in functions within it, too."""
    names = interp.world.readings.names.get(id(node))
    if names is None:
        names = frozenset(part.name for part in deep_nodes(interp, node) if isinstance(part, ir.Name))
        interp.world.readings.names[id(node)] = names
    return names


def mentions(interp: Interpreter, node: Any, names: frozenset[str]) -> bool:
    """Whether a node names one of some variables."""
    return not names.isdisjoint(names_in(interp, node))


def comes_from_round(interp: Interpreter, loop: int, place: Span) -> bool:
    """Whether what is written at a place depends on the number of the round, as the function with the loop says."""
    found = levels(interp, loop)
    if len(found) != 1:
        return False
    written = node_at(interp, found[0].round, place)
    return written is not None and mentions(interp, written, found[0].names)


def bound_in_round(interp: Interpreter, loop: int) -> frozenset[str]:
    """The variables that each round of a loop binds, its targets too, in the function in which the loop stands."""
    found = levels(interp, loop)
    if not found:
        return frozenset()
    return found[0].names.union(*(targets for targets, _ in _all_bindings(interp, found[0].round)))


def node_at(interp: Interpreter, node: Any, span: Span) -> Any:
    """The outermost expression in a node that is written at `span`; None if there is none."""
    return interp.world.readings.written_in(node).outermost.get(span)


def call_at(interp: Interpreter, node: Any, span: Span) -> ir.Call | None:
    """The call in a node that is written at `span`."""
    return interp.world.readings.written_in(node).calls.get(span)
