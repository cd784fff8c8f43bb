"""Text in, IR out, read by one of two front ends: Python's own parser or LibCST (see README.md)."""

from jitlint.syntax.module import lower
from jitlint.syntax.problems import SyntaxProblem

__all__ = ["SyntaxProblem", "lower"]
