"""Parses a whole file with LibCST and lowers it."""

from __future__ import annotations

import libcst as cst

from jitlint import ir
from jitlint.syntax import build
from jitlint.syntax.from_cst import compound, comprehensions, definitions, expressions, statements, strings  # noqa: F401
from jitlint.syntax.from_cst.lowering import Walk
from jitlint.syntax.from_cst.parsing import parse_with
from jitlint.syntax.from_cst.suites import statements as lower_statements
from jitlint.syntax.problems import SyntaxProblem


def lower(text: str) -> ir.Module:
    """The IR of a module's text, to be called where the stack is large.

    Raises SyntaxProblem for what cannot be parsed and for code that nests too deep.
    """
    tree = parse_with(cst.parse_module, text)
    walk = Walk(text)
    try:
        body = lower_statements(walk, tree.body)
    except RecursionError:
        raise SyntaxProblem("the code is nested too deeply", walk.line(), 1) from None
    return build.module(walk.scope, body)
