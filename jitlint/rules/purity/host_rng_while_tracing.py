"""JIT506: a host random number generator in a traced function."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, under
from jitlint.rules.rule import Rule, Severity


class HostRngWhileTracing(Rule):
    """Host random number generator in a traced function."""

    code = "JIT506"
    name = "host-rng-while-tracing"
    severity = Severity.WRONG
    events = (EventKind.EFFECT,)
    what = """
        A call of `numpy.random`, `random`, `secrets`, `uuid` or the like in a traced function.
        """
    why = """
        The number is drawn once, while JAX traces, and becomes a constant of the compiled program: each call gives the
        same "random" number.
        """
    error = ""
    example = """
        import jax
        import numpy as np

        @jax.jit
        def jitter(x):
            return x + np.random.normal()

        first, second = jitter(1.0), jitter(1.0)
        """
    remedy = """
        Use `jax.random` with a key that is passed as an argument and split for each use.
        """
    fixed_example = """
        import jax

        @jax.jit
        def jitter(x, key):
            return x + jax.random.normal(key)

        one, two = jax.random.split(jax.random.key(0))
        first, second = jitter(1.0, one), jitter(1.0, two)
        """
    symptom = "first == second"
    unknown = "Silent: only functions known to draw random numbers are reported."
    verified_by = "Tracing twice: confirmed if the two programs hold different constants."

    def check(self, event: Event) -> str | None:
        if event.detail.get("category") != "random":
            return None
        problem = f"`{event.construct}` draws once, while tracing{under(event)}, and gives the same number in each call"
        return compose(event, problem, "use jax.random with a key argument")
