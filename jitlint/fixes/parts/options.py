"""Options of a transform where it is applied: which function it is applied to, and entries of options like
`static_argnames=("n", "mode")`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from jitlint.fixes.names import Names
from jitlint.fixes.scopes import all_parameters, bindings, scope_of
from jitlint.fixes.site import Site
from jitlint.fixes.tree import Replacement, Tree, walk
from jitlint.source.places import Place

Entry = str | int


@dataclass(frozen=True, slots=True)
class Applied:
    """A transform that is applied with options.

    Attributes:
        tree: the file.
        call: the call that has the options; `partial(jax.jit, …)` in decorators.
        parameters: the names of those parameters of the function that have numbers; None if they are not known.
        keywords: the names of all its parameters.
        bound: whether the function is a bound method, whose `self` has no number.
    """

    tree: Tree
    call: cst.Call
    parameters: tuple[str, ...] | None
    keywords: tuple[str, ...] = ()
    bound: bool = False

    def option(self, name: str) -> cst.Arg | None:
        """The argument that gives an option."""
        return next((arg for arg in self.call.args if arg.keyword is not None and arg.keyword.value == name), None)

    def without(self, names: Sequence[str], is_entry: Callable[[Entry], bool]) -> Mapping[cst.CSTNode, Replacement]:
        """The replacements that remove entries of some options; an option without any goes, too.

        Empty if there are none, or if an option is not written out.
        """
        args = list(self.call.args)
        for name in names:
            arg = next((each for each in args if each.keyword is not None and each.keyword.value == name), None)
            if arg is None:
                continue
            kept = _filtered(arg.value, lambda entry: not is_entry(entry))
            if kept is None:
                return {}
            if kept is arg.value:
                continue
            at = args.index(arg)
            if isinstance(kept, cst.BaseExpression):
                args[at] = arg.with_changes(value=kept)
                continue
            del args[at]
            if at == len(args) and args:
                args[-1] = args[-1].with_changes(comma=arg.comma, whitespace_after_arg=arg.whitespace_after_arg)
        changed = self.call.with_changes(args=args)
        if self.tree.comments(changed) != self.tree.comments(self.call):
            return {}
        return {} if args == list(self.call.args) else {self.call: self._simplest(changed)}

    def _simplest(self, call: cst.Call) -> cst.BaseExpression:
        """`jax.jit` for `partial(jax.jit)` and for `jax.jit()`; the parentheses stay where they are needed."""
        partial = Names(self.tree).qualified(call.func) == "functools.partial"
        if partial and len(call.args) == 1 and call.args[0].keyword is None:
            return call.args[0].value
        decorates = isinstance(next(self.tree.parents(self.call), None), cst.Decorator)
        return call.func if not call.args and decorates else call


def entry_value(node: cst.BaseExpression) -> Entry | None:
    """What an entry of an option says, if it is written out."""
    if isinstance(node, (cst.SimpleString, cst.Integer, cst.UnaryOperation)):
        try:
            value = ast.literal_eval(cst.Module([]).code_for_node(node))
        except (ValueError, SyntaxError):
            return None
        return value if isinstance(value, (str, int)) else None
    return None


def entries_of(value: cst.BaseExpression) -> list[cst.BaseExpression] | None:
    """The entries of an option, None if they are not written out."""
    parts = [each.value for each in value.elements] if isinstance(value, (cst.Tuple, cst.List)) else [value]
    return parts if all(entry_value(each) is not None for each in parts) else None


def _filtered(
    value: cst.BaseExpression, keeps: Callable[[Entry], bool]
) -> cst.BaseExpression | cst.RemovalSentinel | None:
    """An option's value with those entries that are kept; the same if all are, None if they are not written out."""
    parts = entries_of(value)
    if parts is None:
        return None
    kept = [each for each in parts if (entry := entry_value(each)) is not None and keeps(entry)]
    if len(kept) == len(parts):
        return value
    if not kept:
        return cst.RemoveFromParent()
    assert isinstance(value, (cst.Tuple, cst.List))
    elements = [each for each in value.elements if each.value in kept]
    last = value.elements[-1]
    if elements[-1] is not last:
        elements[-1] = elements[-1].with_changes(comma=last.comma)
    if isinstance(value, cst.Tuple) and len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma):
        elements[0] = elements[0].with_changes(comma=cst.Comma())
    return value.with_changes(elements=elements)


def applied_at(site: Site, place: Place) -> Applied | None:
    """The transform that is applied at a place, with its options; None if they do not stand in the file's text."""
    tree = site.tree_of(place.path)
    if tree is None:
        return None
    node = next((each for each in tree.nodes_at(place) if isinstance(each, cst.BaseExpression)), None)
    function: cst.CSTNode | None = None
    bound = False
    if node is not None and isinstance(parent := next(tree.parents(node), None), cst.Decorator):
        decorated = tree.around(parent, cst.FunctionDef)
        function = decorated if decorated is not None and decorated.decorators[-1] is parent else None
    elif isinstance(node, cst.Call):
        function, bound = _applied_to(tree, node)
        if isinstance(node.func, cst.Call):
            node = node.func
    if isinstance(node, cst.Name):
        node = _assigned(tree, node.value)
    if not isinstance(node, cst.Call) or any(arg.star == "*" for arg in node.args):
        return None
    if not isinstance(function, (cst.FunctionDef, cst.Lambda)):
        return Applied(tree, node, None)
    numbered = [each.name.value for each in (*function.params.posonly_params, *function.params.params)]
    every = [each.name.value for each in all_parameters(function.params)]
    return Applied(tree, node, tuple(numbered[1:] if bound else numbered), tuple(every), bound)


def _assigned(tree: Tree, name: str) -> cst.BaseExpression | None:
    """What the module assigns to a name, if it does so once."""
    if [each for node in walk(tree.module) for each in _own(node)].count(name) != 1:
        return None
    for statement in tree.module.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            match small:
                case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=found))], value=value) if found == name:
                    return value
    return None


def _own(node: cst.CSTNode) -> list[str]:
    return list(bindings(node)) if isinstance(node, (cst.BaseSmallStatement, cst.FunctionDef, cst.ClassDef)) else []


def _applied_to(tree: Tree, call: cst.Call) -> tuple[cst.CSTNode | None, bool]:
    """The function that a call applies a transform to, and whether it is a bound method."""
    if not call.args or call.args[0].keyword is not None or call.args[0].star:
        return None, False
    match call.args[0].value:
        case cst.Lambda() as function:
            return function, False
        case cst.Name(value=name):
            functions = [each for each in walk(tree.module) if isinstance(each, cst.FunctionDef)]
            found = [each for each in functions if each.name.value == name]
            return (found[0], False) if len(found) == 1 and _is_plain(tree, found[0]) else (None, False)
        case cst.Attribute(value=cst.Name(value="self" | "cls"), attr=cst.Name(value=name)):
            cls = tree.around(call, cst.ClassDef)
            methods = [each for each in walk(cls) if isinstance(each, cst.FunctionDef)] if cls is not None else []
            found = [each for each in methods if each.name.value == name and not each.decorators]
            return (found[0], True) if len(found) == 1 else (None, False)
    return None, False


def _is_plain(tree: Tree, function: cst.FunctionDef) -> bool:
    """Whether a function's parameters are those of its `def`: no decorator changes them, and it is no method."""
    return not function.decorators and not isinstance(scope_of(tree, function), cst.ClassDef)
