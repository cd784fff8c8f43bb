"""JIT905: a compiled program holds a large array that is no argument."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity


class LargeConstantCompiled(Rule):
    """Compiled program that holds a large array."""

    code = "JIT905"
    name = "large-constant-compiled"
    severity = Severity.SLOW
    events = (EventKind.COMPILED_CONSTANT,)
    what = """
        A compiled program with a constant of a million elements or more (the limit of JIT802, too), where the size of
        the array cannot be seen in the source.
        """
    why = """
        An array that is not an argument becomes a constant of the program: lowering, compiling and memory grow with its
        size, each program that uses it holds a copy, and later changes of the variable have no effect.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp
        import numpy as np

        def made(name):
            return {"table": np.sqrt(np.arange(2_000_000.0))}[name]

        table = jnp.asarray(made("table"))

        @jax.jit
        def lookup(row):
            return table[row] * 2

        lookup(3)
        largest = max(constant.size for constant in lookup.trace(3).jaxpr.consts)
        """
    remedy = """
        Pass the array as an argument, or make it within the function if it is cheap to compute.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp
        import numpy as np

        def made(name):
            return {"table": np.sqrt(np.arange(2_000_000.0))}[name]

        table = jnp.asarray(made("table"))

        @jax.jit
        def lookup(table, row):
            return table[row] * 2

        lookup(table, 3)
        largest = max((constant.size for constant in lookup.trace(table, 3).jaxpr.consts), default=0)
        """
    symptom = "largest > 1_000_000"
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it.
        """
    verified_by = """
        Tracing the function: confirmed if its program has a constant of that size.
        """

    def check(self, event: Event) -> str | None:
        array = shorten(event.construct, 40) or "a large array"
        problem = f"the program of {subject(event, 'the function')} holds {array} as a constant"
        return compose(event, problem, "pass it as an argument")
