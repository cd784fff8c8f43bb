"""What a file calls a module's functions, and the imports that it needs to call them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor

from jitlint.fixes.tree import Tree, walk

_ALIASES = {"jax.numpy": "jnp", "numpy": "np", "equinox": "eqx"}
"""Names that everybody gives to modules."""

_FROM = frozenset({"functools", "dataclasses", "jax.tree_util"})
"""Modules from which functions are imported by name."""


class NameTakenError(Exception):
    """The file gives another meaning to a name that an import would need."""


class Names:
    """The names of other modules' functions in a file, and the imports to add for those that were asked for."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._needed: dict[tuple[str, str | None, str | None], None] = {}

    def of(self, qualified: str) -> str:
        """How the file can write a function: `jnp.where` for "jax.numpy.where".

        Raises:
            NameTakenError: an import would be needed whose name the file uses for something else.
        """
        parts = qualified.split(".")
        for end in range(len(parts), 0, -1):
            prefix = ".".join(parts[:end])
            if prefix not in self._imported:
                continue
            if prefix == "jax" and ".".join(parts[:-1]) in _ALIASES:
                break  # nobody writes `jax.numpy.where`
            return ".".join([self._imported[prefix], *parts[end:]])
        return self._newly_imported(".".join(parts[:-1]), parts[-1])

    def _newly_imported(self, module: str, function: str) -> str:
        if module in _FROM:
            self._free(function)
            self._needed[module, function, None] = None
            return function
        alias = _ALIASES.get(module)
        top = module if alias else module.partition(".")[0]
        self._free(alias or top)
        self._needed[top, None, alias] = None
        return f"{alias or module}.{function}"

    def _free(self, name: str) -> None:
        if name in self._bound:
            raise NameTakenError(name)

    def qualified(self, node: cst.BaseExpression) -> str:
        """What a dotted name stands for, as far as the file's imports say: "numpy.clip" for `np.clip`; "" if they do
        not."""
        parts = list(_dotted(node))
        for end in range(len(parts), 0, -1):
            if (module := self._modules.get(".".join(parts[:end]))) is not None:
                return ".".join([module, *parts[end:]])
        return ""

    def added_to(self, module: cst.Module) -> cst.Module:
        """The module with the imports for all names that were asked for."""
        context = CodemodContext()
        for name, function, alias in self._needed:
            AddImportsVisitor.add_needed_import(context, name, function, alias)
        return AddImportsVisitor(context).transform_module(module) if self._needed else module

    @cached_property
    def _imported(self) -> dict[str, str]:
        """The modules and functions that the file's top level imports, and what it calls them."""
        found: dict[str, str] = {}
        for statement in self._tree.module.body:
            for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
                if isinstance(small, cst.Import):
                    for alias in small.names:
                        name = alias.evaluated_name
                        found[name] = alias.evaluated_alias or name
                        if alias.evaluated_alias is None:
                            found.setdefault(name.partition(".")[0], name.partition(".")[0])
                elif isinstance(small, cst.ImportFrom) and isinstance(small.names, Sequence) and not small.relative:
                    module = ".".join(_dotted(small.module)) if small.module else ""
                    for alias in small.names:
                        found[f"{module}.{alias.evaluated_name}"] = alias.evaluated_alias or alias.evaluated_name
        return found

    @cached_property
    def _modules(self) -> dict[str, str]:
        """What names of the file's top level stand for."""
        return {name: module for module, name in self._imported.items()}

    @cached_property
    def _bound(self) -> set[str]:
        """All names that the file binds or reads, but those of attributes and keywords."""
        bound = set()
        for node in walk(self._tree.module):
            for child in node.children:
                attribute = isinstance(node, cst.Attribute) and child is node.attr
                keyword = isinstance(node, cst.Arg) and child is node.keyword
                module = isinstance(node, cst.ImportFrom) and child is node.module
                if isinstance(child, cst.Name) and not attribute and not keyword and not module:
                    bound.add(child.value)
        return bound

    def fresh(self, *wanted: str) -> str:
        """The first of these names that the file does not use, or the last with a number."""
        for name in wanted:
            if name not in self._bound:
                self._bound.add(name)
                return name
        numbered = next(each for at in range(2, 10_000) if (each := f"{wanted[-1]}_{at}") not in self._bound)
        self._bound.add(numbered)
        return numbered


def _dotted(node: cst.BaseExpression) -> Iterator[str]:
    if isinstance(node, cst.Attribute):
        parts = list(_dotted(node.value))
        if parts:
            yield from (*parts, node.attr.value)
    elif isinstance(node, cst.Name):
        yield node.value
