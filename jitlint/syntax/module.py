"""A whole file: parsed and lowered."""

from __future__ import annotations

from jitlint import ir
from jitlint.syntax import compound, comprehensions, cst, definitions, expressions, statements, strings  # noqa: F401
from jitlint.syntax.lowering import Walk
from jitlint.syntax.parsing import SyntaxProblem, parse_with
from jitlint.syntax.stack import with_large_stack
from jitlint.syntax.suites import statements as lower_statements


def lower(text: str) -> ir.Module:
    """The IR of a module's text (newlines all `\\n`, no BOM).

    Raises SyntaxProblem for what cannot be parsed and for code that nests too deep.
    """
    return with_large_stack(_lower, text)


def _lower(text: str) -> ir.Module:
    tree = parse_with(cst.read_module, text)
    walk = Walk(text)
    try:
        body = lower_statements(walk, tree.body)
    except RecursionError:
        raise SyntaxProblem("the code is nested too deeply", walk.line(), 1) from None
    return ir.Module(body, walk.scope.locals(), tuple(walk.imports), tuple(walk.suites))
