"""Text in, IR out, by one of two front ends (see README.md)."""

from jitlint.syntax.module import lower
from jitlint.syntax.problems import SyntaxProblem

__all__ = ["SyntaxProblem", "lower"]
