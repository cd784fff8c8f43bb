"""The carry of a loop starts with the type that the body returns, or is returned with the type that it starts with."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

import libcst as cst

from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.bodies import (
    LoopCall,
    as_tuple,
    carry_returned,
    elements,
    functions_of,
    loop_call,
    used_by_this_alone,
    written,
)
from jitlint.fixes.parts.dtypes import ORDER, converted, retyped
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement, parenthesized, walk
from jitlint.fixes.variables import Function, owner

_DIFFERENCE = re.compile(r"(?:`(?P<field>\w+)`: )?(?:an? )?(?P<before>\w+) becomes (?:an? )?(?P<after>\w+)")
_SIMPLE = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)

Replacements = Mapping[cst.CSTNode, Replacement]


def propose(site: Site) -> Iterator[Proposal]:
    """Makes a carry's type the same before and after the body."""
    call = loop_call(site)
    found = _DIFFERENCE.fullmatch(site.event.detail.get("difference", ""))
    if call is None or found is None or call.initial is None:
        return
    before, after = found["before"], found["after"]
    bodies = functions_of(site)
    body = bodies[0] if len(bodies) == 1 and used_by_this_alone(site, bodies[0], call.call) else None
    if before in ORDER and after in ORDER:
        wider = ORDER.index(after) > ORDER.index(before)
        for changed in _started(site, call.initial, after, found["field"], convert=wider):
            grade = Grade.SAFE if wider else Grade.UNSAFE
            yield site.proposal(f"Start the carry as {after}", grade, changed)
    elif (before, after) in (("tuple", "list"), ("list", "tuple")):
        yield from _of_structure(site, call, body, before)
    elif body is not None and after == "tuple" and found["field"] is None:
        yield from _of_class(site, call, body, before)
    elif body is not None and found["field"] is None:
        yield from _cast_back(site, call, body, before)


def _started(
    site: Site, initial: cst.BaseExpression, kind: str, field: str | None, *, convert: bool
) -> Iterator[Replacements]:
    """The initial value with a part, or two of them, of another kind; the analyzer knows which it is."""
    value = written(site.tree, initial)
    parts = _parts(value, field)
    if parts is None:
        parts = [] if field is not None else [value]
    changed = [(part, new) for part in parts if (new := retyped(site, part, kind)) is not None]
    for size in (1, 2):
        for chosen in itertools.combinations(changed, size):
            yield dict(chosen)
    if convert and parts == [value] and not changed:
        yield {initial: converted(site, initial, kind)}
    elif convert:
        for part in parts:
            if isinstance(part, (cst.Name, cst.Attribute, cst.Subscript)) and retyped(site, part, kind) is None:
                yield from _part_started(site, part, kind)


def _part_started(site: Site, part: cst.BaseExpression, kind: str) -> Iterator[Replacements]:
    value = written(site.tree, part)
    new = retyped(site, value, kind) if value is not part else None
    yield {value: new} if new is not None else {part: converted(site, part, kind)}


def _parts(value: cst.BaseExpression, field: str | None) -> Sequence[cst.BaseExpression] | None:
    """The parts of a carry that is written out; the one of a field, if its name is known."""
    match value:
        case cst.Tuple() | cst.List():
            return elements(value)
        case cst.Dict():
            return [each.value for each in value.elements if isinstance(each, cst.DictElement)]
        case cst.Call(args=args) if field is not None:
            return [arg.value for arg in args if arg.keyword is not None and arg.keyword.value == field]
        case cst.Call(func=cst.Name(value=name), args=args) if name[:1].isupper():
            return [arg.value for arg in args]
    return None


def _of_structure(site: Site, call: LoopCall, body: Function | None, before: str) -> Iterator[Proposal]:
    """Lists in place of tuples, or the other way round."""
    initial = written(site.tree, call.initial) if call.initial is not None else None
    if before == "list" and isinstance(initial, cst.List):
        yield site.proposal("Start the carry as a tuple", Grade.UNSAFE, {initial: as_tuple(initial)})
    carries = list(carry_returned(call, body)) if body is not None else []
    if not carries:
        return
    message = f"Return the carry as a {before}"
    changed: dict[cst.CSTNode, Replacement] = {}
    for carry in carries:
        new = _as_tuple(site, carry) if before == "tuple" else _as_list(carry)
        if new is not None:
            changed[carry] = new
    if changed:
        yield site.proposal(message, Grade.SAFE, changed)
    if before == "tuple":
        inner = [part for carry in carries for part in elements(carry) or () if isinstance(part, cst.List)]
        if inner:
            yield site.proposal(message, Grade.SAFE, {part: as_tuple(part) for part in inner})


