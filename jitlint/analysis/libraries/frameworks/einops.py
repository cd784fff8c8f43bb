"""einops: the pattern says which rank the result has, and sizes given by keyword must be concrete."""

from __future__ import annotations

from jitlint.analysis.arrays.results import array_result
from jitlint.analysis.libraries.requirements import report_shape
from jitlint.analysis.libraries.tables import HANDLERS
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import UNKNOWN, Array, Const, HostArray, Unknown, Value
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.named_axes import rank_of_pattern
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_NOT_SIZES = frozenset({"pattern", "reduction", "tensor", "tensors_and_pattern"})
"""Keywords that are no sizes of axes."""


def _pattern(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`einops.rearrange(x, "b (h w) -> b h w", h=3)` and its like."""
    for name, value in args.keywords.items():
        if name not in _NOT_SIZES:
            report_shape(interp, value, args.keyword_spans.get(name, span), model.name, name)
    texts = [v.value for v in (*args.positional, args.keywords.get("pattern")) if isinstance(v, Const)]
    pattern = next((text for text in texts if isinstance(text, str) and "->" in text), None)
    first = args.positional[0] if args.positional else None
    dtype = first.dtype if isinstance(first, Array) and model.name != "einops.reduce" else None
    rank = rank_of_pattern(pattern) if pattern is not None else None
    if isinstance(first, Unknown):
        return UNKNOWN  # einops computes with the library that its argument is of
    by = "" if isinstance(first, HostArray) else model.name
    return array_result(interp, args.positional, span, dtype, rank, by=by)


HANDLERS["einops_pattern"] = _pattern
