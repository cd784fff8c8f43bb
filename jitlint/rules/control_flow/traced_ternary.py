"""JIT104: a conditional expression on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, STATIC, WHERE
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedTernary(Rule):
    """Conditional expression (`a if test else b`) on a traced value."""

    code = "JIT104"
    name = "traced-ternary"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A conditional expression `a if test else b` whose test is a traced array. Python calls `bool()` on the test.
        """
    why = """
        While JAX traces, the test has no value, so Python cannot choose. Tests on what is static are fine.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax

        @jax.jit
        def clip(x, limit):
            return x if x < limit else limit

        clip(3.0, 2.0)
        """
    remedy = """
        Use `jnp.where(test, a, b)`. Both sides are computed then; use `jax.lax.cond` when one of them is expensive.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def clip(x, limit):
            return jnp.where(x < limit, x, limit)

        clip(3.0, 2.0)
        """
    fixes = (WHERE, COND, STATIC)
    unknown = "Silent: only a test that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this expression."

    def check(self, event: Event) -> str | None:
        if event.construct != "ternary":
            return None
        remedy = f"use jnp.where(test, a, b){or_static(event)}"
        return compose(event, f"`a if test else b` needs the value of {traced(event)}", remedy)
