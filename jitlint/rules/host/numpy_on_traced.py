"""JIT303: NumPy, SciPy or another host library on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import ARRAY_LOOKUP, HOST_MATH, TO_JNP
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class NumpyOnTraced(Rule):
    """Function of NumPy, SciPy or another host library on a traced value."""

    code = "JIT303"
    name = "numpy-on-traced"
    severity = Severity.ERROR
    events = (EventKind.HOST,)
    what = """
        A traced array given to a function that computes on the host with NumPy arrays, such as `np.clip`,
        `np.linalg.norm` or `scipy.stats.norm.pdf`.
        """
    why = """
        Such functions turn their argument into a NumPy array, and a traced array has no values for it. A few functions
        of NumPy hand over to the array's own method (`np.sum`, `np.reshape`) and work; they are not reported.
        """
    error = (
        "jax.errors.TracerArrayConversionError: The numpy.ndarray conversion method __array__() was called on "
        "traced array with shape float32[2]"
    )
    example = """
        import jax
        import jax.numpy as jnp
        import numpy as np

        @jax.jit
        def saturate(x):
            return np.clip(x, 0.0, 1.0)

        saturate(jnp.array([-1.0, 2.0]))
        """
    remedy = """
        Use the counterpart in `jax.numpy` or `jax.scipy`. Where there is none, call the host function through
        `jax.pure_callback`, or outside of the traced function.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def saturate(x):
            return jnp.clip(x, 0.0, 1.0)

        saturate(jnp.array([-1.0, 2.0]))
        """
    fixes = (HOST_MATH, TO_JNP, ARRAY_LOOKUP)
    unknown = "Silent: only an argument that is known to be traced is reported, and only functions known to convert."
    verified_by = "Tracing the function: confirmed if a TracerArrayConversionError comes from this call."

    def check(self, event: Event) -> str | None:
        module = event.construct.partition(".")[0]
        if module in ("math", "cmath"):
            return None
        remedy = {"numpy": "use jax.numpy", "scipy": "use jax.scipy"}.get(module, "use a JAX function")
        problem = f"`{event.construct}` computes on the host and needs the values of {traced(event)}"
        return compose(event, problem, f"{remedy} or jax.pure_callback")
