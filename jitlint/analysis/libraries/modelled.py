"""The door through which the language room asks about libraries, answered from the models.

`language` stands below `libraries` and must not import it; `machine.interpreter.Libraries` lists what it may ask.
"""

from __future__ import annotations

from jitlint import ir
from jitlint.analysis.language.narrowing import narrow_to_present
from jitlint.analysis.language.unread_updates import check_unread_update
from jitlint.analysis.libraries.discards import check_discarded
from jitlint.analysis.libraries.dropped_states import check_dropped_state
from jitlint.analysis.libraries.frameworks.assertions import learn_from_assertion
from jitlint.analysis.libraries.refused_leaves import check_leaves
from jitlint.analysis.libraries.result_words import LibraryCall, result_of, value_of_phrase
from jitlint.analysis.machine.interpreter import Interpreter, Libraries
from jitlint.analysis.tracing.cache.kept import check_kept
from jitlint.analysis.tracing.used_keys import use_keys
from jitlint.analysis.values import External, Frame, Instance, Value
from jitlint.analysis.values.args import Args
from jitlint.models.function import FunctionModel
from jitlint.models.tables import ClassModel
from jitlint.source.places import Span


class ModelledLibraries(Libraries):
    """What the model files say about libraries."""

    def attribute(self, interp: Interpreter, value: Instance, model: ClassModel, name: str, span: Span) -> Value:
        return value_of_phrase(
            interp, model.attributes[name], LibraryCall(f"{model.name}.{name}", Args([]), span, value)
        )

    def result(self, interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
        return result_of(interp, model, args, span)

    def after_call(self, interp: Interpreter, callee: Value, node: ir.Call, args: Args) -> None:
        use_keys(interp, callee, node)
        check_unread_update(interp, callee, node)
        check_leaves(interp, callee, args, node.span)
        if isinstance(node.function, ir.Attribute) and node.function.name == "update":
            check_dropped_state(interp, callee, node)
        known = interp.models.functions.get(callee.name) if isinstance(callee, External) else None
        if known is not None and known.asserts:
            learn_from_assertion(interp, known.asserts, node, args)
        if isinstance(callee, External) and callee.name == "builtins.len" and node.arguments:
            narrow_to_present(interp, node.arguments[0].value, args.first)

    def after_body(self, interp: Interpreter, frame: Frame) -> None:
        check_kept(interp, frame)

    def after_statement(self, interp: Interpreter, callee: Value, node: ir.Call, args: Args) -> None:
        check_discarded(interp, callee, args, node)
