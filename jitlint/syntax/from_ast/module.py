"""Parses a whole file with Python's parser and lowers it."""

from __future__ import annotations

import warnings

from jitlint import ir
from jitlint.syntax import build
from jitlint.syntax.from_ast import compound, comprehensions, definitions, expressions, statements, strings  # noqa: F401
from jitlint.syntax.from_ast.lowering import Walk
from jitlint.syntax.from_ast.parsing import module_of
from jitlint.syntax.from_ast.suites import statements as lower_statements
from jitlint.syntax.problems import SyntaxProblem


def lower(text: str) -> ir.Module:
    """The IR of a module's text.

    Raises Refused for what this Python cannot parse, SyntaxProblem for code that nests too deep or that Python would
    not compile.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = module_of(text)
        walk = Walk(text)
        try:
            body = lower_statements(walk, tree)
        except RecursionError:
            raise SyntaxProblem("the code is nested too deeply", walk.line, 1) from None
    return build.module(walk.scope, body)
