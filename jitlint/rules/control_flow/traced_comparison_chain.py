"""JIT106: a chained comparison of traced values."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, HOST_CHECK, LOGICAL, LOOP, WHERE
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class TracedComparisonChain(Rule):
    """Chained comparison (`a < x < b`) of traced values."""

    code = "JIT106"
    name = "traced-comparison-chain"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A chained comparison such as `a < x < b` in which a comparison other than the last one gives a traced array.
        """
    why = """
        Python evaluates `a < x < b` as `a < x and x < b`, and `and` needs the truth value of `a < x`.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def inside(x):
            return jnp.where(0 < x < 1, 1.0, 0.0)

        inside(0.5)
        """
    remedy = """
        Write the comparisons apart and join them with `&` or `jnp.logical_and`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def inside(x):
            return jnp.where((0 < x) & (x < 1), 1.0, 0.0)

        inside(0.5)
        """
    fixes = (WHERE, COND, LOGICAL, LOOP, HOST_CHECK)
    unknown = "Silent: only comparisons that are known to give a traced array are reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this comparison."

    def check(self, event: Event) -> str | None:
        if event.construct != "comparison-chain":
            return None
        problem = f"a chained comparison needs the value of {traced(event)}"
        return compose(event, problem, "write `(a < x) & (x < b)`")
