"""JIT203: indexing by a traced boolean array."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import MASKED
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class BooleanMaskIndex(Rule):
    """Indexing by a traced boolean array."""

    code = "JIT203"
    name = "boolean-mask-index"
    severity = Severity.ERROR
    events = (EventKind.MASK_INDEX,)
    what = """
        An array indexed by a traced boolean mask: `x[x > 0]`, or `x.at[mask]` where the number of selected elements
        matters.
        """
    why = """
        How many elements a mask selects depends on its values, so the shape of the result is not known while tracing.
        """
    error = "jax.errors.NonConcreteBooleanIndexError: Array boolean indices must be concrete; got bool[3]"
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def sum_positive(x):
            return x[x > 0].sum()

        sum_positive(jnp.array([1.0, -2.0, 3.0]))
        """
    remedy = """
        Keep the shape: `jnp.where(mask, x, 0)` instead of selecting, `jnp.where(mask, new, x)` instead of writing, or
        the `where=` argument of reductions.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def sum_positive(x):
            return x.sum(where=x > 0)

        sum_positive(jnp.array([1.0, -2.0, 3.0]))
        """
    fixes = (MASKED,)
    unknown = "Silent: only an index that is known to be a traced boolean array is reported."
    verified_by = "Tracing the function: confirmed if a NonConcreteBooleanIndexError comes from this index."

    def check(self, event: Event) -> str | None:
        if event.detail.get("write") == "yes":
            return compose(event, f"`.at[mask]` needs the values of {traced(event)}", "use jnp.where(mask, new, old)")
        problem = f"how many elements a mask selects depends on {traced(event)}"
        return compose(event, problem, "use jnp.where or a reduction's where=")
