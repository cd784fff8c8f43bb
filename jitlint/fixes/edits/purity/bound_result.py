"""Binds the result of a function that changes nothing, where the code expects its argument to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from jitlint.events.event import EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.parts.rebinding import can_bind
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Replacement

_FIRST = frozenset(
    {
        "jax.numpy.append", "jax.numpy.insert", "jax.numpy.delete", "jax.numpy.sort", "jax.numpy.flip",
        "jax.numpy.clip", "jax.numpy.nan_to_num", "jax.numpy.roll", "jax.numpy.round", "jax.numpy.resize",
        "optax.apply_updates", "dataclasses.replace", "equinox.apply_updates", "copy.replace",
    }
)  # fmt: skip
"""Functions that return a changed copy of their first argument."""
_SECOND = frozenset(
    {"optax.incremental_update", "optax.periodic_update", "equinox.tree_at", "jax.tree.map", "jax.tree_util.tree_map"}
)
"""Those that return one of their second."""
_METHODS = frozenset(
    {
        ".sort", ".astype", ".clip", ".round", ".reshape", ".ravel", ".flatten", ".squeeze", ".transpose", ".swapaxes",
        ".replace", "._replace", ".apply_updates", ".apply_gradients",
    }
)  # fmt: skip
"""Methods that return a changed copy of their object."""
_INPLACE = {"fill_diagonal", "put", "place", "put_along_axis"}
"""Functions of `jax.numpy` that return the changed copy if asked to, by `inplace=False`."""
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def propose(site: Site) -> Iterator[Proposal]:
    """Binds what a call returns to what it was meant to change."""
    call = site.expression
    if not isinstance(call, cst.Call):
        return
    if any(arg.keyword is not None and arg.keyword.value == "out" for arg in call.args):
        changed = _without_out(site, call)
    else:
        changed = _in_place(site, call) if site.event.kind is EventKind.INPLACE else _discarded(site, call)
    if changed:
        yield site.proposal("Bind the result", Grade.UNSAFE, changed)


def _discarded(site: Site, call: cst.Call) -> Mapping[cst.CSTNode, Replacement]:
    target = _meant(site, call)
    return _bound(site, call, target, call) if target is not None else {}


def _meant(site: Site, call: cst.Call) -> cst.BaseExpression | None:
    """What a call whose result is discarded was meant to change."""
    construct, func = site.event.construct, call.func
    if construct.startswith(".at[]") and isinstance(func, cst.Attribute):
        return _array_of(func)
    if construct in _METHODS and isinstance(func, cst.Attribute):
        return func.value
    plain = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    if construct in _FIRST and plain:
        return plain[0]
    trees = 2 if construct.startswith("jax.") else 3
    if construct in _SECOND and len(plain) >= 2 and len(call.args) <= trees:
        return plain[1]
    return None


def _array_of(update: cst.Attribute) -> cst.BaseExpression | None:
    """`x` of `x.at[i].set`, and of `x.at[i].set(v).at[j].set`."""
    match update.value:
        case cst.Subscript(value=cst.Attribute(value=value, attr=cst.Name(value="at"))):
            if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute):
                return _array_of(value.func)
            return value
    return None


def _bound(
    site: Site, call: cst.Call, target: cst.BaseExpression, result: cst.BaseExpression
) -> Mapping[cst.CSTNode, Replacement]:
    """`target = result` in place of a call that is a statement, if the target can be bound."""
    statement = next(site.tree.parents(call))
    if not isinstance(statement, cst.Expr) or not isinstance(target, (cst.Name, cst.Attribute, cst.Subscript)):
        return {}
    if not can_bind(site, target, statement):
        return {}
    return {statement: cst.Assign([cst.AssignTarget(target)], result, statement.semicolon)}


def _without_out(site: Site, call: cst.Call) -> Mapping[cst.CSTNode, Replacement]:
    """`jnp.add(a, b, out=c)` becomes `c = jnp.add(a, b)`."""
    args = list(call.args)
    at = next(at for at, arg in enumerate(args) if arg.keyword is not None and arg.keyword.value == "out")
    out = args.pop(at)
    if at == len(args) and args:
        args[-1] = args[-1].with_changes(comma=out.comma, whitespace_after_arg=out.whitespace_after_arg)
    result = call.with_changes(args=args)
    if site.tree.comments(result) != site.tree.comments(call):
        return {}
    match next(site.tree.parents(call)):
        case cst.Expr():
            return _bound(site, call, out.value, result)
        case cst.Assign(value=value) as statement if value is call and isinstance(out.value, cst.Name):
            if can_bind(site, out.value, statement):
                targets = [*statement.targets, cst.AssignTarget(out.value)]
                return {statement: statement.with_changes(targets=targets, value=result)}
        case cst.Return() if isinstance(out.value, cst.Name):
            return {call: result}
    return {}


def _in_place(site: Site, call: cst.Call) -> Mapping[cst.CSTNode, Replacement]:
    """`np.fill_diagonal(x, v)` becomes `x = jnp.fill_diagonal(x, v, inplace=False)`, and others their like."""
    plain = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    name = site.event.construct.rpartition(".")[2]
    if not plain:
        return {}
    target, code = plain[0], site.tree.code
    if name in _INPLACE:
        func = cst.parse_expression(site.names.of(f"jax.numpy.{name}"))
        args = [arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=_COMMA) for arg in call.args]
        option = cst.Arg(cst.Name("False"), keyword=cst.Name("inplace"), equal=_EQUAL)
        return _bound(site, call, target, call.with_changes(func=func, args=[*args, option]))
    if len(plain) != len(call.args):
        return {}
    if name == "copyto" and len(plain) == 2:
        return _bound(site, call, target, cst.parse_expression(f"{code(target)}.at[...].set({code(plain[1])})"))
    if name == "putmask" and len(plain) == 3 and isinstance(plain[2], (cst.Integer, cst.Float)):
        where = site.names.of("jax.numpy.where")
        text = f"{where}({code(plain[1])}, {code(plain[2])}, {code(target)})"
        return _bound(site, call, target, cst.parse_expression(text))
    return {}
