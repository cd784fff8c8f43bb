"""Kinds of events: which of them raise nothing, show without a trace, or need compiled programs."""

from __future__ import annotations

from ..user_code.probes import Probe

SILENT = frozenset(
    (
        "jit-created",
        "varying-shape",
        "state-read",
        "state-write",
        "argument-write",
        "leak",
        "effect",
        "iterator-next",
        "swallowed",
        "identity",
        "constant",
        "unrolled",
        "discarded",
        "no-result",
        "text",
        "key-reused",
        "kept-compiled",
    )
)
"""Kinds that raise nothing, and are judged by their effect."""

EAGER = frozenset(
    (
        "jit-created",
        "static-value",
        "static-field",
        "varying-shape",
        "carry",
        "branches",
        "gradient",
        "derivative-rule",
        "axis-name",
        "trees",
        "predicate",
        "open-loop",
        "body-result",
        "body-order",
        "selector",
        "bounds",
        "lengths",
        "operand-dtypes",
        "donated",
        "iterator-argument",
        "invalid-argument",
        "iterator-result",
        "invalid-result",
        "static-name",
        "discarded",
        "kept-compiled",
    )
)
"""Kinds that show without a trace as well as under one."""

_FRESH = frozenset(("lambda", "function", "partial", "bound method", "instance", "field", "loop variable", "counter"))


OF_TRACERS = frozenset(
    ("bool", "index", "hash", "convert", "host", "host-method", "format", "shape", "slice", "mask-index", "data-shape")
)
"""Kinds that only a tracer can cause."""

OF_SIZES = frozenset(
    (
        "carry",
        "branches",
        "trees",
        "body-result",
        "bounds",
        "lengths",
        "operand-dtypes",
        "derivative-rule",
        "open-loop",
    )
)
"""Kinds that the sizes of arrays may decide, and values decide sizes."""

CACHED = frozenset(("jit-created", "static-value", "varying-shape"))
"""Kinds about the compile cache: only runs that compile show them, and JAX explains its cache misses."""


def is_silent(probe: Probe) -> bool:
    """Whether an event raises nothing by itself."""
    if probe.detail.get("fails") or (probe.kind == "text" and probe.construct != "text"):
        return False
    return probe.kind in SILENT or (probe.kind == "static-value" and probe.construct in _FRESH)


def is_of_tracers(probe: Probe) -> bool:
    """Whether only a tracer can cause an event."""
    return probe.kind in OF_TRACERS


def needs_trace(probe: Probe) -> bool:
    """Whether an event can only be seen while JAX traces the code around it."""
    return probe.kind not in EAGER


def varies(probe: Probe) -> bool:
    """Whether an event is that an argument has another value or shape in each round of a loop."""
    return probe.kind == "varying-shape" or probe.construct in ("loop variable", "counter")
