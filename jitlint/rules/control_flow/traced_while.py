"""JIT102: `while` on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LOOP, STATIC
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedWhile(Rule):
    """`while` on a traced value."""

    code = "JIT102"
    name = "traced-while"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A `while` loop whose condition is a traced array. Python calls `bool()` on it before each iteration.
        """
    why = """
        The number of iterations depends on a value that is not known while JAX traces. A condition that becomes
        traced only in the second iteration fails as well.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax

        @jax.jit
        def halve(x):
            while x > 1:
                x = x / 2
            return x

        halve(10.0)
        """
    remedy = """
        Use `jax.lax.while_loop`, or `jax.lax.fori_loop` when the number of iterations has a bound. A Python loop is
        fine when its condition depends on static values alone.
        """
    fixed_example = """
        import jax

        @jax.jit
        def halve(x):
            return jax.lax.while_loop(lambda x: x > 1, lambda x: x / 2, x)

        halve(10.0)
        """
    fixes = (LOOP, STATIC)
    unknown = "Silent: only a condition that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this condition."

    def check(self, event: Event) -> str | None:
        if event.construct != "while":
            return None
        remedy = f"use lax.while_loop{or_static(event)}"
        return compose(event, f"`while` needs the value of {traced(event)}", remedy)
