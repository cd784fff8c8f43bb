"""JIT112: a Python loop in traced code whose body is recorded in every round."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LOOP
from jitlint.rules.message import compose, subject, under
from jitlint.rules.rule import Rule, Severity


class UnrolledLoop(Rule):
    """Python loop in traced code, of which JAX records every round."""

    code = "JIT112"
    name = "unrolled-loop"
    severity = Severity.HINT
    events = (EventKind.UNROLLED,)
    what = """
        A `for` loop or a comprehension in a traced function that goes over the leading axis of a traced array, over a
        `range` of 32 numbers or more, or over one of unknown length, and computes something with JAX in each round.
        """
    why = """
        The loop runs while JAX traces, and JAX records each round. The program grows with the number of rounds, and
        with it the time to trace and compile. With few rounds this is fine, since it costs nothing at run time.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def total(xs):
            result = 0.0
            for x in xs:
                result = result + jnp.sin(x)
            return result

        size = len(total.trace(jnp.ones(50)).jaxpr.eqns)
        """
    remedy = """
        Compute on the whole array, or let JAX loop: `lax.scan` over an axis, `lax.fori_loop` over numbers, `jax.vmap`
        or `lax.map` where the rounds do not depend on each other.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def total(xs):
            return jnp.sum(jnp.sin(xs))

        size = len(total.trace(jnp.ones(50)).jaxpr.eqns)
        """
    symptom = "size > 50"
    fixes = (LOOP,)
    unknown = """
        Reports a `range` of unknown length, and says in the message that it assumes many rounds. Silent about
        everything else: a loop over a value that may be a list or a tuple is not reported.
        """
    verified_by = "Tracing the function: confirmed if the loop's body ran more than once."

    def check(self, event: Event) -> str | None:
        where = "the leading axis of " if event.detail.get("over") == "array" else ""
        problem = (
            f"a loop over {where}{subject(event, 'many rounds')} is unrolled{under(event)}: each round is recorded"
        )
        return compose(event, problem, "use lax.scan, lax.fori_loop or jax.vmap")
