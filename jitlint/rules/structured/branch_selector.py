"""JIT707: what chooses among branches has the wrong type."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class BranchSelector(Rule):
    """Predicate of a `cond` or index of a `switch` that has the wrong type."""

    code = "JIT707"
    name = "branch-selector"
    severity = Severity.ERROR
    events = (EventKind.SELECTOR,)
    what = """
        A predicate of `lax.cond` that is an array with axes, None or a container, or an index of `lax.switch` that is
        not an integer scalar: a float, a boolean, an array with axes.
        """
    why = """
        One branch runs, and a scalar chooses it. A comparison of arrays has one result per element, which `jnp.where`
        can use and `cond` cannot. `switch` neither takes a boolean as 0 or 1 nor rounds a float.
        """
    error = "TypeError: Pred must be a scalar, got [False  True  True] of shape (3,)."
    example = """
        import jax.numpy as jnp
        from jax import lax

        x = jnp.arange(3.0)
        lax.cond(x > 0, lambda: x, lambda: -x)
        """
    remedy = """
        Choose per element with `jnp.where`, reduce with `jnp.any` or `jnp.all` for one answer, and convert an index
        with `.astype(int)`. Whether something is None is known while tracing: use `if`.
        """
    fixed_example = """
        import jax.numpy as jnp
        from jax import lax

        x = jnp.arange(3.0)
        lax.cond(jnp.any(x > 0), lambda: x, lambda: -x)
        """
    unknown = "Silent: only a value whose structure, dtype or rank is known is reported."
    verified_by = "Running or tracing the call: confirmed if JAX refuses the predicate or the index."

    def check(self, event: Event) -> str | None:
        given = event.detail.get("given", "") or "another type"
        if given.startswith(("dtype ", "rank ")):
            given = f"a value of {given}"
        if given == "a function":
            what = "index" if event.construct.endswith("switch") else "predicate"
            return compose(event, f"the {what} of `{event.construct}` is a function, and nobody calls it", "call it")
        if event.construct.endswith("switch"):
            problem = f"the index of `{event.construct}` is {given} and not an integer scalar"
            return compose(event, problem, "convert it with .astype(int)")
        problem = f"the predicate of `{event.construct}` is {given} and not a boolean scalar"
        return compose(event, problem, "use jnp.where per element, or reduce with jnp.any or jnp.all")
