"""Trees with leaves that are no arrays, given to what computes with every leaf: `optax.adam(1e-3).init(model)`.

Modules of Equinox hold functions, such as activations, beside their arrays. Optax's functions take trees of arrays.
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.libraries.dropped_states import factory_of
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.tracing.refusals import refused_kind, refused_part
from jitlint.analysis.values import External, ExternalInstance, Instance, Method, Value
from jitlint.analysis.values.args import Args
from jitlint.events.event import EventKind
from jitlint.source.places import Span

_LIKE_PARAMETERS: Final = frozenset(
    {
        *("adabelief", "adagrad", "adam", "adamax", "adamaxw", "adamw", "adan", "amsgrad", "ema", "lamb", "lion"),
        *("nadam", "nadamw", "novograd", "radam", "rmsprop", "trace", "yogi", "scale_by_adam", "scale_by_adamax"),
        *("scale_by_amsgrad", "scale_by_belief", "scale_by_lion", "scale_by_novograd", "scale_by_radam"),
        *("scale_by_rms", "scale_by_stddev", "scale_by_yogi"),
    }
)
"""Optax's transformations whose `init` makes an array of zeros for each leaf. Seen with optax 0.2.8."""


def check_leaves(interp: Interpreter, callee: Value, args: Args, span: Span) -> None:
    """Emits an event where a tree with a function among its leaves is given to what computes with each of them."""
    tree = args.get(0, "params")
    name = _computes_with_leaves(callee)
    if not name or not isinstance(tree, Instance):
        return
    place = args.span(0, "params", span)
    found = refused_part(interp, tree, place)
    if found is not None:
        part, assuming = found
        detail = {"parameter": "params", "function": name, "library": "optax"}
        interp.emit(EventKind.INVALID_ARGUMENT, place, refused_kind(interp, part), detail=detail, assuming=assuming)


def _computes_with_leaves(callee: Value) -> str:
    """The function of Optax, if it computes with each leaf of its first argument; else ""."""
    if isinstance(callee, External):
        return callee.name if callee.name == "optax.apply_updates" else ""
    if isinstance(callee, Method) and callee.name == "init" and isinstance(callee.receiver, ExternalInstance):
        factory = _like_parameters(callee.receiver)
        return f"optax.{factory}(…).init" if factory else ""
    return ""


def _like_parameters(value: Value) -> str:
    """The transformation that keeps arrays like the parameters, `value` itself or a part of a chain; else ""."""
    factory = factory_of(value)
    if factory == "chain" and isinstance(value, ExternalInstance):
        return next(filter(None, map(_like_parameters, value.arguments)), "")
    return factory if factory in _LIKE_PARAMETERS else ""
