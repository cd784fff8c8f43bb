"""JIT305: a Python sequence indexed by a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import ARRAY_LOOKUP, HOST_MATH, STATIC
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class SequenceIndexedByTraced(Rule):
    """Python sequence indexed by a traced value."""

    code = "JIT305"
    name = "sequence-indexed-by-traced"
    severity = Severity.ERROR
    events = (EventKind.INDEX,)
    what = """
        A list, tuple or string indexed by a traced array, or another operation that needs a Python integer and calls
        `operator.index()` on one.
        """
    why = """
        Python must choose the element now, and the index has no value before the compiled program runs.
        """
    error = (
        "jax.errors.TracerIntegerConversionError: The __index__() method was called on traced array with shape int32[]"
    )
    example = """
        import jax

        @jax.jit
        def pick(i):
            weights = [0.5, 0.25, 0.125]
            return weights[i]

        pick(1)
        """
    remedy = """
        Make one array of the elements (`jnp.array`, `jnp.stack`) and index that. To choose among functions use
        `jax.lax.switch`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def pick(i):
            weights = jnp.array([0.5, 0.25, 0.125])
            return weights[i]

        pick(1)
        """
    fixes = (HOST_MATH, ARRAY_LOOKUP, STATIC)
    unknown = "Silent: only an index that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerIntegerConversionError comes from this place."

    def check(self, event: Event) -> str | None:
        if event.construct == "range":
            return None
        if event.construct in ("list", "tuple", "str"):
            problem = f"a {event.construct} cannot be indexed by {traced(event)}"
            return compose(event, problem, f"index a jnp.array or use lax.switch{or_static(event)}")
        problem = f"`{event.construct}` needs a Python integer, not {traced(event)}"
        return compose(event, problem, f"use a jax.numpy function{or_static(event)}")
