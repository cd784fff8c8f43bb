"""Makes an argument of a jitted function static: names it in `static_argnames`, where `jax.jit` is applied.

The edit is made only where it is certain what to write: on a decorator (`@jax.jit`), or in a call that names the
function (`jax.jit(step)`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor
from libcst.metadata import MetadataWrapper, PositionProvider

from jitlint.source.places import Place

_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_OPTION = "static_argnames"
_HARMLESS = frozenset({_OPTION, "compiler_options", "inline", "keep_unused"})
"""Options that mean the same when an argument becomes static; donated, sharded or numbered ones may not."""


def made_static(text: str, place: Place, function: str, parameter: str) -> str | None:
    """The text of a file with the edit, None if it is not certain what to write.

    Args:
        text: the file in which the transform is applied.
        place: where it is applied: a decorator without its `@`, or a call.
        function: the name of the function that it is applied to.
        parameter: the argument to make static.
    """
    module = cst.parse_module(text)
    nodes = list(_nodes(module))
    applied = _applied(module, nodes, place, function, parameter)
    if applied is None:
        return None
    if isinstance(applied, cst.Call):
        call = _with_static(applied, parameter)
        return _replaced(module, applied, call).code if call is not None else None
    return _with_partial(module, nodes, applied, parameter)


def _with_partial(
    module: cst.Module, nodes: Sequence[cst.CSTNode], decorator: cst.BaseExpression, parameter: str
) -> str | None:
    """Turns `@jax.jit` into `@partial(jax.jit, static_argnames=…)`, and imports `partial` if need be."""
    partial = _name_of_partial(nodes)
    if partial is None and any(isinstance(node, cst.Name) and node.value == "partial" for node in nodes):
        return None  # the file has another `partial`
    call = cst.Call(cst.parse_expression(partial or "partial"), [cst.Arg(decorator, comma=_COMMA), _option(parameter)])
    module = _replaced(module, decorator, call)
    if partial is None:
        context = CodemodContext()
        AddImportsVisitor.add_needed_import(context, "functools", "partial")
        module = AddImportsVisitor(context).transform_module(module)
    return module.code


def _nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _applied(
    module: cst.Module, nodes: Sequence[cst.CSTNode], place: Place, function: str, parameter: str
) -> cst.BaseExpression | None:
    """The decorator of the function at a place, or the call there that names it; None if there is neither, or the
    function does not have the parameter."""
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)

    def is_there(node: cst.CSTNode) -> bool:
        start, end = positions[node].start, positions[node].end
        return (start.line, start.column + 1, end.line, end.column + 1) == place[1:5]

    functions = [node for node in nodes if isinstance(node, cst.FunctionDef)]
    for each in functions:
        for decorator in each.decorators:
            if is_there(decorator.decorator):
                return decorator.decorator if _takes(each, parameter) else None
    if [_takes(each, parameter) for each in functions if each.name.value == function] != [True]:
        return None
    calls = (node for node in nodes if isinstance(node, cst.Call) and is_there(node))
    return next((call for call in calls if _first_name(call) == function), None)


def _takes(function: cst.FunctionDef, parameter: str) -> bool:
    return any(each.name.value == parameter for each in (*function.params.params, *function.params.kwonly_params))


def _first_name(call: cst.Call) -> str:
    first = call.args[0] if call.args else None
    plain = first is not None and not first.star and first.keyword is None
    return first.value.value if first is not None and plain and isinstance(first.value, cst.Name) else ""


def _name_of_partial(nodes: Sequence[cst.CSTNode]) -> str | None:
    """The file's name for `functools.partial`, None if it does not import it."""
    for node in nodes:
        if isinstance(node, cst.ImportFrom) and isinstance(node.names, Sequence):
            if isinstance(node.module, cst.Name) and node.module.value == "functools" and not node.relative:
                for alias in node.names:
                    if alias.name.value == "partial":
                        return alias.evaluated_alias or "partial"
        elif isinstance(node, cst.Import):
            for alias in node.names:
                if alias.evaluated_name == "functools":
                    return f"{alias.evaluated_alias or 'functools'}.partial"
    return None


def _with_static(call: cst.Call, parameter: str) -> cst.Call | None:
    """The call with one more static argument; None if it has options that forbid this, or that only running it could
    tell."""
    options = [arg for arg in call.args if arg.keyword is not None]
    if any(arg.star for arg in call.args) or len(call.args) - len(options) > 1:
        return None
    names = {arg.keyword.value: arg for arg in options if arg.keyword is not None}
    if not names.keys() <= _HARMLESS:
        return None
    if _OPTION not in names:
        args = [arg if isinstance(arg.comma, cst.Comma) else arg.with_changes(comma=_COMMA) for arg in call.args]
        return call.with_changes(args=[*args, _option(parameter)])
    given = names[_OPTION].value
    extended = _extended(given, parameter)
    changed = call.deep_replace(given, extended) if extended is not None else None
    return changed if isinstance(changed, cst.Call) else None


def _extended(names: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """A string, or a tuple or list of strings, with one more; None if it is something else."""
    element = cst.Element(cst.SimpleString(f'"{name}"'))
    if isinstance(names, cst.SimpleString):
        return cst.Tuple([cst.Element(names, comma=_COMMA), element])
    if not isinstance(names, (cst.Tuple, cst.List)):
        return None
    if not all(isinstance(each.value, cst.SimpleString) for each in names.elements):
        return None
    before = [each if isinstance(each.comma, cst.Comma) else each.with_changes(comma=_COMMA) for each in names.elements]
    return names.with_changes(elements=[*before, element])


def _option(parameter: str) -> cst.Arg:
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(cst.SimpleString(f'"{parameter}"'), keyword=cst.Name(_OPTION), equal=equal)


def _replaced(module: cst.Module, old: cst.CSTNode, new: cst.CSTNode) -> cst.Module:
    changed = module.deep_replace(old, new)
    assert isinstance(changed, cst.Module)
    return changed
