"""Loops and conditionals of JAX, taken apart for edits: their arguments, their functions, and what these return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.scopes import bindings, targets
from jitlint.fixes.site import Site
from jitlint.fixes.tree import Tree, walk
from jitlint.fixes.variables import Function, assigned_values, mentions, own_nodes, owner
from jitlint.source.places import Place

_PARAMETERS = {
    "scan": ("f", "init", "xs"),
    "while_loop": ("cond_fun", "body_fun", "init_val"),
    "fori_loop": ("lower", "upper", "body_fun", "init_val"),
    "map": ("f", "xs"),
    "cond": ("pred", "true_fun", "false_fun"),
    "switch": ("index", "branches"),
}
_INITIAL = {"scan": "init", "while_loop": "init_val", "fori_loop": "init_val"}
_BODY = {"scan": "f", "while_loop": "body_fun", "fori_loop": "body_fun", "map": "f"}


@dataclass(frozen=True, slots=True)
class LoopCall:
    """A call of a loop or conditional of JAX.

    Attributes:
        call: the call.
        name: the last part of the function's name: scan, while_loop, fori_loop, map, cond, switch.
    """

    call: cst.Call
    name: str

    def argument(self, parameter: str) -> cst.Arg | None:
        """The argument for a parameter; None if it is not given by itself."""
        if any(arg.star for arg in self.call.args):
            return None
        for arg in self.call.args:
            if arg.keyword is not None and arg.keyword.value == parameter:
                return arg
        at = _PARAMETERS[self.name].index(parameter)
        plain = [arg for arg in self.call.args if arg.keyword is None]
        return plain[at] if at < len(plain) else None

    @property
    def operands(self) -> Sequence[cst.Arg] | None:
        """What the branches of a conditional get; None if that is given by keywords."""
        first = len(_PARAMETERS[self.name])
        named = any(arg.keyword is not None or arg.star for arg in self.call.args)
        return None if named else self.call.args[first:]

    @property
    def initial(self) -> cst.BaseExpression | None:
        """The carry that a loop starts with."""
        arg = self.argument(_INITIAL[self.name])
        return arg.value if arg is not None else None

    @property
    def body(self) -> cst.BaseExpression | None:
        """The function that a loop runs."""
        arg = self.argument(_BODY[self.name])
        return arg.value if arg is not None else None


def loop_call(site: Site) -> LoopCall | None:
    """The loop or conditional that an event is about."""
    name = site.event.construct.rpartition(".")[2]
    call = site.expression
    known = site.event.construct.startswith("jax.lax.") and name in _PARAMETERS
    return LoopCall(call, name) if isinstance(call, cst.Call) and known else None


def functions_of(site: Site) -> list[Function]:
    """The functions of this file that the steps of an event's flow name, in their order."""
    found = []
    for step in site.event.flow:
        function = function_at(site.tree, step.place)
        if function is not None:
            found.append(function)
    return found


def function_given(tree: Tree, argument: cst.BaseExpression | None) -> Function | None:
    """The function that an argument is: a lambda, what a name stands for there, or a method of `self`."""
    scope: cst.CSTNode | None
    match argument:
        case cst.Lambda():
            return argument
        case cst.Name(value=name):
            scope = owner(tree, argument, name)
        case cst.Attribute(value=cst.Name(value="self"), attr=cst.Name(value=name)):
            scope = tree.around(argument, cst.ClassDef)
        case _:
            return None
    if not isinstance(scope, (cst.FunctionDef, cst.ClassDef, cst.Module)):
        return None
    bound = [node for node in own_nodes(scope) if name in _bound_by(node)]
    return bound[0] if len(bound) == 1 and isinstance(bound[0], cst.FunctionDef) else None


def _bound_by(node: cst.CSTNode) -> list[str]:
    """The names that a definition, or an assignment, binds itself."""
    match node:
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return [name.value]
        case cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.For(target=target):
            return list(targets(target))
        case cst.Import() | cst.ImportFrom():
            return list(bindings(node))
    return []


def function_at(tree: Tree, place: Place) -> Function | None:
    """The function whose name, or the lambda that, begins at a place."""
    if place.path != tree.path:
        return None
    for node in walk(tree.module):
        if isinstance(node, (cst.FunctionDef, cst.Lambda)):
            start = tree.positions[node.name if isinstance(node, cst.FunctionDef) else node].start
            if (start.line, start.column + 1) == (place.line, place.column):
                return node
    return None


