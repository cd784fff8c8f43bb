"""JIT103: `assert` on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HOST_CHECK, STATIC
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class TracedAssert(Rule):
    """`assert` on a traced value."""

    code = "JIT103"
    name = "traced-assert"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        An `assert` whose condition is a traced array. Python calls `bool()` on it.
        """
    why = """
        The check would have to run at run time, on values that do not exist yet while JAX traces. Assertions on
        shapes and dtypes are fine: they are checked once, while tracing.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def log(x):
            assert x > 0, "x must be positive"
            return jnp.log(x)

        log(2.0)
        """
    remedy = """
        Check before the jitted function is called, or use `jax.experimental.checkify.check`, which carries the check
        to run time.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp
        from jax.experimental import checkify

        def log(x):
            checkify.check(x > 0, "x must be positive")
            return jnp.log(x)

        error, result = jax.jit(checkify.checkify(log))(2.0)
        error.throw()
        """
    fixes = (HOST_CHECK, STATIC)
    unknown = "Silent: only a condition that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this condition."

    def check(self, event: Event) -> str | None:
        if event.construct != "assert":
            return None
        problem = f"`assert` needs the value of {traced(event)}"
        return compose(event, problem, "check before the call, or use checkify.check")
