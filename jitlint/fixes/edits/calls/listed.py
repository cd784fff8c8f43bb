"""Gives the items of an iterator as a list, a tuple or an array: JAX takes no iterators, and gives none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.generators import listing
from jitlint.fixes.parts.values import assignment_of, expression_at, is_bound
from jitlint.fixes.scopes import scope_of, uses
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, walk

_MAPPING = frozenset({"jax.lax.scan", "jax.lax.map", "jax.lax.associative_scan"})
"""Functions of JAX that take what they map over as arrays with a leading axis."""
_MAPPING_TRANSFORMS = ("vmap", "pmap")
_OF_SEQUENCES = frozenset({"arrays", "tup", "object", "arys", "seq"})
"""Parameters of `jax.numpy` that take a list or tuple of arrays."""
_KNOWN = frozenset({"iter", "map", "zip", "filter", "enumerate", "reversed", "generator", "view", "range"})


def propose(site: Site) -> Iterator[Proposal]:
    """Lists what an iterator gives, where it is made or where it is passed."""
    event = site.event
    if event.construct not in _KNOWN or is_bound(site.tree, "list"):
        return
    if event.kind is EventKind.ITERATOR_RESULT and event.entry is not None and event.entry.place == event.place:
        yield from listing(site)
        return
    given = expression_at(site.tree, event.place)
    if given is None or isinstance(given, cst.Await):
        return
    made: cst.BaseExpression | None = given
    if isinstance(given, cst.Name) and not _is_advanced(site, given):
        assignment = assignment_of(site.tree, given)
        made = assignment.value if assignment is not None else given
    if made is None or any(isinstance(each, (cst.NamedExpr, cst.Yield, cst.Await)) for each in walk(made)):
        return
    mapped = event.kind is EventKind.ITERATOR_ARGUMENT and _is_mapped_over(site)
    found = _mapped_over(site, made) if mapped else _items(site, made)
    if found is not None:
        replacement, message, grade = found
        yield site.proposal(message, grade, {made: replacement})


def _is_advanced(site: Site, name: cst.Name) -> bool:
    """Whether a function takes single items of an iterator that a variable holds, as lists do not allow."""
    for use in uses(scope_of(site.tree, name), name.value):
        parents = site.tree.parents(use)
        match next(parents), next(parents):
            case cst.Arg(), cst.Call(func=cst.Name(value="next")):
                return True
    return False


def _is_mapped_over(site: Site) -> bool:
    """Whether the argument is what a transform or function maps over: its arrays have a leading axis."""
    event = site.event
    if event.detail.get("function", "") in _MAPPING:
        return True
    tree = site.tree_of(event.entry.place.path) if event.entry is not None else None
    if tree is None or event.entry is None or "function" in event.detail:
        return False
    lines = tree.text.split("\n")[event.entry.place.line - 1 : event.entry.place.end_line]
    return any(name in line for line in lines for name in _MAPPING_TRANSFORMS)


_Found = tuple[Replacement, str, Grade]


def _items(site: Site, made: cst.BaseExpression) -> _Found | None:
    """The items as a list; as an array where a function of `jax.numpy` wants one."""
    event = site.event
    if event.construct == "range":
        return _array_of_numbers(site, made)
    text = _list(site, made)
    grade = Grade.UNSAFE if _calls(site, "next") else Grade.SAFE
    if "function" not in event.detail or event.detail.get("parameter") in _OF_SEQUENCES:
        return cst.parse_expression(text, site.tree.module.config_for_parsing), "List what the iterator gives", grade
    array = site.names.of("jax.numpy.array")
    return cst.parse_expression(f"{array}({text})"), "Make an array of what the iterator gives", grade


def _calls(site: Site, name: str) -> bool:
    calls = (each.func for each in walk(site.tree.module) if isinstance(each, cst.Call))
    return any(isinstance(func, cst.Name) and func.value == name for func in calls)


def _list(site: Site, made: cst.BaseExpression) -> str:
    """A list of what an iterator gives, as text."""
    code = site.tree.code
    match made:
        case cst.GeneratorExp():
            bare = code(made.with_changes(lpar=[], rpar=[]))
            inside = code(made)
            return f"[{inside[1:-1]}]" if len(made.lpar) == 1 and len(inside) > len(bare) else f"[{bare}]"
        case cst.Call(func=cst.Name(value="iter"), args=[cst.Arg(value=cst.List() | cst.Tuple() as items)]):
            return code(items)
        case cst.Call(func=cst.Name(value="iter"), args=[cst.Arg(value=items, star="", keyword=None)]):
            return f"list({code(items)})"
    return f"list({code(made)})"


def _array_of_numbers(site: Site, made: cst.BaseExpression) -> _Found | None:
    arange = site.names.of("jax.numpy.arange")
    match made:
        case cst.Call(func=cst.Name(value="range")):
            changed: cst.BaseExpression = made.with_changes(func=cst.parse_expression(arange))
        case cst.Name() | cst.Attribute():
            text = site.tree.code(made)
            changed = cst.parse_expression(f"{arange}({text}.start, {text}.stop, {text}.step)")
        case _:
            return None
    return changed, f"Make an array of the numbers with {arange}", Grade.SAFE


def _mapped_over(site: Site, made: cst.BaseExpression) -> _Found | None:
    """Arrays with a leading axis instead of an iterator of what is at each of its places."""
    code, construct = site.tree.code, site.event.construct
    match made:
        case cst.Call(func=cst.Name(value="range")):
            return _array_of_numbers(site, made)
        case cst.Call(func=cst.Name(value="zip"), args=args) if _are_plain(args) and len(args) > 1:
            elements = [cst.Element(each.value, comma=each.comma) for each in args]
            rows = cst.Tuple(elements, lpar=[cst.LeftParen(made.whitespace_before_args)])
            return rows, "Give the sequences as a tuple: they are mapped over together", Grade.UNSAFE
        case cst.Call(func=cst.Name(value="enumerate"), args=[cst.Arg(value=items)]) if _are_plain(made.args):
            arange = site.names.of("jax.numpy.arange")
            text = f"({arange}(len({code(items)})), {code(items)})"
            return cst.parse_expression(text), "Give the numbers as an array", Grade.UNSAFE
        case cst.Call(func=cst.Name(value="reversed"), args=[cst.Arg(value=items)]):
            flip, asarray = site.names.of("jax.numpy.flip"), site.names.of("jax.numpy.asarray")
            text = f"{flip}({asarray}({code(items)}), axis=0)"
            return cst.parse_expression(text), "Reverse the array", Grade.UNSAFE
        case cst.Call(func=cst.Name(value="iter"), args=[cst.Arg(value=cst.Name() as items)]):
            return items, "Give the array, and no iterator", Grade.UNSAFE
    if construct not in ("generator", "map", "filter"):
        return None
    array = site.names.of("jax.numpy.array")
    text = f"{array}({_list(site, made)})"
    return cst.parse_expression(text), "Make an array of what the iterator gives", Grade.UNSAFE


def _are_plain(args: Sequence[cst.Arg]) -> bool:
    return not any(each.star or each.keyword is not None for each in args)
