"""JIT505: the clock or the environment read in a traced function."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, under
from jitlint.rules.rule import Rule, Severity

_REMEDY = {
    "clock": "read the clock around the call",
    "environment": "read it outside and pass it as an argument",
}


class ClockWhileTracing(Rule):
    """Clock or environment read in a traced function."""

    code = "JIT505"
    name = "clock-while-tracing"
    severity = Severity.WRONG
    events = (EventKind.EFFECT,)
    what = """
        A call of `time.time`, `time.perf_counter`, `datetime.now`, `os.environ.get` or the like in a traced function.
        """
    why = """
        The clock is read once, while JAX traces, and its value becomes a constant of the compiled program. A duration
        taken this way is the time that tracing took.
        """
    error = ""
    example = """
        import time

        import jax
        import jax.numpy as jnp

        @jax.jit
        def timed(x):
            start = time.perf_counter()
            y = jnp.sin(x)
            return y, time.perf_counter() - start

        _, first = timed(1.0)
        _, second = timed(1.0)
        """
    remedy = """
        Measure outside of the traced function, and wait for the result with `jax.block_until_ready`.
        """
    fixed_example = """
        import time

        import jax
        import jax.numpy as jnp

        wave = jax.jit(jnp.sin)

        def timed(x):
            start = time.perf_counter()
            y = wave(x).block_until_ready()
            return y, time.perf_counter() - start

        _, first = timed(1.0)
        _, second = timed(1.0)
        """
    symptom = "first == second"
    unknown = "Silent: only functions known to read the clock or the environment are reported."
    verified_by = "Tracing again with another clock or environment: confirmed if the program differs."

    def check(self, event: Event) -> str | None:
        remedy = _REMEDY.get(event.detail.get("category", ""))
        if remedy is None:
            return None
        problem = f"`{event.construct}` is read once, while tracing{under(event)}, and becomes a constant"
        return compose(event, problem, remedy)
