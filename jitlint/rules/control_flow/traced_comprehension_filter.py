"""JIT107: the `if` of a comprehension on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import WHERE
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class TracedComprehensionFilter(Rule):
    """`if` of a comprehension on a traced value."""

    code = "JIT107"
    name = "traced-comprehension-filter"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A comprehension or generator expression with an `if` whose condition is a traced array.
        """
    why = """
        How many elements remain would depend on values that are not known while JAX traces, and so would the shape of
        the program.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax

        @jax.jit
        def sum_positive(values):
            return sum(v for v in values if v > 0)

        sum_positive([1.0, -2.0, 3.0])
        """
    remedy = """
        Keep every element and neutralise the unwanted ones with `jnp.where`, or reduce with the `where=` argument of
        `jnp.sum`, `jnp.max` and their like.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def sum_positive(values):
            return sum(jnp.where(v > 0, v, 0.0) for v in values)

        sum_positive([1.0, -2.0, 3.0])
        """
    fixes = (WHERE,)
    unknown = "Silent: only a condition that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this condition."

    def check(self, event: Event) -> str | None:
        if event.construct != "comprehension":
            return None
        problem = f"`if` of a comprehension needs the value of {traced(event)}"
        return compose(event, problem, "keep all elements and mask with jnp.where")
