"""What JAX and Python say of code that does not survive tracing."""

from __future__ import annotations

import re

FAILURES = re.compile(
    "|".join(
        (
            r"Tracer\w*Error",
            "ConcretizationTypeError",
            "NonConcreteBooleanIndexError",
            "Shapes must be 1D sequences of concrete",
            r"value of parameter \w+ was not hashable: .*Tracer",
            "unhashable type",
            "JAX arrays are immutable",
            "does not support item (dele|assi)",
            "__delitem__",
            r"unsupported format string passed to \w*Tracer",
            r"(must be real number|number is required|real number is required), not \w*Tracer",
            r"not supported between instances of.*Tracer",
            r"\w*Tracer\b.*has no attribute",
            "not available on traced array",
            "not a valid JAX type",
            "Error interpreting argument",
            "Non-hashable static",
            "static_arg(name|num)s",
            "has invalid argn",
            "slice indices must have static",
            "Slice entries must be static integers",
            "only integer scalar arrays",
            "requires arguments to have the same dtypes",
            "requires ndarray or scalar arguments, got",
            "carry input and carry output must have",
            "branch outputs must have the same",
            "branches must have equal output types",
            "cond_fun must return a boolean scalar",
            "scan got (values with different|`length` argument)",
            "scan body output must be a pair",
            "Pred must be a scalar",
            "Index type must be an integer",
            "arguments to fori_loop must have equal types",
            "cannot assign to field",
            "can't set attribute",
            "which is not a valid JAX type",
            "Expected a function, got a generator function",
            "Array has been deleted",
        )
    )
)
