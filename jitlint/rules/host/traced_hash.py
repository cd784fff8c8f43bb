"""JIT306: a traced value hashed."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import ARRAY_LOOKUP, HOST_MATH, STATIC
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity

_HASHED = {
    "dict": "a dict key must have a hash",
    "set": "a set member must have a hash",
    "lru_cache": "an argument of a cached function must have a hash",
}


class TracedHash(Rule):
    """Traced value as a dict key, set member or cache key."""

    code = "JIT306"
    name = "traced-hash"
    severity = Severity.ERROR
    events = (EventKind.HASH,)
    what = """
        A traced array as a dictionary's key, a set's member or looked up in either, an argument of `hash` or of a
        function under `functools.lru_cache`.
        """
    why = """
        Arrays have no hash: equal hashes would have to mean equal values, and a traced array has none.
        """
    error = "TypeError: unhashable type: 'DynamicJaxprTracer'"
    example = """
        import jax

        @jax.jit
        def weight(label):
            return {0: 0.5, 1: 0.25}[label]

        weight(1)
        """
    remedy = """
        Look the value up in an array by an integer index, choose with `jax.lax.switch`, or make the argument static.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def weight(label):
            return jnp.array([0.5, 0.25])[label]

        weight(1)
        """
    fixes = (HOST_MATH, ARRAY_LOOKUP, STATIC)
    unknown = "Silent: only a key that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TypeError (unhashable type) comes from this place."

    def check(self, event: Event) -> str | None:
        problem = _HASHED.get(event.construct, f"`{event.construct}` needs a hash")
        return compose(event, f"{problem}, unlike {traced(event)}", f"index a jnp.array{or_static(event)}")
