"""JIT201: a size that jax.numpy computed from static shapes."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HOST_MATH
from jitlint.rules.message import compose, subject, under
from jitlint.rules.rule import Rule, Severity


class JnpOnShape(Rule):
    """Size computed from static shapes by `jax.numpy`, which makes it traced."""

    code = "JIT201"
    name = "jnp-on-shape"
    severity = Severity.ERROR
    events = (EventKind.SHAPE,)
    what = """
        A size, shape, axis or count that was computed with `jax.numpy` from static shapes alone.
        """
    why = """
        `x.shape` is static, but inside a traced function every `jax.numpy` operation gives a traced array, even on
        constants. The size was known, and no longer is.
        """
    error = "TypeError: Shapes must be 1D sequences of concrete values of integer type, got [JitTracer(int32[])]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def flatten(x):
            return x.reshape(jnp.array(x.shape).prod())

        flatten(jnp.ones((2, 3)))
        """
    remedy = """
        Compute with sizes in Python or NumPy: `math.prod(x.shape)`, `np.prod(x.shape)`, `x.size`, `len(x)`.
        """
    fixed_example = """
        import math

        import jax
        import jax.numpy as jnp

        @jax.jit
        def flatten(x):
            return x.reshape(math.prod(x.shape))

        flatten(jnp.ones((2, 3)))
        """
    fixes = (HOST_MATH,)
    unknown = "Silent: only a size that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if JAX refuses the traced size at this place."

    def check(self, event: Event) -> str | None:
        if event.detail.get("from_shape") != "yes":
            return None
        problem = f"`{event.construct}` needs a concrete size, but jax.numpy made {subject(event)} traced{under(event)}"
        return compose(event, problem, "compute it from the static shape with math or NumPy")
