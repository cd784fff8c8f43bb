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
    """What all expressions of some modules are, and the names that they bind."""

    def __init__(self, files: frozenset[Module]) -> None:
        super().__init__(None)
        self._files = files
        """The modules that were asked for."""
        self._expressions: dict[tuple[Module, Span, str, str], Summary] = {}
        """What an expression was, by its place, the running function, and the trace around it in words."""

    def fresh(self) -> Reveals:
        return FileReveals(self._files)

    def binds(self, here: Here, name: str, value: Value, span: Span) -> None:
        start = here.module.source.text.find(name, span.start, span.end)
        if start >= 0:  # a parameter's span holds its annotation and default, too
            self.evaluated(here, value, Span(start, start + len(name)))

    def evaluated(self, here: Here, value: Value, span: Span) -> None:
        """Records the value of an expression of the running code."""
        if here.module not in self._files or self.passes_over(here):
            return
        key = (here.module, span, here.symbol(), context_words(here.trace))
        earlier = self._expressions.get(key)
        summary = summarize(value)
        self._expressions[key] = summary if earlier is None else merge_summaries([earlier, summary])

    def finish(self) -> tuple[Revealed, ...]:
        found = sorted(self._expressions.items(), key=lambda each: (each[0][0].source.display, each[0][1]))
        return tuple(
            Revealed(file.place(span), file.snippet(span), symbol, context, stage(summary), describe(summary))
            for (file, span, symbol, context), summary in found
        )


class StagesInterpreter(Interpreter):
    """An interpreter that records what the expressions of some files are."""

    def evaluate(self, node: ir.Expr) -> Value:
        value = super().evaluate(node)
        reveals = self.unit.reveals
        if isinstance(reveals, FileReveals) and not isinstance(node, ir.Const):
            reveals.evaluated(self, value, node.span)
        return value
