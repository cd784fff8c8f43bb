"""JIT109: `range` of a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LOOP, STATIC
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedRange(Rule):
    """`range` of a traced value."""

    code = "JIT109"
    name = "traced-range"
    severity = Severity.ERROR
    events = (EventKind.INDEX,)
    what = """
        A call of `range` with a traced array as start, stop or step.
        """
    why = """
        `range` needs Python integers (it calls `__index__()`), and a Python loop is unrolled while tracing, so JAX must
        know how often it runs.
        """
    error = (
        "jax.errors.TracerIntegerConversionError: The __index__() method was called on traced array with shape int32[]"
    )
    example = """
        import jax

        @jax.jit
        def power(x, n):
            result = 1.0
            for _ in range(n):
                result = result * x
            return result

        power(2.0, 3)
        """
    remedy = """
        Use `jax.lax.fori_loop`, whose bounds may be traced, or make the argument static.
        """
    fixed_example = """
        import jax

        @jax.jit
        def power(x, n):
            return jax.lax.fori_loop(0, n, lambda _, result: result * x, 1.0)

        power(2.0, 3)
        """
    fixes = (LOOP, STATIC)
    unknown = "Silent: only an argument that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerIntegerConversionError comes from this call."

    def check(self, event: Event) -> str | None:
        if event.construct != "range":
            return None
        return compose(event, f"`range` needs the value of {traced(event)}", f"use lax.fori_loop{or_static(event)}")
