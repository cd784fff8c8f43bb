"""JIT507: in-place change of a JAX array."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import AT_SET, BOUND_RESULT
from jitlint.rules.message import compose, subject
from jitlint.rules.rule import Rule, Severity


class InPlaceArray(Rule):
    """In-place change of a JAX array."""

    code = "JIT507"
    name = "in-place-array"
    severity = Severity.ERROR
    events = (EventKind.INPLACE,)
    what = """
        An item assignment `x[i] = v`, or a function that changes its argument in place, on a JAX array, traced or not.
        """
    why = """
        JAX arrays are immutable, inside of traced functions and outside. NumPy arrays can be changed.
        """
    error = (
        "TypeError: JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, "
        "use x = x.at[idx].set(y) or another .at[] method: …"
    )
    example = """
        import jax.numpy as jnp

        x = jnp.zeros(3)
        x[0] = 1.0
        """
    remedy = """
        Use `x = x.at[i].set(v)`, `.at[i].add(v)` and their like. Under `jit` this costs no copy where the old array is
        not used any more.
        """
    fixed_example = """
        import jax.numpy as jnp

        x = jnp.zeros(3)
        x = x.at[0].set(1.0)
        """
    fixes = (AT_SET, BOUND_RESULT)
    unknown = "Silent: only a value that is known to be a JAX array is reported."
    verified_by = "Running the code: confirmed if a TypeError comes from this place."

    def check(self, event: Event) -> str | None:
        array = subject(event, "the value")
        if event.construct == "item":
            problem = f"{array} is a JAX array and immutable, so item assignment fails"
        else:
            problem = f"`{event.construct}` changes its argument in place, but {array} is a JAX array and immutable"
        return compose(event, problem, "use `x = x.at[index].set(value)`")
