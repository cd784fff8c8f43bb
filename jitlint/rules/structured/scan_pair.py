"""JIT706: the body of a scan does not return a pair."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import SCAN_PAIR
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class ScanPair(Rule):
    """Body of a `scan` that does not return a pair."""

    code = "JIT706"
    name = "scan-pair"
    severity = Severity.ERROR
    events = (EventKind.BODY_RESULT,)
    what = """
        A function given to `lax.scan` that returns the new carry alone, None, or a container that does not have two
        elements.
        """
    why = """
        A scan's body returns two things: the carry for the next round, and a value to collect from this round. A body
        written for `fori_loop` or `functools.reduce` returns only the first.
        """
    error = "TypeError: scan body output must be a pair, got float32[]."
    example = """
        import jax.numpy as jnp
        from jax import lax

        lax.scan(lambda total, x: total + x, 0.0, jnp.arange(3.0))
        """
    remedy = """
        Return `(carry, y)`, or `(carry, None)` if there is nothing to collect. Put several values to collect into one
        tuple or dictionary: `(carry, (y, z))`.
        """
    fixed_example = """
        import jax.numpy as jnp
        from jax import lax

        lax.scan(lambda total, x: (total + x, None), 0.0, jnp.arange(3.0))
        """
    fixes = (SCAN_PAIR,)
    unknown = "Silent: only a result whose structure is known is reported."
    verified_by = "Running or tracing the scan: confirmed if JAX refuses what the body returns."

    def check(self, event: Event) -> str | None:
        given = event.detail.get("given", "") or "something else"
        problem = f"the body of `{event.construct}` returns {given} and not a pair of carry and output"
        return compose(event, problem, "return `(carry, output)`, the output may be empty")
