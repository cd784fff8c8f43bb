"""JIT606: a traced function that returns nothing."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, function, under
from jitlint.rules.rule import Rule, Severity


class NoResult(Rule):
    """Traced function that computes something and returns nothing."""

    code = "JIT606"
    name = "no-result"
    severity = Severity.WRONG
    events = (EventKind.NO_RESULT,)
    what = """
        A traced function whose body only assigns to variables of its own and has no `return`.
        """
    why = """
        Its calls give None, and XLA removes all that it computes. Under `jax.grad` it fails.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def normalise(x):
            y = x / jnp.sum(x)

        y = normalise(jnp.ones(3))
        """
    remedy = """
        Return what it computes. What is to change has to be returned, too, since arguments are copies.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def normalise(x):
            return x / jnp.sum(x)

        y = normalise(jnp.ones(3))
        """
    symptom = "y is None"
    unknown = "Silent if the body has a statement that may do more than compute, or if its result is not known."
    verified_by = "Calling the function: confirmed if the result has no leaves, or the transform refuses it."

    def severity_of(self, event: Event) -> Severity:
        return Severity.ERROR if event.detail.get("fails") else self.severity

    def check(self, event: Event) -> str | None:
        name = function(event)
        if event.detail.get("fails"):
            return compose(event, f"{name}{under(event)} returns nothing, but must return a number", "return the loss")
        problem = f"{name}{under(event)} returns nothing, so that nothing of what it computes is kept"
        return compose(event, problem, "return it")
