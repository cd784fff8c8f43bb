"""What every expression of one file is, wherever the project's code runs it: editors ask about any of them."""

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
    """What was seen of the expressions of a module, and of the names that it binds."""

    def __init__(self, file: Module) -> None:
        super().__init__(None)
        self._file = file
        self._values: dict[tuple[Span, str, str], Summary] = {}

    def fresh(self) -> Reveals:
        return FileReveals(self._file)

    def binds(self, here: Here, name: str, value: Value, span: Span) -> None:
        start = self._file.source.text.find(name, span.start, span.end)
        if start >= 0:  # a parameter's span has more than its name
            self.evaluated(here, value, Span(start, start + len(name)))

    def evaluated(self, here: Here, value: Value, span: Span) -> None:
        """An expression of the running code has a value."""
        if here.module is not self._file or self.passes_over(here):
            return
        key = (span, here.symbol(), context_words(here.trace))
        known = self._values.get(key)
        seen = summarize(value)
        self._values[key] = seen if known is None else merge_summaries([known, seen])

    def finish(self) -> tuple[Revealed, ...]:
        file = self._file
        return tuple(
            Revealed(file.place(span), file.snippet(span), symbol, context, stage(seen), describe(seen))
            for (span, symbol, context), seen in sorted(self._values.items(), key=lambda each: each[0][0])
        )


class StagesInterpreter(Interpreter):
    """An interpreter that notes what the expressions of a file are."""

    def evaluate(self, node: ir.Expr) -> Value:
        value = super().evaluate(node)
        reveals = self.unit.reveals
        if isinstance(reveals, FileReveals) and not isinstance(node, ir.Const):
            reveals.evaluated(self, value, node.span)
        return value
