"""JIT204: a function whose output shape depends on traced values."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import MASKED
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class DataDependentShape(Rule):
    """Function whose output shape depends on traced values, without `size=`."""

    code = "JIT204"
    name = "data-dependent-shape"
    severity = Severity.ERROR
    events = (EventKind.DATA_SHAPE,)
    what = """
        A call of `jnp.nonzero`, `jnp.unique`, `jnp.argwhere`, `jnp.flatnonzero`, `jnp.where` with one argument, a set
        operation or the like on a traced array, without `size=`.
        """
    why = """
        The length of the result depends on values that are not known while JAX traces.
        """
    error = (
        "jax.errors.ConcretizationTypeError: Abstract tracer value encountered where concrete value is expected: "
        "traced array with shape int32[]"
    )
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def positions(x):
            return jnp.nonzero(x > 0)[0]

        positions(jnp.array([1.0, -2.0, 3.0]))
        """
    remedy = """
        Pass `size=` (the result is padded or cut to it; `fill_value=` says with what), or keep a mask instead of
        positions.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def positions(x):
            return jnp.nonzero(x > 0, size=3, fill_value=-1)[0]

        positions(jnp.array([1.0, -2.0, 3.0]))
        """
    fixes = (MASKED,)
    unknown = (
        "Silent: only an argument that is known to be traced counts. A `size=` of unknown value is taken as given."
    )
    verified_by = "Tracing the function: confirmed if a ConcretizationTypeError comes from this call."

    def check(self, event: Event) -> str | None:
        problem = f"the output shape of `{event.construct}` depends on the values of {traced(event)}"
        option = event.detail.get("option")
        return compose(event, problem, f"pass {option}, or use a mask" if option else "use a mask")
