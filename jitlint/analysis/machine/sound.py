"""The sound mode (`--sound`): an unknown value may be traced.

By default no event is predicted from `Unknown`. Here, each expression within a trace whose value is not known counts as
a tracer, so that nothing that could fail is left out. Events that come of it are `possible` and name that guess.
"""

from __future__ import annotations

import sys

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter, Libraries
from jitlint.analysis.machine.reveal import Reveals
from jitlint.analysis.values import External, Traced, Unknown, Value
from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.models.library import Models
from jitlint.project.modules import Project

_SUSPECTS = (ir.Name, ir.Attribute, ir.Subscript, ir.Call)
"""The expressions whose value may be a tracer that something outside of the code made."""


class SoundInterpreter(Interpreter):
    """An interpreter that takes every unknown value within a trace for a tracer."""

    def __init__(self, project: Project, models: Models, libraries: Libraries, reveals: Reveals) -> None:
        super().__init__(project, models, libraries, reveals)
        self._modelled = models.libraries | sys.stdlib_module_names
        """The packages that have a model, and the standard library: values of others may be anything."""

    def evaluate(self, node: ir.Expr) -> Value:
        value = super().evaluate(node)
        if self.staging and isinstance(node, _SUSPECTS) and (isinstance(value, Unknown) or self._is_foreign(value)):
            return self._suspect(node)
        return value

    def _is_foreign(self, value: Value) -> bool:
        """Whether a value belongs to a library without a model, so that it may be anything."""
        return isinstance(value, External) and value.name.partition(".")[0] not in self._modelled

    def _suspect(self, node: ir.Expr) -> Traced:
        """A tracer in place of an unknown value; its flow says that this is a guess."""
        text = f"`{self.module.snippet(node.span)}`"
        flow = self.source(node.span, f"nothing is known of {text}", f"{text}, of which nothing is known")
        suspected = flow.assuming(Assumption(AssumptionKind.UNKNOWN_IS_TRACED, f"{text} is traced"))
        return Traced(suspected, self.depth, tree=True)
