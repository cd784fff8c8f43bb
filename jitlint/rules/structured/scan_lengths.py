"""JIT705: what is scanned over has leading axes of different lengths."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, difference
from jitlint.rules.rule import Rule, Severity


class ScanLengths(Rule):
    """Arrays of different lengths to scan over."""

    code = "JIT705"
    name = "scan-lengths"
    severity = Severity.ERROR
    events = (EventKind.LENGTHS,)
    what = """
        Arrays given to `lax.scan` or `lax.map` together whose leading axes differ in length.
        """
    why = """
        Each round takes one element of every array. Unlike `zip`, JAX does not stop at the shortest.
        """
    error = "ValueError: scan got values with different leading axis sizes: 2, 3."
    example = """
        import jax.numpy as jnp
        from jax import lax

        def body(total, pair):
            previous, current = pair
            return total + abs(current - previous), None

        path = jnp.arange(3.0)
        lax.scan(body, 0.0, (path[:-1], path))
        """
    remedy = """
        Cut or pad the arrays to one length: `(path[:-1], path[1:])`.
        """
    fixed_example = """
        import jax.numpy as jnp
        from jax import lax

        def body(total, pair):
            previous, current = pair
            return total + abs(current - previous), None

        path = jnp.arange(3.0)
        lax.scan(body, 0.0, (path[:-1], path[1:]))
        """
    unknown = "Silent: only lengths that are known in relation to each other are compared."
    verified_by = "Running or tracing the call: confirmed if JAX refuses the lengths."

    def check(self, event: Event) -> str | None:
        problem = f"`{event.construct}` goes over arrays of different lengths{difference(event)}"
        return compose(event, problem, "slice or pad them to one length")
