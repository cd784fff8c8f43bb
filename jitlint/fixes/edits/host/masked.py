"""Selections by a mask become computations with the mask: `where=` of reductions, `jnp.where`, counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import libcst as cst

from jitlint.fixes.bindings import local_name
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.host_calls import written
from jitlint.fixes.parts.masks import Selection, has_axes, is_elementwise, selection_at, with_whole_arrays
from jitlint.fixes.parts.nodes import argument, factor, keeps_value, put, put_alone, removal
from jitlint.fixes.parts.numbers import kind_of
from jitlint.fixes.parts.values import assignment_of
from jitlint.fixes.purity import Doing, doing
from jitlint.fixes.scopes import scope_of, uses
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

_PLAIN = frozenset(
    {"sum", "mean", "prod", "any", "all", "std", "var", "nansum", "nanmean", "nanstd", "nanvar", "nanprod"}
)
"""Reductions that take `where=`, and give of no elements what they give of an empty array."""
_FROM = {"max": "-", "min": "", "amax": "-", "amin": "", "nanmax": "-", "nanmin": ""}
"""Reductions that begin with an infinite number, and its sign."""
_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "mul": "*", "divide": "/", "power": "**"}
_CHOICES = {"min": "minimum", "max": "maximum"}


@dataclass(frozen=True, slots=True)
class _Computed:
    """What takes the place of an expression that is computed from a selection."""

    old: cst.BaseExpression
    text: str
    grade: Grade


def propose(site: Site) -> Iterator[Proposal]:
    """Keeps the shape of what a mask selects from, if what is done with the selection can do with that."""
    selection = selection_at(site)
    if selection is None or (not selection.same_shape and has_axes(site, selection)):
        return
    if selection.is_write:
        found = _write(site, selection)
        yield from _proposal(site, [found] if found is not None else [])
    elif (computed := _computed(site, selection)) is not None:
        yield from _proposal(site, [computed])
    elif selection.array is not None:
        yield from _of_variable(site, selection)


def _proposal(
    site: Site, found: list[_Computed], others: dict[cst.CSTNode, Replacement] | None = None
) -> Iterator[Proposal]:
    replacements: dict[cst.CSTNode, Replacement] = dict(others or {})
    for each in found:
        new = (put if others or len(found) > 1 else put_alone)(site.tree, each.old, each.text)
        if new is None:
            return
        replacements |= new
    if found:
        grade = Grade.SAFE if all(each.grade is Grade.SAFE for each in found) else Grade.UNSAFE
        yield site.proposal("Compute with the mask, and keep the shape", grade, replacements)


def _computed(site: Site, selection: Selection) -> _Computed | None:
    return _counted(site, selection) or (_reduced(site, selection) if selection.array is not None else None)


def _of_variable(site: Site, selection: Selection) -> Iterator[Proposal]:
    """The fix of a selection that a variable has as its value, and of all that is computed from it."""
    parents = site.tree.parents(selection.node)
    match next(parents, None):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as target)]) as assign:
            pass
        case _:
            return
    array = selection.array
    if array is None or assignment_of(site.tree, target) is not assign:
        return
    if not keeps_value(site.tree, selection.mask) or not keeps_value(site.tree, array):
        return
    line = next(parents, None)
    if not isinstance(array, cst.Name) or not isinstance(line, cst.SimpleStatementLine):
        return
    mask = selection.mask
    read = [each for each in uses(scope_of(site.tree, target), target.value) if each is not target]
    name = mask
    others: dict[cst.CSTNode, Replacement] | None
    if isinstance(mask, cst.Name) or len(read) == 1:
        others = removal(site.tree, line, assign)
    else:
        name = cst.Name(local_name(site.tree, target, "mask", "selected"))
        others = {target: name, selection.node: mask}
    found: dict[cst.CSTNode, _Computed] = {}
    for use in read:
        computed = _computed(site, replace(selection, name=target.value, mask=name, node=use))
        if computed is None:
            return
        found[computed.old] = computed
    if others is not None:
        whole = [each for each in found.values() if not any(parent in found for parent in site.tree.parents(each.old))]
        yield from _proposal(site, whole, others)


def _counted(site: Site, selection: Selection) -> _Computed | None:
    """The number of selected elements."""
    node = selection.node
    parents = site.tree.parents(node)
    counted: cst.CSTNode | None = None
    exact = True
    match next(parents, None), next(parents, None):
        case cst.Arg(), cst.Call(func=cst.Name(value="len"), args=[_]) as call:
            counted = call
        case cst.Attribute(attr=cst.Name(value="shape")), cst.Subscript() as subscript:
            counted = subscript if site.tree.code(subscript.slice[0]) == "0" else None
        case cst.Attribute(attr=cst.Name(value="size")) as attribute, _:
            positions = selection.array is None
            if positions and isinstance(node, cst.Call) and site.names.qualified(node.func).endswith("argwhere"):
                return None
            counted, exact = attribute, positions or selection.same_shape
    if not isinstance(counted, cst.BaseExpression):
        return None
    text = f"{written(site, counted, 'jax.numpy.count_nonzero')}({argument(site.tree, selection.mask)})"
    return _Computed(counted, text, Grade.SAFE if exact else Grade.UNSAFE)


def _reduced(site: Site, selection: Selection) -> _Computed | None:
    """A reduction of the selection, or of what is computed from it element by element."""
    call, value = _reduction(site, selection.node)
    if call is None or value is None:
        return None
    array = with_whole_arrays(site, value, selection, lambda node: _number(site, selection, node))
    qualified = site.names.qualified(call.func)
    name = qualified.rpartition(".")[2] if qualified else _method(call)
    if array is None:
        return None
    mask = argument(site.tree, selection.mask)
    if qualified.endswith(".median"):
        where, nan, median = (written(site, call, f"jax.numpy.{each}") for each in ("where", "nan", "nanmedian"))
        return _Computed(call, f"{median}({where}({mask}, {array}, {nan}))", Grade.UNSAFE)
    options = f"where={mask}"
    if name in _FROM:
        infinite = f"{_FROM[name]}{written(site, call, 'jax.numpy.inf')}"
        if kind_of(site, value) == "float":
            options += f", initial={infinite}"
        else:  # integers have no infinity: as the first of them, it would be another number
            array = f"{written(site, call, 'jax.numpy.where')}({mask}, {array}, {infinite})"
            options = ""
    safe = selection.same_shape and name in _PLAIN and doing(value, site.names) is Doing.TOTAL
    grade = Grade.SAFE if safe else Grade.UNSAFE
    if qualified:
        given = ", ".join(filter(None, (array, options)))
        return _Computed(call, f"{site.tree.code(call.func)}({given})", grade)
    return _Computed(call, f"{factor(site.tree, cst.parse_expression(array))}.{name}({options})", grade)


def _number(site: Site, selection: Selection, node: cst.BaseExpression) -> str | None:
    """What takes the place of a reduction of selections by the same mask."""
    inner = next(each for each in walk(node) if selection.array_of(site, each) is not None)
    assert isinstance(inner, cst.BaseExpression)
    computed = _computed(site, replace(selection, node=inner, array=selection.array_of(site, inner)))
    return computed.text if computed is not None and computed.old is node else None


def _method(call: cst.Call) -> str:
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""


def _reduction(site: Site, node: cst.CSTNode) -> tuple[cst.Call | None, cst.BaseExpression | None]:
    """The call that reduces a selection over all axes, and what it reduces."""
    for parent in site.tree.parents(node):
        match parent:
            case cst.Attribute(value=cst.BaseExpression() as value, attr=cst.Name(value=name)) if value is node:
                call = next(site.tree.parents(parent), None)
                if not isinstance(call, cst.Call) or call.func is not parent or call.args:
                    return None, None
                return (call, value) if name in _PLAIN or name in _FROM else (None, None)
            case cst.Arg():
                pass
            case cst.Call():
                qualified = site.names.qualified(parent.func)
                name = qualified.removeprefix("jax.numpy.")
                if qualified.startswith("jax.numpy.") and (name in _PLAIN or name in _FROM or name == "median"):
                    alone = len(parent.args) == 1 and not parent.args[0].star and not parent.args[0].keyword
                    return (parent, parent.args[0].value) if alone else (None, None)
                if not is_elementwise(site, parent):
                    return None, None
            case cst.BinaryOperation() | cst.UnaryOperation() | cst.Comparison() | cst.ComparisonTarget():
                pass
            case _:
                return None, None
        node = parent
    return None, None


def _write(site: Site, selection: Selection) -> _Computed | None:
    """`x.at[mask].set(value)` as a choice between the value and the array."""
    method = next(site.tree.parents(selection.node), None)
    call = next(site.tree.parents(method), None) if isinstance(method, cst.Attribute) else None
    if not isinstance(call, cst.Call) or call.func is not method or len(call.args) != 1 or selection.array is None:
        return None
    given = call.args[0].value
    value = with_whole_arrays(site, given, selection)
    if value is None or call.args[0].keyword or call.args[0].star:
        return None
    array = argument(site.tree, selection.array)
    name = _method(call)
    if name in _OPERATORS:
        operand = factor(site.tree, cst.parse_expression(value))
        value = f"{factor(site.tree, selection.array)} {_OPERATORS[name]} {operand}"
    elif name in _CHOICES:
        value = f"{written(site, call, f'jax.numpy.{_CHOICES[name]}')}({array}, {value})"
    elif name != "set":
        return None
    text = f"{written(site, call, 'jax.numpy.where')}({argument(site.tree, selection.mask)}, {value}, {array})"
    known = isinstance(given, (cst.Integer, cst.Float)) or selection.is_within(site, given)
    return _Computed(call, text, Grade.SAFE if selection.same_shape and known else Grade.UNSAFE)