def _as_tuple(site: Site, carry: cst.BaseExpression) -> cst.BaseExpression | None:
    match carry:
        case cst.Tuple():
            return None
        case cst.List():
            return as_tuple(carry, bare=isinstance(next(site.tree.parents(carry)), cst.Return))
        case cst.ListComp(elt=elt, for_in=for_in):
            generator = cst.GeneratorExp(elt, for_in, lpar=[], rpar=[])
            start = carry.lbracket.whitespace_after
            arg = cst.Arg(generator, whitespace_after_arg=carry.rbracket.whitespace_before)
            return cst.Call(cst.Name("tuple"), [arg], whitespace_before_args=start)
    return cst.Call(cst.Name("tuple"), [cst.Arg(carry)])


def _as_list(carry: cst.BaseExpression) -> cst.BaseExpression | None:
    match carry:
        case cst.List() | cst.ListComp():
            return None
        case cst.Tuple(elements=parts):
            left, right = cst.LeftSquareBracket(), cst.RightSquareBracket()
            if carry.lpar:
                left = cst.LeftSquareBracket(carry.lpar[0].whitespace_after)
                right = cst.RightSquareBracket(carry.rpar[0].whitespace_before)
            return cst.List(parts, lbracket=left, rbracket=right)
    return cst.Call(cst.Name("list"), [cst.Arg(carry)])


def _of_class(site: Site, call: LoopCall, body: Function, name: str) -> Iterator[Proposal]:
    """An object of the class that the carry has, in place of a tuple of its fields."""
    fields = _number_of_fields(site, name)
    changed: dict[cst.CSTNode, Replacement] = {}
    if fields is None or owner(site.tree, body, name) is not site.tree.module:
        return
    for carry in carry_returned(call, body):
        if not isinstance(carry, cst.Tuple):
            continue
        parts = elements(carry)
        if parts is None or len(parts) != fields:
            return
        args = [cst.Arg(each.value, comma=each.comma) for each in carry.elements]
        if not carry.lpar:
            args = [
                cst.Arg(each.value, comma=each.comma if each is not carry.elements[-1] else _NO_COMMA)
                for each in carry.elements
            ]
            changed[carry] = cst.Call(cst.Name(name), args)
            continue
        args[-1] = args[-1].with_changes(whitespace_after_arg=carry.rpar[0].whitespace_before)
        changed[carry] = cst.Call(cst.Name(name), args, whitespace_before_args=carry.lpar[0].whitespace_after)
    if changed:
        yield site.proposal(f"Return the carry as {name}", Grade.SAFE, changed)


_NO_COMMA = cst.MaybeSentinel.DEFAULT


def _number_of_fields(site: Site, name: str) -> int | None:
    """How many fields a NamedTuple of the file has."""
    for node in walk(site.tree.module):
        if isinstance(node, cst.ClassDef) and node.name.value == name:
            bases = {
                each.value.attr.value if isinstance(each.value, cst.Attribute) else getattr(each.value, "value", "")
                for each in node.bases
            }
            if "NamedTuple" not in bases:
                return None
            lines = [
                small for line in node.body.body if isinstance(line, cst.SimpleStatementLine) for small in line.body
            ]
            return sum(isinstance(small, cst.AnnAssign) for small in lines)
    return None


def _cast_back(site: Site, call: LoopCall, body: Function, dtype: str) -> Iterator[Proposal]:
    """`.astype` on what is returned: the carry itself, or one of its elements."""
    carries = list(carry_returned(call, body))
    rows = [elements(carry) for carry in carries]
    if not carries or dtype not in _DTYPES:
        return
    if all(row is None for row in rows):
        yield _cast(site, carries, dtype)
    elif all(row is not None and len(row) == len(rows[0] or ()) for row in rows):
        for at in range(len(rows[0] or ())):
            yield _cast(site, [row[at] for row in rows if row is not None], dtype)


_DTYPES = frozenset(
    {"bfloat16", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"}
)


def _cast(site: Site, values: Sequence[cst.BaseExpression], dtype: str) -> Proposal:
    named = cst.parse_expression(site.names.of(f"jax.numpy.{dtype}"))
    changed: dict[cst.CSTNode, Replacement] = {}
    for value in values:
        array = value if isinstance(value, _SIMPLE) else parenthesized(value)
        changed[value] = cst.Call(cst.Attribute(array, cst.Name("astype")), [cst.Arg(named)])
    return site.proposal("Return the carry in the dtype that it starts with", Grade.UNSAFE, changed)
