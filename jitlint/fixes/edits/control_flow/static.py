"""Makes an argument of a jitted function static: names it where `jax.jit` is applied.

The edit is made only where it is certain what to write: on a decorator (`@jax.jit`), or in a call that names the
function (`jax.jit(step)`, `jax.jit(partial(step, x))`, `jax.jit(self.step)`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from jitlint.events.event import Event, EventKind
from jitlint.fixes.edit import Grade
from jitlint.fixes.names import Names, NameTakenError
from jitlint.fixes.site import Proposal, Site
from jitlint.fixes.tree import Tree, names_in, walk
from jitlint.source.places import Place

_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
_NAMES, _NUMBERS = "static_argnames", "static_argnums"
_HARMLESS = frozenset(
    {_NAMES, _NUMBERS, "compiler_options", "inline", "keep_unused", "donate_argnums", "donate_argnames", "device"}
)
"""Options that mean the same when an argument becomes static; sharded or numbered ones may not."""
_ORIGIN = re.compile(r"argument `(?P<parameter>\w+)` of `(?P<function>\w+)`")
_STATIC_TYPES = frozenset({"bool", "str", "int", "Callable", "type"})


def propose(site: Site) -> Iterator[Proposal]:
    """Makes the argument that an event is about static, if it is one that a caller would give as a Python value."""
    event = site.event
    named = _argument(event)
    if event.entry is None or named is None or event.detail.get("given") == "array":
        return
    function, parameter = named
    tree = site.tree_of(event.entry.place.path)
    if tree is None or function != event.entry.function.rpartition(":")[2].rpartition(".")[2]:
        return
    if event.kind is EventKind.BOOL and not _chooses(site, tree, function, parameter):
        return
    if event.kind is not EventKind.INVALID_ARGUMENT and _has_parts(tree, function, parameter):
        return
    text = made_static(tree, event.entry.place, function, parameter)
    if text is not None:
        message = f"Make argument '{parameter}' of '{function}' static: each of its values compiles anew"
        yield Proposal(message, Grade.UNSAFE, {tree.path: text})


def _argument(event: Event) -> tuple[str, str] | None:
    """The traced function and its parameter that an event is about."""
    if event.kind is EventKind.INVALID_ARGUMENT:
        function = event.entry.function.rpartition(":")[2].rpartition(".")[2] if event.entry else ""
        parameter = event.detail.get("parameter", "")
        return (function, parameter) if parameter and "function" not in event.detail else None
    found = _ORIGIN.fullmatch(event.origin)
    return (found["function"], found["parameter"]) if found else None


def _chooses(site: Site, tree: Tree, function: str, parameter: str) -> bool:
    """Whether a condition asks what a parameter is, as of a flag or a mode, and not where a number lies."""
    node = site.expression
    if node is None:
        return False
    if parameter in names_in(node) and _given_as_constant(tree, function, parameter):
        return True
    if isinstance(node, cst.Comparison):
        equal = all(
            isinstance(each.operator, (cst.Equal, cst.NotEqual, cst.In, cst.NotIn, cst.Is)) for each in node.comparisons
        )
        return equal and parameter in names_in(node) and not any(isinstance(each, cst.Call) for each in walk(node))
    if isinstance(node, cst.Name):
        return node.value == parameter or _typed(tree, function, parameter)
    return False


def _given_as_constant(tree: Tree, function: str, parameter: str) -> bool:
    """Whether all calls in the file, of a function or of what a transform makes of it, give a constant."""
    defined = [each for each in walk(tree.module) if isinstance(each, cst.FunctionDef) and each.name.value == function]
    if len(defined) != 1:
        return False
    number = _number(defined[0], parameter)
    names = {function, *_names_of_transformed(tree, function)}
    given = []
    for call in walk(tree.module):
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and call.func.value in names:
            named = [arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == parameter]
            given += named or [arg.value for at, arg in enumerate(call.args) if at == number and arg.keyword is None]
    return bool(given) and all(isinstance(each, (cst.Integer, cst.SimpleString)) or _is_flag(each) for each in given)


def _names_of_transformed(tree: Tree, function: str) -> Iterator[str]:
    """The names that are bound to calls with a function as their first argument: `fast = jax.jit(step)`."""
    for node in walk(tree.module):
        match node:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=name))],
                value=cst.Call(args=[cst.Arg(value=cst.Name(value=first)), *_]),
            ) if first == function:
                yield name


def _is_flag(node: cst.BaseExpression | None) -> bool:
    return isinstance(node, cst.Name) and node.value in ("True", "False")


def _typed(tree: Tree, function: str, parameter: str) -> bool:
    """Whether an annotation or a default says that a parameter is a Python value."""
    for node in walk(tree.module):
        if isinstance(node, cst.FunctionDef) and node.name.value == function:
            for each in (*node.params.params, *node.params.kwonly_params):
                if each.name.value == parameter:
                    annotation = names_in(each.annotation) if each.annotation else set()
                    flag = _is_flag(each.default)
                    return bool(annotation & _STATIC_TYPES) or flag or isinstance(each.default, cst.SimpleString)
    return False


def _has_parts(tree: Tree, function: str, parameter: str) -> bool:
    """Whether a function asks for attributes or items of a parameter, so that it is no plain number, text or flag."""
    return any(
        isinstance(node, (cst.Attribute, cst.Subscript))
        and isinstance(node.value, cst.Name)
        and node.value.value == parameter
        for each in walk(tree.module)
        if isinstance(each, cst.FunctionDef) and each.name.value == function
        for node in walk(each.body)
    )


def made_static(tree: Tree, place: Place, function: str, parameter: str) -> str | None:
    """The text of a file with the edit, None if it is not certain what to write.

    Args:
        tree: the file in which the transform is applied.
        place: where it is applied: a decorator without its `@`, or a call.
        function: the name of the function that it is applied to.
        parameter: the argument to make static.
    """
    found = _applied(tree, place, function, parameter)
    if found is None:
        return None
    applied, number = found
    if isinstance(applied, cst.Call):
        call = _with_static(applied, parameter, number)
        return tree.replaced({applied: call}).code if call is not None else None
    names = Names(tree)
    try:
        partial = names.of("functools.partial")
    except NameTakenError:
        return None
    call = cst.Call(cst.parse_expression(partial), [cst.Arg(applied, comma=_COMMA), _option(_NAMES, _text(parameter))])
    return names.added_to(tree.replaced({applied: call})).code


def _applied(tree: Tree, place: Place, function: str, parameter: str) -> tuple[cst.BaseExpression, int | None] | None:
    """The decorator of the function at a place, or the call there that names it, and the parameter's number.

    None if there is neither, or the function does not have the parameter.
    """
    functions = [node for node in walk(tree.module) if isinstance(node, cst.FunctionDef)]
    for each in functions:
        for decorator in each.decorators:
            if tree.is_at(decorator.decorator, place):
                return (decorator.decorator, _number(each, parameter)) if _takes(each, parameter) else None
    named = [each for each in functions if each.name.value == function]
    if [_takes(each, parameter) for each in named] != [True]:
        return None
    call = tree.at(place, cst.Call)
    if call is None or not call.args or call.args[0].star or call.args[0].keyword is not None:
        return None
    first = call.args[0].value
    if isinstance(first, cst.Call) and first.args and Names(tree).qualified(first.func) == "functools.partial":
        return (call, None) if _last_name(first.args[0].value) == function else None
    if _last_name(first) != function:
        return None
    return call, _number(named[0], parameter) - (1 if isinstance(first, cst.Attribute) else 0)


def _takes(function: cst.FunctionDef, parameter: str) -> bool:
    return any(each.name.value == parameter for each in (*function.params.params, *function.params.kwonly_params))


def _number(function: cst.FunctionDef, parameter: str) -> int:
    names = [each.name.value for each in (*function.params.params, *function.params.kwonly_params)]
    return names.index(parameter)


def _last_name(node: cst.BaseExpression) -> str:
    """The name of a function or of a method."""
    name = node.attr if isinstance(node, cst.Attribute) else node
    return name.value if isinstance(name, cst.Name) else ""


def _with_static(call: cst.Call, parameter: str, number: int | None) -> cst.Call | None:
    """The call with one more static argument; None if it has options that forbid this, or that only running it could
    tell."""
    options = [arg for arg in call.args if arg.keyword is not None]
    if any(arg.star for arg in call.args) or len(call.args) - len(options) > 1:
        return None
    names = {arg.keyword.value: arg for arg in options if arg.keyword is not None}
    if not names.keys() <= _HARMLESS or {_NAMES, _NUMBERS} <= names.keys():
        return None
    extended: cst.BaseExpression | None
    if _NUMBERS in names:  # with both, each would count for itself: a name for keywords only
        given = names[_NUMBERS].value
        extended = _extended(given, cst.Integer(str(number)), cst.Integer) if number is not None else None
    elif _NAMES in names:
        given = names[_NAMES].value
        extended = _extended(given, _text(parameter), cst.SimpleString)
    else:
        return _with_option(call, _option(_NAMES, _text(parameter)))
    changed = call.deep_replace(given, extended) if extended is not None else None
    return changed if isinstance(changed, cst.Call) else None


def _with_option(call: cst.Call, option: cst.Arg) -> cst.Call:
    """The call with one more argument, on a line of its own if the others are."""
    *before, last = call.args
    if isinstance(last.comma, cst.Comma):
        between, end = _around_new(call.whitespace_before_args, last.comma.whitespace_after)
        option = option.with_changes(comma=last.comma.with_changes(whitespace_after=end))
    else:
        between, end = _around_new(call.whitespace_before_args, last.whitespace_after_arg)
        option = option.with_changes(whitespace_after_arg=end)
    last = last.with_changes(comma=cst.Comma(whitespace_after=between), whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*before, last, option])


def _around_new(
    first: cst.BaseParenthesizableWhitespace, end: cst.BaseParenthesizableWhitespace
) -> tuple[cst.BaseParenthesizableWhitespace, cst.BaseParenthesizableWhitespace]:
    """What stands before a new last entry and behind it; a comment stays with the entry before.

    Args:
        first: what stands before the first entry.
        end: what stands behind the last one.
    """
    if not isinstance(end, cst.ParenthesizedWhitespace):
        return cst.SimpleWhitespace(" "), end
    below = cst.ParenthesizedWhitespace(indent=end.indent, last_line=end.last_line)
    if isinstance(first, cst.ParenthesizedWhitespace):
        return end.with_changes(indent=first.indent, last_line=first.last_line), below
    if end.first_line.comment is None and not end.empty_lines:
        return cst.SimpleWhitespace(" "), below
    return end, below


def _extended(
    entries: cst.BaseExpression, entry: cst.BaseExpression, kind: type[cst.BaseExpression]
) -> cst.BaseExpression | None:
    """An entry, or a tuple or list of entries, with one more; None if it is something else."""
    if isinstance(entries, kind):
        return cst.Tuple([cst.Element(entries, comma=_COMMA), cst.Element(entry)])
    if not isinstance(entries, (cst.Tuple, cst.List)):
        return None
    if not all(isinstance(each.value, kind) for each in entries.elements):
        return None
    if not entries.elements:
        alone = cst.Comma() if isinstance(entries, cst.Tuple) else cst.MaybeSentinel.DEFAULT
        return entries.with_changes(elements=[cst.Element(entry, comma=alone)])
    *before, last = entries.elements
    opening, closing = _brackets(entries)
    if not isinstance(closing.whitespace_before, cst.ParenthesizedWhitespace):
        return entries.with_changes(elements=[*before, last.with_changes(comma=_COMMA), cst.Element(entry)])
    between, end = _around_new(opening.whitespace_after, closing.whitespace_before)
    elements = [*before, last.with_changes(comma=cst.Comma(whitespace_after=between))]
    added = cst.Element(entry, comma=cst.Comma() if isinstance(last.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT)
    changed = entries.with_changes(elements=[*elements, added])
    return cst.ensure_type(changed.deep_replace(closing, closing.with_changes(whitespace_before=end)), type(entries))


def _brackets(
    entries: cst.Tuple | cst.List,
) -> tuple[cst.LeftParen | cst.LeftSquareBracket, cst.RightParen | cst.RightSquareBracket]:
    """The brackets around entries; a tuple that is an argument has some."""
    if isinstance(entries, cst.List):
        return entries.lbracket, entries.rbracket
    return entries.lpar[-1], entries.rpar[0]


def _text(name: str) -> cst.SimpleString:
    return cst.SimpleString(f'"{name}"')


def _option(keyword: str, value: cst.BaseExpression) -> cst.Arg:
    return cst.Arg(value, keyword=cst.Name(keyword), equal=_EQUAL)
