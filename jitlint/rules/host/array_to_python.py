"""JIT302: a method that turns a traced array into Python values."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import DEBUG_PRINT, HOST_MATH, UNCONVERTED
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class ArrayToPython(Rule):
    """`.item()` or `.tolist()` of a traced array."""

    code = "JIT302"
    name = "array-to-python"
    severity = Severity.ERROR
    events = (EventKind.CONVERT,)
    what = """
        A call of `.item()`, `.tolist()` or another method that turns a traced array into Python values.
        """
    why = """
        Python values are needed now, and a traced array has none before the compiled program runs.
        """
    error = (
        "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected: "
        "traced array with shape float32[]"
    )
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def normalize(x):
            return x / x.max().item()

        normalize(jnp.array([1.0, 2.0]))
        """
    remedy = """
        Leave the call out: scalars and rows of arrays can be computed with, indexed and iterated over directly. Convert
        results outside of the traced function.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def normalize(x):
            return x / x.max()

        normalize(jnp.array([1.0, 2.0]))
        """
    fixes = (HOST_MATH, DEBUG_PRINT, UNCONVERTED)
    unknown = "Silent: only a method of a value that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a ConcretizationTypeError comes from this call."

    def check(self, event: Event) -> str | None:
        if not event.construct.startswith("."):
            return None
        problem = f"`{event.construct}()` needs the values of {traced(event)}"
        return compose(event, problem, "use the array itself, or convert outside the function")
