"""JIT504: output, logging, files and input in a traced function."""

from jitlint.events.event import PUT_OUT, Event, EventKind
from jitlint.fixes.remedies import DEBUG_PRINT
from jitlint.rules.message import compose, under
from jitlint.rules.rule import Rule, Severity

_REMEDY = {
    "output": "use jax.debug.print",
    "log": "use jax.debug.callback",
    "debug": "use jax.debug.callback",
    "warning": "use jax.debug.callback",
    "file": "do it outside, or use jax.experimental.io_callback",
    "input": "read it outside and pass it as an argument",
}


class OutputWhileTracing(Rule):
    """Output, logging, file access or input in a traced function."""

    code = "JIT504"
    name = "output-while-tracing"
    severity = Severity.WRONG
    events = (EventKind.EFFECT,)
    what = """
        A call of `print`, a logging method, `open`, `input` or another function with a side effect, in a traced
        function.
        """
    why = """
        It runs once, while JAX traces, and not when the compiled function runs. It shows tracers, not values. Output
        that shows no tracer, such as a shape or a warning, is often meant to come when JAX traces: it is a hint, unless
        the statement before or after it shows a tracer or changes state. So is what is logged for debugging.
        """
    error = ""
    example = """
        import jax

        @jax.jit
        def step(x):
            print("step", x)
            return x * 0.5

        step(step(8.0))
        """
    remedy = """
        Print values with `jax.debug.print`, log with `jax.debug.callback`, write with `jax.experimental.io_callback`,
        or do it outside of the traced function. If the call is meant to show when JAX traces, it is right: suppress the
        finding.
        """
    fixed_example = """
        import jax

        @jax.jit
        def step(x):
            jax.debug.print("step {}", x)
            return x * 0.5

        step(step(8.0))
        jax.effects_barrier()
        """
    symptom = "printed != ['step 8.0', 'step 4.0']"
    fixes = (DEBUG_PRINT,)
    unknown = "Silent: only functions known to have such an effect are reported."
    verified_by = "Calling the function twice: confirmed if the effect happens in the first call only."

    def severity_of(self, event: Event) -> Severity:
        category = event.detail.get("category")
        only_static = category in PUT_OUT and not event.detail.get("shows")
        return Severity.HINT if only_static or category == "debug" else self.severity

    def check(self, event: Event) -> str | None:
        remedy = _REMEDY.get(event.detail.get("category", ""))
        if remedy is None:
            return None
        return compose(event, f"`{event.construct}` runs once, while tracing{under(event)}, not in each call", remedy)
