"""JIT108: `in` with a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, HOST_CHECK, LOGICAL, LOOP, STATIC, WHERE
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedMembership(Rule):
    """`in` or `not in` with a traced value."""

    code = "JIT108"
    name = "traced-membership"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A membership test such as `x in (1, 2)` that compares with a traced array.
        """
    why = """
        Python compares with each element in turn and calls `bool()` on the result, which is traced.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def keep(label):
            return jnp.where(label in (1, 2), label, 0)

        keep(2)
        """
    remedy = """
        Use `jnp.isin(x, jnp.array([...]))`, or `jnp.any(x == candidates)`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def keep(label):
            return jnp.where(jnp.isin(label, jnp.array([1, 2])), label, 0)

        keep(2)
        """
    fixes = (WHERE, COND, LOGICAL, LOOP, HOST_CHECK, STATIC)
    unknown = "Silent: only a comparison that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this test."

    def check(self, event: Event) -> str | None:
        if event.construct != "in":
            return None
        return compose(event, f"`in` needs the value of {traced(event)}", f"use jnp.isin{or_static(event)}")
