"""JIT906: a donated buffer that no result can take."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity


class DonationUnused(Rule):
    """Donated buffer that no result can use."""

    code = "JIT906"
    name = "donation-unused"
    severity = Severity.SLOW
    events = (EventKind.DONATION_UNUSED,)
    what = """
        An argument is donated, but no result can use its memory.
        """
    why = """
        The donation saves nothing: the program needs memory for the argument and for the result. Often the function was
        meant to return a result of this shape, and does not.
        """
    error = ""
    example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, donate_argnums=0)
        def loss(weights, features):
            return jnp.sum(weights * features)

        weights = jnp.ones(8)
        loss(weights, jnp.ones(8))
        """
    remedy = """
        Return a result of the same shape and dtype, or do not donate.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, donate_argnums=0)
        def updated(weights, gradient):
            return weights - 0.1 * gradient

        weights = jnp.ones(8)
        updated(weights, jnp.ones(8))
        """
    symptom = "not weights.is_deleted()"
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it. Silent, too, about inputs that jitlint made up:
        with other shapes a result might use the buffer.
        """
    verified_by = """
        Compiling with inputs of your own: confirmed if JAX says that a donated buffer was not usable.
        """

    def check(self, event: Event) -> str | None:
        why = shorten(event.detail.get("message", "").partition(":")[2], 50)
        problem = f"{subject(event, 'the function')} is given a buffer that no result can use"
        problem += f" ({why})" if why else ""
        return compose(event, problem, "return a result of its shape and dtype, or do not donate it")
