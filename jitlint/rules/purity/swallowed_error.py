"""JIT509: an `except` in traced code hides that a tracer has no value."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, traced
from jitlint.rules.rule import Rule, Severity

_HANDLER_LENGTH = 40


class SwallowedError(Rule):
    """Handler in traced code that hides a tracer's error, so that its fallback always runs."""

    code = "JIT509"
    name = "swallowed-error"
    severity = Severity.WRONG
    events = (EventKind.SWALLOWED,)
    what = """
        A branch on a traced value, or its conversion to a Python number, within a `try` of the traced function whose
        handler takes every exception, or every TypeError.
        """
    why = """
        JAX raises an error where a tracer's value is needed. The handler was written for another error, but catches
        this one, too, and runs its fallback. Nothing fails, but the compiled program consists of the fallback alone,
        whatever the values are.
        """
    error = ""
    example = """
        import jax

        @jax.jit
        def magnitude(x):
            try:
                if x < 0:
                    return -x
                return x
            except Exception:
                return x

        result = magnitude(-2.0)
        """
    remedy = """
        Choose with `jnp.where` or `lax.cond`, which need no handler. Otherwise let the handler name the exceptions that
        it is for, and put only the code that raises them into the `try`. To ask whether a value is traced, catch
        `jax.errors.ConcretizationTypeError`, or test `isinstance(x, jax.core.Tracer)`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def magnitude(x):
            return jnp.where(x < 0, -x, x)

        result = magnitude(-2.0)
        """
    symptom = "result == -2.0"
    unknown = """
        Silent: only values that are known to be traced are reported. A handler that names an error of JAX, binds the
        exception or raises again counts as deliberate. For a conversion (`float(x)`) in a `try`, the rule assumes that
        it is not a test whether the value is traced, and says so in the message. Where the handler only answers a
        question (`return False`), or stands in a caller, that is shown with `--confidence possible` only.
        """
    verified_by = "Tracing the function: confirmed if a tracer's error is raised on that line and does not come out."

    def check(self, event: Event) -> str | None:
        handler = shorten(event.detail.get("handler", ""), _HANDLER_LENGTH) or "a handler"
        problem = f"`{handler}` hides that `{event.construct}` needs the value of {traced(event)}"
        return compose(event, problem, "use jnp.where or lax.cond")