def returned(function: Function) -> list[cst.BaseExpression] | None:
    """What a function returns, at each place; None if it is a generator, or may end without a `return`."""
    if isinstance(function, cst.Lambda):
        return [function.body]
    found = []
    for node in own_nodes(function):
        if isinstance(node, cst.Yield):
            return None
        if isinstance(node, cst.Return):
            if node.value is None:
                return None
            found.append(node.value)
    return found if found and _always_returns(function.body) else None


def _always_returns(body: cst.BaseSuite) -> bool:
    last = body.body[-1] if body.body else None
    match last:
        case cst.SimpleStatementLine(body=[*_, small]):
            return isinstance(small, (cst.Return, cst.Raise))
        case cst.Return() | cst.Raise():
            return True
        case cst.If(body=one, orelse=cst.Else(body=other)):
            return _always_returns(one) and _always_returns(other)
        case cst.If(body=one, orelse=cst.If() as other):
            return _always_returns(one) and _always_returns(cst.IndentedBlock([other]))
        case cst.With(body=inner):
            return _always_returns(inner)
    return False


def used_by_this_alone(site: Site, function: Function, call: cst.Call) -> bool:
    """Whether a function is mentioned nowhere but in one call, so that what it returns may change."""
    tree = site.tree
    if isinstance(function, cst.Lambda):
        holder = next(tree.parents(function))
        if isinstance(holder, cst.Assign) and len(holder.targets) == 1:
            target = holder.targets[0].target
            return isinstance(target, cst.Name) and _mentioned_in(tree, target.value, function, call, holder)
        return any(parent is call for parent in tree.parents(function))
    if function.decorators:
        return False
    holder_class = owner(tree, function, function.name.value)
    if isinstance(holder_class, cst.ClassDef):
        attributes = [
            node
            for node in walk(tree.module)
            if isinstance(node, cst.Attribute) and node.attr.value == function.name.value
        ]
        return len(attributes) == 1 and any(parent is call for parent in tree.parents(attributes[0]))
    return _mentioned_in(tree, function.name.value, function, call, None)


def _mentioned_in(tree: Tree, name: str, function: Function, call: cst.Call, binding: cst.CSTNode | None) -> bool:
    scope = owner(tree, function, name)
    found = [
        node
        for node in mentions(tree, name, scope)
        if binding is None or not any(parent is binding for parent in tree.parents(node))
    ]
    return len(found) == 1 and any(parent is call for parent in tree.parents(found[0]))


def written(tree: Tree, node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression that a name stands for, if one assignment says so and nothing else uses it; else the name."""
    if not isinstance(node, cst.Name):
        return node
    scope = owner(tree, node, node.value)
    values = assigned_values(tree, node.value, scope)
    if len(values) != 1 or (value := values[0]) is None or len(list(mentions(tree, node.value, scope))) != 2:
        return node
    statement = next(tree.parents(value))
    return node if isinstance(statement, cst.Assign) and len(statement.targets) > 1 else value


def elements(node: cst.BaseExpression) -> Sequence[cst.BaseExpression] | None:
    """The elements of a tuple or list that is written out."""
    if not isinstance(node, (cst.Tuple, cst.List)):
        return None
    if any(isinstance(each, cst.StarredElement) for each in node.elements):
        return None
    return [each.value for each in node.elements]


def as_tuple(node: cst.List, *, bare: bool = False) -> cst.Tuple:
    """A tuple with the elements of a list, and its line breaks; `bare` if it may go without parentheses."""
    single = len(node.elements) == 1
    parts = list(node.elements)
    if single and not isinstance(parts[0].comma, cst.Comma):
        parts[0] = parts[0].with_changes(comma=cst.Comma())
    spread = not node.lbracket.whitespace_after.empty or not node.rbracket.whitespace_before.empty
    if bare and parts and not spread and not single:
        return cst.Tuple(parts, lpar=[], rpar=[])
    left = cst.LeftParen(whitespace_after=node.lbracket.whitespace_after)
    right = cst.RightParen(whitespace_before=node.rbracket.whitespace_before)
    return cst.Tuple(parts, lpar=[left], rpar=[right])


def carry_returned(call: LoopCall, function: Function) -> Iterator[cst.BaseExpression]:
    """The carry that a body returns, at each place: of a scan, the first of the pair.

    Nothing if the body does not show it everywhere.
    """
    values = returned(function) or []
    if call.name != "scan":
        yield from values
        return
    pairs = [elements(value) for value in values]
    if all(pair is not None and len(pair) == 2 for pair in pairs):
        yield from (pair[0] for pair in pairs if pair is not None)
