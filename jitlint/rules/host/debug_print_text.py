"""JIT309: jax.debug.print gets a text that shows a tracer, or values that its text has no place for."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import DEBUG_PRINT
from jitlint.rules.message import compose, subject, traced
from jitlint.rules.rule import Rule, Severity


class DebugPrintText(Rule):
    """Text of `jax.debug.print` that does not format its values."""

    code = "JIT309"
    name = "debug-print-text"
    severity = Severity.WRONG
    events = (EventKind.TEXT,)
    what = """
        An f-string, `str(x)` or another text made of a tracer, given to `jax.debug.print`; a tracer in the place of the
        text; a value for which the text has no `{}`.
        """
    why = """
        `jax.debug.print` formats its text at run time, when the values are known. An f-string formats while JAX traces
        and shows the tracer. Without a place for a value, JAX refuses the call.
        """
    error = ""
    example = """
        import jax

        @jax.jit
        def step(x):
            jax.debug.print(f"x is {x}")
            return x * 0.5

        step(8.0)
        jax.effects_barrier()
        """
    remedy = """
        Give the text with braces, and the values after it: `jax.debug.print("x is {}", x)`.
        """
    fixed_example = """
        import jax

        @jax.jit
        def step(x):
            jax.debug.print("x is {}", x)
            return x * 0.5

        step(8.0)
        jax.effects_barrier()
        """
    symptom = "printed != ['x is 8.0']"
    fixes = (DEBUG_PRINT,)
    unknown = "Silent: only a text that is known to show a tracer, and only a constant text without a place."
    verified_by = "Tracing the function: confirmed if the text is made of a tracer, or if JAX refuses the call."

    def severity_of(self, event: Event) -> Severity:
        return self.severity if event.construct == "text" else Severity.ERROR

    def check(self, event: Event) -> str | None:
        if event.construct == "unused":
            problem = f"the text of jax.debug.print has no place for {subject(event)}"
        elif event.construct == "value":
            problem = f"jax.debug.print wants a text, and gets {subject(event)}"
        else:
            problem = f"the text is made while tracing, and shows {traced(event)}"
        return compose(event, problem, 'use jax.debug.print("{}", value)')
