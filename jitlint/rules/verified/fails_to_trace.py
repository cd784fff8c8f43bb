"""JIT901: an entry point cannot be traced, and the analyzer did not see it."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject, under
from jitlint.rules.rule import Rule, Severity


class FailsToTrace(Rule):
    """Entry point that JAX cannot trace."""

    code = "JIT901"
    name = "fails-to-trace"
    severity = Severity.ERROR
    events = (EventKind.FAILS_TO_TRACE,)
    what = """
        A function that is jitted and raises while JAX traces it, for a reason that no other finding explains: shapes
        that do not fit, a result that is not an array, a value that a tracer does not have.
        """
    why = """
        This call fails, and so does every other one with such arguments.
        """
    error = "TypeError: dot_general requires contracting dimensions to have the same shape, got (2,) and (3,)."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def predict(weights, features):
            return features @ weights

        predict(jnp.ones((3, 2)), jnp.ones((4, 2)))
        """
    remedy = """
        Fix the problem that the message names. If the analyzer could have predicted it, please report that, too.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def predict(weights, features):
            return features @ weights

        predict(jnp.ones((2, 3)), jnp.ones((4, 2)))
        """
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it. Silent, too, about failures that may be due to
        inputs that jitlint made up for the function.
        """
    verified_by = """
        Tracing the function with inputs of your own: recorded, declared, or taken from a call. With inputs that jitlint
        made up, a failure counts only if no other shapes would avoid it.
        """

    def check(self, event: Event) -> str | None:
        why = shorten(event.detail.get("message", ""), 70)
        problem = f"{subject(event, 'the function')} cannot be traced{under(event)}" + (f" ({why})" if why else "")
        return compose(event, problem, f"mend what raises {event.construct or 'the error'} here")
