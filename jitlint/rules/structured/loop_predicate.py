"""JIT704: the condition of a while_loop is no boolean scalar."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import BOOLEAN_PREDICATE
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class LoopPredicate(Rule):
    """Condition of a `while_loop` that is not a boolean scalar."""

    code = "JIT704"
    name = "loop-predicate"
    severity = Severity.ERROR
    events = (EventKind.PREDICATE,)
    what = """
        A `cond_fun` of `lax.while_loop` that returns a number, an array with axes, or a container.
        """
    why = """
        Python converts any value to a truth value; a compiled loop needs a boolean scalar. `n - i` for "as long as
        something is left" is an error, and so is one boolean per element.
        """
    error = (
        "TypeError: cond_fun must return a boolean scalar, but got output type(s) [ShapedArray(int32[], "
        "weak_type=True)]."
    )
    example = """
        from jax import lax

        lax.while_loop(lambda left: left - 1, lambda left: left // 2, 10)
        """
    remedy = """
        Compare, and reduce over the elements: `left > 1`, `jnp.any(error > tolerance)`, `(a > 0) & (b > 0)`.
        """
    fixed_example = """
        from jax import lax

        lax.while_loop(lambda left: left > 1, lambda left: left // 2, 10)
        """
    fixes = (BOOLEAN_PREDICATE,)
    unknown = "Silent: only a result whose structure, dtype or rank is known is reported."
    verified_by = "Running or tracing the loop: confirmed if JAX refuses what the condition returns."

    def check(self, event: Event) -> str | None:
        given = event.detail.get("given", "")
        if given.startswith(("dtype ", "rank ")):
            given = f"a value of {given}"
        problem = f"the condition of `{event.construct}` gives {given or 'another value'} and not a boolean scalar"
        return compose(event, problem, "compare, and reduce with jnp.any or jnp.all")
