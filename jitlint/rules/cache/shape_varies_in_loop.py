"""JIT407: an argument of a jitted function has another shape in each round of a loop."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import aside, compose, parameter
from jitlint.rules.rule import Rule, Severity


class ShapeVariesInLoop(Rule):
    """Argument of a jitted function that has another shape in each round of a loop."""

    code = "JIT407"
    name = "shape-varies-in-loop"
    severity = Severity.SLOW
    events = (EventKind.VARYING_SHAPE,)
    what = """
        A jitted function called in a loop with an array whose length follows the loop's counter (`x[:i]`,
        `jnp.zeros(i)`) or a number that the host reads from what the round before has left (`x[:int(state.count)]`),
        with arrays of several lengths that the source lists (`for n in (8, 12, 20, 30)`), with batches that are padded
        to the longest of their rows, or with an array, a list or a dict to which each round adds something, in a state
        too.
        """
    why = """
        JAX compiles once for each shape, and once for each structure: a list of three arrays is another one than a list
        of four. If it is new in each round, each round compiles.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def spread(seen):
            return seen.max() - seen.min()

        x = jnp.arange(12.0)
        for i in range(1, 12):
            spread(x[:i])
        """
    remedy = """
        Use one shape: pass the whole array and the counter, and mask the elements beyond it; fill a preallocated array
        with `.at[i].set`; or pad to a few sizes. Or loop inside the function, with `lax.scan`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def spread(x, count):
            seen = jnp.arange(x.size) < count
            return jnp.max(x, where=seen, initial=-jnp.inf) - jnp.min(x, where=seen, initial=jnp.inf)

        x = jnp.arange(12.0)
        for i in range(1, 12):
            spread(x, i)
        """
    symptom = "compiled.count('jit(spread)') > 1"
    unknown = """
        Silent: only slices with one bound that follows the counter or is read, sizes that are the counter, four
        different lengths or more that are known, widths that are `max(…)` of lengths, and arrays, lists and dicts that
        grow in the loop are reported. Batches
        `x[i : i + n]` are not: all but the last have one shape. Nor are lists from which something is popped, or which
        come in some rounds only.
        """
    verified_by = "Counting compilations while the loop runs: confirmed if the function is compiled more than once."

    def check(self, event: Event) -> str | None:
        if event.construct == "longest":
            problem = (
                f"{parameter(event)} is as wide as the longest{aside(event)} in each round, and each width compiles"
            )
            return compose(event, problem, "pad to one width, or round it up to one of a few")
        how = "grows" if event.construct == "growth" else "has another shape"
        problem = f"{parameter(event)}{aside(event)} {how} in each round, and each shape compiles"
        return compose(event, problem, "keep one shape, by masking or padding")
