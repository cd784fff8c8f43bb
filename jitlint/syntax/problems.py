"""The error for a text that is not valid Python."""

from __future__ import annotations


class SyntaxProblem(Exception):  # noqa: N818
    """A text that cannot be parsed. `line` and `column` count from 1; `message` is one line."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.message} (line {self.line}, column {self.column})"


def problem_at(text: str, offset: int, message: str) -> SyntaxProblem:
    """A SyntaxProblem at a character offset of the text."""
    return SyntaxProblem(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
