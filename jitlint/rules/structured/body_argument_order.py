"""JIT710: the body of a loop takes the counter for the carry, or another number of arguments than it gets."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import SWAPPED_BODY
from jitlint.rules.message import compose, subject
from jitlint.rules.rule import Rule, Severity


class BodyArgumentOrder(Rule):
    """Body of a loop that takes the counter for the carry, or another number of arguments."""

    code = "JIT710"
    name = "body-argument-order"
    severity = Severity.ERROR
    events = (EventKind.BODY_ORDER,)
    what = """
        A function given to `lax.fori_loop` that indexes, unpacks or multiplies as a matrix what it gets first. And the
        body of any loop of JAX, or its condition, that takes more or fewer arguments than it gets.
        """
    why = """
        The body of a `fori_loop` is called as `body(i, carry)`: the counter comes first, and is a scalar. The body of
        `lax.scan`, and of `functools.reduce`, gets the carry first. Those of `lax.while_loop` get the carry alone, that
        of `lax.map` gets a row.
        """
    error = "TypeError: iteration over a 0-d array"
    example = """
        import jax.numpy as jnp
        from jax import lax

        def body(pair, i):
            a, b = pair
            return b, a + b

        lax.fori_loop(0, 5, body, (jnp.int32(0), jnp.int32(1)))
        """
    remedy = """
        Swap the parameters of the body: `def body(i, carry)`. What else it needs it may read from outside, or get by
        `functools.partial`.
        """
    fixed_example = """
        import jax.numpy as jnp
        from jax import lax

        def body(i, pair):
            a, b = pair
            return b, a + b

        lax.fori_loop(0, 5, body, (jnp.int32(0), jnp.int32(1)))
        """
    fixes = (SWAPPED_BODY,)
    unknown = "Silent: only what no scalar allows is reported, and bodies whose parameters are known."
    verified_by = "Running or tracing the loop: confirmed if an error comes from this place."

    def check(self, event: Event) -> str | None:
        takes, gets = event.detail.get("takes", ""), event.detail.get("gets", "")
        if takes:
            counted = "argument" if takes == "1" else "arguments"
            problem = f"`{event.construct}` gives its function {gets}, which takes {takes} {counted}"
            return compose(event, problem, "give the body the parameters that the loop passes")
        problem = f"{subject(event)} needs more than a scalar, but the first argument of a body is the counter"
        origin = f" ({event.origin})" if event.origin else ""
        return compose(event, f"{problem} of `{event.construct}`{origin}", "swap the body's parameters")
