"""JIT802: a large array becomes a constant of the compiled program."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, subject, under
from jitlint.rules.rule import Rule, Severity


class LargeConstant(Rule):
    """Large array captured by a traced function."""

    code = "JIT802"
    name = "large-constant"
    severity = Severity.SLOW
    events = (EventKind.CONSTANT,)
    what = """
        A concrete array of a million elements or more that a jitted function uses without getting it as an argument: a
        global, a closure's variable, an attribute of a static object, or a NumPy array made in the function.
        """
    why = """
        An array that is not an argument becomes a constant of the program. JAX copies it into the program's text, XLA
        may compute with it at compile time, and each program that uses it holds a copy: lowering, compiling and memory
        grow with its size. It is also frozen: later changes of the variable have no effect.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        table = jnp.ones((2_000, 1_000))

        @jax.jit
        def lookup(row):
            return table[row].sum()

        lookup(3)
        largest = max(constant.size for constant in lookup.trace(3).jaxpr.consts)
        """
    remedy = """
        Pass the array as an argument. If it is cheap to compute (`jnp.arange(n)`), make it within the function with
        `jnp`: then the program computes it and does not store it.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        table = jnp.ones((2_000, 1_000))

        @jax.jit
        def lookup(table, row):
            return table[row].sum()

        lookup(table, 3)
        largest = max((constant.size for constant in lookup.trace(table, 3).jaxpr.consts), default=0)
        """
    symptom = "largest > 1_000_000"
    unknown = """
        Silent: only arrays whose size is written out are reported, not those that were read from a file.
        """
    verified_by = "Tracing the function: confirmed if its program has a constant of that size."

    def check(self, event: Event) -> str | None:
        count = event.detail.get("elements", "")
        size = f", {count} elements," if count else ""
        problem = f"{subject(event, 'an array')}{size} becomes a constant of the program{under(event)}"
        return compose(event, problem, "pass it as an argument")
