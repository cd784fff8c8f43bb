"""JIT709: a derivative goes backwards through a loop whose number of rounds is not known."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, subject
from jitlint.rules.rule import Rule, Severity


class OpenLoop(Rule):
    """Reverse-mode derivative of a loop without a known number of rounds."""

    code = "JIT709"
    name = "open-loop"
    severity = Severity.ERROR
    events = (EventKind.OPEN_LOOP,)
    what = """
        `jax.grad` or another transform that goes backwards, through a `lax.while_loop`, or a `lax.fori_loop` with a
        traced bound, that computes with the argument.
        """
    why = """
        Going backwards needs what each round computed, so that JAX must know how many rounds there are. A `fori_loop`
        with constant bounds is a `scan` and can be differentiated.
        """
    error = (
        "ValueError: Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic "
        "start/stop values. Try using lax.scan, or using fori_loop with static start/stop."
    )
    example = """
        import jax
        from jax import lax

        def root(a):
            return lax.while_loop(lambda x: abs(x * x - a) > 1e-3, lambda x: 0.5 * (x + a / x), a)

        slope = jax.grad(root)(2.0)
        """
    remedy = """
        Run a fixed number of rounds with `lax.scan` or a `fori_loop` with constant bounds, and leave the carry as it is
        once it has converged. For fixed points and roots, give the derivative with `jax.custom_vjp` or
        `lax.custom_root`. `jax.jacfwd` goes forwards. `lax.stop_gradient` keeps derivatives out.
        """
    fixed_example = """
        import jax
        from jax import lax

        def root(a):
            return lax.fori_loop(0, 20, lambda i, x: 0.5 * (x + a / x), a)

        slope = jax.grad(root)(2.0)
        """
    unknown = "Silent: only a carry that is known to depend on the argument, and no `stop_gradient` on the way."
    verified_by = "Taking the derivative: confirmed if JAX refuses the loop."

    def check(self, event: Event) -> str | None:
        problem = f"{event.construct} cannot go backwards through {subject(event, 'a loop')}, of unknown length"
        return compose(event, problem, "use lax.scan, fixed bounds or custom_vjp")
