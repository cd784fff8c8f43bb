"""The sound mode: what nothing is known of may be traced.

By default `Unknown` is silent. Here each expression within a trace whose value is not known counts as a tracer, so that
nothing that could fail is left out; what comes of it is only `possible`, and says what it rests on.
"""

from __future__ import annotations

import sys

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter, Libraries
from jitlint.analysis.machine.reveal import Reveals
from jitlint.analysis.values import External, Traced, Unknown, Value
from jitlint.models.library import Models
from jitlint.project.modules import Project

_READS = (ir.Name, ir.Attribute, ir.Subscript, ir.Call)


class SoundInterpreter(Interpreter):
    """An interpreter that suspects every value that is not known."""

    def __init__(self, project: Project, models: Models, libraries: Libraries, reveals: Reveals) -> None:
        super().__init__(project, models, libraries, reveals)
        self._known = models.libraries | sys.stdlib_module_names

    def evaluate(self, node: ir.Expr) -> Value:
        value = super().evaluate(node)
        if self.staging and isinstance(node, _READS) and (isinstance(value, Unknown) or self._is_foreign(value)):
            return self._suspect(node)
        return value

    def _is_foreign(self, value: Value) -> bool:
        """Whether it comes from a library that no model knows, so that it may be a value of any kind."""
        return isinstance(value, External) and value.name.partition(".")[0] not in self._known

    def _suspect(self, node: ir.Expr) -> Traced:
        text = f"`{self.module.snippet(node.span)}`"
        flow = self.source(node.span, f"nothing is known of {text}", f"{text}, of which nothing is known")
        flow.guess = f"{text} is traced"
        return Traced(flow, self.depth, tree=True)
