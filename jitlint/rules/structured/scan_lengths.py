"""JIT705: what is scanned or mapped over has axes of different lengths, or lacks the axis."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, difference, subject
from jitlint.rules.rule import Rule, Severity


class ScanLengths(Rule):
    """Arrays of different lengths to scan or map over."""

    code = "JIT705"
    name = "scan-lengths"
    severity = Severity.ERROR
    events = (EventKind.LENGTHS,)
    what = """
        Arrays given to `lax.scan`, `lax.map` or a function under `jax.vmap` together whose leading axes differ in
        length. A number, or an array of too few axes, that `jax.vmap` is to map over. And a tuple as `in_axes` that has
        not one entry for each positional argument.
        """
    why = """
        Each round takes one element of every array. Unlike `zip`, JAX does not stop at the shortest; and `jax.vmap`
        maps over axis 0 of every argument for which `in_axes` says nothing else.
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
        Cut or pad the arrays to one length: `(path[:-1], path[1:])`. What is the same for all examples has the entry
        None in `in_axes`.
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
    unknown = "Silent: only lengths that are known in relation to each other are compared, and ranks that are known."
    verified_by = "Running or tracing the call: confirmed if JAX refuses the lengths."

    def check(self, event: Event) -> str | None:
        axis, rank = event.detail.get("axis", ""), event.detail.get("rank", "")
        entries, given = event.detail.get("entries", ""), event.detail.get("arguments", "")
        if entries:
            problem = f"`in_axes` of `{event.construct}` has {entries} entries, but the call has {given} by position"
            return compose(event, problem, "give one for each positional argument, None for what is not mapped")
        if axis:
            problem = f"`{event.construct}` maps over axis {axis}, and {subject(event, 'an argument')} has rank {rank}"
            return compose(event, problem, "leave it out in `in_axes`, or give it that axis")
        problem = f"`{event.construct}` goes over arrays of different lengths{difference(event)}"
        return compose(event, problem, "slice or pad them to one length")
