"""JIT304: a function of math or cmath on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HOST_MATH, TO_JNP
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class MathOnTraced(Rule):
    """Function of `math` or `cmath` on a traced value."""

    code = "JIT304"
    name = "math-on-traced"
    severity = Severity.ERROR
    events = (EventKind.HOST,)
    what = """
        A traced array given to a function of the modules `math` or `cmath`.
        """
    why = """
        These functions compute on Python numbers and call `float()` on their argument, which a traced array refuses.
        """
    error = (
        "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected: "
        "traced array with shape float32[]"
    )
    example = """
        import math

        import jax

        @jax.jit
        def wave(x):
            return math.sin(x)

        wave(1.0)
        """
    remedy = """
        Use the counterpart in `jax.numpy`. `math` is right for static values such as shapes and constants.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def wave(x):
            return jnp.sin(x)

        wave(1.0)
        """
    fixes = (HOST_MATH, TO_JNP)
    unknown = "Silent: only an argument that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a ConcretizationTypeError comes from this call."

    def check(self, event: Event) -> str | None:
        if not event.construct.startswith(("math.", "cmath.")):
            return None
        return compose(event, f"`{event.construct}` needs a number, not {traced(event)}", "use jax.numpy")
