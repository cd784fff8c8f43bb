"""JIT101: `if` on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, HOST_CHECK, LOOP, STATIC, WHERE
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedBranch(Rule):
    """`if` or `elif` on a traced value."""

    code = "JIT101"
    name = "traced-branch"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        An `if` or `elif` whose condition is a traced array. Python calls `bool()` on the condition to choose a branch.
        """
    why = """
        While JAX traces, an array stands for all values that it may have later, so there is no value to branch on.
        Conditions on what is static (shapes, dtypes, `is None`, container lengths, static arguments) are fine.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax

        @jax.jit
        def relu(x):
            if x > 0:
                return x
            return 0.0

        relu(3.0)
        """
    remedy = """
        Compute both sides and select with `jnp.where`, or run one of two functions with `jax.lax.cond`. If the
        condition depends on few different values, make the argument static (each value then compiles once).
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def relu(x):
            return jnp.where(x > 0, x, 0.0)

        relu(3.0)
        """
    fixes = (WHERE, COND, LOOP, HOST_CHECK, STATIC)
    unknown = "Silent: only a condition that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this condition."

    def check(self, event: Event) -> str | None:
        if event.construct != "if":
            return None
        leaves_loop = event.detail.get("leaves") == "loop"
        remedy = "use lax.while_loop" if leaves_loop else f"use jnp.where or lax.cond{or_static(event)}"
        return compose(event, f"`if` needs the value of {traced(event)}", remedy)
