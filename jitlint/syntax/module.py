"""Lowers a whole file, with one front end or the other."""

from __future__ import annotations

from jitlint import ir
from jitlint.syntax.from_ast.module import lower as lower_ast
from jitlint.syntax.from_ast.parsing import Refused
from jitlint.syntax.stack import with_large_stack


def lower(text: str) -> ir.Module:
    """The IR of a module's text (newlines all `\\n`, no BOM).

    Raises SyntaxProblem for what cannot be parsed and for code that nests too deep.
    """
    return with_large_stack(_lower, text)


def _lower(text: str) -> ir.Module:
    try:
        return lower_ast(text)
    except Refused:
        from jitlint.syntax.from_cst.module import lower as lower_cst  # start-up time: loads LibCST, seldom needed

        return lower_cst(text)
