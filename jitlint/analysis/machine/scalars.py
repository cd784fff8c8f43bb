"""Notes where a scalar that a function gets is used as only an array with axes, or a container, can be.

That alone is any program's error. It says more where JAX gives the scalar: who indexes the counter of a loop takes it
for the carry.
"""

from __future__ import annotations

from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import Traced, Value
from jitlint.source.places import Span


def note_scalar_use(interp: Interpreter, value: Value, span: Span) -> None:
    """Notes in its trace that a scalar tracer of weak type, as counters have, is indexed, unpacked … at `span`."""
    if not isinstance(value, Traced) or value.rank != 0 or value.tree or not value.weak:
        return
    trace = interp.trace
    while trace is not None and trace.depth > value.depth:
        trace = trace.parent
    if trace is not None:
        trace.scalar_uses.append((value.flow, interp.frame.module, span, interp.symbol()))
