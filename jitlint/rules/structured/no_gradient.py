"""JIT711: `jax.grad` with respect to integers, or of a function that does not give one real number."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import aside, compose
from jitlint.rules.rule import Rule, Severity


class NoGradient(Rule):
    """Gradient with respect to integers, or of a function that does not give one real number."""

    code = "JIT711"
    name = "no-gradient"
    severity = Severity.ERROR
    events = (EventKind.GRADIENT,)
    what = """
        A function under `jax.grad` or `jax.value_and_grad` that returns an array with axes, a complex number or a
        tuple; that returns no pair although `has_aux=True` says so; or that is differentiated with respect to an
        argument of integers or booleans.
        """
    why = """
        A gradient belongs to a function that gives one real number, and says how that changes with arguments that can
        change a little. JAX refuses all others.
        """
    error = "TypeError: Gradient only defined for scalar-output functions. Output had shape: (3,)."
    example = """
        import jax
        import jax.numpy as jnp

        def loss(w, x):
            return (x @ w) ** 2

        jax.grad(loss)(jnp.ones(2), jnp.ones((3, 2)))
        """
    remedy = """
        Reduce the result to one number, such as by `jnp.mean`, or use `jax.jacobian` or `jax.vmap`. If a function
        returns the loss and more, pass `has_aux=True`. Choose the arguments by `argnums`, and let them be floats. Of
        a complex result, take the absolute value or the real part.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        def loss(w, x):
            return jnp.mean((x @ w) ** 2)

        jax.grad(loss)(jnp.ones(2), jnp.ones((3, 2)))
        """
    unknown = "Silent: only a dtype, a number of axes or a container that is known is reported."
    verified_by = "Calling or tracing the function: confirmed if JAX refuses the argument or the result."

    def check(self, event: Event) -> str | None:
        given = event.detail.get("given", "")
        parameter = event.detail.get("parameter")
        if parameter:
            problem = f"`{event.construct}` differentiates by `{parameter}`{aside(event)}, which holds {given}"
            return compose(event, problem, "choose another argument by argnums, or pass floats")
        if given == "no pair":
            problem = f"`{event.construct}` with has_aux=True needs a pair as result, and gets none"
            return compose(event, problem, "return the value and auxiliary data, or leave has_aux out")
        remedy = {"a tuple": "pass has_aux=True", "a complex number": "take its real part or absolute value"}
        problem = f"`{event.construct}` needs one real number as result, and gets {given}"
        return compose(event, problem, remedy.get(given, "reduce it, as by jnp.mean or jnp.sum"))
