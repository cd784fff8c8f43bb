"""What each expression of one file is, in every context in which the project's code runs it: editors ask for that."""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.machine.reveal import Here, Reveals, context_words
from jitlint.analysis.values import Value
from jitlint.analysis.values.descriptions import Summary, describe, merge_summaries, stage, summarize
from jitlint.events.revealed import Revealed
from jitlint.project.modules import Module
from jitlint.source.places import Span


class FileReveals(Reveals):
    """What all expressions of one module are, and the names that it binds."""

    def __init__(self, file: Module) -> None:
        super().__init__(None)
        self._file = file
        """The module that was asked for."""
        self._expressions: dict[tuple[Span, str, str], Summary] = {}
        """What an expression was, by its place, the running function, and the trace around it in words."""

    def fresh(self) -> Reveals:
        return FileReveals(self._file)

    def binds(self, here: Here, name: str, value: Value, span: Span) -> None:
        start = self._file.source.text.find(name, span.start, span.end)
        if start >= 0:  # a parameter's span holds its annotation and default, too
            self.evaluated(here, value, Span(start, start + len(name)))

    def evaluated(self, here: Here, value: Value, span: Span) -> None:
        """Records the value of an expression of the running code."""
        if here.module is not self._file or self.passes_over(here):
            return
        key = (span, here.symbol(), context_words(here.trace))
        earlier = self._expressions.get(key)
        summary = summarize(value)
        self._expressions[key] = summary if earlier is None else merge_summaries([earlier, summary])

    def finish(self) -> tuple[Revealed, ...]:
        file = self._file
        return tuple(
            Revealed(file.place(span), file.snippet(span), symbol, context, stage(summary), describe(summary))
            for (span, symbol, context), summary in sorted(self._expressions.items(), key=lambda each: each[0][0])
        )


class StagesInterpreter(Interpreter):
    """An interpreter that records what the expressions of a file are."""

    def evaluate(self, node: ir.Expr) -> Value:
        value = super().evaluate(node)
        reveals = self.unit.reveals
        if isinstance(reveals, FileReveals) and not isinstance(node, ir.Const):
            reveals.evaluated(self, value, node.span)
        return value
