"""JIT702: the carry of a loop comes out of the body different from how it went in."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import CARRY_DTYPE
from jitlint.rules.message import compose, difference
from jitlint.rules.rule import Rule, Severity


class CarryChanges(Rule):
    """Loop carry that changes its structure, shape or dtype."""

    code = "JIT702"
    name = "carry-changes"
    severity = Severity.ERROR
    events = (EventKind.CARRY,)
    what = """
        A body of `lax.scan`, `lax.while_loop` or `lax.fori_loop` that returns its carry with another pytree structure,
        shape or dtype than it was given.
        """
    why = """
        The loop is compiled once, for one kind of carry: the result of a round is the input of the next one. The only
        exception is a Python number as the initial value, which takes the wider dtype that the body returns.
        """
    error = "TypeError: scan body function carry input and carry output must have equal types, but they differ:"
    example = """
        import jax.numpy as jnp
        from jax import lax

        def body(total, x):
            return total + x, None

        lax.scan(body, jnp.int32(0), jnp.arange(3.0))
        """
    remedy = """
        Start with what the body returns (the right dtype, every key, an array of the final size), or convert the
        returned carry back. Results that grow belong in the second output of `scan`, or in a preallocated array that
        is filled with `.at[i].set`.
        """
    fixed_example = """
        import jax.numpy as jnp
        from jax import lax

        def body(total, x):
            return total + x, None

        lax.scan(body, jnp.float32(0), jnp.arange(3.0))
        """
    fixes = (CARRY_DTYPE,)
    unknown = "Silent: only structures, ranks and dtypes that are known on both sides are compared."
    verified_by = "Running or tracing the loop: confirmed if JAX refuses the carry for the same difference."

    def check(self, event: Event) -> str | None:
        problem = f"the carry of `{event.construct}` changes in its body{difference(event)}"
        return compose(event, problem, "return it with the structure, shapes and dtypes that it starts with")
