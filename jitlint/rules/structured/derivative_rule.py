"""JIT713: a rule of a `custom_vjp` or `custom_jvp` function that JAX cannot use."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class DerivativeRule(Rule):
    """Derivative rule that takes or returns something else than JAX asks of it."""

    code = "JIT713"
    name = "derivative-rule"
    severity = Severity.ERROR
    events = (EventKind.DERIVATIVE_RULE,)
    what = """
        A rule of a `jax.custom_vjp` or `jax.custom_jvp` function that takes another number of arguments than JAX gives
        it; a `fwd`, or a rule of `defjvp`, that returns no pair; a `bwd` that does not return a tuple with one
        cotangent for each argument.
        """
    why = """
        JAX calls `fwd` with the arguments, and takes the result and the residuals from it. It calls `bwd` with the
        arguments of `nondiff_argnums`, the residuals and the cotangent, and needs a cotangent for every other argument,
        in their order. The rule of `defjvp` gets the arguments of `nondiff_argnums`, then the primals and the tangents
        as two tuples.
        """
    error = (
        "TypeError: Custom VJP bwd rule must produce an output with the same container (pytree) structure as the args "
        "tuple of the primal function…"
    )
    example = """
        import jax

        @jax.custom_vjp
        def scaled(x, factor):
            return x * factor

        def fwd(x, factor):
            return x * factor, factor

        def bwd(factor, g):
            return (g * factor,)

        scaled.defvjp(fwd, bwd)
        jax.grad(scaled)(2.0, 3.0)
        """
    remedy = """
        Return a tuple with one entry for each argument that is not in `nondiff_argnums`: None for one without a
        derivative. For a single argument, that is `(g,)`.
        """
    fixed_example = """
        import jax

        @jax.custom_vjp
        def scaled(x, factor):
            return x * factor

        def fwd(x, factor):
            return x * factor, factor

        def bwd(factor, g):
            return (g * factor, None)

        scaled.defvjp(fwd, bwd)
        jax.grad(scaled)(2.0, 3.0)
        """
    unknown = "Silent: only a number of parameters and a result that are known are reported."
    verified_by = "Taking the derivative: confirmed if JAX refuses the rule."

    def check(self, event: Event) -> str | None:
        fault = event.detail.get("fault", "")
        return compose(
            event, f"a rule of `{event.construct}` does not fit: {fault}", "follow JAX's order and structure"
        )
