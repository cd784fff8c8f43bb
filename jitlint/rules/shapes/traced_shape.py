"""JIT202: a traced value as a size, shape, axis or count."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import STATIC
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedShape(Rule):
    """Traced value as a size, shape, axis or count."""

    code = "JIT202"
    name = "traced-shape"
    severity = Severity.ERROR
    events = (EventKind.SHAPE,)
    what = """
        A traced array where a function needs to know a number while tracing: a shape, size, axis, number of
        repetitions, number of classes and the like.
        """
    why = """
        Shapes are part of the compiled program, so JAX must know them when it traces. Which exception is raised
        depends on the function: TypeError, ConcretizationTypeError or one of the tracer conversion errors.
        """
    error = "TypeError: Shapes must be 1D sequences of concrete values of integer type, got (JitTracer(~int32[]),)."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def ramp(n):
            return jnp.zeros(n) + 1.0

        ramp(3)
        """
    remedy = """
        Make the argument static with `static_argnames` (each value compiles once), or allocate the largest size and
        mask.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="n")
        def ramp(n):
            return jnp.zeros(n) + 1.0

        ramp(3)
        """
    fixes = (STATIC,)
    unknown = "Silent: only an argument that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if JAX refuses the traced number at this place."

    def check(self, event: Event) -> str | None:
        if event.detail.get("from_shape") == "yes":
            return None
        wanted = f"a concrete `{event.detail['parameter']}`" if event.detail.get("parameter") else "a concrete size"
        problem = f"`{event.construct}` needs {wanted}, not {traced(event)}"
        return compose(event, problem, f"use a value known while tracing{or_static(event)}")
