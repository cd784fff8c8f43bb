"""JIT301: a Python number from a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, DEBUG_PRINT, HOST_CHECK, HOST_MATH, LOGICAL, STATIC, UNCONVERTED, WHERE
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class PythonScalarConversion(Rule):
    """`int`, `float`, `bool` or `complex` of a traced value."""

    code = "JIT301"
    name = "python-scalar-conversion"
    severity = Severity.ERROR
    events = (EventKind.BOOL, EventKind.CONVERT)
    what = """
        A call of `int`, `float`, `bool`, `complex`, or of another function that makes a Python number of its argument,
        on a traced array.
        """
    why = """
        A Python number needs a value now, and a traced array has none before the compiled program runs.
        """
    error = (
        "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected: "
        "traced array with shape float32[]"
    )
    example = """
        import jax

        @jax.jit
        def scale(x, factor):
            return x * float(factor)

        scale(2.0, 3.0)
        """
    remedy = """
        Leave the conversion out, or convert the array: `x.astype(jnp.float32)`, `jnp.asarray(x, int)`. Convert to a
        Python number outside of the traced function.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def scale(x, factor):
            return x * jnp.asarray(factor, jnp.float32)

        scale(2.0, 3.0)
        """
    fixes = (HOST_MATH, DEBUG_PRINT, UNCONVERTED, WHERE, COND, LOGICAL, HOST_CHECK, STATIC)
    unknown = "Silent: only an argument that is known to be traced is reported."
    verified_by = """
        Tracing the function: confirmed if a ConcretizationTypeError (for `bool` a TracerBoolConversionError) comes from
        this call.
        """

    def check(self, event: Event) -> str | None:
        is_bool = event.construct == "bool"
        if event.construct.startswith(".") or (event.kind is EventKind.BOOL and not is_bool):
            return None
        remedy = "keep it an array, or use lax.cond" if is_bool else "convert with .astype, or outside the function"
        return compose(event, f"`{event.construct}` needs the value of {traced(event)}", remedy)
